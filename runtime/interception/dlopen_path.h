/* dlopen as if the program had called it, and not our wrapper. Not for handlers. */
#ifndef RUNTIME_INTERCEPTION_DLOPEN_PATH_H
#define RUNTIME_INTERCEPTION_DLOPEN_PATH_H

/* Call next (libc's dlopen) for code at caller. */
void *csprof_dlopen_path_open(void *(*next)(const char *, int), const char *file, int mode,
			      void *caller);

#endif
