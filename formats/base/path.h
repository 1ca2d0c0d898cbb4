/* Paths of files, as strings. */
#ifndef FORMATS_BASE_PATH_H
#define FORMATS_BASE_PATH_H

#include <stddef.h>
#include <string.h>

/* The part after the last slash; path itself if that is empty. */
static inline const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The length of the folder in path, with its last slash; 0 if there is none. */
static inline size_t path_folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

#endif
