#include "symbolize/binary.h"

#include "formats/base/cursor.h"
#include "formats/base/path.h"
#include "formats/identity/content_id.h"
#include "symbolize/dwarf_memory.h"
#include "symbolize/section.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keep the first reason why debug information is not read. */
#define UNREAD(b, ...)                                                                             \
	((b)->unread.kind == ERROR_NONE ? error_set(&(b)->unread, ERROR_FORMAT, __VA_ARGS__) : -1)

/* Open path, shorter than PATH_MAX, if it is a regular ELF file. *why may be NULL. */
static int open_file(struct binary *b, struct elf_file *f, const char *path, struct error *why)
{
	struct error problem;
	if (elf_file_open(f, b->sysroot, path, &problem) != 0) {
		if (problem.kind != ERROR_SYSTEM && problem.kind != ERROR_FORMAT) {
			UNREAD(b, "%s", problem.text);
			b->refused |= problem.kind == ERROR_USAGE || problem.kind == ERROR_MEMORY;
		}
		if (why)
			*why = problem;
		return -1;
	}
	b->bytes += (uint64_t)f->st.st_size;
	work_add_file(b->work, (uint64_t)f->st.st_size);
	return 0;
}

/* Linkers write 16 or 20 bytes; longer ones are ignored. */
enum { ID_MAX = 64 };

static bool to_hex(char hex[2 * ID_MAX + 1], const void *id, size_t size)
{
	hex[0] = 0;
	for (size_t i = 0; i < size && size <= ID_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
	return hex[0];
}

static bool id_equals(const char *hex, const void *id, size_t size)
{
	char found[2 * ID_MAX + 1];
	return to_hex(found, id, size) && strcmp(found, hex) == 0;
}

/* The data of the first section with this name that has bytes in the file. *also (may be NULL) is
 * another name for it. */
static Elf_Data *section_data(Elf *elf, const char *name, const char *also)
{
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		const char *found = shdr ? elf_strptr(elf, names, shdr->sh_name) : NULL;
		if (found && shdr->sh_type != SHT_NOBITS &&
		    (strcmp(found, name) == 0 || (also && strcmp(found, also) == 0)))
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

/* Read .debug_sup (DWARF 5, 7.3.6): a version, whether this is the supplementary file itself, the
 * name of that file (empty in itself) and a checksum, which both files have. dwz writes a build-id
 * as the checksum. */
static bool read_sup(Elf *elf, const char **name, const void **id, size_t *size)
{
	Elf_Data *data = section_data(elf, ".debug_sup", NULL);
	if (!data || data->d_size < 3)
		return false;
	struct cursor c = cursor_of(data->d_buf, data->d_size, false);
	cursor_skip(&c, 3);
	*name = (const char *)c.base + c.pos;
	uint8_t length;
	const uint8_t *bytes;
	/* The length is a LEB128 number; a checksum's length has one byte. */
	if (!cursor_skip(&c, strnlen(*name, cursor_left(&c)) + 1) || !cursor_u8(&c, &length) ||
	    length == 0 || length >= 128 || !cursor_bytes(&c, length, &bytes))
		return false;
	*id = bytes;
	*size = length;
	return true;
}

static void content_of(Elf *elf, char id[CONTENT_ID_BYTES])
{
	struct content_id c;
	size_t headers = 0;

	content_id_begin(&c);
	elf_getphdrnum(elf, &headers);
	for (size_t i = 0; i < headers; i++) {
		GElf_Phdr mem, *p = gelf_getphdr(elf, (int)i, &mem);
		size_t from, n;
		if (!p)
			continue;
		const uint64_t place[] = {p->p_offset, p->p_vaddr, p->p_filesz, p->p_memsz};
		content_id_header(&c, p->p_type, p->p_flags, place, &from, &n);
		Elf_Data *data =
		    n ? elf_getdata_rawchunk(elf, (int64_t)(p->p_offset + from), n, ELF_T_BYTE)
		      : NULL;
		if (data)
			content_id_bytes(&c, data->d_buf, data->d_size);
	}
	content_id_end(&c, id);
}

/* hex may also be the identity of a file without a build-id. */
static bool file_has_id(const struct elf_file *f, const char *hex)
{
	const void *id;
	const char *name;
	size_t sup_size;
	if (content_id_is(hex, strlen(hex))) {
		char content[CONTENT_ID_BYTES];
		content_of(f->elf, content);
		return strcmp(content, hex) == 0;
	}
	ssize_t size = dwelf_elf_gnu_build_id(f->elf, &id);
	if (size > 0 && id_equals(hex, id, (size_t)size))
		return true;
	return read_sup(f->elf, &name, &id, &sup_size) && id_equals(hex, id, sup_size);
}

/* The CRC of .gnu_debuglink: CRC-32 of IEEE 802.3, reflected, as in GDB's manual,
 * "Debugging Information in Separate Files". */
static bool file_crc(int fd, uint32_t *out)
{
	uint32_t table[256], crc = ~0u;
	unsigned char bytes[16384];
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;
		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
		table[i] = c;
	}
	ssize_t got;
	for (off_t at = 0; (got = pread(fd, bytes, sizeof bytes, at)) > 0; at += got)
		for (ssize_t i = 0; i < got; i++)
			crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
	*out = ~crc;
	return got == 0;
}

/* Find <dir>/.build-id/xx/yyyy.debug. */
static bool find_by_id(struct binary *b, struct elf_file *f, const char *hex,
		       const struct search_paths *where)
{
	char path[PATH_MAX];
	size_t length = strlen(hex);
	if (length < 4 || strspn(hex, "0123456789abcdef") != length)
		return false;
	for (size_t i = 0; i < where->num_debug_dirs; i++) {
		int n = snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug",
				 where->debug_dirs[i], hex, hex + 2);
		if (n < 0 || (size_t)n >= sizeof path || open_file(b, f, path, NULL) != 0)
			continue;
		if (file_has_id(f, hex))
			return true;
		UNREAD(b, "%s: has another build-id than its name says", path);
		elf_file_close(f);
	}
	return false;
}

