#include "runtime/process/exec_check.h"

#include "formats/datafile.h"
#include "formats/encode.h"
#include "runtime/base/emulator.h"
#include "runtime/base/options.h"
#include "runtime/os/os.h"
#include "runtime/process/state.h"
#include "runtime/sandboxes/seccomp.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

enum {
	HEAD = 1024,     /* linkers put the program headers and the loader's name there */
	MAX_PATH = 1024, /* longer ones are not checked: little stack may be left */
	MAX_SCRIPTS = 5, /* the kernel's limit */
};

/* The ELF header of the object that contains this code, from the linker. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

/* The first n bytes of a program, and a NUL. */
struct head {
	size_t n;
	char bytes[HEAD + 1];
};

static bool read_head(struct head *h, const char *path)
{
	int fd = os_is_file(path) ? os_open_read(path) : -1;
	int n = fd < 0 ? fd : os_read(fd, h->bytes, HEAD);
	if (fd >= 0)
		os_close(fd);
	h->n = n > 0 ? (size_t)n : 0;
	h->bytes[h->n] = '\0';
	return h->n > 0;
}

/* The last part of the path of its loader; NULL if there is none, or it is not in the head. */
static const char *loader_of(const struct head *h, const Elf64_Ehdr *e)
{
	for (unsigned i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p;
		uint64_t at = e->e_phoff + (uint64_t)i * e->e_phentsize;
		if (e->e_phoff > HEAD || at + sizeof p > h->n)
			return NULL;
		memcpy(&p, h->bytes + at, sizeof p);
		if (p.p_type == PT_INTERP && p.p_offset < h->n) {
			const char *slash = strrchr(h->bytes + p.p_offset, '/');
			return slash ? slash + 1 : NULL;
		}
	}
	return NULL;
}

