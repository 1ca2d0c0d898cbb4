#include "hpcprof/metrics/waits.h"

#include "formats/identity/kernel.h"
#include "formats/identity/sources.h"
#include "hpcprof/correlate/creators.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/kernel.h"
#include "hpcprof/model/sum.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- kinds ------------------------------------------------------------------------------- */

static const char lock[] = "lock", condition[] = "condition", barrier[] = "barrier",
		  semaphore[] = "semaphore", join[] = "join", futex[] = "futex", file[] = "file",
		  a_socket[] = "socket", gil[] = "GIL", other[] = "other";

/* System calls by what they wait for, each with a blank before and after it. "" is any other. */
static const struct {
	const char *kind, *calls;
} kinds_of_calls[] = {
    {"sleep", " nanosleep clock_nanosleep "},
    {"poll", " poll ppoll select pselect6 epoll_wait epoll_pwait epoll_pwait2 epoll_wait_old "
	     "io_uring_enter "},
    {a_socket, " accept accept4 connect recvfrom recvmsg recvmmsg sendto sendmsg sendmmsg "
	       "shutdown "},
    {"child", " wait4 waitid vfork clone clone3 "},
    {"signal", " pause rt_sigsuspend rt_sigtimedwait "},
    {futex, " futex futex_wait futex_waitv "},
    {"file lock", " flock fcntl "},
    {semaphore, " semop semtimedop "},
    {"message", " msgrcv msgsnd mq_timedsend mq_timedreceive "},
    {"memory", " mmap munmap mremap mprotect madvise brk mlock mlockall munlock "},
    {file,
     " open openat openat2 creat fsync fdatasync sync syncfs sync_file_range msync getdents "
     "getdents64 stat fstat lstat newfstatat statx access faccessat faccessat2 rename renameat "
     "renameat2 unlink unlinkat mkdir mkdirat rmdir link linkat symlink symlinkat readlink "
     "readlinkat truncate ftruncate fallocate chmod fchmod fchmodat chown fchown lchown fchownat "
     "utimensat mount umount2 statfs fstatfs copy_file_range readahead io_getevents io_pgetevents "
     "chdir pread64 pwrite64 preadv pwritev preadv2 pwritev2 "},
    {"page fault", " page fault "},
    {"stopped", " stopped "},
    {other, ""}};
/* What the descriptor of a call was. */
static const char *const descriptors[] = {file, a_socket, "pipe", "terminal", "device", "event"};

bool waits_for_thread(const char *kind)
{
	return kind == lock || kind == condition || kind == barrier || kind == semaphore ||
	       kind == join || kind == gil;
}

static const char *kind_of_call(const char *call)
{
	enum { LONGEST = 40 };
	char found[LONGEST + 3];
	size_t i = 0;

	if (strlen(call) > LONGEST)
		return other;
	stpcpy(stpcpy(stpcpy(found, " "), call), " ");
	while (kinds_of_calls[i].calls[0] && !strstr(kinds_of_calls[i].calls, found))
		i++;
	return kinds_of_calls[i].kind;
}

/* "[kernel] read" or "[kernel] read pipe" */
static const char *kind_of_name(const char *name)
{
	size_t prefix = strlen(CSP_MODULE_KERNEL);
	const char *call = name, *last;

	if (strncmp(name, CSP_MODULE_KERNEL, prefix) == 0)
		call += prefix;
	call += *call == ' ';
	last = strrchr(call, ' ');
	for (size_t i = 0; last && i < sizeof descriptors / sizeof *descriptors; i++)
		if (strcmp(last + 1, descriptors[i]) == 0)
			return descriptors[i];
	return kind_of_call(call);
}

/* What a function waits for that has futexes, by words of its name: those of glibc and musl, and of
 * the libraries of Rust, Go, OpenMP, Abseil and Folly. The first that fits counts. */
