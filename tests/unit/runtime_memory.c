/* The runtime's own memory and string functions do what the C standard says, at the end of a page,
 * too. They are called by volatile pointers, so that the compiler puts nothing in their place. */
#include "tests/lib/unit/cmocka_all.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, LONGEST = 70, ROUNDS = 20000 };

static uint64_t random_state = 1;

static unsigned below(unsigned n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return n ? (unsigned)(random_state >> 33) % n : 0;
}

/* n bytes that end where memory ends. */
static unsigned char *at_end(int which, size_t n)
{
	static unsigned char *pages[2];

	if (!pages[which]) {
		unsigned char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(p != MAP_FAILED);
		assert_int_equal(mprotect(p + PAGE, PAGE, PROT_NONE), 0);
		pages[which] = p;
	}
	return pages[which] + PAGE - n;
}

static void fill(unsigned char *p, size_t n, unsigned values)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)below(values);
}

static void test_copies(void **state)
{
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	void *(*volatile move)(void *, const void *, size_t) = memmove;
	void *(*volatile set)(void *, int, size_t) = memset;
	unsigned char want[3 * LONGEST];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = below(LONGEST), room = 3 * LONGEST;
		unsigned char *from = at_end(0, n), *to = at_end(1, n), *all = at_end(0, room);
		fill(from, n, 256);
		assert_ptr_equal(copy(to, from, n), to);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(to[i], from[i]);
		fill(all, room, 256);
		size_t a = below(2 * LONGEST), b = below(2 * LONGEST);
		for (size_t i = 0; i < room; i++)
			want[i] = i >= a && i < a + n ? all[b + i - a] : all[i];
		assert_ptr_equal(move(all + a, all + b, n), all + a);
		for (size_t i = 0; i < room; i++)
			assert_int_equal(all[i], want[i]);
		int byte = (int)below(600) - 300;
		assert_ptr_equal(set(to, byte, n), to);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(to[i], (unsigned char)byte);
	}
}

static int sign(int x)
{
	return (x > 0) - (x < 0);
}

static int naive_compare(const unsigned char *a, const unsigned char *b, size_t n, int strings)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] || (strings && !a[i]))
			return a[i] - b[i];
	return 0;
}

static void test_comparisons(void **state)
{
	int (*volatile compare)(const void *, const void *, size_t) = memcmp;
	int (*volatile text)(const char *, const char *) = strcmp;
	int (*volatile part)(const char *, const char *, size_t) = strncmp;
	void *(*volatile find)(const void *, int, size_t) = memchr;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = below(LONGEST) + 1;
		unsigned values = below(2) ? 2 : 256;
		unsigned char *a = at_end(0, n), *b = at_end(1, n);
		fill(a, n, values);
		fill(b, n, values);
		if (below(2))
			for (size_t i = 0; i < n; i++)
				b[i] = a[i];
		if (below(2))
			b[below((unsigned)n)] = (unsigned char)below(256);
		assert_int_equal(sign(compare(a, b, n)), sign(naive_compare(a, b, n, 0)));
		assert_int_equal(sign(part((char *)a, (char *)b, n)),
				 sign(naive_compare(a, b, n, 1)));
		int byte = (int)below(values);
		size_t at = 0;
		while (at < n && a[at] != byte)
			at++;
		assert_ptr_equal(find(a, byte, n), at < n ? a + at : NULL);
		a[n - 1] = b[n - 1] = 0;
		assert_int_equal(sign(text((char *)a, (char *)b)), sign(naive_compare(a, b, n, 1)));
	}
}

static void test_strings(void **state)
{
	size_t (*volatile length)(const char *) = strlen;
	size_t (*volatile length_of)(const char *, size_t) = strnlen;
	char *(*volatile first)(const char *, int) = strchr;
	char *(*volatile last)(const char *, int) = strrchr;
	size_t (*volatile span)(const char *, const char *) = strspn;
	size_t (*volatile other)(const char *, const char *) = strcspn;
	char *(*volatile search)(const char *, const char *) = strstr;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = below(LONGEST), k = below(4);
		char *s = (char *)at_end(0, n + 1), *part = (char *)at_end(1, k + 1);
		for (size_t i = 0; i < n; i++)
			s[i] = (char)('a' + below(3));
		for (size_t i = 0; i < k; i++)
			part[i] = (char)('a' + below(3));
		s[n] = part[k] = '\0';
		assert_int_equal(length(s), n);
		assert_int_equal(length_of(s, n / 2), n / 2);
		assert_int_equal(length_of(s, n + 5), n);
		char c = (char)(below(4) ? 'a' + below(4) : 0);
		char *from = NULL, *to = NULL, *found = NULL;
		for (size_t i = 0; i <= n; i++)
			if (s[i] == c) {
				from = from ? from : s + i;
				to = s + i;
			}
		assert_ptr_equal(first(s, c), from);
		assert_ptr_equal(last(s, c), to);
		size_t in = 0, out = 0;
		for (in = 0; in < n; in++) {
			int has = 0;
			for (size_t i = 0; i < k; i++)
				has |= part[i] == s[in];
			if (!has)
				break;
		}
		for (out = 0; out < n; out++) {
			int has = 0;
			for (size_t i = 0; i < k; i++)
				has |= part[i] == s[out];
			if (has)
				break;
		}
		assert_int_equal(span(s, part), in);
		assert_int_equal(other(s, part), out);
		for (size_t i = 0; i + k <= n && !found; i++)
			if (naive_compare((unsigned char *)s + i, (unsigned char *)part, k, 0) == 0)
				found = s + i;
		assert_ptr_equal(search(s, part), found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_copies),
	    cmocka_unit_test(test_comparisons),
	    cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
