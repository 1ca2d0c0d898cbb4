/* The time and memory that reading profiles of other programs takes grow with their bytes, whatever
 * is in them: long names that are said once and meant often, deep paths, many threads and
 * processes. */
#include "hpcprof/import/import.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/growth_files.h"
#include "tests/lib/unit/scratch.h"

#include <stdint.h>
#include <stdio.h>

static void put_long(FILE *out, char c, size_t n)
{
	while (n--)
		putc(c, out);
}

/* ---- collapsed stacks ----------------------------------------------------------------------- */

static void folded_deep(FILE *out, size_t bytes)
{
	fputs("a;b 1\n", out);
	for (size_t i = 1; i < bytes / 2; i++)
		fputs("a;", out);
	fputs("a 1\n", out);
}

static void folded_two(FILE *out, size_t bytes)
{
	fputs("a;b 1\n", out);
	for (size_t i = 1; i < bytes / 4; i++)
		fputs("a;b;", out);
	fputs("a 1\n", out);
}

static void folded_wide(FILE *out, size_t bytes)
{
	for (size_t i = 0; i < bytes / 11; i++)
		fprintf(out, "a;f%06zu 1\n", i % 1000000);
}

static void folded_growing(FILE *out, size_t bytes)
{
	for (size_t depth = 1; bytes > 2 * depth + 3; depth++) {
		for (size_t i = 0; i < depth; i++)
			fputs("a;", out);
		fputs("b 1\n", out);
		bytes -= 2 * depth + 4;
	}
}

static void folded_places(FILE *out, size_t bytes)
{
	for (size_t i = 0; i < bytes / 26; i++)
		fprintf(out, "m`f (f.py:%zu);g_[k] 1\n", i);
}

static void folded_long(FILE *out, size_t bytes)
{
	fputs("a;b 1\n", out);
	put_long(out, 'n', bytes / 2);
	fputs(";b 1\nc;", out);
	put_long(out, 'n', bytes / 2);
	fputs(" 1\n", out);
}

static void folded_marks(FILE *out, size_t bytes)
{
	fputs("a;b 1\n", out);
	fputs("a;", out);
	for (size_t i = 0; i < bytes / 4; i++)
		fputs("`(: ", out);
	fputs(";b 1\n", out);
}

/* ---- callgrind ------------------------------------------------------------------------------ */

static void callgrind_lines(FILE *out, size_t bytes)
{
	fputs("events: Ir\nfn=f\n", out);
	for (size_t i = 0; i < bytes / 5; i++)
		fputs("+1 1\n", out);
}

/* A name of half of the file, in half of the lines. */
static void callgrind_names(FILE *out, size_t bytes, const char *kind)
{
	fprintf(out, "events: Ir\n%s=(1) ", kind);
	put_long(out, 'n', bytes / 2);
	putc('\n', out);
	for (size_t i = 0; i < bytes / 2 / 30; i++)
		fprintf(out, "fn=(2) g\n+1 1\n%s=(1)\n+1 1\n", kind);
}

static void callgrind_functions(FILE *out, size_t bytes)
{
	callgrind_names(out, bytes, "fn");
}

static void callgrind_files(FILE *out, size_t bytes)
{
	callgrind_names(out, bytes, "fl");
}

static void callgrind_objects(FILE *out, size_t bytes)
{
	callgrind_names(out, bytes, "ob");
}

static void callgrind_one_long(FILE *out, size_t bytes)
{
	fputs("events: Ir\nfn=", out);
	put_long(out, 'n', bytes / 2);
	putc('\n', out);
	for (size_t i = 0; i < bytes / 2 / 5; i++)
		fputs("+1 1\n", out);
}

static void callgrind_events(FILE *out, size_t bytes)
{
	fputs("events:", out);
	for (int i = 0; i < 100; i++)
		fprintf(out, " E%d", i);
	fputs("\nfn=f\n", out);
	for (size_t i = 0; i < bytes / 5; i++)
		fputs("+1 1\n", out);
	for (int i = 0; i < 100; i++)
		fprintf(out, "events: E%d\n+1 1\n", i);
}

static void callgrind_processes(FILE *out, size_t bytes)
{
	fputs("events: Ir\ncreator: ", out);
	put_long(out, 'c', bytes / 2);
	fputs("\nfn=f\n", out);
	for (size_t i = 0; i < bytes / 2 / 15; i++)
		fprintf(out, "pid: %zu\n+1 1\n", i);
}