/* Open the path made from format, if the file has the link's CRC. */
__attribute__((format(printf, 3, 4))) static bool try_link(struct binary *b, uint32_t crc,
							   const char *format, ...)
{
	struct elf_file *f = &b->debug;
	char path[PATH_MAX];
	struct stat debug, module;
	uint32_t found;
	va_list args;
	va_start(args, format);
	int n = vsnprintf(path, sizeof path, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof path || open_file(b, f, path, NULL) != 0)
		return false;
	/* A link may name its own file. */
	bool other = fstat(f->fd, &debug) == 0 && fstat(b->main.fd, &module) == 0 &&
		     (debug.st_ino != module.st_ino || debug.st_dev != module.st_dev);
	if (other && file_crc(f->fd, &found) && found == crc)
		return true;
	if (other)
		UNREAD(b, "%s: its checksum is not the one in .gnu_debuglink", path);
	elf_file_close(f);
	return false;
}

/* The length of path's folder including the last slash; 0 if it has none. */
static int folder_length(const char *path)
{
	size_t n = path_folder_length(path);
	return n <= PATH_MAX ? (int)n : 0;
}

static bool find_by_link(struct binary *b, const char *asked, const struct search_paths *where)
{
	char real[PATH_MAX];
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(b->main.elf, &crc);
	if (!link || !*link)
		return false;
	/* Look beside the file after resolving links, as debuggers do: libfoo.so.1 may be a
	 * symbolic link from another folder. */
	const char *target = *b->main.real                  ? b->main.real
			     : realpath(b->main.path, real) ? real
							    : b->main.path;
	int folder = folder_length(target);
	if (try_link(b, crc, "%.*s%s", folder, target, link) ||
	    try_link(b, crc, "%.*s.debug/%s", folder, target, link))
		return true;
	/* Below a debug directory, folders have the names that the program used, without the
	 * sysroot; or, on merged-/usr systems, the names after resolving links. */
	size_t root = strlen(where->sysroot);
	const char *under = strncmp(target, where->sysroot, root) == 0 ? target + root : target;
	for (size_t i = 0; i < where->num_debug_dirs; i++) {
		const char *dir = where->debug_dirs[i];
		if (try_link(b, crc, "%s/%.*s%s", dir, folder_length(asked), asked, link) ||
		    try_link(b, crc, "%s/%.*s%s", dir, folder_length(under), under, link))
			return true;
	}
	return false;
}

