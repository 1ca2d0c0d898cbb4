#include "runtime/process.h"

#include "runtime/csprof.h"
#include "runtime/epoch.h"
#include "runtime/message.h"
#include "runtime/options.h"
#include "runtime/os/os.h"
#include "runtime/signals.h"
#include "runtime/state.h"
#include "runtime/thread.h"
#include "runtime/unwind_libunwind.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

enum {
	WAIT_NS = 1000 * 1000 * 1000, /* for other threads, at the end */
	SINK_BYTES = 64 * 1024,
	COMMAND_BYTES = 32 * 1024,
};

static char command[COMMAND_BYTES]; /* arguments joined by NUL */
static size_t command_bytes;
static char datafile[PATH_MAX + 256]; /* written last; for resume */

/* Paths on their way. A program may _exit from a handler on a small alternate stack, so
 * these do not stand on it. Under the process's lock. */
static char vdso_path[PATH_MAX + 64], part_path[PATH_MAX + 288];

bool csprof_process_measured(void)
{
	return atomic_load(&csprof_process.measuring) && csprof_process.pid == os_pid();
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

static void describe(struct store_header *h)
{
	static const char tool[] = "hpcrun " HPC_VERSION;
	struct csprof_arena *a = &csprof_process.arena;
	char text[PATH_MAX];
	csprof_metrics_to_store(h);
	struct store_metric *m = &h->metrics[CSPROF_CPUTIME];
	m->requested = csprof_process.requested;
	memcpy(m->jitter, "uniform 0.5-1.5", sizeof "uniform 0.5-1.5");
	h->pid = csprof_process.pid;
	h->ppid = os_ppid();
	h->seq = csprof_options.seq;
	h->start_ns = os_clock_real();
	h->start_mono_ns = csprof_process.start_mono = os_clock_mono();
	h->executable = csprof_store_string(a, text, (size_t)os_executable(text, sizeof text));
	h->host = csprof_store_string(a, text, (size_t)os_hostname(text, sizeof text));
	h->command = csprof_store_string(a, command, command_bytes);
	h->tool = csprof_store_string(a, tool, sizeof tool - 1);
	h->rank = csprof_options.rank;
	h->ranks = csprof_options.ranks;
}

/* A new store, and this thread in it. kept: the load map of a forked child. */
static void begin(const struct csprof_kept_epoch *kept, uintptr_t low, uintptr_t high)
{
	csprof_process.pid = os_pid();
	csprof_arena_init(&csprof_process.arena, 0);
	if (csprof_store_create(csprof_num_metrics(), 1) < 0) {
		csprof_say(CSPROF_SAY_ALWAYS, "no memory: this process is not measured", NULL,
			   INT64_MIN);
		return;
	}
	describe(csprof_store_header());
	if (kept)
		csprof_epoch_restore(*kept);
	else
		csprof_epoch_get_loaded_modules();
	if (csprof_process.epoch == 0)
		return;
	atomic_store(&csprof_process.measuring, true);
	csprof_thread_start(0, 0, low, high);
}

void csprof_process_start(int argc, char **argv, char **environment)
{
	uintptr_t low, high;
	if (!csprof_options_read(environment))
		return;
	struct csprof_options *o = &csprof_options;
	csprof_process.sig = o->sig;
	csprof_process.period_ns = o->event.period;
	csprof_process.requested = o->event.rate;
	csprof_process.first_arena = o->arena;
	keep_command(argc, argv);
	if (csprof_metrics_init(o->event.period) < 0 || csprof_signal_install(o->sig) < 0)
		return;
	os_main_stack(&low, &high);
	begin(NULL, low, high);
	csprof_say(CSPROF_SAY_PROCESS, "process begins:", argc ? argv[0] : "?", INT64_MIN);
}

void csprof_process_before_main(void)
{
	if (!csprof_options.use_libunwind)
		return;
	if (csprof_libunwind_load() == 0)
		csprof_process.use_libunwind = true;
	else
		csprof_say(CSPROF_SAY_ALWAYS, "libunwind.so.8 cannot be loaded: walking by CFI",
			   NULL, INT64_MIN);
}

/* ---- the datafile ----------------------------------------------------------------- */

struct path {
	char *at;
	size_t n, size;
};

static void path_add(struct path *p, const char *s, size_t n)
{
	if (p->n + n < p->size) {
		memcpy(p->at + p->n, s, n);
		p->n += n;
		p->at[p->n] = '\0';
	}
}

static void path_add_text(struct path *p, const char *s)
{
	path_add(p, s, strlen(s));
}

static void path_add_number(struct path *p, uint64_t v)
{
	char digits[20];
	path_add(p, digits, csp_format_u64(digits, v));
}

/* OUT/<command>.<host>.<pid>.<seq>.csp */
static void name_datafile(char *out, size_t size, const struct store_header *h)
{
	struct path p = {out, 0, size};
	const struct store_string *exe = csprof_store_at(h->executable);
	const struct store_string *host = csprof_store_at(h->host);
	uint32_t base = exe->n;
	while (base > 0 && exe->bytes[base - 1] != '/')
		base--;
	uint32_t n = exe->n - base < 128 ? exe->n - base : 128;
	path_add_text(&p, csprof_options.out);
	path_add(&p, "/", 1);
	path_add(&p, exe->bytes + base, n);
	path_add(&p, ".", 1);
	path_add(&p, host->bytes, host->n);
	path_add(&p, ".", 1);
	path_add_number(&p, h->pid);
	path_add(&p, ".", 1);
	path_add_number(&p, h->seq);
	path_add_text(&p, CSP_SUFFIX);
}

static int to_file(void *ctx, const uint8_t *bytes, size_t n)
{
	return os_write(*(int *)ctx, bytes, n);
}

/* Written under another name first: whoever looks into the directory meanwhile
 * finds whole datafiles only. */
static int write_datafile(void)
{
	static const struct store_memory memory = {os_map, os_unmap};
	name_datafile(datafile, sizeof datafile, csprof_store_header());
	struct path p = {part_path, 0, sizeof part_path};
	path_add_text(&p, datafile);
	path_add_text(&p, ".part");
	int fd = os_create(part_path);
	if (fd < 0)
		return fd;
	struct csp_sink sink = {.buf = os_map(SINK_BYTES),
				.cap = SINK_BYTES,
				.flush = to_file,
				.ctx = &fd,
				.big = csp_host_is_big()};
	struct store_view view = csprof_store_view();
	int r = sink.buf ? store_write_datafile(&view, &memory, &sink) : -ENOMEM;
	if (sink.buf)
		os_unmap(sink.buf, SINK_BYTES);
	os_close(fd);
	if (r == 0)
		r = os_rename(part_path, datafile);
	if (r < 0)
		os_unlink(part_path);
	return r;
}

/* The kernel's vdso is no file: save its image, once, under its build-id. */
static void save_vdso(void)
{
	store_ref ref = csprof_store_header()->first_epoch;
	const struct store_module *m = NULL;
	for (ref = ref ? ((struct store_epoch *)csprof_store_at(ref))->first_module : 0; ref;
	     ref = m->next) {
		m = csprof_store_at(ref);
		const struct store_string *name = csprof_store_at(m->name);
		if (m->build_id && name->n == sizeof CSP_MODULE_VDSO - 1 &&
		    memcmp(name->bytes, CSP_MODULE_VDSO, name->n) == 0)
			break;
	}
	if (!ref)
		return;
	const struct store_string *id = csprof_store_at(m->build_id);
	struct path p = {vdso_path, 0, sizeof vdso_path}, q = {part_path, 0, sizeof part_path};
	path_add_text(&p, csprof_options.out);
	path_add_text(&p, "/" CSP_VDSO_PREFIX);
	path_add(&p, id->bytes, id->n);
	int fd = os_open_read(vdso_path);
	if (fd >= 0) {
		os_close(fd);
		return;
	}
	path_add_text(&q, vdso_path);
	path_add_text(&q, ".");
	path_add_number(&q, csprof_process.pid);
	fd = os_create(part_path);
	if (fd < 0)
		return;
	int r = os_write(fd, (const void *)m->mapped_address, m->extent);
	os_close(fd);
	if (r < 0 || os_rename(part_path, vdso_path) < 0)
		os_unlink(part_path);
}

/* ---- the end ------------------------------------------------------------------------ */

/* Stop the sources and wait until no handler is at work. A thread that does not come
 * out of its handler in time is left out of the wait: its counts are whole at any
 * instant, only its last sample may be missing. */
static void silence(void)
{
	atomic_store(&csprof_process.measuring, false);
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		if (s->source.driver)
			s->source.driver->quiet(&s->source);
	uint64_t until = os_clock_mono() + WAIT_NS;
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		while (s != csprof_self && atomic_load(&s->busy) && os_clock_mono() < until)
			os_sleep_ns(50000);
}

bool csprof_process_finish(const char *end, bool with_loader)
{
	if (csprof_process.pid != os_pid() || !csprof_try_lock_for(WAIT_NS))
		return false;
	/* another thread was faster; it is done, which the caller's _exit must wait for */
	if (!csprof_process_measured()) {
		csprof_unlock();
		return false;
	}
	silence();
	if (with_loader && !csprof_process.forked)
		csprof_epoch_update();
	csprof_epoch_add_anonymous();
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next)
		csprof_thread_close(s);
	struct store_header *h = csprof_store_header();
	h->end_mono_ns = os_clock_mono();
	size_t n = strnlen(end, sizeof h->end - 1);
	memset(h->end, 0, sizeof h->end);
	memcpy(h->end, end, n);
	h->state = STORE_FINISHED;
	int r = write_datafile();
	if (r == 0)
		save_vdso();
	csprof_unlock();
	if (r < 0)
		csprof_say(CSPROF_SAY_ALWAYS, "the datafile cannot be written:", strerror(-r),
			   INT64_MIN);
	else
		csprof_say(CSPROF_SAY_FILE, "datafile", datafile, INT64_MIN);
	csprof_say(CSPROF_SAY_PROCESS, "process ends:", end, INT64_MIN);
	return true;
}

