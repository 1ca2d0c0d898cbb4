/* hpcrun_driver.h: what a driver is that hpcrun loads with a program: a shared object that records
 * metrics of its own in the program's profile.
 *
 *	#include <hpcrun_driver.h>
 *
 *	static const struct hpcrun_driver_metric metrics[] = {{"CALLS", "count", "calls of f"}};
 *	static const struct hpcrun_driver driver = {
 *	    .size = sizeof driver, .name = "mine", .text = "counts calls of f",
 *	    .metrics = metrics, .num_metrics = 1};
 *	HPCRUN_DRIVER(driver)
 *
 *	int f(int x)
 *	{
 *		const struct hpcrun_driver_host *host = hpcrun_driver_on();
 *		if (host)
 *			hpcrun_driver_record(1, host->metrics, &(uint64_t){1}, NULL);
 *		return next_f(x);
 *	}
 *
 *	cc -shared -fPIC -o mine.so mine.c
 *	hpcrun --driver ./mine.so COMMAND
 *
 * Several drivers can be loaded at once. A driver is preloaded after hpcrun's library: it may stand
 * before functions of the program's libraries, and finds theirs by dlsym(RTLD_NEXT, ...). It must
 * leave the program as it is: what its functions return, errno, and signals.
 *
 * A synchronous driver records what happens where it happens (hpcrun_driver_record). An
 * asynchronous one has its own source of signals, and is asked for the amounts of a sample
 * (`sampled`).
 *
 * For C, gcc and clang. One file of a driver uses HPCRUN_DRIVER. */
#ifndef HPCRUN_DRIVER_H
#define HPCRUN_DRIVER_H

#include "hpcrun.h"

#include <signal.h>

/* At most so many metrics a driver; all drivers and the program together have room for at least 9
 * (hpcrun.h). */
#define HPCRUN_DRIVER_METRICS 8

struct hpcrun_driver_metric {
	const char *name, *unit; /* as of hpcrun_metric_new */
	const char *text;        /* a line for hpcrun -L */
};

/* What the library tells a driver when it starts it. */
struct hpcrun_driver_host {
	uint32_t size;      /* bytes of this structure */
	const int *metrics; /* the numbers of the driver's metrics, in their order */
	/* The signal of samples, by which an asynchronous driver's source is to interrupt threads:
	 * the library's handler has it, and keeps it from the program. */
	int signal;
	/* Not 0: the program has restricted its system calls, and forbids one of `calls`. */
	const volatile int *forbidden;
	/* ns of the monotonic clock. Async-signal-safe. */
	uint64_t (*now)(void);
};

struct hpcrun_driver {
	uint32_t size;            /* bytes of this structure */
	const char *name;         /* at most 31 letters, digits, '-' and '_' */
	const char *text;         /* a line for hpcrun -L */
	const char *options_text; /* the same, of what may come after --driver NAME: */
	const struct hpcrun_driver_metric *metrics;
	uint32_t num_metrics;
	/* The numbers of the system calls that the driver makes besides those of the program's own
	 * calls; ends with -1. NULL: none. */
	const int *calls;
	/* What follows is called if it is not NULL. check: by hpcrun, before the program runs, with
	 * what came after --driver NAME: or "". Returns NULL, or what is wrong with it. */
	const char *(*check)(const char *options);
	/* start: before all others of the program's. Returns 0, or -1: the driver is not wanted
	 * here, and nothing else of it is called. It may say why on stderr. */
	int (*start)(const struct hpcrun_driver_host *host, const char *options);
	/* A thread that is measured begins, and ends: in that thread, also for the one in which the
	 * driver starts. In a forked child, thread_start is called again for its only thread. */
	void (*thread_start)(void);
	void (*thread_stop)(void);
	/* Of an asynchronous driver, in the handler of the signal: if its source has sent it, arm
	 * the source again, and return how many of the driver's metrics have amounts; if it has
	 * not, return -1. amounts NULL: no sample can be recorded now, where the program is
	 * interrupted or because measuring is stopped; keep the amounts for the next one. Must be
	 * async-signal-safe. If it faults, it is not called again. */
	int (*sampled)(const siginfo_t *info, void *context, uint64_t *amounts);
	/* The program calls exit, all its handlers and destructors have run, and what is left is
	 * what libc does: it writes what is in buffers of streams. Then comes `stop`. */
	void (*exiting)(void);
	/* The measurement of the process ends, or the image is replaced; amounts may still be
	 * recorded. May be called in a handler of the program, which calls _exit there. */
	void (*stop)(void);
};

#ifndef HPCRUN_INTERFACE_ONLY
#include <dlfcn.h>

/* Implementation of what follows. */
struct hpcrun_driver_at {
	const struct hpcrun_driver *driver;
	const struct hpcrun_driver_host *host; /* NULL: not started */
	int tried;
	const char *code, *code_end;
};
extern struct hpcrun_driver_at hpcrun_driver_at_ __attribute__((visibility("hidden")));

/* Start the driver, if that was not tried before: constructors of other libraries may call a
 * driver's functions before its own constructor has run. Returns what it was told, or NULL: it is
 * off. */
static inline const struct hpcrun_driver_host *hpcrun_driver_on(void)
{
	struct hpcrun_driver_at *at = &hpcrun_driver_at_;
	Dl_info where;
	if (__builtin_expect(at->tried, 1))
		return at->host;
	if (!hpcrun_found_)
		hpcrun_find_();
	at->tried = 1;
	if (HPCRUN_HAS_(driver_start) && dladdr((const void *)at, &where))
		at->host = hpcrun_found_->driver_start(at->driver, where.dli_fname);
	return at->host;
}

/* Add num amounts to metrics of the driver, by their numbers (hpcrun_driver_host), at the path of
 * the function outside of the driver that called it: frames of its own code are left out. label: of
 * this record, or NULL. Returns 0, or -1: nothing was recorded. By any thread, also in handlers of
 * the program. */
static inline int hpcrun_driver_record(uint32_t num, const int *metrics, const uint64_t *amounts,
				       struct hpcrun_fixed_label *label)
{
	const struct hpcrun_driver_at *at = &hpcrun_driver_at_;
	struct hpcrun_record r = {sizeof r, num,   metrics,  amounts,
				  0,        label, at->code, at->code_end};
	return at->host ? hpcrun_record_several(&r) : -1;
}

extern const char hpcrun_driver_code_[] __asm__("__ehdr_start")
    __attribute__((visibility("hidden")));
extern const char hpcrun_driver_end_[] __asm__("_etext") __attribute__((visibility("hidden")));

/* The assembler is told again, as gcc does not tell it of what only data refers to. */
#define HPCRUN_DRIVER(driver)                                                                      \
	__asm__(".hidden __ehdr_start, _etext");                                                   \
	__attribute__((visibility("default"), used))                                               \
	const struct hpcrun_driver *const hpcrun_driver_1 = &(driver);                             \
	struct hpcrun_driver_at hpcrun_driver_at_ = {&(driver), 0, 0, hpcrun_driver_code_,         \
						     hpcrun_driver_end_};                          \
	__attribute__((constructor)) static void hpcrun_driver_begin_(void)                        \
	{                                                                                          \
		hpcrun_driver_on();                                                                \
	}
#endif

#endif
