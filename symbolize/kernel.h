/* Names for what the kernel did (formats/identity/kernel.h). */
#ifndef SYMBOLIZE_KERNEL_H
#define SYMBOLIZE_KERNEL_H

#include "symbolize/symbolize.h"

#include <stddef.h>

enum { KERNEL_NAME_BYTES = 64 };

/* Whether the request is for the pseudo-module of the kernel. */
bool kernel_is_module(const struct symbolize_request *request);

/* The name of an activity, "[kernel] read" or "[kernel] page fault". Any address has one. */
void kernel_name(char name[KERNEL_NAME_BYTES], uint64_t address);

#endif
