/* What threads waited for, by the call and by the functions that made it. */
#include "hpcprof/metrics/waits.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 16 };

static struct reader_text text(const char *s)
{
	return (struct reader_text){s, (uint32_t)strlen(s)};
}

/* "MODULE FUNCTION": a named frame; a name may have blanks. */
static uint32_t frame_of(struct model *m, const char *step, bool leaf)
{
	char module[64];
	const char *name = strchr(step, ' ');
	struct model_function f = {.source = SYMBOL_SYMTAB};

	assert_non_null(name);
	snprintf(module, sizeof module, "%.*s", (int)(name - step), step);
	name++;
	f.name = model_text(m, name, strlen(name));
	f.module = model_module(m, text(module), text(""));
	return model_named_frame(m, model_function(m, &f), 1,
				 leaf ? FRAME_NAMED_POINT : FRAME_NAMED_CALL);
}

/* Add a path, its frames separated by '|', outermost first, with a value of BLOCKED. */
static void add(struct model *m, const char *path, uint64_t value)
{
	uint32_t metric = model_metric(m, text(CSP_BLOCKED), text("ns"), CSP_METRIC_ASYNC);
	uint32_t context = MODEL_ROOT;
	char copy[1024], *rest = copy;

	snprintf(copy, sizeof copy, "%s", path);
	while (rest) {
		char *step = strsep(&rest, "|");
		context = model_context(m, context, frame_of(m, step, !rest));
	}
	assert_true(model_reach(m, &m->metrics.at[metric], context));
	m->metrics.at[metric].events[context] += value;
	m->metrics.at[metric].total.events += value;
}

struct profiled {
	struct model *m;
	struct symbolized c;
	wait_list waits;
};

static void find(struct profiled *p)
{
	const struct correlate_options o = {.threads = 1};
	struct error e;

	assert_int_equal(model_finish(p->m, &e), 0);
	assert_int_equal(correlate(p->m, &o, &p->c, &e), 0);
	assert_non_null(waits_metric(p->m));
	assert_int_equal(waits_find(&p->waits, p->m, &p->c, waits_metric(p->m), NULL, &e), 0);
}

static void end(struct profiled *p)
{
	vec_free(&p->waits);
	symbolized_deinit(&p->c);
	model_destroy(p->m);
}

static const char *function_of(const struct profiled *p, uint32_t function)
{
	return function == WAITS_NO_FUNCTION ? "(none)" : p->c.functions.at[function].name;
}

