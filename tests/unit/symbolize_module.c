/* symbolize/symbolize.h with small programs that are compiled here in many ways. */
#include "symbolize/symbolize.h"

#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/builders/elfmake.h"

#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last results, with the symbolizer that owns them. */
static struct symbolizer *symbolizer;
static struct symbol_table table;
static struct error why;

static void forget(void)
{
	symbol_table_free(&table);
	symbolizer_destroy(symbolizer);
	symbolizer = NULL;
}

static int teardown(void **state)
{
	(void)state;
	forget();
	return 0;
}

static void resolve_with(const struct symbolizer_options *options, const char *path,
			 const char *build_id, const uint64_t *addresses, size_t n)
{
	forget();
	symbolizer = symbolizer_create(options);
	assert_non_null(symbolizer);
	const char *name = path ? path : "pathless", *slash = strrchr(name, '/');
	struct symbolize_request request = {.path = path,
					    .name = slash ? slash + 1 : name,
					    .build_id = build_id,
					    .addresses = addresses,
					    .num_addresses = n};
	assert_int_equal(symbolize_module(symbolizer, &request, &table, &why), 0);
	assert_int_equal(table.num_addresses, n);
	for (size_t i = 0; i < n; i++) {
		assert_true(table.first[i] < table.first[i + 1]);
		for (size_t k = table.first[i]; k < table.first[i + 1]; k++) {
			assert_non_null(table.frames[k].function);
			assert_true(table.frames[k].function->name[0]);
			assert_non_null(table.frames[k].function->linkage_name);
			assert_int_equal(table.frames[k].inlined, k + 1 < table.first[i + 1]);
		}
	}
}

static void resolve(const char *file, uint64_t address)
{
	resolve_with(NULL, elfmake_path("%s", file), NULL, &address, 1);
}

static const struct symbol_frame *frame(size_t i)
{
	assert_true(i < table.first[1]);
	return &table.frames[i];
}

static void expect_frame(size_t i, const char *name, const char *file, unsigned line)
{
	char end[256];
	assert_string_equal(frame(i)->function->name, name);
	if (!file) {
		assert_null(frame(i)->file);
		return;
	}
	snprintf(end, sizeof end, "/symbolize/%s", file);
	assert_non_null(frame(i)->file);
	assert_int_equal(frame(i)->file[0], '/');
	assert_non_null(strstr(frame(i)->file, end));
	assert_null(strstr(frame(i)->file, "/./"));
	assert_int_equal(frame(i)->line, line);
}

static void expect_chain(void)
{
	assert_int_equal(table.best, SYMBOL_DWARF);
	assert_int_equal(table.first[1], 3);
	expect_frame(0, "leaf", "chain.c", elfmake_line("chain.c", "LINE leaf"));
	expect_frame(1, "middle", "chain.c", elfmake_line("chain.c", "LINE middle"));
	expect_frame(2, "outer", "chain.c", elfmake_line("chain.c", "LINE outer"));
	assert_int_equal(frame(0)->function->line, elfmake_line("chain.c", "DECL leaf"));
	assert_int_equal(frame(2)->function->line, elfmake_line("chain.c", "DECL outer"));
	assert_int_equal(frame(0)->function->low, 0);
	assert_int_not_equal(frame(2)->function->low, 0);
	assert_int_equal(why.kind, ERROR_NONE);
}

/* Builds chain.c with the flags, twice: as NAME, and as NAME.full, which keeps its symbols. */
static void build_chain(const char *name, const char *flags)
{
	elfmake_run("gcc -O2 -g -Wl,--build-id %s -o %s $data/chain.c && cp %s %s.full", flags,
		    name, name, name);
}