/* Hide, in our private mapping, sections with the locations of variables and with macros: they are
 * not read here, and to decompress them takes a large part of the time of a small profile. And the
 * link to a supplementary file, which libdw would open by itself, whatever it is, and sections that
 * only libdw would take for others. */
static void drop_unread_sections(Elf *elf)
{
	static const char *const unread[] = {".debug_loc", ".debug_loclists", ".debug_macro",
					     ".debug_macinfo"};
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		const char *found = shdr ? elf_strptr(elf, names, shdr->sh_name) : NULL;
		enum section_kind kind = found ? section_kind(found) : SECTION_OTHER;
		bool hide =
		    kind == SECTION_LINK || kind == SECTION_STRANGE || kind == SECTION_ZIPPED_SPLIT;
		for (size_t i = 0; found && i < sizeof unread / sizeof *unread; i++)
			hide |= strcmp(found, unread[i]) == 0;
		if (hide) {
			shdr->sh_type = SHT_NOBITS;
			gelf_update_shdr(section, shdr);
		}
	}
}

static Dwarf *begin_dwarf(struct binary *b, struct elf_file *f)
{
	drop_unread_sections(f->elf);
	inflate_sections(f->elf, b->work, &f->inflated);
	errno = 0;
	Dwarf *dwarf = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (f->inflated.no_memory || (!dwarf && errno == ENOMEM)) {
		UNREAD(b, "%s: no memory to read its debug information", f->path);
		b->refused = true;
	}
	dwarf_memory_handle(dwarf);
	return dwarf;
}

static bool has_dwarf(Elf *elf)
{
	return section_data(elf, ".debug_info", ".zdebug_info") != NULL;
}

/* ch_type of a compressed .debug_info, else 0. */
static unsigned compression(Elf *elf)
{
	size_t names;
	Elf_Scn *section = NULL;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		const char *found = shdr ? elf_strptr(elf, names, shdr->sh_name) : NULL;
		GElf_Chdr header;
		if (found && strcmp(found, ".debug_info") == 0 && shdr->sh_flags & SHF_COMPRESSED)
			return gelf_getchdr(section, &header) ? header.ch_type : 0;
	}
	return 0;
}

/* Open the DWARF of f. The version of libelf decides what compression can be read; what it cannot
 * read, libdw leaves out. */
