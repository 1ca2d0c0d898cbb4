/* The reader of PROFILE and CSPROFILE: names, output, errors and limits. */
#include "reader/xml.h"
#include "reader/xml_name.h"
#include "tests/lib/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------- */

static char *escaped(const char *name)
{
	size_t n = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &n);

	reader_xml_write_name(out, name);
	fclose(out);
	return text;
}

static void test_names(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"", ""},
	    {"operator<", "operator&lt;"},
	    {"a&b", "a&amp;b"},
	    {"x->y", "x-&gt;y"},
	    {"\"'", "&quot;'"},
	    {"a\\b", "a\\\\b"},
	    {"\t\n\r", "\\x09\\x0a\\x0d"},
	    {"\x01\x1f\x7f", "\\x01\\x1f\\x7f"},
	    {"na\xc3\xafve \xf0\x9f\x98\x80", "na\xc3\xafve \xf0\x9f\x98\x80"},
	    {"\xff\xc3", "\\xff\\xc3"},
	    {"\xc0\xaf", "\\xc0\\xaf"},
	    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
	    {"\xef\xbf\xbe", "\\xef\\xbf\\xbe"}, /* U+FFFE is not a character in XML */
	    {"\xef\xbf\xbd", "\xef\xbf\xbd"},
	    {"\xc2\x85", "\\xc2\\x85"},
	    {"[unknown file]", "\\x5bunknown file]"},
	    {"[unknown file]s", "[unknown file]s"},
	    {"[partial call paths]", "\\x5bpartial call paths]"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *out = escaped(cases[i].in);
		assert_string_equal(out, cases[i].out);
		free(out);
	}
}

static void test_decoding(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"\\x41", "A"},     {"\\xfF", "\xff"},      {"\\\\x41", "\\x41"}, {"\\", "\\"},
	    {"\\x4", "\\x4"},   {"\\xg1", "\\xg1"},     {"a\\b", "a\\b"},     {"\\x00", "\\x00"},
	    {"\\\\\\", "\\\\"}, {"\\x5c\\x5c", "\\\\"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[32];
		strcpy(text, cases[i].in);
		reader_xml_decode_name(text);
		assert_string_equal(text, cases[i].out);
	}
}

/* ---- reading ------------------------------------------------------------------------ */

#define HEAD                                                                                       \
	"<PROFILE version=\"3.0\"><PROFILEHDR/><PROFILEPARAMS><TARGET name=\"t\"/><METRICS>"       \
	"<METRIC shortName=\"a\" nativeName=\"CYC\" period=\"10\" units=\"count\"/></METRICS>"     \
	"</PROFILEPARAMS><PROFILESCOPETREE><PGM n=\"t\">"
#define TAIL "</PGM></PROFILESCOPETREE></PROFILE>"
#define CS_HEAD                                                                                    \
	"<CSPROFILE version=\"1.0.2\"><CSPROFILEPARAMS><TARGET name=\"t\"/><METRICS>"              \
	"<METRIC shortName=\"0\" nativeName=\"CYC\" period=\"1\"/></METRICS></CSPROFILEPARAMS>"    \
	"<CSPROFILETREE><PGM n=\"t\">"
#define CS_TAIL "</PGM></CSPROFILETREE></CSPROFILE>"

/* The reader's callbacks, in order, as one line. */
struct heard {
	FILE *out;
	int fail_at; /* number of callbacks until one fails; negative: none fails */
};

static int heard(struct heard *h, struct error *e)
{
	return h->fail_at >= 0 && h->fail_at-- == 0 ? error_set(e, ERROR_LIMIT, "enough") : 0;
}

static int hear_target(void *context, const char *name, struct error *e)
{
	struct heard *h = context;
	fprintf(h->out, "target %s;", name);
	return heard(h, e);
}

static int hear_metric(void *context, const struct reader_xml_metric *m, struct error *e)
{
	struct heard *h = context;
	fprintf(h->out, "metric %s %s %llu;", m->name, m->unit ? m->unit : "-",
		(unsigned long long)m->period);
	return heard(h, e);
}

