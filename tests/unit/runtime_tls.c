/* Thread-local variables of load modules: libc's errno, as every thread has it. */
#include "tests/lib/unit/cmocka_all.h"

#include "runtime/os/os.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static struct os_tls found[OS_TLS_MOST];

static void *address_in_thread(void *arg)
{
	return os_tls_address(&found[0]) == (void *)&errno ? arg : NULL;
}

static void every_thread(void **unused)
{
	static char token;
	pthread_t thread;
	void *same;
	(void)unused;
	assert_int_equal(os_tls_find("errno", found), 1);
	assert_ptr_equal(os_tls_address(&found[0]), &errno);
	assert_int_equal(pthread_create(&thread, NULL, address_in_thread, &token), 0);
	assert_int_equal(pthread_join(thread, &same), 0);
	assert_ptr_equal(same, &token);
}

/* The vector knows modules that the program began with, too. */
static void by_the_vector(void **unused)
{
	(void)unused;
	assert_int_equal(os_tls_find("errno", found), 1);
	found[0].is_static = false;
	assert_ptr_equal(os_tls_address(&found[0]), &errno);
	found[0].module = 1 << 20;
	assert_null(os_tls_address(&found[0]));
	assert_int_equal(os_tls_find("errno", found), 1);
	found[0].is_static = false;
	found[0].since = UINTPTR_MAX;
	assert_null(os_tls_address(&found[0]));
}

static void others(void **unused)
{
	(void)unused;
	assert_int_equal(os_tls_find("no such variable", found), 0);
	assert_int_equal(os_tls_find("printf", found), 0); /* no variable of threads */
}

static void mapping(void **unused)
{
	int fd = memfd_create("TLS_TEST", 0);
	(void)unused;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, OS_PAGE), 0);
	void *at = mmap(NULL, OS_PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(os_mapping_named("TLS_TEST"), (uintptr_t)at);
	assert_int_equal(os_mapping_named("TLS_TES"), 0);
	assert_int_equal(os_mapping_named("no such mapping"), 0);
	munmap(at, OS_PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_thread),
	    cmocka_unit_test(by_the_vector),
	    cmocka_unit_test(others),
	    cmocka_unit_test(mapping),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
