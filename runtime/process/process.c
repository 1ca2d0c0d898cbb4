#include "runtime/process/process.h"

#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/cpu/cpu.h"
#include "runtime/cpu/slots.h"
#include "runtime/csprof.h"
#include "runtime/interception/signals.h"
#include "runtime/interpreters/interpreters.h"
#include "runtime/os/os.h"
#include "runtime/process/control.h"
#include "runtime/process/environment.h"
#include "runtime/process/otel.h"
#include "runtime/process/plugins.h"
#include "runtime/process/regions.h"
#include "runtime/process/said.h"
#include "runtime/process/samplers.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"
#include "runtime/sample/call.h"
#include "runtime/sample/epoch.h"
#include "runtime/sample/looks.h"
#include "runtime/sample/marks.h"
#include "runtime/sample/marks_apart.h"
#include "runtime/sample/marks_unsafe.h"
#include "runtime/sample/owner.h"
#include "runtime/sample/unwind.h"
#include "runtime/sample/unwind_libunwind.h"
#include "runtime/sample/upcalls.h"
#include "runtime/sample/values.h"
#include "runtime/sample/wall.h"
#include "runtime/sandboxes/seccomp.h"
#include "runtime/trees/names.h"
#include "runtime/trees/output.h"
#include "runtime/trees/shared.h"
#include "runtime/trees/values.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

enum { COMMAND_BYTES = 32 * 1024 };

static CSPROF_LARGE char command[COMMAND_BYTES]; /* arguments joined by NUL */
static size_t command_bytes;

bool csprof_process_measured(void)
{
	return csprof_process_counts() && !csprof_confined() && csprof_process.pid == os_pid();
}

/* ---- the start ----------------------------------------------------------------- */

static void keep_command(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		size_t n = strlen(argv[i]);
		if (command_bytes + n + 1 > sizeof command)
			break;
		if (i)
			command[command_bytes++] = '\0';
		memcpy(command + command_bytes, argv[i], n);
		command_bytes += n;
	}
}

static store_ref store_text(const char *text)
{
	return csprof_store_string(&csprof_process.arena, text, strlen(text));
}

/* What a driver does at its end may not be done in a handler. */
static bool may_detach(void)
{
	return csprof_options.drivers_bytes == 0;
}

static const char *unmarked; /* why return addresses are not marked; NULL: they are */

static void describe(struct store_header *h)
{
	static const char tool[] = "hpcrun " HPC_VERSION;
	struct csprof_arena *a = &csprof_process.arena;
	csprof_metrics_to_store(h);
	for (uint32_t e = 0; e < csprof_process.num_measured; e++) {
		struct store_metric *m = &h->metrics[csprof_process.measured[e].column];
		m->requested = csprof_process.measured[e].rate;
		m->kernel = true; /* unless a source says that it is not */
		if (csprof_process.measured[e].by->elapses)
			memcpy(m->jitter, "exponential", sizeof "exponential");
		else
			memcpy(m->jitter, "uniform 0.5-1.5", sizeof "uniform 0.5-1.5");
	}
	h->pid = csprof_process.pid;
	h->ppid = os_ppid();
	h->sig = (uint32_t)csprof_process.sig;
	h->detach = may_detach() ? STORE_MAY_DETACH : 0;
	h->seq = csprof_options.seq;
	h->start_ns = os_clock_real();
	h->start_mono_ns = csprof_process.start_mono = os_clock_mono();
	h->pid_space = csprof_process.pid_space;
	h->start_ticks = os_clock_ticks();
	h->executable = store_text(csprof_output_executable());
	h->host = store_text(csprof_output_host());
	h->command = csprof_store_string(a, command, command_bytes);
	h->tool = csprof_store_string(a, tool, sizeof tool - 1);
	h->rank = csprof_options.rank;
	h->ranks = csprof_options.ranks;
	if (unmarked)
		h->unmarked = store_text(unmarked);
}

/* A child that sees its parent is in the same pid namespace. To look it up costs a new process
 * 30 us, because it is its first access to /proc. */
static void identify(bool forked)
{
	if (!forked)
		csprof_process.pid_space = csprof_options.pid_space;
	else if (os_ppid() != csprof_process.pid)
		csprof_process.pid_space = 0;
	if (!csprof_process.pid_space)
		csprof_process.pid_space = os_pid_space();
	csprof_process.pid = os_pid();
}

/* Count what measuring takes outside of the thread's clock: the CPU time from since until its
 * record began, and the rest as the launcher measured it. */
static void add_outside(uint64_t since, uint64_t rest)
{
	if (!csprof_self)
		return;
	uint64_t outside = csprof_self->began - since + rest;
	csprof_store_header()->outside = outside < UINT32_MAX ? (uint32_t)outside : UINT32_MAX;
	csprof_self->outside = outside;
}

