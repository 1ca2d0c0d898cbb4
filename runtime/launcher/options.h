/* The launcher's options, from the environment and the command line, which takes precedence. */
#ifndef RUNTIME_LAUNCHER_OPTIONS_H
#define RUNTIME_LAUNCHER_OPTIONS_H

#include "formats/identity/label_list.h"
#include "runtime/base/options.h"
#include "runtime/events/request.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum launch_action {
	LAUNCH_RUN,
	LAUNCH_LIST,
	LAUNCH_LIST_LONG,
	LAUNCH_HELP,
	LAUNCH_VERSION,
	LAUNCH_TOPICS,
	LAUNCH_CHECKS
};

struct launch_options {
	enum launch_action action;
	char event[1024]; /* as written, separated by commas; empty: the default */
	/* the same in the library's form (runtime/events/request.h) */
	char expanded[CSPROF_MAX_EVENTS * CSPROF_EVENT_BYTES];
	struct csprof_event_requests events; /* the same, parsed */
	const char *budget;                  /* as written after --budget, and parsed */
	uint32_t parsed_budget;
	const char *out;        /* directory, or NULL: hpcrun-COMMAND-N */
	const char *unwinder;   /* NULL: cfi */
	const char *returns;    /* "first", "all", "none", or NULL: first if marked */
	const char *mark;       /* "whole", "memo", "marks", "always", or NULL: memo */
	const char *values;     /* steps after a sample, or NULL: no value profiles */
	const char *value_kind; /* "values", "replay", or NULL: both */
	const char *store;      /* HPCRUN_STORE_*, a directory, or NULL: memory */
	const char *trees;      /* "each", "all", or NULL: each */
	char only[4096];        /* names joined by ':' */
	/* as after --driver, joined by spaces, and the same with absolute paths */
	char drivers[CSPROF_DRIVERS_BYTES], found_drivers[CSPROF_DRIVERS_BYTES];
	const char *otel; /* a list (runtime/base/options.h), or NULL: the default */
	char labels[LABEL_LIST_BYTES + 1]; /* a list (formats/identity/label_list.h) */
	bool follow, quiet, pack, interpreter;
	int sig;          /* 0: the default */
	unsigned verbose; /* mask of enum csprof_topic */
	unsigned debug;   /* mask of enum csprof_debug */
	long arena;       /* bytes, 0: the default */
	char **command;   /* argv of COMMAND */
	uint64_t delay;   /* ns before measuring begins */
	uint64_t lasting; /* ns after which it stops; 0: it does not */
	bool stopped;     /* it begins on request */
};

/* An option: its letter, or a number above those of letters; its names; the value that it takes
 * (NULL: none), and the words that this can be (NULL: not words alone); its lines in --help. */
struct launch_option {
	int id;
	const char *name, *argument;
	const char *const *words;
	const char *help;
};

/* Numbers of options without a letter. */
enum {
	LAUNCH_BUDGET = 256,
	LAUNCH_ONLY,
	LAUNCH_LABEL,
	LAUNCH_OTEL,
	LAUNCH_DRIVER,
	LAUNCH_STORE,
	LAUNCH_SIGNAL,
	LAUNCH_UNWINDER,
	LAUNCH_MARK,
	LAUNCH_RETURNS,
	LAUNCH_VALUES,
	LAUNCH_VALUE_KIND,
	LAUNCH_PACK,
	LAUNCH_INTERPRETER,
	LAUNCH_DELAY,
	LAUNCH_FOR,
	LAUNCH_STOPPED,
	LAUNCH_VERSION_OPTION
};

/* Ends with a row without a name. */
extern const struct launch_option launch_option_table[];

/* Parse. 0, or -1 after one line on stderr. */
int launch_options_parse(struct launch_options *o, int argc, char **argv);
/* A time such as "10", "10s", "1.5s", "500ms", "2m" or "1h" in ns: 0, or -1 if it is none, or
 * longer than a year. */
int launch_duration(const char *text, uint64_t *ns);
/* Whether samples can be taken with this signal. */
bool launch_signal_usable(int sig);
/* The name of topic i of -v, or of -D if debug, from 0, and what it means; NULL: there are fewer.
 */
const char *launch_topic(bool debug, size_t i, const char **meaning);
void launch_help(void);
void launch_topics(bool debug);

#endif
