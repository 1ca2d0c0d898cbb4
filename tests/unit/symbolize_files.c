/* The files that a module's debug information names: .dwo files and a supplementary file. Whatever
 * is there, nothing waits or is read without end, and the reason is said. */
#include "symbolize/symbolize.h"

#include "tests/lib/builders/handmade.h"
#include "tests/lib/unit/cmocka_all.h"
#include "tests/lib/unit/scratch.h"

#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Resolve an address of the module; what is said of it is put into why. */
static void resolve(const char *sysroot, const char *path, struct error *why, char function[64])
{
	const struct symbolizer_options options = {.sysroot = sysroot};
	struct symbolizer *s = symbolizer_create(&options);
	uint64_t address = HANDMADE_BASE;
	struct symbolize_request q = {
	    .path = path, .name = "module", .addresses = &address, .num_addresses = 1};
	struct symbol_table t;

	assert_non_null(s);
	assert_int_equal(symbolize_module(s, &q, &t, why), 0);
	snprintf(function, 64, "%s", t.frames[0].function->name);
	symbol_table_free(&t);
	symbolizer_destroy(s);
}

/* What is said of a module after the folder; "" for nothing. */
static const char *said(const char *path)
{
	static struct error why;
	char function[64], *in;

	alarm(10); /* ends the test: something waits */
	resolve(NULL, path, &why, function);
	alarm(0);
	if (why.kind == ERROR_NONE)
		return "";
	while ((in = strstr(why.text, scratch_folder())))
		memmove(in, in + strlen(scratch_folder()),
			strlen(in + strlen(scratch_folder())) + 1);
	return why.text;
}

/* A module whose unit is in a .dwo file. */
static char *write_skeleton(const char *dwo)
{
	struct handmade m;
	char *path = scratch_path("module");

	handmade_init(&m);
	handmade_unit(&m, HANDMADE_SKELETON, HANDMADE_BASE, 16);
	elf_put_text(&m.info, dwo);
	elf_put_int(&m.info, 1, 8);
	handmade_write(&m, path);
	handmade_free(&m);
	return path;
}

static char *write_alt(const char *name, unsigned id)
{
	struct handmade m;
	char *path = scratch_path("module");

	handmade_init(&m);
	handmade_function(&m);
	handmade_end(&m, 2);
	elf_put_text(&m.alt, name);
	for (int i = 0; i < 20; i++)
		elf_put_int(&m.alt, id, 1);
	handmade_write(&m, path);
	handmade_free(&m);
	return path;
}

/* Make what is neither absent nor a regular file. */
static void make_special(void)
{
	assert_int_equal(mkfifo(scratch_path("fifo"), 0600), 0);
	assert_int_equal(symlink("/dev/zero", scratch_path("zero")), 0);
	assert_int_equal(mkdir(scratch_path("folder"), 0700), 0);
	assert_int_equal(symlink("loop", scratch_path("loop")), 0);
	assert_int_equal(symlink("fifo", scratch_path("link")), 0);
}