static void open_dwarf(struct binary *b, struct elf_file *f)
{
	enum { ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which older headers lack */
	unsigned type = compression(f->elf);
	Dwarf_CU *first = NULL;
	b->dwarf = begin_dwarf(b, f);
	if (b->dwarf && dwarf_get_units(b->dwarf, NULL, &first, NULL, NULL, NULL, NULL) == 0)
		return;
	if (type && type != ELFCOMPRESS_ZLIB)
		UNREAD(b,
		       "%s: its debug information is compressed with %s, which elfutils %s cannot "
		       "read (objcopy --decompress-debug-sections)",
		       binary_source(b), type == ZSTD ? "zstd" : "an unknown method",
		       dwfl_version(NULL));
	else
		UNREAD(b, "%s: its debug information is damaged", binary_source(b));
	if (b->dwarf)
		dwarf_end(b->dwarf);
	b->dwarf = NULL;
}

void binary_misses_dwo(struct binary *b, const char *folder, const char *dwo, size_t units)
{
	const char *slash = dwo[0] == '/' || !folder ? "" : "/";
	char more[64] = "", package[PATH_MAX + 8];
	if (units > 1)
		snprintf(more, sizeof more, ", nor %zu more", units - 1);
	snprintf(package, sizeof package, "%s.dwp", b->main.path);
	if (b->main.elf && access(package, F_OK) == 0)
		UNREAD(b, "%s: elfutils %s reads .dwo files, but no package of them", package,
		       dwfl_version(NULL));
	else
		UNREAD(b, "%.200s%s%.200s: not found%s (its debug information was split off)",
		       *slash ? folder : "", slash, dwo, more);
}

void binary_refuses_dwo(struct binary *b, const struct error *why)
{
	UNREAD(b, "%s", why->text);
	b->refused |= why->kind == ERROR_USAGE;
}

/* What a file says of its supplementary file. */
struct alt_link {
	const char *name; /* NULL: there is none */
	char id[2 * ID_MAX + 1];
};

/* Read .gnu_debugaltlink, which is a name and a build-id, or .debug_sup. */
static struct alt_link read_alt_link(Elf *elf)
{
	struct alt_link link = {0};
	Elf_Data *data = section_data(elf, ".gnu_debugaltlink", NULL);
	const char *name = data ? data->d_buf : NULL;
	const char *end = name ? memchr(name, '\0', data->d_size) : NULL;
	const void *id = end ? end + 1 : NULL;
	size_t size = end ? data->d_size - (size_t)(end + 1 - name) : 0;
	if ((end || read_sup(elf, &name, &id, &size)) && *name && to_hex(link.id, id, size))
		link.name = name;
	return link;
}

/* Open the file that the link names: relative to the folder of the file with the link, or by the
 * build-id. */
static void open_alt(struct binary *b, const struct search_paths *where,
		     const struct alt_link *link)
{
	char path[PATH_MAX];
	const char *from = binary_source(b);
	int n = link->name[0] == '/'
		    ? snprintf(path, sizeof path, "%s%s", where->sysroot, link->name)
		    : snprintf(path, sizeof path, "%.*s%s", folder_length(from), from, link->name);
	bool found = n > 0 && (size_t)n < sizeof path && open_file(b, &b->alt, path, NULL) == 0;
	if (found && !file_has_id(&b->alt, link->id)) {
		elf_file_close(&b->alt);
		found = false;
	}
	if (!found && !find_by_id(b, &b->alt, link->id, where)) {
		UNREAD(b, "%s: not found, with which %s shares debug information (see dwz(1))",
		       path, from);
		return;
	}
	b->alt_dwarf = begin_dwarf(b, &b->alt);
	if (b->alt_dwarf)
		dwarf_setalt(b->dwarf, b->alt_dwarf);
}

static void open_debug(struct binary *b, const char *path, const char *build_id,
		       const struct search_paths *where)
{
	char hex[2 * ID_MAX + 1] = "";
	const void *id;
	ssize_t size = b->main.elf ? dwelf_elf_gnu_build_id(b->main.elf, &id) : 0;
	if (size > 0)
		to_hex(hex, id, (size_t)size);
	if (find_by_id(b, &b->debug, build_id ? build_id : hex, where) ||
	    (b->main.elf && find_by_link(b, path, where))) {
		b->unread.kind = ERROR_NONE; /* those that did not fit */
		b->refused = false;
	}
}

/* Whether the dynamic section says that this is a program (PIE), not a library; some libraries can
 * also be executed. */
static bool is_pie(Elf *elf)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr mem, *shdr = gelf_getshdr(section, &mem);
		GElf_Dyn dyn;
		if (!shdr || shdr->sh_type != SHT_DYNAMIC)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++)
			if (dyn.d_tag == DT_FLAGS_1)
				return dyn.d_un.d_val & DF_1_PIE;
	}
	return false;
}