static const struct {
	const char *words[2], *kind;
} kinds_of_functions[] = {{{"mutex", "lock"}, lock},        {{"lll_lock", ""}, lock},
			  {{"rwlock", "lock"}, lock},       {{"rwlock", "contended"}, lock},
			  {{"mtx_", "lock"}, lock},         {{"mutex", "acquire"}, lock},
			  {{"runtime.lock", ""}, lock},     {{"spin", "lock"}, lock},
			  {{"barrier", ""}, barrier},       {{"cond_", "wait"}, condition},
			  {{"condvar", "wait"}, condition}, {{"condition", "wait"}, condition},
			  {{"cnd_", "wait"}, condition},    {{"sem_", "wait"}, semaphore},
			  {{"semaphore", ""}, semaphore},   {{"pthread_", "join"}, join},
			  {{"thrd_join", ""}, join},        {{"thread", "join"}, join},
			  {{"once", "slow"}, lock},         {{"pthread_once", ""}, lock}};

static const char *kind_of_function(const char *name)
{
	size_t n = sizeof kinds_of_functions / sizeof *kinds_of_functions;

	for (size_t i = 0; i < n; i++)
		if (strcasestr(name, kinds_of_functions[i].words[0]) &&
		    strcasestr(name, kinds_of_functions[i].words[1]))
			return kinds_of_functions[i].kind;
	return NULL;
}

/* ---- waits ------------------------------------------------------------------------------- */

struct finder {
	const struct model *m;
	const struct symbolized *c;
	const char **by_function; /* [functions]: what its name tells; NULL: nothing */
	bool *helps;              /* [functions]: it is not what a user looks for */
};

static bool helps(const struct model *m, const struct code_function *f)
{
	static const char stub[] = "@plt";
	const struct symbol_function named = {
	    .name = f->name, .linkage_name = f->linkage_name, .source = f->source};
	const char *module = m->modules.at[f->module].name;
	size_t length = strlen(f->name), end = sizeof stub - 1;

	return kernel_part_module(m, f->module) || strcmp(module, CSP_MODULE_VDSO) == 0 ||
	       strcmp(module, CSP_SOURCE_INTERPRETER) == 0 ||
	       (length > end && strcmp(f->name + length - end, stub) == 0) ||
	       creators_helps(module, &named);
}

static const char *kind_of(const struct model *m, const struct code_function *f)
{
	if (kernel_part_module(m, f->module))
		return kind_of_name(f->name);
	if (strcmp(m->modules.at[f->module].name, CSP_SOURCE_INTERPRETER) == 0)
		return strcmp(f->name, CSP_WAITS_FOR_GIL) == 0 ? gil : other;
	return kind_of_function(f->name);
}

static int find_functions(struct finder *f, struct error *e)
{
	size_t n = f->c->functions.len;

	f->by_function = calloc(n + 1, sizeof *f->by_function);
	f->helps = calloc(n + 1, sizeof *f->helps);
	if (!f->by_function || !f->helps)
		return error_memory(e, n * sizeof *f->by_function);
	for (size_t i = 0; i < n; i++) {
		const struct code_function *function = &f->c->functions.at[i];
		f->helps[i] = helps(f->m, function);
		f->by_function[i] = kind_of(f->m, function);
	}
	return 0;
}

/* The functions of a context, innermost first, and then those of its callers. */
struct wait_path {
	const struct finder *f;
	uint32_t context, at;
};

static bool next_frame(struct wait_path *w, struct code_frame *frame)
{
	const struct symbolized *c = w->f->c;

	while (w->context >= MODEL_ROOTS) {
		uint32_t of = model_frame_of(w->f->m, w->context);
		uint32_t i = c->first[of] + w->at++;
		if (i < c->first[of + 1]) {
			*frame = c->frames.at[i];
			return true;
		}
		w->context = model_parent(w->f->m, w->context);
		w->at = 0;
	}
	return false;
}

/* A function that waits with a futex is this far from the call at most. */
enum { NEAR = 8 };

static struct wait_place wait_of(const struct finder *f, uint32_t context)
{
	struct wait_path w = {f, context, 0};
	struct wait_place wait = {
	    .kind = NULL, .context = context, .function = WAITS_NO_FUNCTION, .line = WAITS_NO_LINE};
	struct code_frame frame, first = {.function = WAITS_NO_FUNCTION, .line = WAITS_NO_LINE};
	uint32_t depth = 0;

