#include "runtime/process/environment.h"

#include "formats/encode.h"
#include "formats/identity/label_list.h"
#include "runtime/base/options.h"
#include "runtime/os/os.h"
#include "runtime/process/said.h"
#include "runtime/process/state.h"
#include "runtime/sandboxes/seccomp.h"

#include <string.h>
#include <unistd.h>

enum {
	MAX_OURS = 32,
	OURS_BYTES = 3 * PATH_MAX,
	ON_STACK = 4096, /* a handler may exec on a small alternate stack */
};

#define PRELOAD "LD_PRELOAD="
#define LABELS HPCRUN_ENV_LABELS "="

static char ours_bytes[OURS_BYTES];
static size_t ours_used;
static const char *ours[MAX_OURS];
static size_t num_ours;

static bool is_ours(const char *variable)
{
	return strncmp(variable, "HPCRUN_", 7) == 0;
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");
	return strncmp(a, b, n) == 0 && b[n] == '=';
}

static bool has_name(char *const *variables, const char *name)
{
	while (*variables && !same_name(name, *variables))
		variables++;
	return *variables != NULL;
}

void csprof_environment_keep(char **environment)
{
	for (char **e = environment; *e && num_ours < MAX_OURS; e++) {
		size_t n = strlen(*e) + 1;
		if (!is_ours(*e) || same_name(HPCRUN_ENV_IMAGE "=", *e) ||
		    same_name(HPCRUN_ENV_LABELS "=", *e) || ours_used + n > sizeof ours_bytes)
			continue;
		memcpy(ours_bytes + ours_used, *e, n);
		ours[num_ours++] = ours_bytes + ours_used;
		ours_used += n;
	}
}

void csprof_environment_forget(void)
{
	num_ours = ours_used = 0;
}

/* Without one library. */
static void strip(char *value, const char *library)
{
	size_t n = strlen(library);
	char *at = n ? strstr(value, library) : NULL;
	if (!at)
		return;
	char *end = at + n;
	if (*end == ':' || *end == ' ')
		end++;
	memmove(at, end, strlen(end) + 1);
}

void csprof_environment_strip(char *value)
{
	const char *driver = NULL;
	strip(value, csprof_options.library);
	while ((driver = csprof_options_next_driver(driver)) != NULL)
		strip(value, driver);
}

static bool has_library(char *const *variables)
{
	bool has = false;
	for (; *variables; variables++)
		if (strncmp(*variables, PRELOAD, sizeof PRELOAD - 1) == 0)
			has |= strstr(*variables, csprof_options.library) != NULL;
	return has;
}

/* Whether nothing is missing, or, for a foreign program, our library is absent. */
static bool suffices(char *const *variables, enum csprof_next next)
{
	switch (next) {
	case CSPROF_NEXT_FOREIGN:
		return !has_library(variables);
	case CSPROF_NEXT_CHILD:
		return has_library(variables) && has_name(variables, HPCRUN_ENV_OUT "=");
	case CSPROF_NEXT_IMAGE:
		break;
	}
	return false;
}

/* Variables that are passed on with more in them; NULL: there are none. */
struct extended {
	const char *preload, *labels;
};

static size_t count(char *const *variables, struct extended *old)
{
	size_t n = 0;
	*old = (struct extended){0};
	for (; variables[n]; n++)
		if (strncmp(variables[n], PRELOAD, sizeof PRELOAD - 1) == 0)
			old->preload = variables[n];
		else if (strncmp(variables[n], LABELS, sizeof LABELS - 1) == 0)
			old->labels = variables[n];
	return n;
}

/* The size of pointers to all variables, those that are made here, and a NULL. */
static size_t pointer_bytes(size_t n)
{
	return (n + num_ours + 4) * sizeof(char *);
}

/* Whether the next program is told of this one: see add_image and add_labels. */
static bool tells(enum csprof_next next)
{
	return next != CSPROF_NEXT_FOREIGN && csprof_process.pid;
}

/* The size of the variable that add_labels makes, or of none. */
static size_t room_for_labels(const char *old)
{
	size_t n = csprof_said_list(NULL);
	return n || old ? sizeof LABELS + n + 1 + (old ? strlen(old) : 0) : 0;
}

/* The size of a copy of variables for next; 0: they are passed unchanged. */
static size_t room_for(char *const *variables, enum csprof_next next)
{
	enum { NUMBERS = 160 }; /* "HPCRUN_IMAGE=PID.SEQ.SPACE.CPU" and the names of variables */
	struct extended old;
	if (!csprof_options.follow || !csprof_options.library[0] || !num_ours)
		return 0;
	if (!tells(next) && suffices(variables, next))
		return 0;
	size_t n = count(variables, &old);
	return pointer_bytes(n) + NUMBERS + strlen(csprof_options.library) +
	       csprof_options.drivers_bytes + (old.preload ? strlen(old.preload) : 0) +
	       (tells(next) ? room_for_labels(old.labels) : 0);
}