static void inline_chains_in_all_kinds_of_dwarf(void **state)
{
	(void)state;
	static const char *const kinds[] = {
	    "-gdwarf-5",
	    "-gdwarf-4",
	    "-gdwarf-4 -gz",
	    "-gdwarf-5 -gz",
	    "-gdwarf-5 -fdebug-types-section",
	    "-gdwarf-3 -gno-strict-dwarf",
	    "-gdwarf-5 -gsplit-dwarf",
	    "-gdwarf-4 -gsplit-dwarf",
	    "-gdwarf-5 -gsplit-dwarf -gz",
	    "-gdwarf-4 -gsplit-dwarf -gz=zlib-gnu",
	    "-gdwarf-5 -flto",
	    "-gdwarf-5 -no-pie",
	    "-gdwarf-5 -ffunction-sections -Wl,--gc-sections",
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		build_chain("kind", kinds[i]);
		resolve("kind", elfmake_symbol("kind", "mark_leaf"));
		expect_chain();
	}
}

static void inline_chains_of_clang(void **state)
{
	(void)state;
	if (!elfmake_have("clang-14"))
		skip();
	static const char *const kinds[] = {"-gdwarf-5", "-gdwarf-4", "-gdwarf-5 -gsplit-dwarf",
					    "-gdwarf-4 -gdwarf-aranges"};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		elfmake_run("clang-14 -O2 -g %s -o clang $data/chain.c", kinds[i]);
		resolve("clang", elfmake_symbol("clang", "mark_leaf"));
		expect_chain();
	}
}

static void a_copy_and_an_inlined_instance_are_one_function(void **state)
{
	(void)state;
	build_chain("one", "");
	uint64_t label = elfmake_symbol("one", "mark_both"), copy = elfmake_symbol("one", "both");
	/* The label is before the inlined copy, by at most 32 bytes. */
	uint64_t addresses[34];
	size_t n = 0;
	if (copy < label)
		addresses[n++] = copy;
	for (uint64_t a = label; a < label + 32; a++)
		addresses[n++] = a;
	if (copy > label)
		addresses[n++] = copy;
	resolve_with(NULL, elfmake_path("one"), NULL, addresses, n);
	const struct symbol_function *inlined = NULL, *outer = NULL;
	size_t at = copy < label ? 0 : n - 1;
	for (size_t k = 0; k < table.first[n]; k++)
		if (table.frames[k].inlined && strcmp(table.frames[k].function->name, "both") == 0)
			inlined = table.frames[k].function;
	outer = table.frames[table.first[at]].function;
	assert_string_equal(outer->name, "both");
	assert_ptr_equal(outer, inlined);
	assert_int_equal(outer->low, copy);
	assert_int_equal(outer->line, elfmake_line("chain.c", "DECL both"));
}

static void a_cold_part_has_its_functions_name(void **state)
{
	(void)state;
	elfmake_run("g++ -O2 -g -o cold $data/templates.cc");
	/* Cold code is before the rest. */
	uint64_t addresses[2] = {elfmake_symbol("cold", "_Z5riskyi.cold"),
				 elfmake_symbol("cold", "_Z5riskyi")};
	assert_true(addresses[0] < addresses[1]);
	resolve_with(NULL, elfmake_path("cold"), NULL, addresses, 2);
	assert_string_equal(table.frames[table.first[1] - 1].function->name, "risky(int)");
	assert_ptr_equal(table.frames[table.first[1] - 1].function,
			 table.frames[table.first[2] - 1].function);
}

static void cxx_names_are_demangled(void **state)
{
	(void)state;
	static const char *const cases[][3] = {
	    {"_ZN6shapes5twiceIiEET_S1_", "int shapes::twice<int>(int)"},
	    {"_ZN6shapes5twiceIdEET_S1_", "double shapes::twice<double>(double)"},
	    {"_ZN6shapes3boxC1Ei", "shapes::box::box(int)"},
	    {"_ZNK6shapes3box4areaEv", "shapes::box::area() const"},
	    {"_ZZ4mainEN5local3getEv", "main::local::get", "get"},
	};
	elfmake_run("g++ -O2 -g -o cxx $data/templates.cc");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t at = elfmake_symbol("cxx", cases[i][0]);
		resolve("cxx", at);
		assert_int_equal(frame(0)->function->source, SYMBOL_DWARF);
		assert_string_equal(frame(table.first[1] - 1)->function->name, cases[i][1]);
		if (cases[i][2])
			assert_string_equal(frame(table.first[1] - 1)->function->short_name,
					    cases[i][2]);
		else
			assert_null(frame(table.first[1] - 1)->function->short_name);
		assert_string_equal(frame(table.first[1] - 1)->function->linkage_name, cases[i][0]);
		assert_int_equal(frame(table.first[1] - 1)->function->low, at);
	}
}