	for (; next_frame(&w, &frame); depth++) {
		uint32_t function = frame.function;
		bool kernel = kernel_part_module(f->m, f->c->functions.at[function].module);
		const char *kind = depth < NEAR ? f->by_function[function] : NULL;
		if (kind && (!wait.kind || (wait.kind == futex && !kernel)))
			wait.kind = kind;
		if (!kernel && first.function == WAITS_NO_FUNCTION)
			first = frame;
		if (!f->helps[function] && wait.function == WAITS_NO_FUNCTION) {
			wait.function = function;
			wait.line = frame.line;
		}
		if (wait.function != WAITS_NO_FUNCTION && depth >= NEAR)
			break;
	}
	if (wait.function == WAITS_NO_FUNCTION) {
		wait.function = first.function;
		wait.line = first.line;
	}
	if (!wait.kind)
		wait.kind = other;
	return wait;
}

const struct model_metric *waits_metric(const struct model *m)
{
	for (size_t i = 0; i < m->metrics.len; i++)
		if (strcmp(m->metrics.at[i].name, CSP_BLOCKED) == 0 &&
		    m->metrics.at[i].total.events)
			return &m->metrics.at[i];
	return NULL;
}

int waits_find(wait_list *out, const struct model *m, const struct symbolized *c,
	       const struct model_metric *blocked, const bool *outside, struct error *e)
{
	struct finder f = {.m = m, .c = c};
	int rc = find_functions(&f, e);

	*out = (wait_list){0};
	for (uint32_t i = MODEL_ROOTS; rc == 0 && i < model_num_contexts(m); i++) {
		if (!blocked->events[i] || (outside && outside[i]))
			continue;
		struct wait_place wait = wait_of(&f, i);
		wait.value = blocked->events[i];
		if (!vec_push(out, wait))
			rc = error_memory(e, out->len * sizeof wait);
	}
	free(f.by_function);
	free(f.helps);
	return rc;
}

/* ---- sums -------------------------------------------------------------------------------- */

/* By kind, then function. */
static int by_kind(const void *pa, const void *pb, void *context)
{
	const struct finder *f = context;
	const struct wait_place *a = pa, *b = pb;
	int kind = strcmp(a->kind, b->kind);

	if (kind || a->function == b->function)
		return kind;
	if (a->function == WAITS_NO_FUNCTION || b->function == WAITS_NO_FUNCTION)
		return a->function == WAITS_NO_FUNCTION ? 1 : -1;
	return label_compare_functions(f->m, f->c, a->function, b->function);
}

static int by_value(const void *pa, const void *pb)
{
	const struct waits_row *a = pa, *b = pb;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return strcmp(a->kind, b->kind);
}

int waits_add_up(waits_rows *out, wait_list *waits, const struct model *m,
		 const struct symbolized *c, struct error *e)
{
	struct finder f = {.m = m, .c = c};
	uint64_t in_function = 0;
	bool saturated = false;

	*out = (waits_rows){0};
	if (waits->len)
		qsort_r(waits->at, waits->len, sizeof *waits->at, by_kind, &f);
	for (size_t i = 0; i < waits->len; i++) {
		const struct wait_place *w = &waits->at[i];
		bool new_kind = !i || w->kind != w[-1].kind;
		const struct waits_row empty = {.kind = w->kind, .function = w->function};
		if (new_kind && !vec_push(out, empty))
			return error_memory(e, out->len * sizeof empty);
		struct waits_row *row = &out->at[out->len - 1];
		if (new_kind || w->function != w[-1].function)
			in_function = 0;
		in_function = sum_add(in_function, w->value, &saturated);
		row->value = sum_add(row->value, w->value, &saturated);
		if (in_function > row->most) {
			row->most = in_function;
			row->function = w->function;
		}
	}
	if (out->len)
		qsort(out->at, out->len, sizeof *out->at, by_value);
	return 0;
}