/* The new environment: pointers first, then the text of the variables that are made here. */
struct builder {
	char **variables;
	size_t n;
	char *text;
};

static void add_text(struct builder *b, const char *s, size_t n)
{
	memcpy(b->text, s, n);
	b->text += n;
}

static void add_preload(struct builder *b, const char *old)
{
	static const char name[] = PRELOAD;
	const char *library = csprof_options.library;
	if (old && strstr(old, library)) {
		b->variables[b->n++] = (char *)old;
		return;
	}
	b->variables[b->n++] = b->text;
	add_text(b, name, sizeof name - 1);
	add_text(b, library, strlen(library));
	const char *driver = NULL;
	while ((driver = csprof_options_next_driver(driver)) != NULL) {
		add_text(b, ":", 1);
		add_text(b, driver, strlen(driver));
	}
	if (old && old[sizeof name - 1]) {
		add_text(b, ":", 1);
		add_text(b, old + sizeof name - 1, strlen(old + sizeof name - 1));
	}
	add_text(b, "", 1);
}

static void add_number(struct builder *b, uint64_t v, const char *end)
{
	char digits[20];
	size_t n = csp_format_u64(digits, v);
	add_text(b, digits, n);
	add_text(b, end, 1);
}

/* Where this thread's call of exec passes the CPU time, which is not known before it finishes. NULL
 * outside of such a call, whose memory is gone when it has come back. */
enum { CLOCK_DIGITS = 20 };
static __thread char *clock_place;

/* Pass our pid, the next number, the pid namespace and, to the next image, the CPU time. A child
 * that finds its parent's pid here need not look up its pid namespace. A vfork child shares our
 * memory, so it passes its parent's pid. */
static void add_image(struct builder *b, enum csprof_next next)
{
	static const char name[] = HPCRUN_ENV_IMAGE "=";
	static const char zero[] = "00000000000000000000";
	b->variables[b->n++] = b->text;
	add_text(b, name, sizeof name - 1);
	add_number(b, csprof_process.pid, ".");
	add_number(b, csprof_options.seq + 1u, ".");
	if (next != CSPROF_NEXT_IMAGE) {
		add_number(b, csprof_process.pid_space, "");
		return;
	}
	add_number(b, csprof_process.pid_space, ".");
	clock_place = b->text;
	add_text(b, zero, sizeof zero);
}

void csprof_environment_put_clock(uint64_t ns)
{
	for (size_t i = CLOCK_DIGITS; clock_place && i-- > 0; ns /= 10)
		clock_place[i] = (char)('0' + ns % 10);
}

/* Pass the thread's labels, which those that the program sets itself come after. */
static void add_labels(struct builder *b, const char *old)
{
	size_t n = csprof_said_list(NULL);
	if (!n && !old)
		return;
	b->variables[b->n++] = b->text;
	add_text(b, LABELS, sizeof LABELS - 1);
	b->text += csprof_said_list(b->text);
	if (n && old)
		add_text(b, ",", 1);
	if (old)
		add_text(b, old + sizeof LABELS - 1, strlen(old + sizeof LABELS - 1));
	add_text(b, "", 1);
}

/* LD_PRELOAD without our library, if that leaves anything. */
static void add_foreign_preload(struct builder *b, const char *old)
{
	char *copy = b->text;
	add_text(b, old, strlen(old) + 1);
	csprof_environment_strip(copy + sizeof PRELOAD - 1);
	if (copy[sizeof PRELOAD - 1])
		b->variables[b->n++] = copy;
}

/* memory: room_for bytes. */
static char **copy_for(void *memory, char *const *variables, enum csprof_next next)
{
	struct extended old;
	size_t n = count(variables, &old);
	bool told = tells(next);
	struct builder b = {.variables = memory, .text = (char *)memory + pointer_bytes(n)};
	for (size_t i = 0; i < n; i++)
		if (!same_name(HPCRUN_ENV_IMAGE "=", variables[i]) && variables[i] != old.preload &&
		    !(told && variables[i] == old.labels))
			b.variables[b.n++] = variables[i];
	if (next == CSPROF_NEXT_FOREIGN) {
		add_foreign_preload(&b, old.preload);
		b.variables[b.n] = NULL;
		return b.variables;
	}
	/* variables that the program has set remain: it may be another hpcrun */
	bool complete = suffices(variables, next);
	for (size_t i = 0; !complete && i < num_ours; i++)
		if (!has_name(variables, ours[i]))
			b.variables[b.n++] = (char *)ours[i];
	add_preload(&b, old.preload);
	if (told) {
		add_image(&b, next);
		add_labels(&b, old.labels);
	}
	b.variables[b.n] = NULL;
	return b.variables;
}

