/* hpcprof/views/dump/dump.h: the golden dump, the same in both byte orders, escapes, JSON. */
#include "hpcprof/views/dump/dump.h"

#include "tests/lib/builders/build_datafile.h"
#include "tests/lib/unit/cmocka_all.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/hpctest.XXXXXX";

static int make_path(void **state)
{
	(void)state;
	int fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

/* The dump of the file at from, as a string that the caller frees. */
static char *dump(const char *from, bool json, int want, struct error *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	assert_non_null(out);
	assert_int_equal(dump_file(out, from, json, e), want);
	fclose(out);
	assert_int_equal(strlen(text), n); /* it has no NUL */
	return text;
}

static char *dump_built(const struct build_file *f, bool json)
{
	struct built b;
	struct error e;
	build(f, &b);
	built_write(&b, path);
	built_free(&b);
	return dump(path, json, 0, &e);
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}

static void the_golden_dump(void **state)
{
	(void)state;
	const char *dir = getenv("TAP_DATA") ? getenv("TAP_DATA") : "tests/data";
	char from[4096], golden[16384];
	struct error e;
	snprintf(from, sizeof from, "%s/example.dump", dir);
	FILE *in = fopen(from, "r");
	assert_non_null(in);
	golden[fread(golden, 1, sizeof golden - 1, in)] = '\0';
	fclose(in);
	snprintf(from, sizeof from, "%s/example.csp", dir);
	char *text = dump(from, false, 0, &e);
	assert_string_equal(text, golden);
	free(text);
}

static void both_orders_print_alike(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		struct build_file f = build_example;
		f.width = i & 2 ? 4 : 8;
		f.shuffle = i & 4;
		f.no_flags = i & 8;
		char *little = dump_built(&f, i & 1);
		f.big = true;
		char *big = dump_built(&f, i & 1);
		assert_string_equal(little, big);
		free(little);
		free(big);
	}
}

static void meanings_stand_beside(void **state)
{
	(void)state;
	static const struct build_metric metrics[] = {
	    {"a", 0, 1, NULL, 0}, {"b", 31, 1, NULL, 0}, {"c", 1ull << 63, 1, NULL, 0}};
	struct build_file f = build_example;
	f.metrics = metrics;
	f.big = true;
	char *text = dump_built(&f, false);
	assert_has(text, "name \"a\"  flags 0 (none)  sample_period 1\n");
	assert_has(text, "flags 31 (asynchronous, samples of the metric before, return count, "
			 "activation count, unknown bits)");
	assert_has(text, "flags 9223372036854775808 (unknown bits)");
	assert_has(text, "kind 1 (partial paths)  creator_tree 4294967295 (no creator)");
	assert_has(text, "\n    node:  id 3  parent 2  ip 0x12100abc  sp 0xbfff0e00  "
			 "metrics 25100000 25 0\n");
	free(text);
	f.no_flags = true;
	f.no_trailer = true;
	text = dump_built(&f, false);
	assert_has(text, "name \"b\"  flags -  sample_period 1\n");
	assert_has(text, "\n  trailer -\n");
	free(text);
	text = dump_built(&f, true);
	assert_has(text, "\"flags\":null");
	assert_has(text, "\"trailer\":null");
	free(text);
}

static void unknown_chunks_have_tag_and_length(void **state)
{
	(void)state;
	static const struct build_chunk extra[] = {{999, "abc", 3}, {0, "", 0}, {1u << 31, "x", 1}};
	struct build_file f = build_example;
	f.chunks = extra;
	f.num_chunks = 3;
	char *text = dump_built(&f, false);
	assert_has(text, "chunk 7:  tag 999 (unknown)  length 3\n");
	assert_has(text, "chunk 8:  tag 0 (unknown)  length 0\n");
	assert_has(text, "chunk 9:  tag 2147483648 (unknown)  length 1\n");
	free(text);
}

static void values_have_names(void **state)
{
	(void)state;
	char *text = dump_built(&build_values, false);
	assert_has(text, "tag 6 (VALUES)  length ");
	assert_has(text, "windows 100  steps 790  ns 1500000  dropped 3\n");
	assert_has(text, "refusal 2:  samples 3 (the program handles SIGTRAP or steps itself)\n");
	assert_has(text,
		   "value 1:  epoch 0  ip 0x500011  kind 130 (stride of edx)  bytes 4  count 40  "
		   "zeros 40  same 39  rest 0\n        frequent:  value 0  count 40  error 0\n");
	free(text);
	text = dump_built(&build_values, true);
	assert_has(text, "\"kind\":81,\"kind_meaning\":\"argument 2\"");
	free(text);
}

/* Bytes that are not printable UTF-8: control characters, C1, overlong forms, surrogates,
 * incomplete sequences. */
static const char nasty[] = "q\"b\\\n\x1b[2J\x7f\xc2\x9b\xc3\xa9\xf0\x9f\x8c\xb3"
			    "\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xff\xe2\x82";