static void stripped_files_fall_back(void **state)
{
	(void)state;
	build_chain("full", "-rdynamic");
	uint64_t at = elfmake_symbol("full", "outer");
	elfmake_run("strip -g -o symtab full && strip -s -o dynsym full && "
		    "gcc -O2 -o bare $data/chain.c && nm bare >bare.nm && strip -s bare");
	resolve("symtab", at);
	assert_int_equal(table.best, SYMBOL_SYMTAB);
	expect_frame(0, "outer", NULL, 0);
	assert_int_equal(frame(0)->function->source, SYMBOL_SYMTAB);
	assert_int_equal(frame(0)->function->low, at);
	assert_int_equal(why.kind, ERROR_NONE);
	resolve("dynsym", at);
	assert_int_equal(table.best, SYMBOL_DYNSYM);
	expect_frame(0, "outer", NULL, 0);
	assert_int_equal(frame(0)->function->source, SYMBOL_DYNSYM);
	at = strtoull(elfmake_output("grep ' outer' bare.nm"), NULL, 16);
	resolve("bare", at);
	char name[64];
	snprintf(name, sizeof name, "bare+0x%llx", (unsigned long long)at);
	expect_frame(0, name, NULL, 0);
	assert_int_equal(frame(0)->function->source, SYMBOL_NONE);
	assert_int_equal(frame(0)->function->low, at);
	assert_int_not_equal(why.kind, ERROR_NONE);
}

static void debug_files_are_found_by_build_id(void **state)
{
	(void)state;
	build_chain("byid", "");
	const char *id = elfmake_build_id("byid");
	elfmake_run(
	    "id=%s; mkdir -p dbg/.build-id/${id%%\"${id#??}\"} && objcopy --only-keep-debug byid "
	    "dbg/.build-id/${id%%\"${id#??}\"}/${id#??}.debug && strip -s byid",
	    id);
	uint64_t at = elfmake_symbol("byid.full", "mark_leaf");
	resolve("byid", at);
	assert_int_equal(table.best, SYMBOL_NONE);
	const char *dirs[] = {elfmake_path("nowhere"), elfmake_path("dbg")};
	struct symbolizer_options options = {.debug_dirs = dirs, .num_debug_dirs = 2};
	resolve_with(&options, elfmake_path("byid"), NULL, &at, 1);
	expect_chain();
	assert_non_null(strstr(table.debug_file, "/dbg/.build-id/"));
	/* The module is missing, or was replaced; its debug file is still used. */
	id = elfmake_build_id("byid.full");
	resolve_with(&options, elfmake_path("gone"), id, &at, 1);
	assert_string_equal(frame(0)->function->name, "leaf");
	assert_false(table.stale);
	assert_int_equal(why.kind, ERROR_NONE);
	elfmake_run("gcc -O1 -g -Wl,--build-id -o other $data/chain.c");
	id = elfmake_build_id("byid.full");
	resolve_with(&options, elfmake_path("other"), id, &at, 1);
	assert_true(table.stale);
	assert_string_equal(frame(0)->function->name, "leaf");
}

static void another_build_gives_no_names(void **state)
{
	(void)state;
	build_chain("build", "");
	uint64_t at = elfmake_symbol("build", "mark_leaf");
	char id[256];
	snprintf(id, sizeof id, "%s", elfmake_build_id("build"));
	resolve_with(NULL, elfmake_path("build"), id, &at, 1);
	assert_false(table.stale);
	expect_chain();
	id[3] = id[3] == '0' ? '1' : '0';
	resolve_with(NULL, elfmake_path("build"), id, &at, 1);
	assert_true(table.stale);
	assert_int_equal(table.best, SYMBOL_NONE);
	assert_int_equal(frame(0)->function->source, SYMBOL_NONE);
	assert_int_equal(why.kind, ERROR_FORMAT);
}

