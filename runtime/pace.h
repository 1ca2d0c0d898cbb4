/* The pace of a thread's samples: as asked, or as slow as what a sample costs here demands,
 * so that measuring takes a bounded share of the thread's time whatever rate was asked for.
 *
 * What a sample costs is seen in the thread's own clock. The handler's own part is what the
 * clock advances in it. The kernel's part (arming, the interrupt, the signal, the return) the
 * launcher has measured (launch_cost.h). Where a sample is dearer than that, or nothing is
 * known, it is what the clock advances beyond the period that was armed at the end of the last
 * one. That is too much where the thread was in a system call, which a signal does not cut
 * short: so the least of a number of samples counts. The return is not in it; it is taken to
 * cost no more than all the rest.
 *
 * All of it is async-signal-safe; a pace belongs to one thread. */
#ifndef RUNTIME_PACE_H
#define RUNTIME_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Periods last from the end of a sample to the beginning of the next one. Their mean is at
 * least CSPROF_PACE_MEAN times the cost of the samples. Each is at least CSPROF_PACE_REST
 * times that of the very sample that it follows: a bound that one dear sample keeps as well.
 * The latter is small, as a period that depends on the one sample before it favours what
 * the program does next. */
enum { CSPROF_PACE_MEAN = 8, CSPROF_PACE_REST = 2, CSPROF_PACE_LEAST_NS = 50 * 1000 };

struct csprof_pace {
	uint64_t asked;  /* mean period, ns */
	uint32_t share;  /* of the thread's time that samples may take, hundredths of a percent */
	uint32_t said;   /* the kernel's part, ns, as the launcher has measured it; 0: not known */
	uint64_t due;    /* thread's clock: when the source is to send; 0: not known */
	uint64_t until;  /* no sample before */
	uint32_t kernel; /* its part, ns: the least that was seen of late, */
	uint32_t next;   /* and since then; UINT32_MAX: nothing */
	uint32_t seen;   /* samples that make up next */
	uint32_t own;    /* the handler's part, ns: on the average */
};

/* For a thread that begins, from what the process's others have seen. share, said: as above. */
void csprof_pace_init(struct csprof_pace *p, uint64_t asked_ns, uint32_t share, uint32_t said);

/* The kernel's part of a sample, ns: said, or seen where that is not known. */
uint32_t csprof_pace_kernel(const struct csprof_pace *p);

/* The source was armed with next_ns when the thread's clock read now; exact: it sends just
 * then, so that what is later is the kernel's part of the cost. Before that is over
 * (less a little, as no two clocks agree) no signal makes a sample: one may have been sent
 * while the last one was taken, and a timer that is not on the CPU clock also expires while
 * the thread waits for a CPU. */
void csprof_pace_armed(struct csprof_pace *p, uint64_t now, uint64_t next_ns, bool exact);
/* How much too early a sample would be at now; 0: it is due. */
uint64_t csprof_pace_early(const struct csprof_pace *p, uint64_t now);
/* It was armed at a time that does not matter. */
void csprof_pace_rearmed(struct csprof_pace *p);

/* A sample began and ended at these times of the thread's clock. */
void csprof_pace_saw(struct csprof_pace *p, uint64_t began, uint64_t ended);

/* The mean of the periods now. */
uint64_t csprof_pace_mean(const struct csprof_pace *p);

/* The shortest period that the kernel may be given. */
uint64_t csprof_pace_floor(const struct csprof_pace *p);

/* The shortest that may follow a sample whose handler took own_ns. */
uint64_t csprof_pace_rest(const struct csprof_pace *p, uint64_t own_ns);

#endif
