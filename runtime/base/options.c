#include "runtime/base/options.h"

#include "formats/datafile.h"
#include "runtime/os/os.h"
#include "runtime/process/environment.h"

#include <signal.h>
#include <string.h>

struct csprof_options csprof_options;

const char *csprof_variable(char *const *environment, const char *name)
{
	size_t n = strlen(name);
	for (char *const *e = environment; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

static uint64_t number_of(char **environment, const char *name, uint64_t otherwise)
{
	const char *p = csprof_variable(environment, name);
	uint64_t v = 0;
	if (!p || !*p)
		return otherwise;
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	return *p ? otherwise : v;
}

static void copy_path(char *out, const char *value)
{
	size_t n = value ? strlen(value) : PATH_MAX;
	if (n < PATH_MAX)
		memcpy(out, value, n + 1);
	else
		out[0] = '\0';
}

/* A number from the first of these variables that has one (Open MPI, MPICH and relatives,
 * Slurm). */
static uint32_t first_number(char **environment, const char *const *names)
{
	for (; *names; names++) {
		uint64_t v = number_of(environment, *names, CSP_NONE);
		if (v < CSP_NONE)
			return (uint32_t)v;
	}
	return CSP_NONE;
}

static void read_values(struct csprof_options *o, char **environment)
{
	const char *kind = csprof_variable(environment, HPCRUN_ENV_VALUE_KIND);
	uint64_t steps = number_of(environment, HPCRUN_ENV_VALUES, 0);
	o->value_steps = steps <= CSPROF_VALUES_MOST_STEPS ? (uint32_t)steps : 0;
	o->value_kinds = CSPROF_VALUES_ALL | CSPROF_VALUES_REPLAY;
	if (kind && strcmp(kind, "values") == 0)
		o->value_kinds = CSPROF_VALUES_ALL;
	else if (kind && strcmp(kind, "replay") == 0)
		o->value_kinds = CSPROF_VALUES_REPLAY;
}

static void read_rank(struct csprof_options *o, char **environment)
{
	static const char *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
					   "SLURM_PROCID", NULL};
	static const char *const ranks[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS",
					    NULL};
	o->rank = first_number(environment, rank);
	o->ranks = o->rank == CSP_NONE ? CSP_NONE : first_number(environment, ranks);
}

static uint64_t read_part(const char **p)
{
	uint64_t v = 0;
	for (; **p >= '0' && **p <= '9'; ++*p)
		v = v * 10 + (uint64_t)(**p - '0');
	if (**p == '.')
		++*p;
	return v;
}

/* From the image before this one, or from our parent. */
static void read_image(struct csprof_options *o, const char *p)
{
	uint64_t pid = p ? read_part(&p) : 0;
	uint64_t seq = p ? read_part(&p) : 0;
	uint64_t space = p ? read_part(&p) : 0;
	uint64_t cpu = p ? read_part(&p) : 0;
	bool self = pid == os_pid();
	o->cpu_before = self ? cpu : 0;
	o->seq = self ? (uint32_t)seq : 0;
	o->pid_space = self || (pid && pid == os_ppid()) ? space : 0;
}

static void read_cost(struct csprof_cost *out, const char *p)
{
	uint32_t *parts[] = {&out->timer, &out->event, &out->change, &out->image, &out->child};
	for (size_t i = 0; p && i < sizeof parts / sizeof *parts; i++) {
		uint64_t ns = read_part(&p);
		*parts[i] = ns < UINT32_MAX ? (uint32_t)ns : 0;
	}
}

/* A path has no ':' and no space: the loader could not be told of it. */
static void read_drivers(struct csprof_options *o, const char *list)
{
	char *to = o->drivers, *end = to + sizeof o->drivers - 2;
	while (list && *list && to + strcspn(list, " ") < end) {
		size_t n = strcspn(list, " "), path = strcspn(list, ": ");
		memcpy(to, list, n);
		to[path] = '\0';
		to += n;
		if (path == n)
			to++; /* without options */
		*to++ = '\0';
		list += n + (list[n] == ' ');
	}
	o->drivers_bytes = (size_t)(to - o->drivers);
}

static void read_otel(struct csprof_options *o, const char *list)
{
	char *to = o->otel_keys;
	if (!list || !*list)
		list = CSPROF_OTEL_DEFAULT;
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == 3 && strncmp(list, "ids", n) == 0) {
			o->otel_threads = o->otel_ids = true;
		} else if (n == 6 && strncmp(list, "thread", n) == 0) {
			o->otel_threads = true;
		} else if (n > 0 && !(n == 4 && strncmp(list, "none", n) == 0) &&
			   (size_t)(o->otel_keys + sizeof o->otel_keys - to) > n + 1) {
			memcpy(to, list, n);
			to[n] = '\0';
			to += n + 1;
		}
	}
	*to = '\0';
	o->otel = o->otel_threads || o->otel_keys[0];
}