static void debug_files_are_found_by_link(void **state)
{
	(void)state;
	build_chain("linked", "-Wl,--build-id=none");
	uint64_t at = elfmake_symbol("linked", "mark_leaf");
	elfmake_run("objcopy --only-keep-debug linked linked.debug && strip -s linked && "
		    "objcopy --add-gnu-debuglink=linked.debug linked");
	resolve("linked", at);
	expect_chain();
	elfmake_run("mkdir -p .debug && mv linked.debug .debug/");
	resolve("linked", at);
	expect_chain();
	elfmake_run("mkdir -p \"dbg2$PWD\" && mv .debug/linked.debug \"dbg2$PWD/\"");
	resolve("linked", at);
	assert_int_equal(table.best, SYMBOL_NONE);
	const char *dirs[] = {elfmake_path("dbg2")};
	struct symbolizer_options options = {.debug_dirs = dirs, .num_debug_dirs = 1};
	resolve_with(&options, elfmake_path("linked"), NULL, &at, 1);
	expect_chain();
	/* With another CRC it is a different file. */
	elfmake_run("cp \"dbg2$PWD/linked.debug\" linked.debug && printf x >>linked.debug");
	resolve("linked", at);
	assert_int_equal(table.best, SYMBOL_NONE);
}

static void a_sysroot_goes_before_the_path(void **state)
{
	(void)state;
	build_chain("rooted", "-Wl,--build-id=none");
	elfmake_run("mkdir -p root/opt/bin root/usr/lib/debug/opt/bin && "
		    "objcopy --only-keep-debug rooted root/usr/lib/debug/opt/bin/rooted.debug && "
		    "strip -s rooted && "
		    "objcopy --add-gnu-debuglink=root/usr/lib/debug/opt/bin/rooted.debug rooted && "
		    "mv rooted root/opt/bin/");
	uint64_t at = elfmake_symbol("rooted.full", "mark_leaf");
	struct symbolizer_options options = {.sysroot = elfmake_path("root")};
	resolve_with(&options, "/opt/bin/rooted", NULL, &at, 1);
	expect_chain();
}

static void shared_dwarf_of_dwz_is_read(void **state)
{
	(void)state;
	if (!elfmake_have("dwz"))
		skip();
	build_chain("dwz1", "-gdwarf-4");
	build_chain("dwz2", "-gdwarf-4 -DSECOND");
	elfmake_run("dwz -m dwz.shared dwz1 dwz2");
	resolve("dwz1", elfmake_symbol("dwz1", "mark_leaf"));
	expect_chain();
	build_chain("dwz5", "-gdwarf-5");
	build_chain("dwz6", "-gdwarf-5 -DSECOND");
	/* elfutils 0.188 does not follow DW_FORM_ref_sup4, so that abstract functions in
	 * the shared file have no names here; names in its .debug_str do. */
	elfmake_run("dwz -5 -m dwz5.shared dwz5 dwz6");
	resolve("dwz5", elfmake_symbol("dwz5", "outer"));
	assert_string_equal(frame(table.first[1] - 1)->function->name, "outer");
	assert_int_equal(frame(table.first[1] - 1)->function->source, SYMBOL_DWARF);
	/* Not where its name says, but in a folder of debug files. */
	elfmake_run("id=%s; mkdir -p dbg/.build-id/${id%%\"${id#??}\"} && "
		    "mv dwz.shared dbg/.build-id/${id%%\"${id#??}\"}/${id#??}.debug",
		    elfmake_build_id("dwz.shared"));
	const char *folder = elfmake_path("dbg");
	struct symbolizer_options options = {.debug_dirs = &folder, .num_debug_dirs = 1};
	uint64_t at = elfmake_symbol("dwz1", "mark_leaf");
	resolve_with(&options, elfmake_path("dwz1"), NULL, &at, 1);
	expect_chain();
	/* Without it: no crash, and at least the symbol. */
	resolve("dwz1", elfmake_symbol("dwz1", "outer"));
	assert_string_equal(frame(table.first[1] - 1)->function->name, "outer");
}