static void test_kinds(void **state)
{
	static const struct {
		const char *path, *kind, *function;
	} cases[] = {
	    {"app main|app work|libc.so.6 __GI___libc_read|[kernel] [kernel] read pipe", "pipe",
	     "work"},
	    {"app main|app work|libc.so.6 read|[kernel] [kernel] read file", "file", "work"},
	    {"python3 main|x.py work|[interpreter] [waiting for the GIL]", "GIL", "work"},
	    {"python3 main|x.py work|[interpreter] another", "other", "work"},
	    {"app main|app work|libc.so.6 write|[kernel] [kernel] write terminal", "terminal",
	     "work"},
	    {"app main|app work|libc.so.6 ioctl|[kernel] [kernel] ioctl device", "device", "work"},
	    {"app main|app work|libc.so.6 read|[kernel] [kernel] read event", "event", "work"},
	    {"app main|app work|libc.so.6 read|[kernel] [kernel] read", "other", "work"},
	    {"app main|app work|libc.so.6 recv|[kernel] [kernel] recvfrom", "socket", "work"},
	    {"app main|app work|libc.so.6 accept|[kernel] [kernel] accept4", "socket", "work"},
	    {"app main|app work|libc.so.6 pread|[kernel] [kernel] pread64", "file", "work"},
	    {"app main|app work|libc.so.6 select|[kernel] [kernel] pselect6", "poll", "work"},
	    {"app main|app work|libc.so.6 sleep|[kernel] [kernel] clock_nanosleep", "sleep",
	     "work"},
	    {"app main|app work|libc.so.6 wait|[kernel] [kernel] wait4", "child", "work"},
	    {"app main|app work|libc.so.6 pause|[kernel] [kernel] pause", "signal", "work"},
	    {"app main|app work|libc.so.6 flock|[kernel] [kernel] flock", "file lock", "work"},
	    {"app main|app work|libc.so.6 semop|[kernel] [kernel] semtimedop", "semaphore", "work"},
	    {"app main|app work|libc.so.6 munmap|[kernel] [kernel] munmap", "memory", "work"},
	    {"app main|app work|[kernel] [kernel] page fault", "page fault", "work"},
	    {"app main|app work|[kernel] [kernel] stopped", "stopped", "work"},
	    {"app main|app work|[kernel] [kernel] system call", "other", "work"},
	    {"app main|app work|[kernel] [kernel] system call 4000 socket", "socket", "work"},
	    {"app main|app work|[kernel] [kernel] futex", "futex", "work"},
	    {"app main|app work|libc.so.6 pthread_mutex_lock|libc.so.6 __lll_lock_wait|"
	     "[kernel] [kernel] futex",
	     "lock", "work"},
	    {"app main|app work|libc.so.6 pthread_cond_wait@@GLIBC_2.3.2|"
	     "libc.so.6 __futex_abstimed_wait_common64|[kernel] [kernel] futex",
	     "condition", "work"},
	    /* it waits for the mutex after the condition */
	    {"app main|app work|libc.so.6 ___pthread_cond_wait|libc.so.6 "
	     "__pthread_mutex_cond_lock|"
	     "libc.so.6 __lll_lock_wait|[kernel] [kernel] futex",
	     "lock", "work"},
	    {"app main|app work|libc.so.6 ___pthread_rwlock_wrlock|libc.so.6 futex_wait|"
	     "[kernel] [kernel] futex",
	     "lock", "work"},
	    {"app main|app work|libc.so.6 pthread_barrier_wait|[kernel] [kernel] futex", "barrier",
	     "work"},
	    {"app main|app work|libc.so.6 __new_sem_wait_slow64|[kernel] [kernel] futex",
	     "semaphore", "work"},
	    {"app main|app work|libstdc++.so.6 std::thread::join()|libc.so.6 "
	     "__pthread_clockjoin_ex|[kernel] [kernel] futex",
	     "join", "work"},
	    {"app main|app work|app std::sys::sync::mutex::futex::Mutex::lock_contended|libc.so.6 "
	     "syscall|[kernel] [kernel] futex",
	     "lock", "work"},
	    {"app main|app work|libgomp.so.1 gomp_team_barrier_wait_end|[kernel] [kernel] futex",
	     "barrier", "work"},
	    {"libc.so.6 start_thread|libc.so.6 helper|[kernel] [kernel] futex", "futex", "helper"},
	    {"app main|app waits_for_a_mutex_lock", "lock", "waits_for_a_mutex_lock"},
	    /* too far from the call to tell what it waits for */
	    {"app main|app mutex_lock|app a|app b|app c|app d|app e|app f|app g|app h|"
	     "[kernel] [kernel] futex",
	     "futex", "h"},
	};
	enum { N = sizeof cases / sizeof *cases };

	(void)state;
	for (size_t i = 0; i < N; i++) {
		struct profiled p = {.m = model_create()};
		add(p.m, cases[i].path, 7);
		find(&p);
		assert_int_equal(p.waits.len, 1);
		if (strcmp(p.waits.at[0].kind, cases[i].kind) != 0 ||
		    strcmp(function_of(&p, p.waits.at[0].function), cases[i].function) != 0)
			fail_msg("%s: %s in %s", cases[i].path, p.waits.at[0].kind,
				 function_of(&p, p.waits.at[0].function));
		assert_int_equal(p.waits.at[0].value, 7);
		end(&p);
	}
}

static void test_sums(void **state)
{
	struct profiled p = {.m = model_create()};
	waits_rows rows;
	struct error e;

	(void)state;
	add(p.m, "app main|app few|libc.so.6 read|[kernel] [kernel] read pipe", 3);
	add(p.m, "app main|app many|libc.so.6 read|[kernel] [kernel] read pipe", 4);
	add(p.m, "app other|app many|libc.so.6 write|[kernel] [kernel] write pipe", 5);
	add(p.m, "app main|app few|libc.so.6 sleep|[kernel] [kernel] clock_nanosleep", 100);
	add(p.m, "app main|app few|libc.so.6 recv|[kernel] [kernel] recvmsg", 12);
	add(p.m, "app main|app many|libc.so.6 recv|[kernel] [kernel] read socket", 1);
	find(&p);
	assert_int_equal(p.waits.len, 6);
	assert_int_equal(waits_add_up(&rows, &p.waits, p.m, &p.c, &e), 0);
	assert_int_equal(rows.len, 3);
	assert_string_equal(rows.at[0].kind, "sleep");
	assert_int_equal(rows.at[0].value, 100);
	assert_string_equal(rows.at[1].kind, "socket");
	assert_int_equal(rows.at[1].value, 13);
	assert_string_equal(function_of(&p, rows.at[1].function), "few");
	assert_int_equal(rows.at[1].most, 12);
	assert_string_equal(rows.at[2].kind, "pipe");
	assert_int_equal(rows.at[2].value, 12);
	assert_string_equal(function_of(&p, rows.at[2].function), "many");
	assert_int_equal(rows.at[2].most, 9);
	vec_free(&rows);
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds),
					   cmocka_unit_test(test_sums)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