const char *csprof_options_next_driver(const char *path)
{
	const struct csprof_options *o = &csprof_options;
	if (path) {
		path += strlen(path) + 1; /* its options */
		path += strlen(path) + 1;
	} else {
		path = o->drivers;
	}
	return path < o->drivers + o->drivers_bytes ? path : NULL;
}

const char *csprof_options_of_driver(const char *path)
{
	const char *driver = NULL;
	while ((driver = csprof_options_next_driver(driver)) != NULL)
		if (strcmp(driver, path) == 0)
			return driver + strlen(driver) + 1;
	return "";
}

static void hide(char **environment)
{
	char **keep = environment;
	for (char **e = environment; *e; e++) {
		if (strncmp(*e, "HPCRUN_", 7) == 0)
			continue;
		if (strncmp(*e, "LD_PRELOAD=", 11) == 0) {
			csprof_environment_strip(*e + 11);
			if ((*e)[11] == '\0')
				continue;
		}
		*keep++ = *e;
	}
	*keep = NULL;
}

/* Whether this executable is one of names (joined by ':'), by its path or its last part. */
static bool is_one_of(const char *names)
{
	char exe[PATH_MAX];
	os_executable(exe, sizeof exe);
	const char *slash = strrchr(exe, '/');
	for (size_t n; *names; names += n + (names[n] == ':')) {
		n = strcspn(names, ":");
		const char *against = memchr(names, '/', n) || !slash ? exe : slash + 1;
		if (n > 0 && strncmp(against, names, n) == 0 && against[n] == '\0')
			return true;
	}
	return false;
}

bool csprof_options_given(char **environment)
{
	return csprof_variable(environment, HPCRUN_ENV_OUT) != NULL;
}

bool csprof_options_read(char **environment)
{
	struct csprof_options *o = &csprof_options;
	const char *why, *at, *events = csprof_variable(environment, HPCRUN_ENV_EVENTS);
	copy_path(o->out, csprof_variable(environment, HPCRUN_ENV_OUT));
	copy_path(o->library, csprof_variable(environment, HPCRUN_ENV_LIBRARY));
	copy_path(o->store, csprof_variable(environment, HPCRUN_ENV_STORE));
	read_drivers(o, csprof_variable(environment, HPCRUN_ENV_DRIVERS));
	if (o->store[0] != '/')
		o->store[0] = '\0';
	const char *trees = csprof_variable(environment, HPCRUN_ENV_TREES);
	o->one_tree = trees && strcmp(trees, "all") == 0;
	o->events.n = 0;
	if (csprof_events_parse(events && *events ? events : NULL, &o->events, &at, &why) < 0)
		return false;
	const char *budget = csprof_variable(environment, HPCRUN_ENV_BUDGET);
	o->budget = CSPROF_DEFAULT_BUDGET;
	if (budget && *budget && csprof_budget_parse(budget, &o->budget, &why) < 0)
		return false;
	read_cost(&o->cost, csprof_variable(environment, HPCRUN_ENV_COST));
	o->sig = (int)number_of(environment, HPCRUN_ENV_SIGNAL, SIGURG);
	o->verbose = (uint32_t)number_of(environment, HPCRUN_ENV_VERBOSE, 0);
	o->arena = number_of(environment, HPCRUN_ENV_ARENA, 0);
	const char *unwinder = csprof_variable(environment, HPCRUN_ENV_UNWINDER);
	o->use_libunwind = unwinder && strcmp(unwinder, "libunwind") == 0;
	const char *mark = csprof_variable(environment, HPCRUN_ENV_MARK);
	o->memo = !o->use_libunwind && (!mark || strcmp(mark, "whole") != 0);
	o->mark_always = mark && strcmp(mark, "always") == 0;
	o->marks = o->memo && mark && (o->mark_always || strcmp(mark, "marks") == 0);
	const char *returns = csprof_variable(environment, HPCRUN_ENV_RETURNS);
	if (returns && strcmp(returns, "all") == 0)
		o->returns = CSPROF_RETURNS_ALL;
	else if (returns && strcmp(returns, "none") == 0)
		o->returns = CSPROF_RETURNS_NONE;
	const char *interpreter = csprof_variable(environment, HPCRUN_ENV_INTERPRETER);
	o->interpreter = !interpreter || strcmp(interpreter, "no") != 0;
	read_values(o, environment);
	read_otel(o, csprof_variable(environment, HPCRUN_ENV_OTEL));
	o->debug = (uint32_t)number_of(environment, HPCRUN_ENV_DEBUG, 0);
	read_image(o, csprof_variable(environment, HPCRUN_ENV_IMAGE));
	read_rank(o, environment);
	const char *follow = csprof_variable(environment, HPCRUN_ENV_FOLLOW);
	o->follow = !follow || strcmp(follow, "no") != 0;
	const char *only = csprof_variable(environment, HPCRUN_ENV_ONLY);
	o->some_only = only && *only;
	csprof_environment_keep(environment);
	if (!o->follow)
		hide(environment);
	return o->out[0] != '\0' && (!only || !*only || is_one_of(only));
}
