#include "runtime/environment.h"

#include "formats/encode.h"
#include "runtime/options.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

#include <string.h>

enum { MAX_OURS = 16, OURS_BYTES = 3 * PATH_MAX };

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
		    ours_used + n > sizeof ours_bytes)
			continue;
		memcpy(ours_bytes + ours_used, *e, n);
		ours[num_ours++] = ours_bytes + ours_used;
		ours_used += n;
	}
}

/* The new environment: pointers first, then the bytes of what is made here. */
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
	static const char name[] = "LD_PRELOAD=";
	const char *library = csprof_options.library;
	if (old && strstr(old, library)) {
		b->variables[b->n++] = (char *)old;
		return;
	}
	b->variables[b->n++] = b->text;
	add_text(b, name, sizeof name - 1);
	add_text(b, library, strlen(library));
	if (old && old[sizeof name - 1]) {
		add_text(b, ":", 1);
		add_text(b, old + sizeof name - 1, strlen(old + sizeof name - 1));
	}
	add_text(b, "", 1);
}

/* HPCRUN_IMAGE=PID.SEQ */
static void add_image(struct builder *b)
{
	static const char name[] = HPCRUN_ENV_IMAGE "=";
	char digits[20];
	b->variables[b->n++] = b->text;
	add_text(b, name, sizeof name - 1);
	add_text(b, digits, csp_format_u64(digits, os_pid()));
	add_text(b, ".", 1);
	add_text(b, digits, csp_format_u64(digits, csprof_options.seq + 1u));
	add_text(b, "", 1);
}

/* Memory for out. A vfork child's mappings stay with its parent, so it takes its
 * thread's, which is the parent's as well and grows no further than it must: the parent
 * stands still until the exec is done with it. */
static void find_memory(struct csprof_environment *out, size_t bytes, bool same_process)
{
	csprof_state_t *state = csprof_self;
	if (same_process || !state) {
		out->memory = os_map(bytes);
		out->bytes = bytes;
		out->variables = out->memory;
		return;
	}
	if (state->exec_bytes < bytes) {
		if (state->exec_memory)
			os_unmap(state->exec_memory, state->exec_bytes);
		state->exec_memory = os_map(bytes);
		state->exec_bytes = state->exec_memory ? bytes : 0;
	}
	out->variables = state->exec_memory;
}

/* Would the library be loaded and told what to do? */
static bool is_complete(char *const *variables)
{
	bool preload = false, out = has_name(variables, HPCRUN_ENV_OUT "=");
	for (; *variables; variables++)
		if (strncmp(*variables, "LD_PRELOAD=", 11) == 0)
			preload |= strstr(*variables, csprof_options.library) != NULL;
	return preload && out;
}

void csprof_environment_for_exec(struct csprof_environment *out, char *const *variables,
				 bool same_process)
{
	*out = (struct csprof_environment){.variables = variables};
	if (!csprof_options.follow || !csprof_options.library[0] || !num_ours || !variables)
		return;
	if (!same_process && is_complete(variables))
		return;
	size_t n = 0;
	const char *preload = NULL;
	for (; variables[n]; n++)
		if (strncmp(variables[n], "LD_PRELOAD=", 11) == 0)
			preload = variables[n];
	size_t room = PATH_MAX + 128 + (preload ? strlen(preload) : 0);
	find_memory(out, (n + num_ours + 3) * sizeof(char *) + room, same_process);
	if (!out->variables) {
		out->variables = variables;
		return;
	}
	struct builder b = {.variables = (char **)out->variables};
	b.text = (char *)(b.variables + n + num_ours + 3);
	for (size_t i = 0; i < n; i++)
		if (!same_name(HPCRUN_ENV_IMAGE "=", variables[i]) && variables[i] != preload)
			b.variables[b.n++] = variables[i];
	/* what the program itself asks for stands: it may be another hpcrun */
	for (size_t i = 0; i < num_ours; i++)
		if (!has_name(variables, ours[i]))
			b.variables[b.n++] = (char *)ours[i];
	add_preload(&b, preload);
	if (same_process)
		add_image(&b);
	b.variables[b.n] = NULL;
}

void csprof_environment_free(struct csprof_environment *e)
{
	if (e->memory)
		os_unmap(e->memory, e->bytes);
}
