/* The interrupted code shows why the kernel was running when the signal came, in the same way for
 * each source of samples and for each user: after a system call by the CPU's registers, after a
 * page fault by the flags that the CPU saves at a fault (csprof_cpu.kernel_entry). Two things
 * remain, for which the kernel's own count of the thread's time in the kernel decides, so that
 * the sums agree with what getrusage and time say:
 *
 * - While the kernel enters and leaves it holds interrupts off. They come when it has returned to
 *   the program, and it counts the time as the program's. So samples show too much of it for
 *   short calls.
 * - Where a fault cannot be told from the instruction itself, there was one if the kernel has
 *   counted faults since the last sample, and more time than samples have shown. */
#include "runtime/sample/kernel.h"

#include "formats/identity/kernel.h"
#include "runtime/process/state.h"

#include <stdatomic.h>

/* The kernel counts in ticks of up to 10 ms, at other instants than those of samples. So the two
 * may differ by a few ticks. */
enum { APART_NS = 20 * 1000 * 1000 };

static CSPROF_TOGETHER atomic_bool shows_faults; /* this CPU was seen to do so */

/* For sums that must not overflow. */
static int64_t limited(uint64_t ns)
{
	enum { SUMMANDS = 4 };
	return ns < INT64_MAX / SUMMANDS ? (int64_t)ns : INT64_MAX / SUMMANDS;
}

/* Add what the kernel has counted since the last sample. Returns whether there were faults. Its
 * counts start again in a forked child. */
static bool count(struct csprof_kernel_time *t, const struct os_usage *u)
{
	bool faults = t->began && u->faults > t->faults;
	if (t->began && u->kernel > t->kernel)
		t->ahead += limited(u->kernel - t->kernel);
	t->began = true;
	t->kernel = u->kernel;
	t->faults = u->faults;
	return faults;
}

/* What the next samples do not show is the time of interrupts and the like, which is not theirs. */
static void take(struct csprof_kernel_time *t, bool kernel, int64_t ns)
{
	int64_t most = ns + 2 * (int64_t)APART_NS;
	if (kernel)
		t->ahead -= ns;
	if (t->ahead > most)
		t->ahead = most;
}

static bool in_kernel(struct csprof_kernel_time *t, int entry, bool faults, int64_t half)
{
	if (entry == CSPROF_ENTRY_NONE)
		return faults && !atomic_load_explicit(&shows_faults, memory_order_relaxed) &&
		       t->ahead > half + APART_NS;
	if (entry == CSPROF_ENTRY_MAYBE)
		return faults && t->ahead > half;
	return t->ahead > half - APART_NS;
}

static uint64_t descriptor(const void *ucontext)
{
	struct csprof_call call;
	if (csprof_cpu.call_restarts(ucontext))
		csprof_cpu.restarted_call(ucontext, &call);
	else if (!csprof_cpu.last_call(ucontext, &call))
		return CSP_DESCRIPTOR_NONE;
	return os_descriptor(call.number, call.args);
}

/* Where it is measured what the thread waits for, a call carries it whatever the event, so that all
 * that is known of the call is in one node. */
static uint64_t activity(const csprof_state_t *state, const void *ucontext, int entry)
{
	if (entry == CSPROF_ENTRY_CALL || entry >= 1 << CSP_KERNEL_DESCRIPTOR)
		return CSP_KERNEL_CALL;
	if (entry < 0)
		return CSP_KERNEL_FAULT;
	return (uint64_t)entry | (state->wall ? descriptor(ucontext) << CSP_KERNEL_DESCRIPTOR : 0);
}

static uint64_t ip_of(uint64_t what)
{
	enum { MACHINE = CSPROF_CPU_AUDIT & 0xffff }; /* its lower half is e_machine */
	return CSP_KERNEL_BASE | (uint64_t)MACHINE << CSP_KERNEL_SHIFT | what;
}

/* By the time that the kernel has counted. */
static uint64_t sample_time(csprof_state_t *state, struct csprof_sampler *p, const void *ucontext,
			    uint64_t weight)
{
	struct csprof_kernel_time *t = &state->kernel;
	const struct os_usage *u = csprof_source_usage(&p->source);
	int entry = csprof_cpu.kernel_entry(ucontext);
	int64_t ns = limited(weight);

	if (entry == CSPROF_ENTRY_FAULT)
		atomic_store_explicit(&shows_faults, true, memory_order_relaxed);
	if (u->kernel != OS_NOT_KNOWN) {
		bool faults = count(t, u);
		bool kernel = in_kernel(t, entry, faults, ns / 2);
		take(t, kernel, ns);
		if (!kernel)
			return 0;
	} else if (entry == CSPROF_ENTRY_NONE || entry == CSPROF_ENTRY_MAYBE) {
		return 0;
	}
	return ip_of(activity(state, ucontext, entry));
}

/* Other events: it was in a system call. A fault is what the event counts, or belongs to the
 * instruction all the same, unless the thread waited for it. */
static uint64_t sample_call(const csprof_state_t *state, const void *ucontext, int entry,
			    bool waited)
{
	bool call = entry == CSPROF_ENTRY_CALL || entry >= 0;
	return call || (entry == CSPROF_ENTRY_FAULT && waited)
		   ? ip_of(activity(state, ucontext, entry))
		   : 0;
}

/* A thread that is in no call and in no page fault is blocked only if it was stopped. Where a fault
 * does not show, it is one if the thread has had any since the last look. (An interrupt may look as
 * a fault may: in code of the vdso on a virtual machine, for example.) */
static uint64_t sample_elapsed(const csprof_state_t *state, const struct csprof_sampler *p,
			       const void *ucontext)
{
	int entry = csprof_cpu.kernel_entry(ucontext);
	uint64_t ip = sample_call(state, ucontext, entry, true);
	if (ip || p != state->wall->blocked)
		return ip;
	return ip_of(state->wall->faulted && entry == CSPROF_ENTRY_MAYBE ? CSP_KERNEL_FAULT
									 : CSP_KERNEL_STOP);
}

uint64_t csprof_kernel_sample(csprof_state_t *state, struct csprof_sampler *p, const void *ucontext,
			      uint64_t weight)
{
	if (p->measured->by->elapses)
		return sample_elapsed(state, p, ucontext);
	return p->measured->by->clock
		   ? sample_call(state, ucontext, csprof_cpu.kernel_entry(ucontext), false)
		   : sample_time(state, p, ucontext, weight);
}
