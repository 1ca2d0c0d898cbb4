/* Load modules on Linux: the loader's list, build-ids from the notes in memory, and executable
 * mappings without a file. */
#include "runtime/os/linux/symbols.h"
#include "runtime/os/os.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

enum { PAGE_MASK = 4095 };

struct walk {
	void (*each)(const struct os_module *, void *);
	void *arg;
	uintptr_t vdso; /* address of its ELF header */
};

#ifdef CSPROF_STATIC
void os_each_object(os_visit_object *each, void *arg)
{
	dl_iterate_phdr(each, arg);
}
#else
/* The loader's dl_iterate_phdr. A program may have one of its own, which is not ready before its
 * constructors have run (ThreadSanitizer's). First called before main; see intercept.h. */
void os_each_object(os_visit_object *each, void *arg)
{
	static _Atomic(void *) real;
	int (*next)(os_visit_object *, void *);

	if (!atomic_load_explicit(&real, memory_order_acquire))
		atomic_store_explicit(&real, os_next_iterate(), memory_order_release);
	*(void **)&next = real;
	if (next)
		next(each, arg);
}
#endif

static void hex(char *out, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < n; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	*out = '\0';
}

/* Find NT_GNU_BUILD_ID among the notes at p (ELF specification, "Note Section"). */
static void find_build_id(char *out, const uint8_t *p, size_t n)
{
	while (n >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)p;
		size_t name = (note->n_namesz + 3u) & ~(size_t)3;
		size_t desc = (note->n_descsz + 3u) & ~(size_t)3;
		size_t all = sizeof *note + name + desc;
		if (all > n)
			return;
		const uint8_t *id = p + sizeof *note + name;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(p + sizeof *note, "GNU", 4) == 0 && note->n_descsz <= 20) {
			hex(out, id, note->n_descsz);
			return;
		}
		p += all;
		n -= all;
	}
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	struct walk *w = arg;
	struct os_module m;
	memset(&m, 0, sizeof m);
	uintptr_t low = UINTPTR_MAX, high = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD) {
			uintptr_t start = p->p_vaddr & ~(uintptr_t)PAGE_MASK;
			if (low == UINTPTR_MAX)
				low = start;
			m.gaps |= high && start > ((high + PAGE_MASK) & ~(uintptr_t)PAGE_MASK);
			if (p->p_vaddr + p->p_memsz > high)
				high = p->p_vaddr + p->p_memsz;
		}
		if (p->p_type == PT_GNU_EH_FRAME)
			m.eh_frame_hdr = (const void *)(info->dlpi_addr + p->p_vaddr);
		if (p->p_type == PT_NOTE && !m.build_id[0])
			find_build_id(m.build_id, (const uint8_t *)(info->dlpi_addr + p->p_vaddr),
				      p->p_memsz);
	}
	if (low >= high)
		return 0;
	m.name = info->dlpi_name ? info->dlpi_name : "";
	m.base = info->dlpi_addr;
	m.virtual_address = low;
	m.mapped_address = info->dlpi_addr + low;
	m.extent = ((high + PAGE_MASK) & ~(uintptr_t)PAGE_MASK) - low;
	m.vdso = w->vdso && m.mapped_address == w->vdso;
	m.headers = info->dlpi_phdr;
	m.num_headers = info->dlpi_phnum;
	w->each(&m, w->arg);
	return 0;
}

void os_modules(void (*each)(const struct os_module *, void *), void *arg)
{
	struct walk w = {each, arg, getauxval(AT_SYSINFO_EHDR)};
	os_each_object(visit, &w);
}

/* Whether all of the n bytes at p can be read: a program may have unmapped or protected them. */
static bool readable(uintptr_t p, size_t n)
{
	uintptr_t page = p & ~(uintptr_t)PAGE_MASK, end = p + n;

	while (page < end) {
		uint32_t pages = os_readable_pages(page);
		if (pages == 0)
			return false;
		page += (uintptr_t)pages * OS_PAGE;
	}
	return true;
}

void os_module_content(const struct os_module *m, char id[CONTENT_ID_BYTES])
{
	const ElfW(Phdr) *p = m->headers;
	struct content_id c;

	*id = '\0';
	if (!p)
		return;
	content_id_begin(&c);
	for (size_t i = 0; i < m->num_headers; i++, p++) {
		const uint64_t place[] = {p->p_offset, p->p_vaddr, p->p_filesz, p->p_memsz};
		size_t from, n;
		content_id_header(&c, p->p_type, p->p_flags, place, &from, &n);
		uintptr_t at = m->base + p->p_vaddr + from;
		if (!readable(at, n))
			return;
		content_id_bytes(&c, (const uint8_t *)at, n);
	}
	content_id_end(&c, id);
}

static int first_only(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uint64_t *)arg = info->dlpi_adds * 0x100000001b3ull + info->dlpi_subs;
	return 1;
}

