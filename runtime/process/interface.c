/* What programs call by runtime/hpcrun.h. */
#include "runtime/csprof.h"
#include "runtime/process/control.h"
#include "runtime/process/labels.h"
#include "runtime/process/plugins.h"
#include "runtime/process/regions.h"
#include "runtime/process/said.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/upcalls.h"

#include <limits.h>

/* The calling thread is in a sample: nothing of its state may change (runtime/sample/upcalls.h). */
static bool in_upcall(void)
{
	return csprof_upcalls_running();
}

static int metric_new(const char *name, const char *unit)
{
	int metric = in_upcall() ? -1 : csprof_metric_of_program(name, unit);
	return metric < 0 ? -1 : csprof_metric_number(metric);
}

enum { OURS = 2 }; /* csprof_record..., and the function here that calls it */

static int record(int metric, uint64_t amount, unsigned leave_out)
{
	if (metric < 0)
		return -1;
	return csprof_record_metric_with_unwind(csprof_metric_of_number(metric), amount,
						leave_out + OURS) < 0
		   ? -1
		   : 0;
}

/* Labels or regions change until leave. */
static bool enter(void)
{
	if (in_upcall())
		return false;
	csprof_saying_begin(csprof_self);
	return true;
}

static void leave(void)
{
	uint32_t asked = csprof_saying_end(csprof_self);
	if (asked)
		csprof_said_late(asked);
}

static void region_begin(const char *name, const void *cfa, const void *to)
{
	if (!enter())
		return;
	csprof_region_begin(name, (uintptr_t)cfa, (uintptr_t)to, 0);
	leave();
}

/* Go to the frame that the caller of a function of ours (1) returns to, or its caller, and so on.
 */
static bool find_return(struct csprof_cursor *c, unsigned callers)
{
	csprof_cpu_here(c);
	uintptr_t low = c->sp - CSPROF_RED_ZONE, high = csprof_self->stack_high;
	if (c->sp < csprof_self->stack_low || c->sp >= high)
		return false; /* on another stack, whose end is not known */
	do
		callers -= callers && !csprof_own_code(c->ip);
	while (csprof_cpu.step(c, low, high) == CSPROF_STEP_OK &&
	       (callers || csprof_own_code(c->ip)));
	return callers == 0;
}

/* Those between it and the function that the region is for are to return soon. */
static void region_begin_for(const char *name, unsigned callers)
{
	struct csprof_cursor c;
	if (!csprof_self || !enter())
		return;
	bool found = callers < UINT_MAX && find_return(&c, callers + 1);
	csprof_region_begin(name, found ? c.sp : 0, found ? c.ip : 0, 0);
	leave();
}

static void region_begin_in(const char *name, const void *code, const void *code_end, unsigned nth)
{
	struct csprof_found found = {0};
	if (!csprof_self || !enter())
		return;
	if (nth)
		found = csprof_find_frame((uintptr_t)code, (uintptr_t)code_end, nth);
	csprof_region_begin(name, found.cfa, found.to, found.script);
	leave();
}

static unsigned frames_in(const void *code, const void *code_end)
{
	if (!csprof_self || in_upcall())
		return 0;
	return csprof_find_frame((uintptr_t)code, (uintptr_t)code_end, 0).frames;
}

static void region_end(const char *name)
{
	if (!enter())
		return;
	csprof_region_end(name);
	leave();
}

static void label_text(const char *key, const char *value, int push)
{
	if (!enter())
		return;
	csprof_label_text(key, value, push != 0);
	leave();
}

static void label_number(const char *key, int64_t value, int push)
{
	if (!enter())
		return;
	csprof_label_number(key, value, push != 0);
	leave();
}

static int upcall_running(void)
{
	return in_upcall();
}

static void stop(int thread, int how)
{
	if (!in_upcall())
		(thread ? csprof_control_thread : csprof_control_process)(how != 0);
}

static int record_several(const struct hpcrun_record *given)
{
	struct csprof_recording r = {.unwinds = given->callers + OURS};
	if (given->size < sizeof *given || in_upcall())
		return -1;
	for (uint32_t i = 0; i < given->num; i++)
		if (given->metrics[i] < 0 ||
		    !csprof_recording_add(&r, csprof_metric_of_number(given->metrics[i]),
					  given->amounts[i]))
			return -1;
	if (given->label && csprof_self)
		r.label = csprof_label_fixed(given->label);
	if (given->code) {
		r.code = (uintptr_t)given->code;
		r.code_end = (uintptr_t)given->code_end;
	}
	return csprof_record(&r) < 0 ? -1 : 0;
}

static int record_in(int metric, uint64_t amount, const void *code, const void *code_end,
		     unsigned nth)
{
	struct csprof_recording r = {
	    .unwinds = OURS, .code = (uintptr_t)code, .code_end = (uintptr_t)code_end, .nth = nth};
	if (metric < 0 || in_upcall() ||
	    !csprof_recording_add(&r, csprof_metric_of_number(metric), amount))
		return -1;
	return csprof_record(&r) < 0 ? -1 : 0;
}

static const struct hpcrun_driver_host *driver_start(const struct hpcrun_driver *driver,
						     const char *file)
{
	return in_upcall() ? NULL : csprof_plugin_start(driver, file);
}

__attribute__((visibility("default"), used))
const struct hpcrun_interface hpcrun_interface_1 = {.size = sizeof hpcrun_interface_1,
						    .metric_new = metric_new,
						    .record = record,
						    .region_begin = region_begin,
						    .region_begin_for = region_begin_for,
						    .region_end = region_end,
						    .label_text = label_text,
						    .label_number = label_number,
						    .stop = stop,
						    .upcall_start = csprof_upcall_start,
						    .upcall_stop = csprof_upcall_stop,
						    .upcall_stats = csprof_upcall_stats,
						    .upcall_running = upcall_running,
						    .record_several = record_several,
						    .driver_start = driver_start,
						    .region_begin_in = region_begin_in,
						    .record_in = record_in,
						    .frames_in = frames_in};
