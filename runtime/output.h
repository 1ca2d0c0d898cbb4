/* Where a process's measurement goes: its name, its store's file, its datafile. Nothing
 * here runs in a handler; the caller holds the process's lock or is alone. */
#ifndef RUNTIME_OUTPUT_H
#define RUNTIME_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

/* Choose the image's number, so that neither a store nor a datafile of its name is there,
 * and make the store (mem.h) under it. 0 or a negative errno, as csprof_store_create. */
int csprof_output_begin(uint32_t num_metrics, uint32_t num_events, bool forked);

/* What the name was made of. */
const char *csprof_output_executable(void);
const char *csprof_output_host(void);

/* Write the datafile of a closed store. 0 or a negative errno; then the store's file, if
 * it has one, is left for whoever recovers it. */
int csprof_output_write(void);
/* The path of the datafile that was written last. */
const char *csprof_output_path(void);

/* The datafile is written: the store's file goes, and with the last one its directory if
 * no launcher is there any more. */
void csprof_output_drop_store(void);

/* Around exec: the store's file is put aside, as exec may fail. An image that begins
 * removes what the one before it has put aside. */
void csprof_output_put_store_aside(void);
/* Exec failed: the store stands where it was again, and the datafile is not there. */
void csprof_output_take_back(void);

/* The kernel's vdso is no file: save its image beside the datafiles, once, under its
 * build-id. */
void csprof_output_save_vdso(void);

#endif
