/* Messages of the library for -v: lines on stderr, formatted without stdio. Async-signal-safe. */
#ifndef RUNTIME_BASE_MESSAGE_H
#define RUNTIME_BASE_MESSAGE_H

#include <stdint.h>

enum csprof_topic {
	CSPROF_SAY_ALWAYS = 0,
	CSPROF_SAY_PROCESS = 1, /* start, fork, exec and end of processes */
	CSPROF_SAY_THREAD = 2,  /* start and end of threads */
	CSPROF_SAY_SOURCE = 4,  /* the source of samples of each thread */
	CSPROF_SAY_EPOCH = 8,   /* changes of the load map */
	CSPROF_SAY_FILE = 16,   /* datafiles written */
};

/* For -D: what the library checks of its own work. */
enum csprof_debug {
	CSPROF_DEBUG_WALKS = 1,  /* walks that ended at remembered frames are continued */
	CSPROF_DEBUG_UPCALLS = 2 /* upcalls must not call some functions (launcher) */
};

/* Remember what standard error is. Called at the start, before the program's code: until then,
 * and if there is none, nothing is written. */
void csprof_message_start(void);

/* Write one line "hpcrun: [PID] TEXT DETAIL NUMBER" if the topic is enabled. detail may be NULL;
 * number is left out if it is INT64_MIN. Nothing is written if the program has
 * opened another file as descriptor 2: that is its own. */
void csprof_say(enum csprof_topic topic, const char *text, const char *detail, int64_t number);

#endif