/* Make a new store. kept: the load map of a forked child. Returns 0 or a negative errno. */
static int begin(const struct csprof_kept_epoch *kept)
{
	identify(kept != NULL);
	csprof_arena_init(&csprof_process.arena, 0);
	int r = csprof_output_begin(csprof_num_common_metrics(), csprof_num_clocks(), kept != NULL,
				    csprof_may_share());
	if (r < 0) {
		csprof_say(CSPROF_SAY_ALWAYS, "this process is not measured:", strerrordesc_np(-r),
			   INT64_MIN);
		return r;
	}
	csprof_arena_begin();
	csprof_shared_begin();
	csprof_names_begin();
	csprof_interpreters_begin();
	if (csprof_options.value_steps)
		csprof_windows_begin();
	csprof_control_begin(kept != NULL);
	describe(csprof_store_header());
	if (kept)
		csprof_epoch_restore(*kept);
	else
		csprof_epoch_get_loaded_modules();
	if (csprof_process.epoch == 0)
		return -ENOMEM;
	if (!kept) {
		csprof_output_save_vdso();
		csprof_otel_look();
	}
	atomic_store(&csprof_process.measuring, true);
	return 0;
}

/* The record of the calling thread. since: its CPU clock when our code began. */
static void begin_thread(uintptr_t low, uintptr_t high, uint64_t since, uint64_t cost)
{
	csprof_thread_start(NULL, low, high);
	add_outside(since, cost);
}

/* What the options ask for is made ready. Returns false if nothing can be measured. */
static bool prepare(void)
{
	struct csprof_options *o = &csprof_options;
	csprof_process.sig = o->sig;
	csprof_sources_setup(&o->cost, o->budget);
	csprof_process.first_arena = o->arena;
	csprof_process.use_memo = o->memo;
	if (o->marks)
		csprof_slots_want();
	csprof_cpu_returned = csprof_call_handler_returns;
	if (csprof_metrics_init(o->events.of, o->events.n) < 0 || csprof_signal_install(o->sig) < 0)
		return false;
	csprof_signal_install_faults();
	csprof_values_begin(csprof_filtered);
	csprof_unwind_learn();
	if (csprof_process.blame != CSP_NONE) {
		csprof_looks_start();
		csprof_owner_learn();
	}
	return true;
}

void csprof_process_start(int argc, char **argv, char **environment)
{
	uintptr_t low, high;
	uint64_t since = os_clock_self();
	/* the loader does not preload into a privileged program: this one is linked with us */
	if (os_is_privileged() || !csprof_options_given(environment))
		return;
	csprof_touch_all();
	csprof_message_start();
	if (!csprof_options_read(environment))
		return;
	keep_command(argc, argv);
	if (!prepare())
		return;
	os_main_stack(&low, &high);
	if (begin(NULL) == 0)
		begin_thread(low, high, since, csprof_options.cost.image);
	if (csprof_self) {
		csprof_said_begin(csprof_variable(environment, HPCRUN_ENV_LABELS));
		/* from here on its next programs get those of the thread that starts them */
		csprof_environment_remove(environment, HPCRUN_ENV_LABELS);
	}
	csprof_say(CSPROF_SAY_PROCESS, "process begins:", argc ? argv[0] : "?", INT64_MIN);
}

static bool read_again(char **variables)
{
	csprof_options = (struct csprof_options){0};
	csprof_environment_forget();
	return csprof_options_read(variables);
}

/* Our handler is for one signal: if none is asked for, it is the one of the last time. */
static bool same_signal(char **variables)
{
	int before = csprof_process.sig;
	const char *asked = csprof_variable(variables, HPCRUN_ENV_SIGNAL);
	if (before && (!asked || !*asked))
		csprof_options.sig = before;
	return !before || before == csprof_options.sig;
}

/* The program may be one that has long been running: what it did before is not measured. */
int csprof_process_attach(char **variables)
{
	uint64_t since = os_clock_self();
	if (csprof_process_counts() || (csprof_process.preloaded && !csprof_process.detached))
		return -EALREADY;
	if (csprof_process.threads)
		return -EBUSY;
	csprof_touch_all();
	csprof_message_start();
	if (!read_again(variables))
		return -EINVAL;
	if (!same_signal(variables))
		return -EADDRINUSE;
	csprof_process.again = csprof_process.attached || csprof_process.preloaded;
	csprof_process.attached = csprof_process.threaded = true;
	csprof_process.detached = false;
	csprof_options.cpu_before = os_clock_process();
	command_bytes = (size_t)os_arguments(command, sizeof command);
	command_bytes -= command_bytes > 0; /* the last zero */
	if (!prepare())
		return -EINVAL;
	csprof_regions_attach();
	int r = begin(NULL);
	if (r < 0)
		return r;
	uint64_t outside = os_clock_self() - since;
	csprof_store_header()->outside = outside < UINT32_MAX ? (uint32_t)outside : UINT32_MAX;
	csprof_say(CSPROF_SAY_PROCESS,
		   "process is measured from here on:", csprof_output_executable(), INT64_MIN);
	return 0;
}

