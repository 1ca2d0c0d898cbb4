#include "runtime/sample/marks_apart.h"

#include "runtime/os/os.h"

#include <dlfcn.h>
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Libraries, by how their file names begin. */
static const struct {
	const char *begin, *why;
} libraries[] = {
    /* they copy stacks */
    {"_greenlet", "greenlets copy stacks"},
    {"libruby", "Ruby copies stacks"},
    {"libguile", "Guile copies stacks"},
    {"libjulia", "Julia copies stacks"},
    /* they look up return addresses in tables of their own */
    {"libjvm.", "a Java virtual machine walks its stacks"},
    {"libcoreclr.", ".NET walks its stacks"},
    {"libnode.", "V8 walks its stacks"},
    {"libv8", "V8 walks its stacks"},
    /* they report stacks of the program */
    {"libasan.", "a sanitizer walks the stacks"},
    {"libhwasan.", "a sanitizer walks the stacks"},
    {"libtsan.", "a sanitizer walks the stacks"},
    {"libmsan.", "a sanitizer walks the stacks"},
    {"liblsan.", "a sanitizer walks the stacks"},
    {"libubsan.", "a sanitizer walks the stacks"},
    {"libclang_rt.", "a sanitizer walks the stacks"},
    {"libunwind", "libunwind walks the stacks"},
};

/* The same in an executable, by a name that it exports. */
static const struct {
	const char *name, *why;
} symbols[] = {
    {"caml_frametable", "OCaml walks its stacks"},
    {"_ZN2v82V810GetVersionEv", "V8 walks its stacks"},
    {"JNI_CreateJavaVM", "a Java virtual machine walks its stacks"},
    {"ruby_init", "Ruby copies stacks"},
    {"__asan_init", "a sanitizer walks the stacks"},
    {"__hwasan_init", "a sanitizer walks the stacks"},
    {"__tsan_init", "a sanitizer walks the stacks"},
    {"__msan_init", "a sanitizer walks the stacks"},
    {"__ubsan_on_report", "a sanitizer walks the stacks"},
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The linker of Go leaves a note of this name in what it links. */
static bool is_go(const struct os_module *m)
{
	const Elf64_Phdr *headers = m->headers;
	for (size_t i = 0; headers && i < m->num_headers; i++) {
		if (headers[i].p_type != PT_NOTE)
			continue;
		uintptr_t low = m->base + headers[i].p_vaddr;
		if (low < m->mapped_address ||
		    low + headers[i].p_filesz > m->mapped_address + m->extent)
			continue;
		const char *at = (const char *)low, *end = at + headers[i].p_filesz;
		while (end - at >= (ptrdiff_t)sizeof(Elf64_Nhdr)) {
			const Elf64_Nhdr *n = (const void *)at;
			const char *name = at + sizeof *n;
			if (end - name >= 4 && n->n_namesz == 4 && memcmp(name, "Go\0\0", 4) == 0)
				return true;
			at = name + ((n->n_namesz + 3) & ~3u) + ((n->n_descsz + 3) & ~3u);
		}
	}
	return false;
}

static void look_at(const struct os_module *m, void *arg)
{
	const char **why = arg;
	const char *name = base_of(m->name);
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strncmp(name, libraries[i].begin, strlen(libraries[i].begin)) == 0)
			*why = libraries[i].why;
	if (!*why && !m->vdso && is_go(m))
		*why = "Go walks its stacks";
}

/* Functions of the program's that are called with the return address of each function, on entry and
 * exit (gcc's -finstrument-functions). The C library has some that do nothing. */
static bool is_instrumented(void)
{
	Dl_info info;
	void *enter = dlsym(RTLD_DEFAULT, "__cyg_profile_func_enter");
	return enter && dladdr(enter, &info) && info.dli_fname &&
	       strncmp(base_of(info.dli_fname), "libc.", strlen("libc.")) != 0;
}

const char *csprof_marks_apart(bool at_start)
{
	const char *why = NULL;
	os_modules(look_at, &why);
	for (size_t i = 0; at_start && !why && i < sizeof symbols / sizeof *symbols; i++)
		if (dlsym(RTLD_DEFAULT, symbols[i].name))
			why = symbols[i].why;
	if (at_start && !why && is_instrumented())
		why = "instrumented functions look at return addresses";
	if (at_start)
		(void)dlerror(); /* the program asks for errors of its own */
	return why;
}
