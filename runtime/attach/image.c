#include "runtime/attach/image.h"

#include "formats/base/path.h"
#include "runtime/attach/inject.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* No debug information is needed: not even one that is at hand, as that takes time in which the
 * thread is stopped. */
static int no_debug_information(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base,
				const char *file, const char *link, GElf_Word crc, char **found)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc;
	*found = NULL;
	return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
					 .find_debuginfo = no_debug_information};

/* ---- functions ------------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
	const struct attach_function *f = a, *g = b;
	return f->low != g->low ? (f->low < g->low ? -1 : 1) : strcmp(f->name, g->name);
}

static bool add_function(struct attach_module *m, const struct attach_function *f)
{
	size_t room = m->num & (m->num - 1); /* grows at powers of two */
	if (room == 0) {
		struct attach_function *more =
		    realloc(m->functions, (m->num ? 2 * m->num : 1) * sizeof *more);
		if (!more)
			return false;
		m->functions = more;
	}
	m->functions[m->num++] = *f;
	return true;
}

/* Those of one table of symbols. Strings belong to the ELF handle. */
static bool add_table(struct attach_module *m, Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
	GElf_Sym symbol;
	for (size_t i = 0; i < n && gelf_getsym(data, (int)i, &symbol); i++) {
		int type = GELF_ST_TYPE(symbol.st_info);
		const char *name = elf_strptr(elf, head->sh_link, symbol.st_name);
		if (symbol.st_shndx == SHN_UNDEF || !name || !*name)
			continue;
		if (m->kind == ATTACH_LOADER && strcmp(name, "_r_debug") == 0)
			m->r_debug = symbol.st_value + m->bias;
		if (type != STT_FUNC && type != STT_GNU_IFUNC)
			continue;
		struct attach_function f = {symbol.st_value + m->bias,
					    symbol.st_value + m->bias + symbol.st_size, name};
		m->allocates |= strcmp(name, "malloc") == 0;
		if (!add_function(m, &f))
			return false;
	}
	return true;
}

/* libc's are those that it exports: its own names for the others differ from build to build. */
static bool read_functions(struct attach_module *m, Elf *elf)
{
	Elf_Scn *section = NULL;
	bool ok = true;
	while (ok && (section = elf_nextscn(elf, section))) {
		GElf_Shdr head;
		if (!gelf_getshdr(section, &head))
			continue;
		if (head.sh_type == SHT_DYNSYM ||
		    (head.sh_type == SHT_SYMTAB && m->kind == ATTACH_PROGRAM && m->main))
			ok = add_table(m, elf, section, &head);
	}
	if (m->num)
		qsort(m->functions, m->num, sizeof *m->functions, by_address);
	return ok;
}

/* ---- modules ----------------------------------------------------------------------------------
 */

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

enum attach_kind attach_kind_of(const char *path)
{
	static const char *const libc[] = {"libc.so.",      "libc-2.",   "libpthread.so.",
					   "libpthread-2.", "librt.so.", "librt-2.",
					   "libdl.so.",     "libdl-2."};
	const char *name = path_basename(path);
	if (begins(name, "[vdso"))
		return ATTACH_VDSO;
	if (begins(name, "ld-linux") || begins(name, "ld-2.") || begins(name, "ld.so"))
		return ATTACH_LOADER;
	for (size_t i = 0; i < sizeof libc / sizeof *libc; i++)
		if (begins(name, libc[i]))
			return ATTACH_LIBC;
	return ATTACH_PROGRAM;
}

struct image_reading {
	struct attach_image *image;
	char program[4096]; /* its path */
	bool failed;
};