/* It is in the datafile, too, and in those of forked children. */
static void say_unmarked(const char *why)
{
	csprof_lock();
	unmarked = why;
	if (csprof_process_counts())
		csprof_store_header()->unmarked = store_text(why);
	csprof_unlock();
	csprof_say(CSPROF_SAY_PROCESS, "return addresses are not marked:", why, INT64_MIN);
}

/* Marks need what is loaded with the program's libraries. */
static void begin_marks(void)
{
	const char *why = csprof_options.mark_always ? NULL : csprof_marks_apart(true);
	if (os_has_shadow_stack())
		why = "the process has a shadow stack";
	if (!why)
		why = csprof_slots_prepare();
	csprof_marks_learn_unsafe();
	if (why)
		say_unmarked(why);
	csprof_process.use_marks = !why;
	if (!why)
		csprof_signal_install_deaths();
	if (csprof_process.use_marks && csprof_self)
		csprof_marks_begin(&csprof_self->memo);
}

void csprof_process_check_marks(void)
{
	if (!csprof_process.use_marks || csprof_options.mark_always)
		return;
	const char *why = csprof_marks_apart(false);
	if (!why)
		return;
	say_unmarked(why);
	csprof_threads_unmark();
}

void csprof_process_before_main(void)
{
	if (csprof_options.marks && csprof_own_begin()) {
		begin_marks();
		csprof_own_end();
	}
	if (!csprof_options.use_libunwind)
		return;
	if (csprof_libunwind_load() == 0)
		csprof_process.use_libunwind = true;
	else
		csprof_say(CSPROF_SAY_ALWAYS, "libunwind.so.8 cannot be loaded: unwinding with CFI",
			   NULL, INT64_MIN);
}

/* ---- the end ------------------------------------------------------------------------ */

/* Stop the sources and wait until no handler runs. If a thread does not leave its handler in
 * time, the wait ends without it: its counts are consistent at any instant, only its last sample
 * may be missing. */
static void silence(void)
{
	atomic_store(&csprof_process.measuring, false);
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		CSPROF_EACH_SAMPLER (s, p)
			csprof_sampler_hush(s, p);
	uint64_t until = os_clock_mono() + CSPROF_WAIT_NS;
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		csprof_thread_wait_idle(s, until);
}

/* For -D. */
static void say_compared(void)
{
	if (!(csprof_options.debug & CSPROF_DEBUG_WALKS))
		return;
	csprof_say(CSPROF_SAY_ALWAYS, "walks continued from a remembered frame:", NULL,
		   atomic_load(&csprof_process.walks_compared));
	csprof_say(CSPROF_SAY_ALWAYS, "walks that went on in another way:", NULL,
		   atomic_load(&csprof_process.walks_different));
}

void csprof_process_look(void)
{
	if (csprof_confined() || !csprof_epoch_is_old() || csprof_process.pid != os_pid())
		return;
	csprof_lock();
	if (atomic_load(&csprof_process.measuring) && !csprof_process.forked)
		csprof_epoch_update();
	csprof_unlock();
}

bool csprof_process_finish(const char *end)
{
	bool exec = strcmp(end, CSPROF_END_EXEC) == 0;
	if (csprof_confined() || csprof_process.pid != os_pid())
		return false;
	csprof_plugins_stop(exec);
	if (!csprof_try_lock_for(CSPROF_WAIT_NS))
		return false;
	/* another thread has ended the measurement, and the caller's _exit had to wait for that */
	if (!atomic_load(&csprof_process.measuring) || csprof_confined()) {
		csprof_unlock();
		return false;
	}
	atomic_store(&csprof_process.in_exec, exec);
	silence();
	csprof_epoch_add_missed();
	csprof_signal_look();
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		csprof_thread_close(s);
	uint64_t cpu = os_clock_process();
	csprof_records_join();
	struct store_header *h = csprof_store_header();
	uint64_t before = csprof_process.forked ? 0 : csprof_options.cpu_before;
	h->process = cpu > before ? cpu - before : 0;
	if (exec)
		csprof_environment_put_clock(cpu);
	h->end_mono_ns = os_clock_mono();
	size_t n = strnlen(end, sizeof h->end - 1);
	memset(h->end, 0, sizeof h->end);
	memcpy(h->end, end, n);
	h->state = STORE_FINISHED;
	int r = csprof_output_write();
	if (r == 0 && exec)
		csprof_output_put_store_aside();
	else if (r == 0)
		csprof_output_drop_store(csprof_may_share());
	csprof_unlock();
	if (r == 0)
		csprof_say(CSPROF_SAY_FILE, "datafile", csprof_output_path(), INT64_MIN);
	else /* it is made from the store; if there is none, the launcher says that one is lost */
		csprof_say(csprof_options.store[0] ? CSPROF_SAY_FILE : CSPROF_SAY_ALWAYS,
			   "the datafile cannot be written:", strerrordesc_np(-r), INT64_MIN);
	csprof_signal_say_taken();
	say_compared();
	csprof_say(CSPROF_SAY_PROCESS, "process ends:", end, INT64_MIN);
	return true;
}

