/* hpcrun.h: what a program says of itself in its profile: metrics, regions and labels of its own,
 *and when it is to be measured.
 *
 *	#include <hpcrun.h>
 *
 *	int parsed = hpcrun_metric_new("PARSED", "bytes");
 *	...
 *	hpcrun_record(parsed, length);
 *
 *	hpcrun_region_begin("assembly");
 *	...
 *	hpcrun_region_end("assembly");
 *
 *	hpcrun_label_set_number("request", 17);
 *
 * Under hpcrun(1) the amount is added at the current call path, and the region is a frame of its
 * own in call paths, with the number of times it was entered. Otherwise nothing happens, which
 * takes a load and a branch. The program needs no library for this, and it can be static. For C and
 * C++; x86-64 and AArch64, gcc and clang.
 *
 * The functions may be called by any thread at any time, but not in a signal handler. In a forked
 * child metrics keep their numbers. */
#ifndef HPCRUN_H
#define HPCRUN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function is told that is called for a sample: see hpcrun_upcall_start. */
struct hpcrun_sample {
	uint32_t size;     /* bytes of this structure */
	uint32_t thread;   /* its id */
	const char *event; /* such as "CPUTIME" */
	/* in the event's unit: ns, or how many there were. Of a wait, the time until this sample;
	 * what follows is added to it without another one. */
	uint64_t weight;
	void *context;  /* the ucontext_t of the interrupted code, with its registers */
	uint32_t depth; /* frames of its call path */
	int complete;   /* whether the path reaches the base of the stack */
	/* Copies the path, at most `most` of its frames, the innermost first: the interrupted
	 * instruction, then return addresses. Returns how many. */
	uint32_t (*path)(const struct hpcrun_sample *s, uintptr_t *ips, uint32_t most);
	const void *internal;
};
typedef void hpcrun_upcall(const struct hpcrun_sample *s, void *arg);

enum hpcrun_upcall_state {
	HPCRUN_UPCALL_NONE,
	HPCRUN_UPCALL_ON,
	HPCRUN_UPCALL_STOPPED,
	HPCRUN_UPCALL_FAULTED, /* and was switched off */
	HPCRUN_UPCALL_TOO_SLOW /* the same: it took more than its budget */
};

struct hpcrun_upcall_options {
	uint32_t size;   /* bytes of this structure */
	uint32_t one_in; /* call it for one in so many samples, at random; 0: for all */
	double budget;   /* per cent of the process's CPU time; 0: HPCRUN_UPCALL_BUDGET */
	const volatile int *disabled; /* it is not called while this is not 0; NULL: none */
};
#define HPCRUN_UPCALL_BUDGET 2.0

struct hpcrun_upcall_stats {
	uint32_t size;
	int state; /* enum hpcrun_upcall_state */
	/* calls, and the CPU time that they took, in ns; samples for which it was not called: it
	 * was disabled, or had no stack */
	uint64_t calls, ns, dropped;
};

/* A label that never changes, for hpcrun_record_several: a static variable. */
struct hpcrun_fixed_label {
	const char *key, *value; /* as of hpcrun_label_set */
	uint64_t internal[2];    /* zero at first */
};

/* What hpcrun_record_several records. */
struct hpcrun_record {
	uint32_t size;      /* bytes of this structure */
	uint32_t num;       /* of metrics, at most HPCRUN_RECORD_METRICS */
	const int *metrics; /* as of hpcrun_metric_new */
	const uint64_t *amounts;
	unsigned callers; /* as of hpcrun_record_for_caller */
	/* of this record besides the thread's, whose label with that key does not count; NULL: none
	 */
	struct hpcrun_fixed_label *label;
	/* Leave out the path's inner frames that are in this code: [code, code_end). NULL: none. */
	const void *code, *code_end;
};
#define HPCRUN_RECORD_METRICS 8

struct hpcrun_driver;
struct hpcrun_driver_host;

