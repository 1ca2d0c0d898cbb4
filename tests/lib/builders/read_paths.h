/* Reads a datafile's contents from a text that people can write. A line is one of these, its words
 * separated by spaces; "a b" is one word, and # begins a comment:
 *
 *     target NAME
 *     metric NAME FLAGS PERIOD [KEY VALUE]...
 *     process KEY VALUE              \0 in VALUE is a NUL, here only
 *     thread TID NAME START_NS END_NS CPU_NS
 *     account THREAD METRIC DISPOSITION SAMPLES WEIGHT
 *     epoch                          begins the next epoch; the first needs no such line
 *     module NAME MAPPED EXTENT BUILD_ID    of the current epoch; BUILD_ID may be ""
 *     tree THREAD KIND [CREATOR_TREE CREATOR_NODE]    of the current epoch
 *     path VALUE... : ADDRESS...     of the current tree: a value for each metric, then the
 *                                    frames, the outermost first. ADDRESS is NUMBER, or
 *                                    MODULE+NUMBER, MODULE being the end of a module's name.
 *     trace TIME_NS TREE METRIC NODE WEIGHT
 *
 * Frames that paths share are one node; nodes are numbered from 1 as they come. */
#ifndef TESTS_LIB_BUILDERS_READ_PATHS_H
#define TESTS_LIB_BUILDERS_READ_PATHS_H

#include "tests/lib/builders/build_datafile.h"

/* The contents, valid until the process ends; to be called once. A line that is none of these ends
 * it, with a message and the exit status 2. */
struct build_file read_paths(const char *path);

#endif