void csprof_process_resume(void)
{
	csprof_lock();
	csprof_output_take_back();
	struct store_header *h = csprof_store_header();
	h->end_mono_ns = h->process = 0;
	h->state = STORE_RUNNING;
	h->end[0] = '\0';
	atomic_store(&csprof_process.measuring, true);
	atomic_store(&csprof_process.in_exec, false);
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next) {
		csprof_thread_reopen(s);
		CSPROF_EACH_SAMPLER (s, p)
			if (p->source.driver && csprof_sampler_wanted(p) &&
			    atomic_load(&p->rest) == CSP_TAIL)
				p->source.driver->resume(&p->source, csprof_thread_first(s, p));
	}
	csprof_unlock();
}

/* ---- the end of the measurement alone -------------------------------------------------------- */

bool csprof_process_detach(void)
{
	static atomic_bool ended; /* and not marked so yet */
	if (!atomic_load(&ended)) {
		if (!may_detach() || !csprof_process_finish(STORE_END_DETACHED))
			return false;
		atomic_store(&ended, true);
	}
	if (!csprof_try_lock_for(CSPROF_WAIT_NS))
		return false;
	csprof_process.detached = true;
	atomic_store(&ended, false);
	csprof_process.use_marks = false;
	csprof_upcalls_end();
	csprof_process_let_go();
	csprof_unlock();
	return true;
}

/* What is in the store's memory, or refers to it. */
static void forget_store(bool in_child)
{
	csprof_wall_forget();
	csprof_records_forget(in_child);
	csprof_epoch_forget();
	csprof_otel_in_child();
	csprof_store_destroy();
	for (uint32_t e = 0; e < csprof_process.num_measured; e++)
		csprof_process.measured[e].sources = 0;
}

void csprof_process_let_go(void)
{
	struct store_header *h = csprof_store_header();
	if (!csprof_process.detached || csprof_process.threads || !h)
		return;
	__atomic_store_n(&h->detach, STORE_LET_GO, __ATOMIC_RELEASE);
	forget_store(false);
}

/* ---- other users ------------------------------------------------------------------------ */

void csprof_process_before_user(uint32_t user)
{
	if (user && user != CSPROF_SAME_USER && csprof_options.store[0] && csprof_may_share() &&
	    os_user() == 0)
		csprof_output_share(user);
}

/* ---- fork ------------------------------------------------------------------------------ */

void csprof_process_before_fork(void)
{
	csprof_lock();
}

void csprof_process_after_fork(void)
{
	csprof_unlock();
}

/* The child's only thread is the one that forked. Its counts start at zero. */
void csprof_process_in_child(void)
{
	uintptr_t low, high;
	uint64_t since = os_clock_self();
	csprof_touch_together();
	bool measured = csprof_process_counts();
	atomic_store(&csprof_process.measuring, false);
	atomic_store(&csprof_process.in_exec, false);
	csprof_threads_forget(&low, &high);
	struct csprof_kept_epoch kept = csprof_epoch_keep();
	forget_store(true);
	if (csprof_options.seq) /* a write would copy the page */
		csprof_options.seq = 0;
	csprof_process.forked = true;
	csprof_process.threaded = false;
	csprof_unlock();
	if (!measured) {
		if (csprof_process.detached)
			csprof_process.pid = os_pid();
		csprof_epoch_drop(kept);
		return;
	}
	if (!high)
		os_main_stack(&low, &high);
	if (begin(&kept) == 0)
		begin_thread(low, high, since, csprof_options.cost.child);
	csprof_upcalls_in_child();
	csprof_plugins_in_child();
	csprof_say(CSPROF_SAY_PROCESS, "process begins by fork", NULL, INT64_MIN);
}