/* What the measuring library offers. A later one may have more members: see size. */
struct hpcrun_interface {
	uint32_t size; /* bytes of this structure */
	int (*metric_new)(const char *name, const char *unit);
	int (*record)(int metric, uint64_t amount, unsigned leave_out);
	/* cfa: what the stack pointer is after the function that begins the region has returned;
	 * to: where it returns to */
	void (*region_begin)(const char *name, const void *cfa, const void *to);
	void (*region_begin_for)(const char *name, unsigned callers);
	void (*region_end)(const char *name);
	/* value NULL: the label is taken away; push: as hpcrun_label_push */
	void (*label_text)(const char *key, const char *value, int push);
	void (*label_number)(const char *key, int64_t value, int push);
	/* thread: of the calling thread, not of the process; stop 0: measure again */
	void (*stop)(int thread, int stop);
	int (*upcall_start)(const char *event, hpcrun_upcall *function, void *arg,
			    const struct hpcrun_upcall_options *options);
	void (*upcall_stop)(int upcall);
	int (*upcall_stats)(int upcall, struct hpcrun_upcall_stats *stats);
	int (*upcall_running)(void);
	int (*record_several)(const struct hpcrun_record *record);
	/* of hpcrun_driver.h; file: the driver's, as in LD_PRELOAD. NULL: it is off */
	const struct hpcrun_driver_host *(*driver_start)(const struct hpcrun_driver *driver,
							 const char *file);
	/* For interpreters: of the nth frame that is in their code, from 1 and the innermost one
	 * on. If there is none, all of the path is in the region, and it is the caller's path. */
	void (*region_begin_in)(const char *name, const void *code, const void *code_end,
				unsigned nth);
	int (*record_in)(int metric, uint64_t amount, const void *code, const void *code_end,
			 unsigned nth);
	/* how many frames of the caller's path are in that code */
	unsigned (*frames_in)(const void *code, const void *code_end);
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

/* Whether the library has this member: it may be older than this header. */
#define HPCRUN_HAS_(member)                                                                        \
	(hpcrun_found_ && hpcrun_found_->size >= offsetof(struct hpcrun_interface, member) +       \
						     sizeof hpcrun_found_->member)

/* Several metrics at once, at one path, by one walk. Returns as hpcrun_record. */
static inline int hpcrun_record_several(const struct hpcrun_record *record)
{
	return HPCRUN_HAS_(record_several) ? hpcrun_found_->record_several(record) : -1;
}

/* The calling thread enters a region, until hpcrun_region_end. What the calling function does and
 * calls meanwhile is in the region. Regions can be in each other. name: at most 255 bytes.
 *
 * A region can be left in any way: if its function was left by longjmp or an exception, it ends
 * when that is noticed, or with the next region outside of it that ends. This, an end of a region
 * that the thread is not in, and regions that a thread has not ended are counted in the metric
 * UNBALANCED. */
static inline __attribute__((always_inline)) void hpcrun_region_begin(const char *name)
{
	if (HPCRUN_HAS_(region_begin))
		hpcrun_found_->region_begin(name, __builtin_dwarf_cfa(),
					    __builtin_return_address(0));
}

/* The same for a function that begins regions for its caller (1), or for that one's caller (2), and
 * so on: the region belongs to that function. Frames count that were not inlined. */
static inline __attribute__((always_inline)) void hpcrun_region_begin_for_caller(const char *name,
										 unsigned callers)
{
	if (HPCRUN_HAS_(region_begin_for))
		hpcrun_found_->region_begin_for(name, callers);
}

/* Leave the innermost region of that name, or with NULL the innermost region. */
static inline void hpcrun_region_end(const char *name)
{
	if (HPCRUN_HAS_(region_end))
		hpcrun_found_->region_end(name);
}

/* The calling thread has a label from now on: a key without '=' and a text of at most 95 bytes, or
 * a number. It replaces the one with this key. All that is measured in the thread has its labels,
 * and views can be by them. A thread begins with the labels of the one that creates it. At most 16
 * at a time. */
static inline void hpcrun_label_set(const char *key, const char *value)
{
	if (HPCRUN_HAS_(label_text))
		hpcrun_found_->label_text(key, value, 0);
}

static inline void hpcrun_label_set_number(const char *key, int64_t value)
{
	if (HPCRUN_HAS_(label_number))
		hpcrun_found_->label_number(key, value, 0);
}

/* The same, but a label with this key is there again after hpcrun_label_clear. */
static inline void hpcrun_label_push(const char *key, const char *value)
{
	if (HPCRUN_HAS_(label_text))
		hpcrun_found_->label_text(key, value, 1);
}

static inline void hpcrun_label_push_number(const char *key, int64_t value)
{
	if (HPCRUN_HAS_(label_number))
		hpcrun_found_->label_number(key, value, 1);
}

/* The calling thread has the label of that key no more. */
static inline void hpcrun_label_clear(const char *key)
{
	if (HPCRUN_HAS_(label_text))
		hpcrun_found_->label_text(key, (const char *)0, 0);
}

/* Stop measuring the process, and start it again. What it does meanwhile is not in the profile,
 * except as time that was not measured. Takes about 10 microseconds, and some more for each other
 * thread. A process that was stopped from outside (hpcrun --stop-at-start, hpcrun control) can also
 * be started in this way. */
static inline void hpcrun_stop(void)
{
	if (HPCRUN_HAS_(stop))
		hpcrun_found_->stop(0, 1);
}

static inline void hpcrun_start(void)
{
	if (HPCRUN_HAS_(stop))
		hpcrun_found_->stop(0, 0);
}

/* The same for the calling thread alone. It is measured if both are. */
static inline void hpcrun_stop_thread(void)
{
	if (HPCRUN_HAS_(stop))
		hpcrun_found_->stop(1, 1);
}

static inline void hpcrun_start_thread(void)
{
	if (HPCRUN_HAS_(stop))
		hpcrun_found_->stop(1, 0);
}

/* Have a function called for each sample of an event that is measured (NULL: the first one), of any
 * thread. options may be NULL. Returns the number of the upcall, or -1: there is no such event, 8
 * are on, or the program is not measured.
 *
 * The function runs in the signal handler of the sample, in the thread that was interrupted,
 * whatever this was doing, and at most once at a time in a thread. So it may call only what
 * signal-safety(7) lists, must not leave by longjmp or an exception, and has at least 14 KB of
 * stack. It may read the registers and the path, and change memory that belongs to it. Of the
 * functions here, hpcrun_upcall_stop, _stats and _running work; the others do nothing. `hpcrun -D
 * upcalls` aborts the program if it calls some of what it must not.
 *
 * If it faults, or takes more than its budget, it is switched off, hpcrun says so, and the program
 * goes on. Its time is counted as that of measuring. A forked child has the same upcalls. */
static inline int hpcrun_upcall_start(const char *event, hpcrun_upcall *function, void *arg,
				      const struct hpcrun_upcall_options *options)
{
	int r = HPCRUN_HAS_(upcall_start)
		    ? hpcrun_found_->upcall_start(event, function, arg, options)
		    : -1;
	return r < 0 ? -1 : r;
}

/* When it returns, no thread is in the function, and none will be; if an upcall itself calls it, it
 * does not wait for the others. */
static inline void hpcrun_upcall_stop(int upcall)
{
	if (HPCRUN_HAS_(upcall_stop))
		hpcrun_found_->upcall_stop(upcall);
}

/* Also of one that was stopped or switched off, until another one takes its place. Set stats->size
 * before. Returns 0, or -1: there is no such upcall. */
static inline int hpcrun_upcall_stats(int upcall, struct hpcrun_upcall_stats *stats)
{
	return HPCRUN_HAS_(upcall_stats) && hpcrun_found_->upcall_stats(upcall, stats) == 0 ? 0
											    : -1;
}

/* Whether the caller is in an upcall. Async-signal-safe. */
static inline int hpcrun_upcall_running(void)
{
	return HPCRUN_HAS_(upcall_running) ? hpcrun_found_->upcall_running() : 0;
}

/* For HPCRUN_REGION. */
static inline void hpcrun_region_leave_(const char **name)
{
	hpcrun_region_end(*name);
}
#define HPCRUN_PASTE_(a, b) a##b
#define HPCRUN_NAME_(line) HPCRUN_PASTE_(hpcrun_region_, line)
/* A region until the end of the block, however it is left. */
#define HPCRUN_REGION(name)                                                                        \
	__attribute__((cleanup(hpcrun_region_leave_), unused)) const char *HPCRUN_NAME_(           \
	    __LINE__) = (hpcrun_region_begin(name), (name))

#endif

#ifdef __cplusplus
}

#ifndef HPCRUN_INTERFACE_ONLY
namespace hpcrun
{
/* A region for the life of the object, which is to be a local variable. */
class region
{
      public:
	__attribute__((always_inline)) explicit region(const char *name) : name_(name)
	{
		hpcrun_region_begin(name);
	}
	~region()
	{
		hpcrun_region_end(name_);
	}
	region(const region &) = delete;
	region &operator=(const region &) = delete;

      private:
	const char *name_;
};

/* A label for the life of the object. */
class label
{
      public:
	label(const char *key, const char *value) : key_(key)
	{
		hpcrun_label_push(key, value);
	}
	label(const char *key, int64_t value) : key_(key)
	{
		hpcrun_label_push_number(key, value);
	}
	~label()
	{
		hpcrun_label_clear(key_);
	}
	label(const label &) = delete;
	label &operator=(const label &) = delete;

      private:
	const char *key_;
};
}
#endif
#endif

#endif