static void callgrind_threads(FILE *out, size_t bytes)
{
	fputs("events: Ir\nfn=", out);
	put_long(out, 'n', bytes / 2);
	putc('\n', out);
	for (size_t i = 0; i < bytes / 2 / 18; i++)
		fprintf(out, "thread: %zu\n1 1\n", i);
}

/* ---- perf script ---------------------------------------------------------------------------- */

static void perf_deep(FILE *out, size_t bytes)
{
	fputs("p 1/1 1.0: 1 e:\n", out);
	for (size_t i = 0; i < bytes / 8; i++)
		fputs("1 f (m)\n", out);
	putc('\n', out);
}

static void perf_inlined(FILE *out, size_t bytes)
{
	fputs("p 1/1 1.0: 1 e:\n", out);
	for (size_t i = 0; i < bytes / 16; i++)
		fputs("1 f (inlined)\n", out);
	for (size_t i = 0; i < bytes / 18; i++)
		fputs("1 f ([unknown])\n", out);
	putc('\n', out);
}

static void perf_threads(FILE *out, size_t bytes)
{
	for (size_t i = 0; i < bytes / 35; i++)
		fprintf(out, "p %zu/%zu 1.0: 1 e:\n1 f (m)\n\n", i % 100, i);
}

static void perf_processes(FILE *out, size_t bytes)
{
	for (size_t i = 0; i < bytes / 38; i++)
		fprintf(out, "p%zu %zu/%zu 1.0: 1 e:\n1 f (m)\n\n", i, i, i);
}

static void perf_heads(FILE *out, size_t bytes)
{
	fputs("p 1/1 1.0: 1 e:\n1 f (m)\n\n", out);
	for (size_t i = 0; i < bytes / 8; i++)
		fputs("1 1.1: 1 ", out);
	fputs("1/1 1.0: 1 e:\n1 f (m)\n\n", out);
}

static void perf_offsets(FILE *out, size_t bytes)
{
	fputs("p 1/1 1.0: 1 e:\n1 f", out);
	for (size_t i = 0; i < bytes / 6; i++)
		fputs("+0x0 (", out);
	fputs(")\n\n", out);
}

static void perf_zeros(FILE *out, size_t bytes)
{
	fputs("p 1/1 1.0: 1 e:\n1 f", out);
	for (size_t i = 0; i < bytes / 2; i++)
		putc('+', out);
	fputs("+0x", out);
	put_long(out, '0', bytes / 2);
	fputs(" (m)\n\n", out);
}

/* ---- PROFILE and CSPROFILE ------------------------------------------------------------------ */

static void begin_xml(FILE *out, const char *type)
{
	fprintf(out,
		"<?xml version=\"1.0\"?>%s<PROFILE version=\"3.0\"><PROFILEHDR/><PROFILEPARAMS>"
		"<TARGET name=\"t\"/><METRICS><METRIC shortName=\"0\" nativeName=\"C\" "
		"period=\"1\"/></METRICS></PROFILEPARAMS><PROFILESCOPETREE><PGM n=\"t\">",
		type);
}

static void end_xml(FILE *out)
{
	fputs("</PGM></PROFILESCOPETREE></PROFILE>\n", out);
}

static void begin_path_xml(FILE *out)
{
	fputs("<?xml version=\"1.0\"?><CSPROFILE version=\"1.0\"><CSPROFILEHDR/><CSPROFILEPARAMS>"
	      "<TARGET name=\"t\"/><METRICS><METRIC shortName=\"0\" nativeName=\"C\" "
	      "period=\"1\"/></METRICS></CSPROFILEPARAMS><CSPROFILETREE><PGM n=\"t\">",
	      out);
}

static void end_path_xml(FILE *out)
{
	fputs("</PGM></CSPROFILETREE></CSPROFILE>\n", out);
}

static void xml_statements(FILE *out, size_t bytes)
{
	begin_xml(out, "");
	fputs("<LM n=\"m\"><F n=\"f\"><P n=\"", out);
	put_long(out, 'n', bytes / 2);
	fputs("\">", out);
	for (size_t i = 0; i < bytes / 2 / 38; i++)
		fprintf(out, "<S b=\"%zu\"><M n=\"0\" v=\"1\"/></S>", i);
	fputs("</P></F></LM>", out);
	end_xml(out);
}