static uint64_t program_entry(Elf *elf)
{
	GElf_Ehdr mem, *ehdr = gelf_getehdr(elf, &mem);
	bool program = ehdr && (ehdr->e_type == ET_EXEC || (ehdr->e_type == ET_DYN && is_pie(elf)));
	return program ? ehdr->e_entry : 0;
}

/* Open the module itself, if it is the requested build. */
static void open_main(struct binary *b, const char *path, const char *build_id,
		      const struct search_paths *where, struct error *why)
{
	char full[PATH_MAX];
	int n = path ? snprintf(full, sizeof full, "%s%s", where->sysroot, path) : 0;
	if (!path)
		error_set(why, ERROR_USAGE, "it is not in a file");
	else if (n < 0 || (size_t)n >= sizeof full)
		error_set(why, ERROR_USAGE, "%.200s...: the path is too long", path);
	else
		open_file(b, &b->main, full, why);
	if (b->main.elf && build_id && !file_has_id(&b->main, build_id)) {
		bool content = content_id_is(build_id, strlen(build_id));
		error_set(why, ERROR_FORMAT,
			  "%s: found another build than the one that was measured%s%s", full,
			  content ? "" : ", which has build-id ", content ? "" : build_id);
		b->stale = true;
		elf_file_close(&b->main);
	}
	if (b->main.elf)
		b->entry = program_entry(b->main.elf);
}

int binary_open(struct binary *b, const char *path, const char *build_id,
		const struct search_paths *where, struct work *work, struct error *why)
{
	memset(b, 0, sizeof *b);
	b->work = work;
	b->sysroot = where->sysroot;
	b->main.fd = b->debug.fd = b->alt.fd = -1;
	open_main(b, path, build_id, where, why);
	if (!b->main.elf || !has_dwarf(b->main.elf))
		open_debug(b, path, build_id, where);
	struct elf_file *f = b->debug.elf ? &b->debug : &b->main;
	if (!f->elf)
		return -1;
	if (has_dwarf(f->elf)) {
		struct alt_link link = read_alt_link(f->elf);
		open_dwarf(b, f);
		if (b->dwarf && link.name)
			open_alt(b, where, &link);
	}
	return 0;
}

static void note_cut(struct binary *b, const struct mapped_file *m, const char *path,
		     const char *what)
{
	if (!mapped_file_is_cut(m))
		return;
	b->unread.kind = ERROR_NONE;
	UNREAD(b, "%s%s: cut while it was read (run this again)", what, path);
	b->refused = true;
}

void binary_check_cut(struct binary *b)
{
	for (size_t i = 0; i < b->split.len; i++)
		note_cut(b, &b->split.at[i], binary_source(b), "a .dwo file of ");
	note_cut(b, &b->alt.mapped, b->alt.path, "");
	note_cut(b, &b->debug.mapped, b->debug.path, "");
	note_cut(b, &b->main.mapped, b->main.path, "");
}

void binary_close(struct binary *b)
{
	for (size_t i = 0; i < b->split.len; i++)
		mapped_file_leave(&b->split.at[i]);
	vec_free(&b->split);
	if (b->dwarf)
		dwarf_end(b->dwarf);
	if (b->alt_dwarf)
		dwarf_end(b->alt_dwarf);
	elf_file_close(&b->alt);
	elf_file_close(&b->debug);
	elf_file_close(&b->main);
}

void binary_is_too_much(struct binary *b)
{
	UNREAD(
	    b,
	    "%s: reading it took too long for its size; the names that were found until then are "
	    "used (see --module-limit)",
	    binary_source(b));
}

const char *binary_source(const struct binary *b)
{
	return b->debug.elf ? b->debug.path : b->main.elf ? b->main.path : NULL;
}