/* The program "unread" still gives outer, from its symbols or its DWARF, and the reason why not
 * more ends with reason, after the path of file in the folder. */
static void expect_unread(const char *file, const char *reason)
{
	resolve("unread", elfmake_symbol("unread.full", "outer"));
	assert_string_equal(frame(table.first[1] - 1)->function->name, "outer");
	assert_false(table.stale);
	assert_int_equal(why.kind, ERROR_FORMAT);
	assert_string_equal(why.text, elfmake_path("%s%s", file, reason));
}

static const char *cannot(const char *format)
{
	static char text[200];
	snprintf(text, sizeof text, format, dwfl_version(NULL));
	return text;
}

static void split_dwarf_that_is_not_there_is_named(void **state)
{
	(void)state;
	static const char *const versions[] = {"-gdwarf-4", "-gdwarf-5"};
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		elfmake_run(
		    "cp $data/chain.c parts.c && echo 'int main(void) { return 0; }' >rest.c && "
		    "gcc -O2 -gsplit-dwarf %s -c -Dmain=part_main parts.c && "
		    "gcc -O2 -gsplit-dwarf %s -c rest.c && gcc -o unread parts.o rest.o && "
		    "cp unread unread.full",
		    versions[i], versions[i]);
		resolve("unread", elfmake_symbol("unread", "mark_leaf"));
		assert_int_equal(why.kind, ERROR_NONE);
		/* Only the units with addresses count. */
		elfmake_run("mv rest.dwo elsewhere.dwo");
		resolve("unread", elfmake_symbol("unread", "mark_leaf"));
		assert_int_equal(why.kind, ERROR_NONE);
		elfmake_run("mv parts.dwo elsewhere.dwo");
		expect_unread("parts.dwo", ": not found (its debug information was split off)");
		/* gcc puts main before other functions. */
		uint64_t both[] = {elfmake_symbol("unread", "main"),
				   elfmake_symbol("unread", "outer")};
		assert_true(both[0] < both[1]);
		resolve_with(NULL, elfmake_path("unread"), NULL, both, 2);
		assert_non_null(strstr(why.text, ": not found, nor 1 more (its"));
		elfmake_run("touch unread.dwp");
		expect_unread("unread.dwp",
			      cannot(": elfutils %s reads .dwo files, but no package of them"));
		elfmake_run("rm unread.dwp");
	}
}

static void a_debug_file_that_does_not_fit_is_named(void **state)
{
	(void)state;
	build_chain("unread", "-Wl,--build-id=none");
	elfmake_run("objcopy --only-keep-debug unread unread.debug && strip -g unread && "
		    "objcopy --add-gnu-debuglink=unread.debug unread && echo >>unread.debug");
	expect_unread("unread.debug", ": its checksum is not the one in .gnu_debuglink");
	/* One that fits further on is read. */
	elfmake_run("mkdir -p .debug && objcopy --only-keep-debug unread.full .debug/unread.debug");
	resolve("unread", elfmake_symbol("unread", "mark_leaf"));
	expect_chain();
	build_chain("unread", "");
	elfmake_run("strip -g unread && id=%s; mkdir -p dbg3/.build-id/${id%%\"${id#??}\"} && "
		    "gcc -g -o dbg3/.build-id/${id%%\"${id#??}\"}/${id#??}.debug $data/chain.c",
		    elfmake_build_id("unread"));
	const char *folder = elfmake_path("dbg3");
	struct symbolizer_options options = {.debug_dirs = &folder, .num_debug_dirs = 1};
	uint64_t at = elfmake_symbol("unread", "outer");
	resolve_with(&options, elfmake_path("unread"), NULL, &at, 1);
	assert_int_equal(table.best, SYMBOL_SYMTAB);
	assert_non_null(strstr(why.text, ".debug: has another build-id than its name says"));
}

