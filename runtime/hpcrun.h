/* hpcrun.h: metrics of a program's own in its profile.
 *
 *	#include <hpcrun.h>
 *
 *	int parsed = hpcrun_metric_new("PARSED", "bytes");
 *	...
 *	hpcrun_record(parsed, length);
 *
 * Under hpcrun(1) the amount is added at the current call path. Otherwise nothing happens, which
 * takes a load and a branch. The program needs no library for this, and it can be static. For C and
 * C++; x86-64 and AArch64, gcc and clang.
 *
 * The functions may be called by any thread at any time, but not in a signal handler. In a forked
 * child metrics keep their numbers. */
#ifndef HPCRUN_H
#define HPCRUN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the measuring library offers. A later one may have more members: see size. */
struct hpcrun_interface {
	uint32_t size; /* bytes of this structure */
	int (*metric_new)(const char *name, const char *unit);
	int (*record)(int metric, uint64_t amount, unsigned leave_out);
};

#ifndef HPCRUN_INTERFACE_ONLY
/* Implementation: found when the program, or the library that includes this, starts. A symbol of a
 * library that is only there sometimes is not found in every kind of executable, so it is looked
 * up. */
extern const struct hpcrun_interface hpcrun_interface_1 __attribute__((weak));
extern void *hpcrun_dlsym_(void *handle, const char *name) __asm__("dlsym") __attribute__((weak));
__attribute__((weak, visibility("hidden"))) const struct hpcrun_interface *hpcrun_found_;
__attribute__((constructor, unused)) static void hpcrun_find_(void)
{
	const struct hpcrun_interface *found = &hpcrun_interface_1;
	if (!found && hpcrun_dlsym_)
		found =
		    (const struct hpcrun_interface *)hpcrun_dlsym_((void *)0, "hpcrun_interface_1");
	hpcrun_found_ = found;
}

/* Make a metric, or find the one of that name. unit: "bytes", "ns", "count", or another of at most
 * 7 characters. Returns its number, or -1: the program is not measured, the name is empty, longer
 * than 53 characters, or that of an event, or there are too many (there is room for at least 9).
 *
 * It has two columns: the sum of the amounts, and how often something was recorded. */
static inline int hpcrun_metric_new(const char *name, const char *unit)
{
	return hpcrun_found_ ? hpcrun_found_->metric_new(name, unit) : -1;
}

/* Add amount to a metric at the call path of the function that calls this. Returns 0, or -1: the
 * program or the thread is not measured, there is no such metric, or memory ran out. */
static inline int hpcrun_record(int metric, uint64_t amount)
{
	return hpcrun_found_ ? hpcrun_found_->record(metric, amount, 0) : -1;
}

/* The same at the path of its caller (1), or of that one's caller (2), and so on: for functions
 * that record for others. Frames count that were not inlined. */
static inline int hpcrun_record_for_caller(int metric, uint64_t amount, unsigned callers)
{
	return hpcrun_found_ ? hpcrun_found_->record(metric, amount, callers) : -1;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
