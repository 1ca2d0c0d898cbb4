/* The output of a process's measurement: its name, the store's file, the datafile. Nothing here
 * runs in a handler; the caller holds the process's lock or is the only thread. */
#ifndef RUNTIME_TREES_OUTPUT_H
#define RUNTIME_TREES_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

/* Choose the image's number so that no store and no datafile of its name exist, and make the
 * store (mem.h) under that name. may_share: the calls of os_needs_share are allowed. Returns 0 or a
 * negative errno, as csprof_store_create. */
int csprof_output_begin(uint32_t num_metrics, uint32_t num_events, bool forked, bool may_share);

/* The process is about to become another user: make a directory for that user's stores. Also in a
 * vfork child. */
void csprof_output_share(uint32_t user);

/* The parts of the name. */
const char *csprof_output_executable(void);
const char *csprof_output_host(void);

/* Write the datafile of a closed store. Returns 0 or a negative errno; after an error the
 * store's file, if it has one, is left for recovery. */
int csprof_output_write(void);
/* The path of the datafile that was written last. */
const char *csprof_output_path(void);

/* The datafile is written: remove the store's file, and with the last one its directory if the
 * launcher is gone. with_users: also if there are directories of other users in it. */
void csprof_output_drop_store(bool with_users);

/* Before exec: put the store's file aside, because exec may fail. The next image removes it when
 * it begins. */
void csprof_output_put_store_aside(void);
/* Exec failed: put the store's file back and remove the datafile. */
void csprof_output_take_back(void);

/* Whether the directory of datafiles says that measuring is stopped (STORE_STOPPED_FILE). */
bool csprof_output_is_stopped(void);

/* The kernel's vdso is not a file: save its image next to the datafiles, once, under its
 * build-id. */
void csprof_output_save_vdso(void);

#endif