static void shared_dwarf_that_is_not_there_is_named(void **state)
{
	(void)state;
	if (!elfmake_have("dwz"))
		skip();
	build_chain("unread", "-gdwarf-4");
	build_chain("unread2", "-gdwarf-4 -DSECOND");
	elfmake_run("dwz -m unread.shared unread unread2 && rm unread.shared");
	char reason[512];
	snprintf(reason, sizeof reason,
		 ": not found, with which %s shares debug information (see dwz(1))",
		 elfmake_path("unread"));
	expect_unread("unread.shared", reason);
}

static void plt_entries_have_names(void **state)
{
	(void)state;
	static const char *const kinds[] = {"", "-Wl,-z,now", "-fcf-protection=none -Wl,-z,lazy",
					    "-fcf-protection=none -Wl,-z,now"};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		build_chain("plt", kinds[i]);
		elfmake_run("strip -s plt");
		uint64_t at =
		    strtoull(elfmake_output("objdump -d plt | grep '<strtol@plt>:'"), NULL, 16);
		if (!at)
			skip();
		resolve("plt", at + 5);
		assert_string_equal(frame(0)->function->name, "strtol@plt");
		assert_int_equal(frame(0)->function->low, at);
	}
}

static void deep_blocks_are_walked(void **state)
{
	(void)state;
	elfmake_run("{ echo 'int f(int x) {'; for i in $(seq 3000); do echo \"{ int v$i = x + $i; "
		    "asm volatile(\\\"nop\\\" "
		    ":: \\\"r\\\"(v$i));\"; done; echo 'asm volatile(\".globl mark_deep; "
		    "mark_deep: nop\");'; "
		    "for i in $(seq 3000); do echo '}'; done; echo 'return x; } int main() { "
		    "return f(1); }'; } >deep.c; "
		    "gcc -O0 -g -o deep deep.c");
	resolve("deep", elfmake_symbol("deep", "mark_deep"));
	assert_string_equal(frame(0)->function->name, "f");
	assert_int_not_equal(frame(0)->line, 0);
}

static void what_cannot_be_read_is_named_after_the_module(void **state)
{
	(void)state;
	elfmake_run("mkfifo fifo; mkdir folder; echo text >text; : >empty");
	static const char *const files[] = {"missing", "fifo", "folder", "text", "empty"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char name[64];
		resolve(files[i], 0x1a2b);
		snprintf(name, sizeof name, "%s+0x1a2b", files[i]);
		expect_frame(0, name, NULL, 0);
		assert_int_equal(table.best, SYMBOL_NONE);
		assert_null(table.debug_file);
		assert_int_not_equal(why.kind, ERROR_NONE);
	}
	uint64_t at = 0;
	resolve_with(NULL, "[vdso]", NULL, &at, 1);
	expect_frame(0, "[vdso]+0x0", NULL, 0);
	resolve_with(NULL, "[vdso]", NULL, &at, 0);
	assert_int_equal(table.first[0], 0);
	/* no file, with and without a build-id */
	resolve_with(NULL, NULL, NULL, &at, 1);
	expect_frame(0, "pathless+0x0", NULL, 0);
	resolve_with(NULL, NULL, "abcdef", &at, 1);
	expect_frame(0, "pathless+0x0", NULL, 0);
	assert_false(table.stale);
	assert_int_not_equal(why.kind, ERROR_NONE);
}

static void code_that_the_linker_dropped_names_nothing(void **state)
{
	(void)state;
	elfmake_run("{ for i in $(seq 400); do echo \"int dead$i(int x) { int s = 0; for (int i = "
		    "0; i < x; i++) s += x / (i + $i); "
		    "return s; }\"; done; echo 'int main() { return 0; }'; } >dead.c; "
		    "gcc -O2 -g -ffunction-sections -Wl,--gc-sections -o dead dead.c");
	uint64_t addresses[0x2000];
	for (size_t i = 0; i < 0x2000; i++)
		addresses[i] = i;
	resolve_with(NULL, elfmake_path("dead"), NULL, addresses, 0x2000);
	for (size_t k = 0; k < table.first[0x2000]; k++)
		assert_null(strstr(table.frames[k].function->name, "dead1"));
}