static int hear_open(void *context, const struct reader_xml_scope *s, struct error *e)
{
	struct heard *h = context;
	static const char *const names[] = {"PGM", "G", "LM", "F", "P", "L", "S", "CALLSITE", "S"};
	fprintf(h->out, "%s%s %s %s %s %u{", names[s->kind], s->partial ? "!" : "",
		s->name ? s->name : "-", s->linkage_name ? s->linkage_name : "-",
		s->file ? s->file : "-", s->line);
	return heard(h, e);
}

static int hear_close(void *context, struct error *e)
{
	struct heard *h = context;
	fputc('}', h->out);
	return heard(h, e);
}

static int hear_value(void *context, uint32_t metric, uint64_t events, struct error *e)
{
	struct heard *h = context;
	fprintf(h->out, "%u=%llu;", metric, (unsigned long long)events);
	return heard(h, e);
}

static const struct reader_xml_sink hearing = {.target = hear_target,
					       .metric = hear_metric,
					       .open = hear_open,
					       .close = hear_close,
					       .value = hear_value};

static char *hear(const void *bytes, size_t size, int fail_at, int *rc, struct error *e)
{
	size_t n = 0;
	char *text = NULL;
	struct heard h = {open_memstream(&text, &n), fail_at};

	*rc = reader_xml_read_memory(bytes, size, &hearing, &h, e);
	fclose(h.out);
	return text;
}

static void expect(const char *document, const char *what)
{
	struct error e = {0};
	int rc;
	char *text = hear(document, strlen(document), -1, &rc, &e);

	if (rc != 0)
		fail_msg("%s: %s", document, e.text);
	assert_string_equal(text, what);
	free(text);
}

static void test_what_is_heard(void **state)
{
	(void)state;
	expect(
	    HEAD
	    "<LM n=\"m\"><F n=\"f\"><P n=\"p\" ln=\"_p\" b=\"4\" e=\"9\"><M n=\"a\" v=\"1\"/>"
	    "<L b=\"5\" e=\"8\"><S b=\"6\" id=\"7\"><M n=\"a\" v=\"2\"/></S></L></P></F></LM>" TAIL,
	    "target t;metric CYC count 10;PGM t - - 0{LM m - - 0{F f - - 0{P p _p - 4{0=1;"
	    "L - - - 5{S - - - 6{0=2;}}}}}}");
	/* what tells one from another of the same name, and a line that is not known */
	expect(HEAD
	       "<LM n=\"m\"><F n=\"f [m]\" path=\"f\"><P n=\"p [_p]\" name=\"p\" ln=\"_p\" b=\"4\">"
	       "<S b=\"4\" id=\"?\"><M n=\"a\" v=\"2\"/></S></P></F>"
	       "<F n=\"[unknown file] [m]\" path=\"[unknown file]\"/></LM>" TAIL,
	       "target t;metric CYC count 10;PGM t - - 0{LM m - - 0{F f - - 0{P p _p - 4{S - - - 0"
	       "{0=2;}}}F - - - 0{}}}");
	/* groups anywhere, unknown attributes, omitted levels, a foreign DTD */
	expect(
	    "<?xml version=\"1.0\"?><!DOCTYPE PROFILE SYSTEM \"http://example.org/p.dtd\">" HEAD
	    "<G n=\"g\"><G n=\"h\"><P n=\"p\" color=\"red\"><G n=\"i\"><S b=\"1\"/></G></P></G></G>"
	    "<S b=\"2\"/>" TAIL,
	    "target t;metric CYC count 10;PGM t - - 0{G g - - 0{G h - - 0{P p - - 0{G i - - 0"
	    "{S - - - 1{}}}}}S - - - 2{}}");
	expect(
	    CS_HEAD
	    "<CALLSITE f=\"a.c\" p=\"main\" l=\"3\" c=\"5\"><S f=\"[unknown file]\" p=\"g\" "
	    "l=\"0\" "
	    "c=\"6\"/></CALLSITE><CALLSITE f=\"[unknown file]\" p=\"[partial call paths]\" l=\"0\">"
	    "<CALLSITE f=\"\" p=\"[partial call paths]\" l=\"1\"><M n=\"0\" v=\"7\"/></CALLSITE>"
	    "</CALLSITE>" CS_TAIL,
	    "target t;metric CYC - 1;PGM t - - 0{CALLSITE main - a.c 3{0=5;S g - - 0{0=6;}}"
	    "CALLSITE! [partial call paths] - - 0{CALLSITE [partial call paths] - - 1{0=7;}}}");
	/* numbers in the forms of other programs */
	expect(HEAD "<M n=\"a\" v=\"0\"/><M n=\"a\" v=\"12.0\"/><M n=\"a\" v=\"1.25e+03\"/>"
		    "<M n=\"a\" v=\"500e-2\"/><M n=\"a\" v=\"18446744073709551615\"/>"
		    "<M n=\"a\" v=\"0.5E1\"/><M n=\"a\" v=\"10.500e1\"/>" TAIL,
	       "target t;metric CYC count 10;PGM t - - 0{0=12;0=1250;0=5;0=18446744073709551615;"
	       "0=5;0=105;}");
	expect(HEAD "<LM n=\"&#60;&amp;\\x01&#233;\"/>" TAIL,
	       "target t;metric CYC count 10;PGM t - - 0{LM <&\x01\xc3\xa9 - - 0{}}");
}

