#include "runtime/process/exec_check.h"

#include "runtime/os/os.h"
#include "runtime/sandboxes/seccomp.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_foreign_elf(const struct head *h)
{
	static const char musl[] = "ld-musl-";
	Elf64_Ehdr e;
	if (h->n < sizeof e)
		return false;
	memcpy(&e, h->bytes, sizeof e);
	if (e.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
	    e.e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] ||
	    e.e_machine != __ehdr_start.e_machine)
		return true;
	const char *loader = loader_of(h, &e);
	return loader && strncmp(loader, musl, sizeof musl - 1) == 0;
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

static bool judge(struct head *h, char *path)
{
	for (int depth = 0; depth <= MAX_SCRIPTS && read_head(h, path); depth++) {
		if (h->n > SELFMAG && memcmp(h->bytes, ELFMAG, SELFMAG) == 0)
			return is_foreign_elf(h);
		if (!interpreter_of(h, path))
			return false;
	}
	return false;
}

/* The first readable file of that name along PATH. */
static bool find(struct head *h, char *out, const char *name)
{
	size_t length = strlen(name) + 1;
	const char *dirs = getenv("PATH");
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

bool csprof_exec_check(const char *path, bool search)
{
	struct head h;
	char at[MAX_PATH];
	if (!path || csprof_confined())
		return false;
	if (search && !strchr(path, '/'))
		return find(&h, at, path) && judge(&h, at);
	size_t n = strlen(path) + 1;
	if (n > sizeof at)
		return false;
	memcpy(at, path, n);
	return judge(&h, at);
}