void csprof_process_resume(void)
{
	csprof_lock();
	os_unlink(datafile);
	struct store_header *h = csprof_store_header();
	h->end_mono_ns = 0;
	h->state = STORE_RUNNING;
	h->end[0] = '\0';
	atomic_store(&csprof_process.measuring, true);
	for (csprof_state_t *s = csprof_process.threads; s; s = s->next) {
		csprof_thread_reopen(s);
		if (s->source.driver)
			s->source.driver->resume(&s->source);
	}
	csprof_unlock();
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

/* The child's only thread is the one that forked. Its counts start from nothing; the
 * parent's are the parent's. */
void csprof_process_in_child(void)
{
	uintptr_t low, high;
	bool measured = atomic_load(&csprof_process.measuring);
	atomic_store(&csprof_process.measuring, false);
	csprof_threads_forget(&low, &high);
	struct csprof_kept_epoch kept = csprof_epoch_keep();
	csprof_store_destroy();
	csprof_options.seq = 0;
	csprof_process.forked = true;
	csprof_unlock();
	if (!measured) {
		os_unmap(kept.memory, kept.bytes);
		return;
	}
	if (!high)
		os_main_stack(&low, &high);
	begin(&kept, low, high);
	csprof_say(CSPROF_SAY_PROCESS, "process begins by fork", NULL, INT64_MIN);
}