static int add_module(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
		      void *arg)
{
	struct image_reading *r = arg;
	struct attach_image *image = r->image;
	Dwarf_Addr low, high;
	GElf_Addr bias;
	(void)data;
	(void)base;
	struct attach_module *more =
	    realloc(image->modules, (image->num + 1) * sizeof *image->modules);
	dwfl_module_info(module, NULL, &low, &high, NULL, NULL, NULL, NULL);
	Elf *elf = dwfl_module_getelf(module, &bias);
	if (!more) {
		r->failed = true;
		return DWARF_CB_ABORT;
	}
	image->modules = more;
	struct attach_module *m = &image->modules[image->num];
	*m = (struct attach_module){.path = strdup(name), .low = low, .high = high};
	if (!m->path) {
		r->failed = true;
		return DWARF_CB_ABORT;
	}
	image->num++;
	m->kind = attach_kind_of(name);
	m->main = strcmp(name, r->program) == 0;
	m->bias = bias;
	if (elf)
		r->failed |= !read_functions(m, elf);
	if (m->allocates && m->kind == ATTACH_PROGRAM && !m->main)
		m->kind = ATTACH_ALLOCATOR;
	return r->failed ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static int fail(struct attach_image *image, const char *what, const char *why)
{
	snprintf(image->why, sizeof image->why, "%s: %s", what, why ? why : "unknown error");
	return -1;
}

int attach_image_open(struct attach_image *image, pid_t pid)
{
	struct image_reading r = {.image = image};
	char link[64];
	*image = (struct attach_image){.dwfl = dwfl_begin(&callbacks)};
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(link, r.program, sizeof r.program - 1);
	r.program[n > 0 ? n : 0] = '\0';
	int error = image->dwfl ? dwfl_linux_proc_report(image->dwfl, pid) : -1;
	if (error > 0)
		return fail(image, "its load modules cannot be read", strerror(error));
	if (error < 0 || dwfl_report_end(image->dwfl, NULL, NULL) != 0)
		return fail(image, "its load modules cannot be read", dwfl_errmsg(-1));
	dwfl_getmodules(image->dwfl, add_module, &r, 0);
	if (r.failed)
		return fail(image, "its load modules cannot be read", "no memory is left");
	if (dwfl_linux_proc_attach(image->dwfl, pid, true) != 0)
		return fail(image, "its threads cannot be read", dwfl_errmsg(-1));
	return 0;
}

static const Dwfl_Callbacks file_callbacks = {.find_elf = dwfl_build_id_find_elf,
					      .find_debuginfo = no_debug_information,
					      .section_address = dwfl_offline_section_address};

int attach_image_open_file(struct attach_image *image, const char *path)
{
	struct image_reading r = {.image = image};
	*image = (struct attach_image){.dwfl = dwfl_begin(&file_callbacks)};
	/* at 0: not where offline modules are put by default */
	if (!image->dwfl || !dwfl_report_elf(image->dwfl, path, path, -1, 0, false) ||
	    dwfl_report_end(image->dwfl, NULL, NULL) != 0)
		return fail(image, "it cannot be read", dwfl_errmsg(-1));
	dwfl_getmodules(image->dwfl, add_module, &r, 0);
	return r.failed || !image->num ? fail(image, "it cannot be read", "no memory is left") : 0;
}

void attach_image_close(struct attach_image *image)
{
	for (size_t i = 0; i < image->num; i++) {
		free(image->modules[i].path);
		free(image->modules[i].functions);
	}
	free(image->modules);
	if (image->dwfl)
		dwfl_end(image->dwfl);
	*image = (struct attach_image){0};
}

const struct attach_module *attach_module_at(const struct attach_image *image, uintptr_t pc)
{
	for (size_t i = 0; i < image->num; i++)
		if (pc >= image->modules[i].low && pc < image->modules[i].high)
			return &image->modules[i];
	return NULL;
}

size_t attach_functions_at(const struct attach_module *m, uintptr_t pc,
			   const struct attach_function **at)
{
	size_t low = 0, high = m->num;
	while (low < high) { /* the first function behind pc */
		size_t middle = (low + high) / 2;
		if (m->functions[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	size_t end = low;
	while (low > 0 && m->functions[low - 1].low == m->functions[end - 1].low)
		low--;
	*at = &m->functions[low];
	return end > low && pc < m->functions[end - 1].high ? end - low : 0;
}

static uintptr_t find(const struct attach_image *image, const char *name, bool in_libc)
{
	for (size_t i = 0; i < image->num; i++) {
		const struct attach_module *m = &image->modules[i];
		if (in_libc && m->kind != ATTACH_LIBC)
			continue;
		for (size_t k = 0; k < m->num; k++)
			if (strcmp(m->functions[k].name, name) == 0)
				return m->functions[k].low;
	}
	return 0;
}

uintptr_t attach_libc_function(const struct attach_image *image, const char *name)
{
	return find(image, name, true);
}

uintptr_t attach_function(const struct attach_image *image, const char *name)
{
	return find(image, name, false);
}

bool attach_is_loading(const struct attach_image *image, pid_t pid)
{
	struct r_debug r;
	uintptr_t at = 0;
	bool libc = false;
	for (size_t i = 0; i < image->num; i++) {
		libc |= image->modules[i].kind == ATTACH_LIBC;
		at = image->modules[i].r_debug ? image->modules[i].r_debug : at;
	}
	return !libc || (at && attach_read(pid, at, &r, sizeof r) &&
			 (!r.r_map || r.r_state != RT_CONSISTENT));
}

/* ---- call paths ---------------------------------------------------------------------------------
 */

struct image_walk {
	attach_each_frame *each;
	void *arg;
	bool first, ended;
};

static int visit(Dwfl_Frame *frame, void *arg)
{
	struct image_walk *w = arg;
	Dwarf_Addr pc;
	bool exact;
	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	bool interrupted = exact && !w->first;
	w->first = false;
	w->ended = !w->each(exact ? pc : pc - 1, interrupted, w->arg);
	return w->ended ? DWARF_CB_ABORT : DWARF_CB_OK;
}

int attach_walk(struct attach_image *image, pid_t tid, attach_each_frame *each, void *arg)
{
	struct image_walk w = {.each = each, .arg = arg, .first = true};
	int r = dwfl_getthread_frames(image->dwfl, tid, visit, &w);
	return w.ended ? 1 : r == 0 ? 0 : -1;
}
