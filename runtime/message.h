/* What the library says to the user who asks (-v): lines on stderr, formatted here
 * without stdio. Async-signal-safe. */
#ifndef RUNTIME_MESSAGE_H
#define RUNTIME_MESSAGE_H

#include <stdint.h>

enum csprof_topic {
	CSPROF_SAY_ALWAYS = 0,
	CSPROF_SAY_PROCESS = 1, /* processes that begin, fork, exec and end */
	CSPROF_SAY_THREAD = 2,  /* threads that begin and end */
	CSPROF_SAY_SOURCE = 4,  /* which source of samples a thread got */
	CSPROF_SAY_EPOCH = 8,   /* load maps */
	CSPROF_SAY_FILE = 16,   /* datafiles written */
};

/* One line "hpcrun: [PID] TEXT DETAIL NUMBER", if the topic is wanted. detail may be
 * NULL; number is left out where it is INT64_MIN. */
void csprof_say(enum csprof_topic topic, const char *text, const char *detail, int64_t number);

#endif