static void xml_loops(FILE *out, size_t bytes)
{
	begin_xml(out, "");
	for (size_t i = 0; i < bytes / 7; i++)
		fputs("<L>", out);
	fputs("<S b=\"1\"><M n=\"0\" v=\"1\"/></S>", out);
	for (size_t i = 0; i < bytes / 7; i++)
		fputs("</L>", out);
	end_xml(out);
}

static void xml_defaults(FILE *out, size_t bytes)
{
	fputs("<?xml version=\"1.0\"?><!DOCTYPE PROFILE [<!ATTLIST P n CDATA \"", out);
	put_long(out, 'n', bytes / 2);
	fputs("\">]>", out);
	begin_xml(out, "");
	for (size_t i = 0; i < bytes / 2 / 4; i++)
		fputs("<P/>", out);
	end_xml(out);
}

static void xml_calls(FILE *out, size_t bytes)
{
	begin_path_xml(out);
	for (size_t i = 0; i < bytes / 30; i++)
		fputs("<CALLSITE p=\"f\">", out);
	fputs("<S><M n=\"0\" v=\"1\"/></S>", out);
	for (size_t i = 0; i < bytes / 30; i++)
		fputs("</CALLSITE>", out);
	end_path_xml(out);
}

static void xml_attributes(FILE *out, size_t bytes)
{
	begin_xml(out, "");
	fputs("<P n=\"f\"", out);
	for (size_t i = 0; i < bytes / 12; i++)
		fprintf(out, " a%zu=\"\"", i);
	fputs("/>", out);
	end_xml(out);
}

static void xml_metrics(FILE *out, size_t bytes)
{
	fputs("<?xml version=\"1.0\"?><PROFILE version=\"3.0\"><PROFILEHDR/><PROFILEPARAMS><TARGET "
	      "name=\"t\"/><METRICS>",
	      out);
	for (size_t i = 0; i < 1000 && i < bytes / 60; i++) {
		fprintf(out, "<METRIC shortName=\"%zu\" nativeName=\"", i);
		put_long(out, 'n', bytes / 1000);
		fputs("\"/>", out);
	}
	fputs("</METRICS></PROFILEPARAMS><PROFILESCOPETREE><PGM n=\"t\">", out);
	end_xml(out);
}

/* --------------------------------------------------------------------------------------------- */

static const struct growth_file families[] = {
    {"folded: deep", "text", folded_deep, 0, false},
    {"folded: two functions", "text", folded_two, 0, false},
    {"folded: wide", "text", folded_wide, 0, false},
    {"folded: growing paths", "text", folded_growing, 0, false},
    {"folded: places", "text", folded_places, 0, false},
    {"folded: long names", "text", folded_long, 0, false},
    {"folded: marks", "text", folded_marks, 0, false},
    {"callgrind: lines", "text", callgrind_lines, 0, false},
    {"callgrind: functions", "text", callgrind_functions, 0, false},
    {"callgrind: files", "text", callgrind_files, 0, false},
    {"callgrind: objects", "text", callgrind_objects, 0, false},
    {"callgrind: a long name", "text", callgrind_one_long, 0, false},
    {"callgrind: events", "text", callgrind_events, 512, false},
    {"callgrind: processes", "text", callgrind_processes, 0, false},
    {"callgrind: threads", "text", callgrind_threads, 0, false},
    {"callgrind: by thread", GROWTH_BY_THREAD, callgrind_threads, 0, false},
    {"perf: deep", "text", perf_deep, 0, false},
    {"perf: inlined", "text", perf_inlined, 0, false},
    {"perf: threads", "text", perf_threads, 0, false},
    {"perf: by thread", GROWTH_BY_THREAD, perf_threads, 0, false},
    {"perf: processes", "text", perf_processes, 0, false},
    {"perf: heads", "text", perf_heads, 0, false},
    {"perf: offsets", "text", perf_offsets, 0, false},
    {"perf: zeros", "text", perf_zeros, 0, false},
    {"XML: statements", "text", xml_statements, 0, false},
    {"XML: loops", "text", xml_loops, 0, false},
    {"XML: defaults", "text", xml_defaults, 0, true},
    {"XML: calls", "text", xml_calls, 0, false},
    {"XML: attributes", "text", xml_attributes, 0, false},
    {"XML: metrics", "text", xml_metrics, 0, false},
};

static void all_grow_with_their_bytes(void **state)
{
	(void)state;
	growth_of_files(families, sizeof families / sizeof *families);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_grow_with_their_bytes),
	};
	importers_add(&import_importer);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
