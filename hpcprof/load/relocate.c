#include "hpcprof/load/relocate.h"

#include "formats/base/regular_file.h"
#include "formats/base/search.h"

#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096 };

/* Order by address. Of several modules at one address the last one in the file counts. */
static int by_start(const void *pa, const void *pb)
{
	const struct relocate_span *a = pa, *b = pb;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->module < b->module ? -1 : a->module > b->module;
}

int relocate_init(struct relocator *r, const struct reader_epoch *epoch, relocate_extent_fn *extent,
		  void *context, struct error *e)
{
	r->epoch = epoch;
	r->num_spans = epoch->num_modules;
	r->spans = calloc((size_t)epoch->num_modules + 1, sizeof *r->spans);
	if (!r->spans)
		return error_memory(e, epoch->num_modules * sizeof *r->spans);
	for (uint32_t i = 0; i < r->num_spans; i++) {
		r->spans[i].start = epoch->modules[i].mapped_address;
		r->spans[i].module = i;
	}
	qsort(r->spans, r->num_spans, sizeof *r->spans, by_start);
	for (uint32_t i = 0; i < r->num_spans; i++) {
		struct relocate_span *s = &r->spans[i];
		const struct reader_module *m = &epoch->modules[s->module];
		uint64_t bytes = m->extent;
		if (!bytes && extent)
			bytes = extent(context, m);
		s->assumed = !bytes;
		if (!bytes && i + 1 < r->num_spans)
			bytes = s[1].start - s->start;
		/* bytes is 0: the last module extends to the end of memory */
		s->last = bytes && s->start <= UINT64_MAX - (bytes - 1) ? s->start + (bytes - 1)
									: UINT64_MAX;
	}
	return 0;
}

void relocate_deinit(struct relocator *r)
{
	if (!r)
		return;
	free(r->spans);
	r->spans = NULL;
	r->num_spans = 0;
}

uint32_t relocate_find(const struct relocator *r, uint64_t ip)
{
	uint32_t after = (uint32_t)SEARCH_FIRST(i, 0, r->num_spans, r->spans[i].start > ip);

	return after && ip <= r->spans[after - 1].last ? after - 1 : r->num_spans;
}

struct relocated relocate(const struct relocator *r, uint64_t ip)
{
	uint32_t i = relocate_find(r, ip);
	const struct relocate_span *s = &r->spans[i];

	if (i < r->num_spans)
		return (struct relocated){
		    s->module, ip - s->start + r->epoch->modules[s->module].virtual_address,
		    s->assumed};
	return (struct relocated){RELOCATE_NOWHERE, ip, false};
}

/* From the page of the first PT_LOAD to the end of the last. */
static uint64_t loaded_bytes(Elf *elf)
{
	uint64_t low = UINT64_MAX, high = 0;
	size_t n = 0;

	if (elf_getphdrnum(elf, &n) != 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr p;
		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		if (p.p_vaddr > UINT64_MAX - p.p_memsz)
			return 0;
		if (p.p_vaddr < low)
			low = p.p_vaddr;
		if (p.p_vaddr + p.p_memsz > high)
			high = p.p_vaddr + p.p_memsz;
	}
	low &= ~(uint64_t)(PAGE_BYTES - 1);
	return high > low ? high - low : 0;
}

uint64_t relocate_elf_extent(void *context, const struct reader_module *module)
{
	const char *sysroot = context;
	char path[PATH_MAX], real[PATH_MAX];
	uint64_t bytes = 0;
	struct stat st;
	int fd;
	Elf *elf;

	if (module->name.n == 0 || module->name.n >= PATH_MAX || module->name.at[0] != '/')
		return 0;
	memcpy(path, module->name.at, module->name.n);
	path[module->name.n] = '\0';
	fd = sysroot && *sysroot ? regular_file_open_below(sysroot, path, real, &st, NULL)
				 : regular_file_open(path, &st, NULL);
	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		bytes = loaded_bytes(elf);
	elf_end(elf);
	close(fd);
	return bytes;
}