uint64_t os_module_changes(void)
{
	uint64_t changes = 0;
	os_each_object(first_only, &changes);
	return changes;
}

/* ---- /proc/self/maps, read in pieces with a small buffer ---- */

static const char *read_hex(const char *p, uintptr_t *out)
{
	uintptr_t v = 0;
	for (;; p++) {
		if (*p >= '0' && *p <= '9')
			v = v << 4 | (uintptr_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			v = v << 4 | (uintptr_t)(*p - 'a' + 10);
		else
			break;
	}
	*out = v;
	return p;
}

struct mapping {
	uintptr_t low, high;
	bool executable;
	const char *name; /* empty: it has none */
};

/* "low-high perms offset device inode name". Returns false if it is none. */
static bool parse_line(const char *line, struct mapping *m)
{
	const char *p = read_hex(line, &m->low);
	if (*p++ != '-')
		return false;
	p = read_hex(p, &m->high);
	if (p[0] != ' ' || !p[1] || !p[2])
		return false;
	m->executable = p[3] == 'x';
	for (int field = 0; field < 4 && *p; field++) {
		p++;
		while (*p && *p != ' ')
			p++;
	}
	while (*p == ' ')
		p++;
	m->name = p;
	return true;
}

static void each_mapping(void (*each)(const struct mapping *, void *), void *arg)
{
	enum { BUFFER = 8192 };
	size_t have = 0;
	struct mapping m;
	int got, fd = os_open_read("/proc/self/maps");
	char *buf = os_map(BUFFER); /* not on the stack, which may be a small alternate one */
	while (fd >= 0 && buf && (got = os_read(fd, buf + have, BUFFER - 1 - have)) > 0) {
		have += (size_t)got;
		size_t start = 0;
		for (size_t i = 0; i < have; i++)
			if (buf[i] == '\n') {
				buf[i] = '\0';
				if (parse_line(buf + start, &m))
					each(&m, arg);
				start = i + 1;
			}
		if (start == 0 && have == BUFFER - 1)
			start = have; /* a line longer than the buffer has a name: not anonymous */
		memmove(buf, buf + start, have - start);
		have -= start;
	}
	if (buf)
		os_unmap(buf, BUFFER);
	if (fd >= 0)
		os_close(fd);
}

struct code_search {
	void (*each)(uintptr_t low, uintptr_t high, void *);
	void *arg;
};

static void tell_anonymous(const struct mapping *m, void *arg)
{
	const struct code_search *s = arg;
	if (m->executable && (m->name[0] == '\0' || strncmp(m->name, "[anon", 5) == 0 ||
			      strcmp(m->name, "[heap]") == 0 || strcmp(m->name, "[stack]") == 0))
		s->each(m->low, m->high, s->arg);
}

void os_anonymous_code(void (*each)(uintptr_t low, uintptr_t high, void *), void *arg)
{
	struct code_search s = {each, arg};
	each_mapping(tell_anonymous, &s);
}

struct name_search {
	const char *name;
	uintptr_t low;
};

/* "/memfd:NAME (deleted)", "[anon:NAME]", "[anon_shmem:NAME]". */
static void look_for_name(const struct mapping *m, void *arg)
{
	struct name_search *s = arg;
	size_t kind = strcspn(m->name, ":"), n = strlen(s->name);
	const char *name = m->name + kind + 1;
	if (!s->low && m->name[kind] && strncmp(name, s->name, n) == 0 &&
	    (name[n] == ']' || name[n] == ' ' || name[n] == '\0'))
		s->low = m->low;
}

struct place_search {
	uintptr_t address, low, high;
};

static void look_for_place(const struct mapping *m, void *arg)
{
	struct place_search *s = arg;
	if (m->low <= s->address && s->address < m->high) {
		s->low = m->low;
		s->high = m->high;
	}
}

bool os_mapping_of(uintptr_t address, uintptr_t *low, uintptr_t *high)
{
	struct place_search s = {.address = address};
	each_mapping(look_for_place, &s);
	*low = s.low;
	*high = s.high;
	return s.high != 0;
}

uintptr_t os_mapping_named(const char *name)
{
	struct name_search s = {.name = name};
	each_mapping(look_for_name, &s);
	return s.low;
}

bool os_module_symbol(const struct os_module *m, const char *name, struct os_symbol *out)
{
	const ElfW(Phdr) *headers = m->headers;
	const ElfW(Dyn) *dynamic = NULL;
	for (size_t i = 0; headers && i < m->num_headers; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(m->base + headers[i].p_vaddr);
	if (!dynamic || m->vdso)
		return false;
	struct os_symbols symbols = os_symbols_of(dynamic, m->base);
	const ElfW(Sym) *symbol = os_symbols_find(&symbols, name);
	if (!symbol || ELF64_ST_TYPE(symbol->st_info) == STT_TLS)
		return false;
	*out = (struct os_symbol){m->base + symbol->st_value, symbol->st_size};
	return true;
}