/* Whether these notes have ours. */
static bool has_our_note(const char *p, size_t n)
{
	Elf64_Nhdr h;
	for (size_t bytes; n >= sizeof h; p += bytes, n -= bytes) {
		memcpy(&h, p, sizeof h);
		if (h.n_type == HPCRUN_NOTE_LINKED && h.n_namesz == sizeof HPCRUN_NOTE_NAME &&
		    n - sizeof h >= sizeof HPCRUN_NOTE_NAME &&
		    memcmp(p + sizeof h, HPCRUN_NOTE_NAME, sizeof HPCRUN_NOTE_NAME) == 0)
			return true;
		uint64_t all = sizeof h + ((h.n_namesz + UINT64_C(3)) & ~UINT64_C(3)) +
			       ((h.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
		if (all > n)
			return false;
		bytes = (size_t)all;
	}
	return false;
}

/* Read the part of the file with its notes into h. False if they are not all there. */
static bool read_notes(struct head *h, const char *path, const Elf64_Phdr *p)
{
	int fd = os_open_read(path);
	uint64_t at = p->p_offset;
	int n = 0;
	if (fd < 0)
		return false;
	while (at && (n = os_read(fd, h->bytes, at < HEAD ? (size_t)at : HEAD)) > 0)
		at -= (uint64_t)n;
	if (!at)
		n = os_read(fd, h->bytes, HEAD);
	os_close(fd);
	h->n = !at && n > 0 ? (size_t)n : 0;
	return h->n >= p->p_filesz;
}

/* Whether a program without a loader was linked with libhpcrun.a; also if that cannot be found out.
 * The head is overwritten. */
static bool may_be_linked(struct head *h, const Elf64_Ehdr *e, const char *path)
{
	enum { MOST = 4, FARTHEST = 64 * 1024 };
	Elf64_Phdr notes[MOST];
	unsigned n = 0;
	for (unsigned i = 0; i < e->e_phnum; i++) {
		uint64_t at = e->e_phoff + (uint64_t)i * e->e_phentsize;
		if (e->e_phoff > HEAD || at + sizeof *notes > h->n || n == MOST)
			return true;
		memcpy(&notes[n], h->bytes + at, sizeof *notes);
		n += notes[n].p_type == PT_NOTE;
	}
	for (unsigned i = 0; i < n; i++)
		if (notes[i].p_filesz > HEAD || notes[i].p_offset > FARTHEST ||
		    !read_notes(h, path, &notes[i]) ||
		    has_our_note(h->bytes, (size_t)notes[i].p_filesz))
			return true;
	return false;
}

static bool has_loader(const struct head *h, const Elf64_Ehdr *e)
{
	for (unsigned i = 0; i < e->e_phnum; i++) {
		Elf64_Phdr p;
		uint64_t at = e->e_phoff + (uint64_t)i * e->e_phentsize;
		if (e->e_phoff > HEAD || at + sizeof p > h->n)
			return true; /* not known */
		memcpy(&p, h->bytes + at, sizeof p);
		if (p.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* The C library's loader, which has none itself, loads our library. */
static bool is_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strncmp(slash ? slash + 1 : path, "ld-linux", sizeof "ld-linux" - 1) == 0;
}

/* Why an ELF program is not measured: CSP_UNMEASURED_*; NULL: it is. The head may be overwritten.
 */
static const char *reason_of(struct head *h, const char *path)
{
	static const char musl[] = "ld-musl-";
	Elf64_Ehdr e;
	if (h->n < sizeof e)
		return NULL;
	memcpy(&e, h->bytes, sizeof e);
	if (e.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
	    e.e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
	    e.e_machine != __ehdr_start.e_machine)
		return CSP_UNMEASURED_FOREIGN;
	if (csprof_is_emulator(path))
		return CSP_UNMEASURED_FOREIGN;
	const char *loader = loader_of(h, &e);
	if (loader && strncmp(loader, musl, sizeof musl - 1) == 0)
		return CSP_UNMEASURED_FOREIGN;
	if (!has_loader(h, &e) && !is_loader(path) && !may_be_linked(h, &e, path))
		return CSP_UNMEASURED_STATIC;
	return os_gains_rights(path) ? CSP_UNMEASURED_RIGHTS : NULL;
}

/* Add the program to CSP_UNMEASURED_FILE, by one write, as other processes do that, too. */
static void note(const char *reason, const char *path)
{
	char real[MAX_PATH]; /* a descriptor's path is in /proc */
	static const char name[] = "/" CSP_UNMEASURED_FILE;
	char text[MAX_PATH + 32]; /* the file's name, then the line */
	size_t n = strlen(csprof_options.out);
	if (strncmp(path, "/proc/self/fd/", sizeof "/proc/self/fd/" - 1) == 0 &&
	    os_real_path(path, real, sizeof real) > 0)
		path = real;
	if (!n || n + sizeof name > sizeof text || !csprof_options.follow ||
	    csprof_options.some_only || strchr(path, '\n'))
		return;
	memcpy(text, csprof_options.out, n);
	memcpy(text + n, name, sizeof name);
	int fd = os_open_append(text);
	if (fd < 0)
		return;
	size_t head = strlen(reason), length = strlen(path);
	memcpy(text, reason, head + 1);
	text[head++] = '\t';
	memcpy(text + head, path, length + 1);
	text[head + length] = '\n';
	n = head + length + 1;
	os_write(fd, text, n);
	os_close(fd);
}

/* Copy the path after "#!" to out (MAX_PATH); false if there is none. */
static bool interpreter_of(const struct head *h, char *out)
{
	if (memcmp(h->bytes, "#!", 2) != 0)
		return false;
	const char *p = h->bytes + 2;
	p += strspn(p, " \t");
	size_t n = strcspn(p, " \t\n");
	if (n == 0 || n >= MAX_PATH)
		return false;
	memcpy(out, p, n);
	out[n] = '\0';
	return true;
}

/* Whether our library must not be loaded. */
static bool judge(struct head *h, char *path)
{
	for (int depth = 0; depth <= MAX_SCRIPTS && read_head(h, path); depth++) {
		if (h->n > SELFMAG && memcmp(h->bytes, ELFMAG, SELFMAG) == 0)
			break;
		if (!interpreter_of(h, path))
			return false;
	}
	if (h->n <= SELFMAG || memcmp(h->bytes, ELFMAG, SELFMAG) != 0)
		return false;
	const char *reason = reason_of(h, path);
	if (reason)
		note(reason, path);
	return reason && strcmp(reason, CSP_UNMEASURED_FOREIGN) == 0;
}

/* The first readable file of that name along PATH. */
static bool find(struct head *h, char *out, const char *name)
{
	size_t length = strlen(name) + 1;
	const char *dirs = csprof_variable(environ, "PATH");
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs;) {
		size_t n = strcspn(dirs, ":");
		if (n + 1 + length <= MAX_PATH) {
			memcpy(out, n ? dirs : ".", n ? n : 1);
			out[n ? n : 1] = '/';
			memcpy(out + (n ? n : 1) + 1, name, length);
			if (read_head(h, out))
				return true;
		}
		dirs += n + (dirs[n] == ':');
	}
	return false;
}

/* The program may have another root directory by now, or another user's rights. Capabilities that
 * it still has are lost by exec, and do not count here, either: the real user is asked about. */
static bool library_is_there(void)
{
	return !csprof_options.library[0] || os_can_read(csprof_options.library);
}

bool csprof_exec_check(const char *path, bool search)
{
	struct head h;
	char at[MAX_PATH];
	if (!path || csprof_confined() || csprof_process.detached)
		return false;
	size_t n = strlen(path) + 1;
	bool named = !search || strchr(path, '/'), there = library_is_there();
	bool known = named ? n <= sizeof at && os_is_file(path) : find(&h, at, path);
	if (known && named)
		memcpy(at, path, n);
	if (there)
		return known && judge(&h, at);
	if (known)
		note(CSP_UNMEASURED_HIDDEN, at);
	return true;
}

bool csprof_exec_check_at(int fd, const char *path)
{
	char at[MAX_PATH] = "/proc/self/fd/";
	size_t n = strlen(at), more = path ? strlen(path) : 0;
	if (csprof_process.detached)
		return false;
	if (more && (path[0] == '/' || fd < 0))
		return csprof_exec_check(path, false);
	if (n + 24 + more > sizeof at)
		return false;
	n += csp_format_u64(at + n, (uint64_t)fd);
	at[n++] = more ? '/' : '\0';
	if (more)
		memcpy(at + n, path, more + 1);
	return csprof_exec_check(at, false);
}