static void the_nearest_and_best_symbol_is_chosen(void **state)
{
	(void)state;
	elfmake_run(
	    "printf '%%s\\n' '.text' '.globl _start,sized,inner,weak,strong' '.weak weak' '_start: "
	    ".skip 16' "
	    "'.type sized,@function' 'sized: .skip 16' '.type inner,@function' 'inner: .skip 16' "
	    "'.size inner,16' '.skip 16' '.size sized,48' '.skip 16' "
	    "'.type strong,@function' '.type weak,@function' '.type local,@function' "
	    "'weak:' 'local:' 'strong:' 'untyped:' '.skip 16' "
	    "'.size strong,16' '.size weak,16' '.size local,16' '.size untyped,16' "
	    "'.type _under,@function' '.globl _under,under' '.type under,@function' "
	    "'_under:' 'under:' '.skip 16' '.size under,16' '.size _under,16' "
	    "'label: .skip 16' 'object: .skip 16' '.type object,@object' >table.s && "
	    "gcc -nostdlib -static -o table table.s");
	static const struct {
		unsigned offset;
		const char *name; /* NULL: no symbol contains it */
	} cases[] = {
	    {0, "_start"}, /* no size: up to the next symbol */
	    {15, "_start"}, {16, "sized"},  {32, "inner"},  {47, "inner"},  {48, "sized"},
	    {63, "sized"},  {64, NULL},     {79, NULL},     {80, "strong"}, {96, "under"},
	    {112, "label"}, {127, "label"}, {128, "label"},
	};
	uint64_t start = elfmake_symbol("table", "_start");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char name[64];
		uint64_t address = start + cases[i].offset;
		snprintf(name, sizeof name, "table+0x%" PRIx64, address);
		resolve("table", address);
		assert_string_equal(frame(0)->function->name, cases[i].name ? cases[i].name : name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_teardown(inline_chains_in_all_kinds_of_dwarf, teardown),
	    cmocka_unit_test_teardown(inline_chains_of_clang, teardown),
	    cmocka_unit_test_teardown(a_copy_and_an_inlined_instance_are_one_function, teardown),
	    cmocka_unit_test_teardown(a_cold_part_has_its_functions_name, teardown),
	    cmocka_unit_test_teardown(cxx_names_are_demangled, teardown),
	    cmocka_unit_test_teardown(stripped_files_fall_back, teardown),
	    cmocka_unit_test_teardown(debug_files_are_found_by_build_id, teardown),
	    cmocka_unit_test_teardown(another_build_gives_no_names, teardown),
	    cmocka_unit_test_teardown(debug_files_are_found_by_link, teardown),
	    cmocka_unit_test_teardown(a_sysroot_goes_before_the_path, teardown),
	    cmocka_unit_test_teardown(shared_dwarf_of_dwz_is_read, teardown),
	    cmocka_unit_test_teardown(split_dwarf_that_is_not_there_is_named, teardown),
	    cmocka_unit_test_teardown(a_debug_file_that_does_not_fit_is_named, teardown),
	    cmocka_unit_test_teardown(shared_dwarf_that_is_not_there_is_named, teardown),
	    cmocka_unit_test_teardown(the_nearest_and_best_symbol_is_chosen, teardown),
	    cmocka_unit_test_teardown(plt_entries_have_names, teardown),
	    cmocka_unit_test_teardown(deep_blocks_are_walked, teardown),
	    cmocka_unit_test_teardown(what_cannot_be_read_is_named_after_the_module, teardown),
	    cmocka_unit_test_teardown(code_that_the_linker_dropped_names_nothing, teardown),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	elfmake_clean();
	return failed;
}