static void expect_error(const char *document, size_t n, enum error_kind kind, const char *what)
{
	struct error e = {0};

	if (reader_xml_read_memory(document, n, NULL, NULL, &e) == 0)
		fail_msg("taken: %.300s", document);
	if (!strstr(e.text, what) || e.kind != kind)
		fail_msg("said \"%s\" (kind %d), expected \"%s\"", e.text, (int)e.kind, what);
	if (kind == ERROR_FORMAT && !strstr(e.text, "line "))
		fail_msg("no line in \"%s\"", e.text);
}

static void test_errors(void **state)
{
	(void)state;
	static const struct {
		const char *document, *what;
	} cases[] = {
	    {"", "no element found"},
	    {"x", "line 1, column 1"},
	    {"<html/>", "expected PROFILE or CSPROFILE, found html"},
	    {"<PROFILE/>", "expected the attribute version of PROFILE"},
	    {"<PROFILE version=\"4.0\"/>", "expected version 3.x of PROFILE, found \"4.0\""},
	    {"<CSPROFILE version=\"2\"/>", "expected version 1.x of CSPROFILE"},
	    {"<PROFILE version=\"3.0\"/>", "expected a PROFILESCOPETREE, found none"},
	    {"<PROFILE version=\"3.0\">\n <PROFILESCOPETREE/></PROFILE>",
	     "line 2, column 2: expected METRICS before PROFILESCOPETREE"},
	    {"<PROFILE version=\"3.0\"><PROFILEHDR/><PROFILEHDR/></PROFILE>",
	     "expected one PROFILEHDR, found a second"},
	    {"<PROFILE version=\"3.0\"><PROFILEPARAMS><METRICS><METRIC nativeName=\"x\"/>",
	     "expected the attribute shortName of METRIC"},
	    {"<PROFILE version=\"3.0\"><PROFILEPARAMS><METRICS><METRIC shortName=\"0\" "
	     "nativeName=\"x\"/><METRIC shortName=\"0\" nativeName=\"y\"/>",
	     "expected a shortName that no other METRIC has, found \"0\" again"},
	    {"<PROFILE version=\"3.0\"><PROFILEPARAMS><METRICS><METRIC shortName=\"0\" "
	     "nativeName=\"x\" period=\"-1\"/>",
	     "expected a whole number from 0 to 18446744073709551615 in period, found \"-1\""},
	    {"<PROFILE version=\"3.0\"><M n=\"0\" v=\"1\"/>", "M is not allowed in PROFILE"},
	    {HEAD "<M n=\"b\" v=\"1\"/>",
	     "expected a shortName of the METRICS in n of M, found \"b\""},
	    {HEAD "<M n=\"a\"/>", "expected the attribute v of M"},
	    {HEAD "<M v=\"1\"/>", "expected the attribute n of M"},
	    {HEAD "<M n=\"a\" v=\"18446744073709551616\"/>",
	     "in v of M, found \"184467440737095516"},
	    {HEAD "<M n=\"a\" v=\"1.5\"/>", "found \"1.5\""},
	    {HEAD "<M n=\"a\" v=\"1e20\"/>", "found \"1e20\""},
	    {HEAD "<M n=\"a\" v=\"1e\"/>", "found \"1e\""},
	    {HEAD "<M n=\"a\" v=\".\"/>", "found \".\""},
	    {HEAD "<M n=\"a\" v=\"0x10\"/>", "found \"0x10\""},
	    {HEAD "<M n=\"a\" v=\"1 \"/>", "found \"1 \""},
	    {HEAD "<M n=\"a\" v=\"nan\"/>", "found \"nan\""},
	    {HEAD "<S b=\"4294967296\"/>", "expected a whole number from 0 to 4294967295 in b"},
	    {HEAD "<S b=\"1\"><P n=\"x\"/>", "P is not allowed in S"},
	    {HEAD "<LM n=\"a\"><LM n=\"b\"/>", "LM is not allowed in LM"},
	    {HEAD "<P n=\"a\"><G n=\"g\"><F n=\"b\"/>", "F is not allowed in G"},
	    {HEAD "<CALLSITE f=\"a\" p=\"b\" l=\"1\"/>", "CALLSITE is not allowed in PGM"},
	    {HEAD "<M n=\"a\" v=\"1\"><M n=\"a\" v=\"1\"/>", "M is not allowed in M"},
	    {HEAD "<B/>", "no element of a PROFILE or CSPROFILE is named B"},
	    {HEAD "text", "expected elements in PGM, found text"},
	    {HEAD "<LM n=\"a\">", "line 1, column "},
	    {HEAD "<LM n=\"a\"></F>", "mismatched tag"},
	    {HEAD TAIL "<PROFILE version=\"3.0\"/>", "junk after document element"},
	    {HEAD "<LM n=\"&x;\"/>", "undefined entity"},
	    {HEAD "<LM n=\"\x01\"/>", "not well-formed"},
	    {HEAD "<LM n=\"\xff\"/>", "not well-formed"},
	    {HEAD "<LM n=\"a\" n=\"b\"/>", "duplicate attribute"},
	    {CS_HEAD "<S f=\"a\" p=\"b\" l=\"1\" c=\"-5\"/>", "in c, found \"-5\""},
	    {CS_HEAD "<S f=\"a\" p=\"b\" l=\"1\"><S f=\"a\" p=\"b\" l=\"1\"/>",
	     "S is not allowed in S"},
	    {CS_HEAD "<LM n=\"a\"/>", "LM is not allowed in PGM"},
	    {"<CSPROFILE version=\"1.0.2\"><CSPROFILEPARAMS><METRICS/></CSPROFILEPARAMS>"
	     "<CSPROFILETREE><PGM n=\"t\"><S f=\"a\" p=\"b\" l=\"1\" c=\"1\"/>",
	     "expected a METRIC for the values in c, found none"},
	    {"<?xml version=\"1.0\" encoding=\"EBCDIC-CP-US\"?>" HEAD TAIL, "unknown encoding"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect_error(cases[i].document, strlen(cases[i].document), ERROR_FORMAT,
			     cases[i].what);
}

static void test_entities(void **state)
{
	(void)state;
	static const char laughs[] =
	    "<?xml version=\"1.0\"?><!DOCTYPE PROFILE [<!ENTITY a \"ha\">"
	    "<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>" HEAD "<LM n=\"&b;\"/>" TAIL;
	static const char external[] =
	    "<!DOCTYPE PROFILE [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>" HEAD "&x;" TAIL;
	static const char outside[] = "<!DOCTYPE PROFILE SYSTEM \"p.dtd\">" HEAD "&x;" TAIL;
	static const char parameter[] =
	    "<!DOCTYPE PROFILE [<!ENTITY % p SYSTEM \"file:///etc/passwd\"> %p; "
	    "<!ENTITY % q \"<!ENTITY b 'ha'>\"> %q;]>" HEAD "<LM n=\"m\"/>" TAIL;
	struct error e = {0};

	expect_error(laughs, strlen(laughs), ERROR_FORMAT, "no entity declarations, found a");
	expect_error(external, strlen(external), ERROR_FORMAT, "no entity declarations, found x");
	expect_error(outside, strlen(outside), ERROR_FORMAT, "only the entities of XML, found &x;");
	/* parameter entities are never read, so there is nothing to refuse */
	assert_int_equal(reader_xml_read_memory(parameter, strlen(parameter), NULL, NULL, &e), 0);
}

/* head, then n times the part, then tail. */
static char *repeated(const char *head, const char *part, size_t n, const char *tail)
{
	size_t h = strlen(head), p = strlen(part), t = strlen(tail);
	char *text = malloc(h + p * n + t + 1), *to = text;

	assert_non_null(text);
	to = mempcpy(to, head, h);
	for (size_t i = 0; i < n; i++)
		to = mempcpy(to, part, p);
	memcpy(to, tail, t + 1);
	return text;
}

static void expect_limit(char *document, const char *what)
{
	expect_error(document, strlen(document), ERROR_LIMIT, what);
	free(document);
}

static void expect_read(char *document)
{
	struct error e = {0};

	assert_int_equal(reader_xml_read_memory(document, strlen(document), NULL, NULL, &e), 0);
	free(document);
}

static void test_limits(void **state)
{
	(void)state;
	char *many;
	size_t n = 0;
	FILE *out = open_memstream(&many, &n);

	fputs("<PROFILE version=\"3.0\"><PROFILEPARAMS><METRICS>", out);
	for (int i = 0; i <= READER_XML_MOST_METRICS; i++)
		fprintf(out, "<METRIC shortName=\"%d\" nativeName=\"x\"/>", i);
	fclose(out);
	expect_limit(many, "expected at most 1000 metrics");
	expect_limit(repeated(CS_HEAD, "<CALLSITE f=\"\" p=\"\" l=\"\">", READER_XML_DEEPEST, ""),
		     "nested elements");
	expect_limit(repeated(HEAD "<LM n=\"", "x", READER_XML_LONGEST_NAME + 1, "\"/>" TAIL),
		     "expected names of at most 1048576 bytes, found one of 1048577");
	expect_read(repeated(HEAD "<LM n=\"", "x", READER_XML_LONGEST_NAME, "\"/>" TAIL));
	expect_limit(repeated(HEAD "<LM n=\"", "x", 3 * (size_t)READER_XML_LONGEST_TAG, ""),
		     "found a longer one");
	expect_limit(repeated("<!--", "x", 3 * (size_t)READER_XML_LONGEST_TAG, ""),
		     "found a longer one");
	out = open_memstream(&many, &n);
	fputs("<!DOCTYPE PROFILE [", out);
	for (int i = 0; i <= READER_XML_MOST_ATTLISTS; i++)
		fprintf(out, "<!ATTLIST M a%d CDATA #IMPLIED>", i);
	fclose(out);
	expect_limit(many, "attributes to be declared");
	expect_limit(repeated("<!DOCTYPE PROFILE [<!ATTLIST P n CDATA \"", "x",
			      READER_XML_MOST_DEFAULTS, "\">]>" HEAD TAIL),
		     "at most 4096 bytes in the defaults of attributes");
}

static void test_encodings(void **state)
{
	(void)state;
	static const char latin[] =
	    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" HEAD "<LM n=\"\xe9\"/>" TAIL;
	static const char plain[] = HEAD "<LM n=\"m\"/>" TAIL;
	char wide[2 * sizeof plain + 2] = "\xff\xfe";
	struct error e = {0};
	char *text;
	int rc;

	text = hear(latin, strlen(latin), -1, &rc, &e);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "LM \xc3\xa9 "));
	free(text);
	for (size_t i = 0; plain[i]; i++) {
		wide[2 + 2 * i] = plain[i];
		wide[3 + 2 * i] = 0;
	}
	text = hear(wide, 2 * sizeof plain, -1, &rc, &e);
	assert_int_equal(rc, 0);
	assert_non_null(strstr(text, "LM m "));
	free(text);
}

static void test_callbacks_that_fail(void **state)
{
	(void)state;
	static const char document[] = HEAD "<LM n=\"m\"><M n=\"a\" v=\"1\"/></LM>" TAIL;

	for (int i = 0;; i++) {
		struct error e = {0};
		int rc;
		free(hear(document, strlen(document), i, &rc, &e));
		if (rc == 0) {
			assert_int_equal(i, 7); /* target, metric, 2 open, value, 2 close */
			break;
		}
		assert_string_equal(e.text, "enough");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),         cmocka_unit_test(test_decoding),
	    cmocka_unit_test(test_what_is_heard), cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_entities),      cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_encodings),     cmocka_unit_test(test_callbacks_that_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
