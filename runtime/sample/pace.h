/* The pace of a thread's samples: as requested, or as slow as the cost of a sample requires, so
 * that measuring takes a limited share of the thread's time at any requested rate.
 *
 * The cost of a sample is measured on the thread's own clock. The handler's part is what the
 * clock advances in the handler. The kernel's part (arming, the interrupt, the signal, the
 * return) was measured by the launcher (launcher/cost.h). If a sample costs more than that, or
 * nothing is known, the kernel's part is what the clock advances beyond the period that was
 * armed at the end of the last sample. That is too much if the thread was in a system call,
 * which a signal does not interrupt, so the minimum over a number of samples is used; a minimum
 * over fewer does not count against the launcher's figure. It does not include the return, which
 * is assumed to cost no more than all the rest.
 *
 * Everything here is async-signal-safe; a pace belongs to one thread. */
#ifndef RUNTIME_SAMPLE_PACE_H
#define RUNTIME_SAMPLE_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* A period lasts from the end of a sample to the beginning of the next. The mean of the periods
 * is at least CSPROF_PACE_MEAN times the cost of the samples. Each period is at least
 * CSPROF_PACE_REST times the cost of the sample before it, so that even a single expensive
 * sample is limited. This factor is small, because a period that depends on the sample before it
 * favours what the program does next. */
enum { CSPROF_PACE_MEAN = 8, CSPROF_PACE_REST = 2, CSPROF_PACE_LEAST_NS = 50 * 1000 };

struct csprof_pace {
	uint64_t asked;  /* requested mean period, ns */
	uint32_t share;  /* what samples may take of the thread's time, hundredths of a percent */
	uint32_t said;   /* the kernel's part, ns, as measured by the launcher; 0: unknown */
	uint64_t due;    /* thread's clock at which the source will send; 0: unknown */
	uint64_t until;  /* thread's clock before which no sample is taken */
	uint32_t kernel; /* the kernel's part, ns: the minimum seen recently, */
	uint32_t next;   /* and since then; UINT32_MAX: none seen */
	uint32_t seen;   /* number of samples in next */
	uint32_t own;    /* the handler's part, ns: average */
	bool certain;    /* kernel is the minimum over enough samples */
};

/* Set up for a thread that begins, from what other threads of the process have seen. share,
 * said: as above. */
void csprof_pace_init(struct csprof_pace *p, uint64_t asked_ns, uint32_t share, uint32_t said);

/* The kernel's part of a sample, ns: as measured by the launcher, or as seen if that is unknown. */
uint32_t csprof_pace_kernel(const struct csprof_pace *p);

/* The source was armed with next_ns when the thread's clock was now. exact: it sends at that
 * time, so that any delay is the kernel's part of the cost. No signal before that time (less an
 * eighth of next_ns, because no two clocks agree) makes a sample: it may have been sent while
 * the last sample was taken, and a timer that is not on the CPU clock also expires while the
 * thread waits for a CPU. */
void csprof_pace_armed(struct csprof_pace *p, uint64_t now, uint64_t next_ns, bool exact);
/* How much too early a sample would be at now; 0 if it is due. */
uint64_t csprof_pace_early(const struct csprof_pace *p, uint64_t now);
/* The source was armed at a time that is not used for the cost. */
void csprof_pace_rearmed(struct csprof_pace *p);

/* A sample began and ended at these times on the thread's clock. */
void csprof_pace_saw(struct csprof_pace *p, uint64_t began, uint64_t ended);

/* The current mean period. */
uint64_t csprof_pace_mean(const struct csprof_pace *p);

/* The shortest period that may be set in the kernel. */
uint64_t csprof_pace_floor(const struct csprof_pace *p);

/* The shortest period that may follow a sample whose handler took own_ns. */
uint64_t csprof_pace_rest(const struct csprof_pace *p, uint64_t own_ns);

#endif
