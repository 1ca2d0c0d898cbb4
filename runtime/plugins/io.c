#include "runtime/plugins/io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

enum { TIME, READ, WRITE, SYNC, METRICS };

static const struct hpcrun_driver_metric metrics[METRICS] = {
    [TIME] = {"IO_TIME", "ns", "time in calls that read, write or wait for a disk"},
    [READ] = {"IO_READ", "bytes", "read, also received"},
    [WRITE] = {"IO_WRITE", "bytes", "written, also sent"},
    [SYNC] = {"IO_SYNC", "ns", "of IO_TIME, in fsync and its relatives"},
};

static const char *check(const char *options);
static int start(const struct hpcrun_driver_host *host, const char *options);

/* By fstat, and for the tables of streams. Which of these fstat makes depends on libc. */
static const int calls[] = {SYS_mprotect,
#ifdef SYS_fstat
			    SYS_fstat,
#endif
#ifdef SYS_newfstatat
			    SYS_newfstatat,
#endif
			    -1};

static const struct hpcrun_driver driver = {
    .size = sizeof driver,
    .name = "io",
    .text = "calls that read and write, of functions and of stdio",
    .options_text = "nokinds (no labels by kind of file), nostreams (without stdio)",
    .metrics = metrics,
    .num_metrics = METRICS,
    .calls = calls,
    .check = check,
    .start = start,
    .exiting = io_streams_end,
};
HPCRUN_DRIVER(driver)

static bool kinds = true;

/* ---- the kind of a file ------------------------------------------------------------------- */

enum io_kind { UNKNOWN, REGULAR, DIRECTORY, TERMINAL, DEVICE, PIPE, SOCKET, OTHER, KINDS };

#define LABEL(text)                                                                                \
	{                                                                                          \
		.key = "file", .value = text                                                       \
	}
static struct hpcrun_fixed_label labels[KINDS] = {
    [UNKNOWN] = LABEL("unknown"),   [REGULAR] = LABEL("regular"), [DIRECTORY] = LABEL("directory"),
    [TERMINAL] = LABEL("terminal"), [DEVICE] = LABEL("device"),   [PIPE] = LABEL("pipe"),
    [SOCKET] = LABEL("socket"),     [OTHER] = LABEL("other"),
};

/* By their numbers in Linux' list of devices: terminals; /dev/tty, console and ptmx;
 * pseudoterminals. */
static bool is_terminal(dev_t device)
{
	enum { TTY = 4, TTY_ALIAS = 5, PTS_FIRST = 136, PTS_LAST = 143 };
	unsigned number = major(device);
	return number == TTY || (number == TTY_ALIAS && minor(device) <= 2) ||
	       (number >= PTS_FIRST && number <= PTS_LAST);
}

/* It may have been closed meanwhile. */
static enum io_kind kind_of(int fd)
{
	struct stat st;
	if (fd < 0 || *hpcrun_driver_on()->forbidden || fstat(fd, &st) != 0)
		return UNKNOWN;
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return REGULAR;
	case S_IFDIR:
		return DIRECTORY;
	case S_IFCHR:
		return is_terminal(st.st_rdev) ? TERMINAL : DEVICE;
	case S_IFBLK:
		return DEVICE;
	case S_IFIFO:
		return PIPE;
	case S_IFSOCK:
		return SOCKET;
	}
	return OTHER; /* of eventfd, timerfd, inotify and others */
}

/* ---- recording ---------------------------------------------------------------------------- */

void io_end(uint64_t began, unsigned what, int fd, ssize_t bytes)
{
	const struct hpcrun_driver_host *host = hpcrun_driver_on();
	int ids[METRICS], saved = errno;
	uint64_t amounts[METRICS], moved = bytes > 0 ? (uint64_t)bytes : 0;
	uint32_t n = 0;
	uint64_t took = host->now() - began;
	ids[n] = host->metrics[TIME];
	amounts[n++] = took;
	if (what & IO_READS) {
		ids[n] = host->metrics[READ];
		amounts[n++] = moved;
	}
	if (what & IO_WRITES) {
		ids[n] = host->metrics[WRITE];
		amounts[n++] = moved;
	}
	if (what & IO_SYNCS) {
		ids[n] = host->metrics[SYNC];
		amounts[n++] = took;
	}
	hpcrun_driver_record(n, ids, amounts, kinds && fd >= 0 ? &labels[kind_of(fd)] : NULL);
	errno = saved;
}

/* ---- the start ---------------------------------------------------------------------------- */

static const char *const known[] = {"nokinds", "nostreams"};
enum { NOKINDS, NOSTREAMS, KNOWN };

/* The number of the option with which a list begins, whose items are separated by commas; KNOWN: it
 * is none. */
static int which(const char *at)
{
	size_t n = strcspn(at, ",");
	int i = 0;
	while (i < KNOWN && (strlen(known[i]) != n || strncmp(at, known[i], n) != 0))
		i++;
	return i;
}

/* The next item of the list, or NULL. */
static const char *next(const char *at)
{
	at += strcspn(at, ",");
	return *at ? at + 1 : NULL;
}

static const char *check(const char *options)
{
	for (const char *at = *options ? options : NULL; at; at = next(at))
		if (which(at) == KNOWN)
			return "its options are nokinds and nostreams, separated by a comma";
	return NULL;
}

static int start(const struct hpcrun_driver_host *host, const char *options)
{
	bool given[KNOWN + 1] = {false};
	(void)host;
	for (const char *at = options; at; at = next(at))
		given[which(at)] = true;
	kinds = !given[NOKINDS];
	if (!given[NOSTREAMS])
		io_streams_begin();
	return 0;
}
