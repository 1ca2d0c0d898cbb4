/* Streams of stdio read and write by functions of libc that no other library can stand before: they
 * are in tables, of which each stream refers to one. The tables of files are exported, as are the
 * functions in them that make the system calls. So we put ours in their places, where exactly these
 * are.
 *
 * Streams of popen have a table of their own, which is found at the first one. Those that are
 * mapped (mode "m") are left alone: they make no calls. */
#include "runtime/plugins/io.h"

#include <link.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/mman.h>
#include <unistd.h>

/* In a table of libc (struct _IO_jump_t): two words, then the functions in the order of C++'s
 * streambuf. The size of FILE, and what follows it in a stream, are in its ABI. */
enum { SLOT_READ = 14, SLOT_WRITE = 15, SLOTS = 16 };

typedef ssize_t stream_read(FILE *f, void *to, ssize_t bytes);
typedef ssize_t stream_write(FILE *f, const void *from, ssize_t bytes);

static stream_read *next_read;
static stream_write *next_write;

enum { TABLES = 3 };
static void **tables[TABLES]; /* in which ours are */
static FILE **streams;        /* all, from one to the next; NULL: not known */

static ssize_t read_stream(FILE *f, void *to, ssize_t bytes)
{
	uint64_t began = io_begin();
	ssize_t n = next_read(f, to, bytes);
	if (began)
		io_end(began, IO_READS, fileno_unlocked(f), n);
	return n;
}

/* It returns how many bytes it has written, which are fewer after an error. */
static ssize_t write_stream(FILE *f, const void *from, ssize_t bytes)
{
	uint64_t began = io_begin();
	ssize_t n = next_write(f, from, bytes);
	if (began)
		io_end(began, IO_WRITES, fileno_unlocked(f), n);
	return n;
}

/* The pages of a table, and those of them that the loader has made read-only: all between the first
 * page of the module's RELRO and the one in which that ends. */
struct table_pages {
	uintptr_t low, high, size;
	uintptr_t from, to;
};

static int look(struct dl_phdr_info *module, size_t size, void *arg)
{
	struct table_pages *p = arg;
	(void)size;
	for (size_t i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &module->dlpi_phdr[i];
		uintptr_t from = (module->dlpi_addr + h->p_vaddr) & ~(p->size - 1);
		uintptr_t to = (module->dlpi_addr + h->p_vaddr + h->p_memsz) & ~(p->size - 1);
		if (h->p_type != PT_GNU_RELRO || to <= p->low || p->high <= from)
			continue;
		p->from = from > p->low ? from : p->low;
		p->to = to < p->high ? to : p->high;
	}
	return p->to > 0;
}

/* If the loader has left it writable, it need not be made so, nor read-only after that. */
static void replace(void **table)
{
	if (!table || table[SLOT_READ] != (void *)next_read ||
	    table[SLOT_WRITE] != (void *)next_write)
		return;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct table_pages p = {.low = (uintptr_t)table & ~(page - 1), .size = page};
	p.high = ((uintptr_t)(table + SLOTS) + page - 1) & ~(page - 1);
	dl_iterate_phdr(look, &p);
	if (p.to && mprotect((void *)p.from, p.to - p.from, PROT_READ | PROT_WRITE) != 0)
		return;
	__atomic_store_n(&table[SLOT_READ], (void *)read_stream, __ATOMIC_RELEASE);
	__atomic_store_n(&table[SLOT_WRITE], (void *)write_stream, __ATOMIC_RELEASE);
	if (p.to)
		mprotect((void *)p.from, p.to - p.from, PROT_READ);
	for (int i = 0; i < TABLES; i++)
		if (!tables[i]) {
			tables[i] = table;
			break;
		}
}

void io_streams_begin(void)
{
	*(void **)&next_read = dlsym(RTLD_NEXT, "_IO_file_read");
	*(void **)&next_write = dlsym(RTLD_NEXT, "_IO_file_write");
	streams = dlsym(RTLD_NEXT, "_IO_list_all");
	if (!next_read || !next_write)
		return;
	replace(dlsym(RTLD_NEXT, "_IO_file_jumps"));
	replace(dlsym(RTLD_NEXT, "_IO_wfile_jumps"));
}

/* Each stream is followed by its table. */
static bool is_ours(FILE *f)
{
	for (int i = 0; i < TABLES; i++)
		if (tables[i] && *(void ***)(f + 1) == tables[i])
			return true;
	return false;
}

/* The streams that another thread uses are left to libc, which does not wait for it either. */
void io_streams_end(void)
{
	for (FILE *f = streams ? *streams : NULL; f; f = f->_chain)
		if (is_ours(f) && ftrylockfile(f) == 0) {
			if (__fpending(f) > 0)
				fflush_unlocked(f);
			funlockfile(f);
		}
}

/* ---- functions that open streams ---------------------------------------------------------- */

/* They start the driver, if constructors of libraries call them before its own has run. */

#define OPENS(name, parameters, arguments)                                                         \
	FILE *name parameters                                                                      \
	{                                                                                          \
		IO_NEXT(NULL, FILE *, name, parameters)                                            \
		hpcrun_driver_on();                                                                \
		return next arguments;                                                             \
	}

OPENS(fopen, (const char *path, const char *mode), (path, mode))
OPENS(fopen64, (const char *path, const char *mode), (path, mode))
OPENS(fdopen, (int fd, const char *mode), (fd, mode))

FILE *popen(const char *command, const char *mode)
{
	IO_NEXT(NULL, FILE *, popen, (const char *, const char *))
	FILE *f = next(command, mode);
	const struct hpcrun_driver_host *host = hpcrun_driver_on();
	if (f && next_read && host && !*host->forbidden && !is_ours(f))
		replace(*(void ***)(f + 1));
	return f;
}
