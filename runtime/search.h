/* dlopen as if the program, and not our wrapper, had called it. Not in a handler. */
#ifndef RUNTIME_SEARCH_H
#define RUNTIME_SEARCH_H

/* Call next (libc's dlopen) for code at caller. */
void *csprof_search_dlopen(void *(*next)(const char *, int), const char *file, int mode,
			   void *caller);

#endif
