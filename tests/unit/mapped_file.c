/* Files that become shorter while they are mapped. */
#include "formats/base/mapped_file.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/scratch.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 8 };

struct cut_file {
	int fd;
	size_t page, size;
	const volatile char *bytes;
	struct mapped_file watched;
};

/* A file of 'x', the last page of which is not full, mapped. */
static void make_file(struct cut_file *f, const char *name)
{
	char *text;

	f->page = (size_t)sysconf(_SC_PAGESIZE);
	f->size = PAGES * f->page - 100;
	f->fd = open(scratch_path(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(f->fd >= 0);
	text = malloc(f->size);
	assert_non_null(text);
	memset(text, 'x', f->size);
	assert_int_equal(write(f->fd, text, f->size), f->size);
	free(text);
	f->bytes = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, f->fd, 0);
	assert_true(f->bytes != MAP_FAILED);
}

static void drop_file(struct cut_file *f)
{
	munmap((void *)(uintptr_t)f->bytes, f->size);
	close(f->fd);
}

static void zeros_in_place_of_what_is_missing(void **state)
{
	(void)state;
	struct cut_file f = {0};

	mapped_file_guard(); /* cmocka has a handler of its own for each test */
	make_file(&f, "cut");
	assert_true(mapped_file_watch(&f.watched, (const void *)(uintptr_t)f.bytes, f.size));
	assert_int_equal(f.bytes[f.size - 1], 'x');
	assert_false(mapped_file_is_cut(&f.watched));
	assert_int_equal(ftruncate(f.fd, 2 * (off_t)f.page), 0);
	assert_int_equal(f.bytes[f.page], 'x');
	assert_false(mapped_file_is_cut(&f.watched));
	assert_int_equal(f.bytes[5 * f.page + 1], 0);
	assert_true(mapped_file_is_cut(&f.watched));
	for (size_t i = 2 * f.page; i < f.size; i++)
		assert_int_equal(f.bytes[i], 0);
	assert_int_equal(f.bytes[2 * f.page - 1], 'x');
	mapped_file_leave(&f.watched);
	assert_false(mapped_file_is_cut(&f.watched));
	drop_file(&f);
}

/* What is used again has no memory of the file before. */
static void many_one_after_the_other(void **state)
{
	(void)state;

	mapped_file_guard(); /* cmocka has a handler of its own for each test */
	for (unsigned i = 0; i < 20; i++) {
		struct cut_file f = {0};
		make_file(&f, "again");
		assert_true(
		    mapped_file_watch(&f.watched, (const void *)(uintptr_t)f.bytes, f.size));
		assert_false(mapped_file_is_cut(&f.watched));
		assert_int_equal(ftruncate(f.fd, 0), 0);
		assert_int_equal(f.bytes[(i % PAGES) * f.page], 0);
		assert_true(mapped_file_is_cut(&f.watched));
		mapped_file_leave(&f.watched);
		drop_file(&f);
	}
}

static void *read_cut(void *context)
{
	struct cut_file *f = context;
	intptr_t sum = 0;

	if (!mapped_file_watch(&f->watched, (const void *)(uintptr_t)f->bytes, f->size) ||
	    ftruncate(f->fd, (off_t)f->page) != 0)
		return (void *)1;
	for (size_t i = f->page; i < f->size; i += f->page)
		sum += f->bytes[i];
	sum += !mapped_file_is_cut(&f->watched);
	mapped_file_leave(&f->watched);
	drop_file(f);
	return (void *)sum;
}

static void in_several_threads(void **state)
{
	(void)state;
	static const char *const names[] = {"t0", "t1", "t2", "t3"};
	struct cut_file files[4];
	pthread_t threads[4];

	mapped_file_guard(); /* cmocka has a handler of its own for each test */
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < 4; i++) {
			files[i] = (struct cut_file){0};
			make_file(&files[i], names[i]);
		}
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, read_cut, &files[i]), 0);
		for (unsigned i = 0; i < 4; i++) {
			void *sum;
			assert_int_equal(pthread_join(threads[i], &sum), 0);
			assert_null(sum);
		}
	}
}

static int death_of(void (*die)(void))
{
	const struct rlimit no_core = {0, 0};
	int status;
	pid_t child = fork();

	if (!child) {
		setrlimit(RLIMIT_CORE, &no_core);
		mapped_file_guard();
		die();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void read_unwatched(void)
{
	struct cut_file f = {0};

	make_file(&f, "other");
	if (ftruncate(f.fd, 0) != 0)
		_exit(1);
	_exit(f.bytes[0]);
}

static void read_left(void)
{
	struct cut_file f = {0};

	make_file(&f, "left");
	mapped_file_watch(&f.watched, (const void *)(uintptr_t)f.bytes, f.size);
	mapped_file_leave(&f.watched);
	if (ftruncate(f.fd, 0) != 0)
		_exit(1);
	_exit(f.bytes[0]);
}

static void send_signal(void)
{
	kill(getpid(), SIGBUS);
}

/* The signal means what it always did if it is for none of the files. */
static void other_faults(void **state)
{
	(void)state;

	assert_int_equal(death_of(read_unwatched), SIGBUS);
	assert_int_equal(death_of(read_left), SIGBUS);
	assert_int_equal(death_of(send_signal), SIGBUS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(zeros_in_place_of_what_is_missing),
	    cmocka_unit_test(many_one_after_the_other),
	    cmocka_unit_test(in_several_threads),
	    cmocka_unit_test(other_faults),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