static char *const none[] = {NULL};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvla" /* mappings of a vfork child would remain in its parent */

static int call_with(char *const *variables, enum csprof_next next,
		     int (*start)(char *const *variables, void *arg), void *arg)
{
	if (!variables)
		variables = none;
	if (csprof_process.detached)
		next = CSPROF_NEXT_FOREIGN;
	csprof_saying_begin(csprof_self);
	size_t bytes = room_for(variables, next);
	bool unchanged = bytes == 0 ||
			 (bytes > ON_STACK && suffices(variables, next) && !csprof_said_list(NULL));
	void *mapped = NULL;
	if (!unchanged && bytes > ON_STACK && !csprof_confined())
		mapped = os_map(bytes);
	bool on_stack = !unchanged && bytes <= ON_STACK;
	char *memory[on_stack ? bytes / sizeof(char *) + 1 : 1];
	if (mapped || on_stack)
		variables = copy_for(mapped ? mapped : memory, variables, next);
	csprof_saying_end(csprof_self);
	int r = start(variables, arg);
	if (mapped)
		os_unmap(mapped, bytes);
	return r;
}

#pragma GCC diagnostic pop

int csprof_environment_call(char *const *variables, enum csprof_next next,
			    int (*start)(char *const *variables, void *arg), void *arg)
{
	clock_place = NULL;
	int r = call_with(variables, next, start, arg);
	clock_place = NULL;
	return r;
}

void csprof_environment_remove(char **environment, const char *name)
{
	while (*environment && !same_name(name, *environment))
		environment++;
	for (; *environment; environment++)
		environment[0] = environment[1];
}

/* ---- environ ----------------------------------------------------------------------- */

/* Completed copies of environ. A thread may read one long after it was taken back, so each copy
 * stays unchanged until COPIES others were made. Under the process's lock. */
enum { COPIES = 32 };
static struct copy {
	char **variables;
	size_t bytes;
	char **original; /* a copy of the original pointers */
	size_t n;
	char *labels; /* of the thread for which it was made, a list */
	enum csprof_next next;
} copies[COPIES];
static uint32_t next_copy;

/* The value of environ before and after it was replaced, and the number of calls that use ours. */
static struct {
	char **program, **ours;
	uint32_t users;
} lent;

static char **find_copy(char *const *variables, size_t n, enum csprof_next next, const char *labels)
{
	for (struct copy *c = copies; c < copies + COPIES; c++)
		if (c->variables && c->n == n && c->next == next &&
		    strcmp(c->labels, labels) == 0 &&
		    memcmp(c->original, variables, n * sizeof *variables) == 0)
			return c->variables;
	return NULL;
}

static char **make_copy(char *const *variables, size_t n, enum csprof_next next, size_t room,
			const char *labels)
{
	struct copy *c = &copies[next_copy];
	size_t own = n * sizeof *variables, used = own + room, more = strlen(labels) + 1;
	char **memory = os_map(used + more);
	if (!memory)
		return NULL;
	if (c->original)
		os_unmap(c->original, c->bytes);
	memcpy(memory, variables, own);
	*c = (struct copy){copy_for(memory + n, variables, next),
			   used + more,
			   memory,
			   n,
			   (char *)memory + used,
			   next};
	memcpy(c->labels, labels, more);
	next_copy = (next_copy + 1) % COPIES;
	return c->variables;
}

char **csprof_environment_lend(void)
{
	struct extended old;
	char labels[LABEL_LIST_BYTES + 1];
	if (csprof_confined())
		return NULL;
	csprof_lock();
	labels[csprof_said_list(labels)] = '\0';
	enum csprof_next next = csprof_process.detached ? CSPROF_NEXT_FOREIGN : CSPROF_NEXT_CHILD;
	if (lent.users == 0 || environ != lent.ours) {
		char *const *variables = environ ? environ : (char **)none;
		bool as_it_is = suffices(variables, next) && !labels[0];
		size_t room = as_it_is ? 0 : room_for(variables, next);
		size_t n = count(variables, &old);
		char **copy = room ? find_copy(variables, n, next, labels) : NULL;
		if (room && !copy)
			copy = make_copy(variables, n, next, room, labels);
		if (!copy) {
			csprof_unlock();
			return NULL;
		}
		if (copy != lent.ours)
			lent.users = 0;
		lent.program = environ;
		environ = lent.ours = copy;
	}
	lent.users++;
	char **given = lent.ours;
	csprof_unlock();
	return given;
}

void csprof_environment_take_back(char **given)
{
	if (!given)
		return;
	csprof_lock();
	if (lent.ours == given && lent.users > 0 && --lent.users == 0 && environ == given)
		environ = lent.program;
	csprof_unlock();
}