static void a_split_unit_is_looked_at_first(void **state)
{
	static const struct {
		const char *dwo, *says;
	} files[] = {
	    {"fifo", "/fifo is a FIFO, not a regular file"},
	    {"link", "/link is a FIFO, not a regular file"},
	    {"zero", "/zero is a device, not a regular file"},
	    {"folder", "/folder is a directory, not a regular file"},
	    {"/dev/zero", "/dev/zero is a device, not a regular file"},
	    {"none", "none: not found (its debug information was split off)"},
	    {"loop", "loop: not found (its debug information was split off)"},
	    {"module", "module: not found (its debug information was split off)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		assert_string_equal(said(write_skeleton(files[i].dwo)), files[i].says);
}

/* Nor does a .dwo file lead to others, or hide how much is to be read. */
static void a_split_unit_is_checked(void **state)
{
	static const char more[] = "/x.dwo: it has a section that does not belong into .dwo files";
	static const struct {
		const char *section, *says;
		uint64_t flags;
	} files[] = {
	    {".debug_str.dwo", "/x.dwo: its compressed sections are damaged", SHF_COMPRESSED},
	    {".gnu_debugaltlink", more, 0},
	    {".gnu_debugaltlink", more, SHF_COMPRESSED},
	    {".zgnu_debugaltlink", more, 0},
	    {".zdebug_abbrev.dwo", "/x.dwo: it has sections of .dwo files and of others", 0},
	    {".gnu.debuglto_.debug_abbrev", more, 0},
	    {".debug_str.dwo", "/x.dwo: not found (its debug information was split off)", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct handmade m;
		char path[256];
		handmade_init(&m);
		m.suffix = ".dwo";
		m.compressed_name = files[i].section;
		m.compressed_flags = files[i].flags;
		elf_put_int(&m.compressed, 1, 8); /* zlib */
		elf_put_int(&m.compressed, UINT64_C(1) << 40, 8);
		elf_put_int(&m.compressed, 1, 8);
		elf_put_text(&m.compressed, "some bytes");
		elf_patch_size(&m.info, handmade_unit(&m, HANDMADE_SMALL_UNIT, 0, 0));
		handmade_write(&m, scratch_path("x.dwo"));
		handmade_free(&m);
		snprintf(path, sizeof path, "%s", scratch_path("x.dwo"));
		assert_string_equal(strrchr(said(write_skeleton(path)), '/'), files[i].says);
	}
}

static void a_supplementary_file_is_looked_at_first(void **state)
{
	static const char *const bad[] = {"fifo", "link", "zero",      "folder",
					  "loop", "none", "/dev/zero", "module"};
	char says[256];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *text = said(write_alt(bad[i], 7));
		if (i < 4 || i == 6)
			assert_non_null(strstr(text, ", not a regular file"));
		else {
			snprintf(says, sizeof says,
				 "/%s: not found, with which /module shares debug information "
				 "(see dwz(1))",
				 bad[i]);
			assert_string_equal(text, says);
		}
	}
}

/* libdw takes more sections than one for a link, and would open what they name. */
static void a_link_of_another_name_is_not_followed(void **state)
{
	struct handmade m;

	(void)state;
	handmade_init(&m);
	handmade_function(&m);
	handmade_end(&m, 2);
	elf_put_text(&m.compressed, "fifo");
	for (int i = 0; i < 20; i++)
		elf_put_int(&m.compressed, 7, 1);
	m.compressed_name = ".zgnu_debugaltlink";
	handmade_write(&m, scratch_path("module"));
	handmade_free(&m);
	assert_string_equal(said(scratch_path("module")), "");
}

/* A link of a module is one of the root that is given. */
static void a_sysroot_is_not_left(void **state)
{
	char root[256], function[64];
	struct error why;

	(void)state;
	snprintf(root, sizeof root, "%s", scratch_path("root"));
	write_alt("none", 7);
	assert_int_equal(mkdir(root, 0700), 0);
	assert_int_equal(mkdir(scratch_path("root/lib"), 0700), 0);
	assert_int_equal(rename(scratch_path("module"), scratch_path("root/lib/file")), 0);
	assert_int_equal(symlink("/lib/file", scratch_path("root/link")), 0);
	assert_int_equal(symlink("/module", scratch_path("root/out")), 0);
	write_alt("none", 7);
	resolve(root, "/link", &why, function);
	assert_string_equal(function, "outer");
	resolve(root, "/../module", &why, function);
	assert_string_equal(function, "module+0x10000");
	resolve(root, "/out", &why, function);
	assert_string_equal(function, "module+0x10000");
	assert_string_equal(strrchr(why.text, '/'), "/out: No such file or directory");
}

/* The folder of a module is that of the file which a link in the root leads to. */
static void a_split_unit_is_found_below_a_root(void **state)
{
	char root[256], function[64];
	struct error why;

	(void)state;
	snprintf(root, sizeof root, "%s", scratch_path("rooted"));
	write_skeleton("fifo");
	assert_int_equal(mkdir(root, 0700), 0);
	assert_int_equal(mkdir(scratch_path("rooted/lib"), 0700), 0);
	assert_int_equal(mkfifo(scratch_path("rooted/lib/fifo"), 0600), 0);
	assert_int_equal(rename(scratch_path("module"), scratch_path("rooted/lib/file")), 0);
	assert_int_equal(symlink("/lib/file", scratch_path("rooted/link")), 0);
	alarm(10);
	resolve(root, "/link", &why, function);
	alarm(0);
	assert_string_equal(strrchr(why.text, '/'), "/fifo is a FIFO, not a regular file");
}

static int set_up(void **state)
{
	if (scratch_make(state) != 0)
		return -1;
	make_special();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_split_unit_is_looked_at_first),
	    cmocka_unit_test(a_split_unit_is_checked),
	    cmocka_unit_test(a_supplementary_file_is_looked_at_first),
	    cmocka_unit_test(a_link_of_another_name_is_not_followed),
	    cmocka_unit_test(a_sysroot_is_not_left),
	    cmocka_unit_test(a_split_unit_is_found_below_a_root),
	};
	return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