static void text_is_safe_to_print(void **state)
{
	(void)state;
	struct build_file f = build_example;
	f.target = nasty;
	char *text = dump_built(&f, false);
	assert_has(text, "target \"q\\\"b\\\\\\x0a\\x1b[2J\\x7f\\xc2\\x9b\xc3\xa9\xf0\x9f\x8c\xb3"
			 "\\xc0\\x80\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xff\\xe2\\x82\"");
	assert_has(text, "value \"/opt/app/solver\\x00-n\\x00100\"");
	for (const char *p = text; *p; p++)
		assert_true((unsigned char)*p >= 0x20 || *p == '\n');
	free(text);
}

/* A strict JSON parser (RFC 8259): returns what follows the value, or NULL. */
static const char *json_value(const char *p, unsigned depth);

static const char *json_string(const char *p)
{
	if (*p++ != '"')
		return NULL;
	while (*p != '"') {
		if ((unsigned char)*p < 0x20)
			return NULL;
		if (*p++ != '\\')
			continue;
		if (*p == 'u') {
			for (int i = 1; i <= 4; i++) {
				if (!isxdigit((unsigned char)p[i]))
					return NULL;
			}
		} else if (!strchr("\"\\/bfnrt", *p) || !*p) {
			return NULL;
		}
		p++;
	}
	return p + 1;
}

static const char *json_space(const char *p)
{
	return p ? p + strspn(p, " \n\t\r") : NULL;
}

static const char *json_list(const char *p, char close, bool keys, unsigned depth)
{
	p = json_space(p + 1);
	if (*p == close)
		return p + 1;
	for (;;) {
		if (keys) {
			p = json_space(json_string(p));
			if (!p || *p++ != ':')
				return NULL;
		}
		p = json_space(json_value(json_space(p), depth + 1));
		if (!p || (*p != ',' && *p != close))
			return NULL;
		if (*p++ == close)
			return p;
		p = json_space(p);
	}
}

static const char *json_value(const char *p, unsigned depth)
{
	if (depth > 20)
		return NULL;
	if (*p == '{')
		return json_list(p, '}', true, depth);
	if (*p == '[')
		return json_list(p, ']', false, depth);
	if (*p == '"')
		return json_string(p);
	if (strncmp(p, "null", 4) == 0)
		return p + 4;
	size_t digits = strspn(p, "0123456789");
	return digits == 0 || (digits > 1 && *p == '0') ? NULL : p + digits;
}

static void assert_json(const char *text)
{
	const char *end = json_space(json_value(text, 0));
	if (!end || *end != '\0')
		fail_msg("not JSON:\n%s", text);
}

static void json_is_json(void **state)
{
	(void)state;
	static const struct build_chunk extra = {99, "x", 1};
	struct build_file f = build_example;
	f.tramp_samples = UINT64_MAX;
	f.chunks = &extra;
	f.num_chunks = 1;
	f.target = nasty;
	char *text = dump_built(&f, true);
	assert_json(text);
	assert_has(text, "\"tramp_samples\":18446744073709551615");
	assert_has(text, "{\"id\":3,\"parent\":2,\"ip\":\"0x12100abc\",\"sp\":\"0xbfff0e00\","
			 "\"metrics\":[25100000,25,0]}");
	assert_has(text, "\"target\":\"q\\\"b\\\\\\u000a\\u001b[2J\\u007f\\u009b\xc3\xa9"
			 "\xf0\x9f\x8c\xb3\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd"
			 "\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
	assert_has(text, "\"value\":\"/opt/app/solver\\u0000-n\\u0000100\"");
	free(text);
	f.num_trees = f.num_epochs = f.num_metrics = 0;
	f.no_trailer = true;
	text = dump_built(&f, true);
	assert_json(text);
	assert_has(text, "\"trees\":[]");
	free(text);
}

static void damage_is_told(void **state)
{
	(void)state;
	for (int json = 0; json < 2; json++) {
		struct built b;
		struct error e;
		build(&build_example, &b);
		built_put(&b, built_field(&b, "kind"), 5);
		built_write(&b, path);
		char *text = dump(path, json, 1, &e);
		assert_has(e.text, "expected kind of a tree below 2, found 5");
		assert_has(text, json ? "\"content\":\"damaged\""
				      : "(TREES)  length 64  content damaged");
		assert_has(text, "disposition");
		free(text);
		built_put(&b, built_field(&b, "num_metrics"), 99999999);
		built_write(&b, path);
		text = dump(path, json, -1, &e);
		assert_string_equal(text, "");
		assert_has(e.text, "expected num_metrics");
		free(text);
		built_free(&b);
	}
}

static void a_full_disk_is_told(void **state)
{
	(void)state;
	struct built b;
	struct error e = {0};
	FILE *out = fopen("/dev/full", "w");
	assert_non_null(out);
	build(&build_example, &b);
	built_write(&b, path);
	assert_int_equal(dump_file(out, path, false, &e), -1);
	assert_int_equal(e.kind, ERROR_SYSTEM);
	fclose(out);
	built_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_golden_dump),
	    cmocka_unit_test(both_orders_print_alike),
	    cmocka_unit_test(meanings_stand_beside),
	    cmocka_unit_test(unknown_chunks_have_tag_and_length),
	    cmocka_unit_test(values_have_names),
	    cmocka_unit_test(text_is_safe_to_print),
	    cmocka_unit_test(json_is_json),
	    cmocka_unit_test(damage_is_told),
	    cmocka_unit_test(a_full_disk_is_told),
	};
	return cmocka_run_group_tests(tests, make_path, remove_path);
}
