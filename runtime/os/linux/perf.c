/* Performance events, and what the kernel counts for each thread without them. */
#include "runtime/os/linux/call.h"
#include "runtime/os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* If the signal queue is full, a real-time signal of a descriptor comes as SIGIO, which kills
 * (the kernel's send_sigio_to_task). A signal below 32 comes at any limit of the queue. */
static bool signal_may_change(int sig)
{
	enum { REAL_TIME = 32, ENOUGH = 1024 };
	struct rlimit64 limit;
	return sig >= REAL_TIME && CALL(SYS_prlimit64, 0, RLIMIT_SIGPENDING, NULL, &limit) == 0 &&
	       limit.rlim_cur < ENOUGH;
}

int os_perf_open(struct os_perf *c, const struct os_perf_kind *kind, uint64_t period, int sig,
		 bool alone)
{
	struct perf_event_attr a;
	if (signal_may_change(sig))
		return -EAGAIN;
	memset(&a, 0, sizeof a);
	a.size = sizeof a;
	a.type = kind->type;
	a.config = kind->config;
	a.config1 = kind->config1;
	a.config2 = kind->config2;
	a.exclude_kernel = kind->no_kernel;
	a.exclude_user = kind->no_user;
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	a.sample_period = period;
	a.sample_type = PERF_SAMPLE_IP;
	a.disabled = 1;
	a.exclude_hv = 1;
	a.wakeup_events = 1;
	long r = CALL(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (r < 0)
		return (int)r;
	int fd = c->fd = os_move_up((int)r, alone);
	struct f_owner_ex owner = {F_OWNER_TID, (int)os_tid()};
	if ((r = CALL(SYS_fcntl, fd, F_SETSIG, sig)) < 0 ||
	    (r = CALL(SYS_fcntl, fd, F_SETOWN_EX, &owner)) < 0 ||
	    (r = CALL(SYS_fcntl, fd, F_SETFL, O_RDWR | O_ASYNC)) < 0 ||
	    (r = CALL(SYS_ioctl, fd, PERF_EVENT_IOC_ID, &c->id)) < 0) {
		os_close(fd);
		return (int)r;
	}
	c->page = mapped(CALL(SYS_mmap, NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
	return 0;
}

bool os_perf_is_open(const struct os_perf *c)
{
	uint64_t now = 0;
	return CALL(SYS_ioctl, c->fd, PERF_EVENT_IOC_ID, &now) == 0 && now == c->id;
}

int os_perf_period(const struct os_perf *c, uint64_t period)
{
	if (!os_perf_is_open(c))
		return -EBADF;
	return (int)CALL(SYS_ioctl, c->fd, PERF_EVENT_IOC_PERIOD, &period);
}

int os_perf_read(const struct os_perf *c, struct os_perf_count *out)
{
	uint64_t read[3];
	long r = CALL(SYS_read, c->fd, read, sizeof read);
	if (r != sizeof read)
		return r < 0 ? (int)r : -EIO;
	*out = (struct os_perf_count){read[0], read[1], read[2]};
	return 0;
}

int os_perf_enable(const struct os_perf *c, bool on)
{
	if (!os_perf_is_open(c))
		return -EBADF;
	return (int)CALL(SYS_ioctl, c->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* The kernel does not copy the page to a forked child (VM_DONTCOPY), which may have memory of
 * its own there by now. */
void os_perf_close(const struct os_perf *c, bool in_child)
{
	if (c->page && !in_child)
		os_unmap(c->page, PAGE);
	if (os_perf_is_open(c))
		os_close(c->fd);
}

bool os_perf_sent(const siginfo_t *info, int fd)
{
	return (info->si_code == POLL_IN || info->si_code == POLL_HUP) && info->si_fd == fd;
}

/* ---- what the kernel counts for each thread anyway -------------------------------------- */

enum { NS_PER_US = 1000, NS_PER_S = 1000000000 };

void os_usage(struct os_usage *u)
{
	struct rusage r;

	*u =
	    (struct os_usage){OS_NOT_KNOWN, OS_NOT_KNOWN, OS_NOT_KNOWN, OS_NOT_KNOWN, OS_NOT_KNOWN};
	if (CALL(SYS_getrusage, RUSAGE_THREAD, &r) != 0)
		return;
	u->switches = (uint64_t)r.ru_nvcsw;
	u->preempted = (uint64_t)r.ru_nivcsw;
	u->faults = (uint64_t)(r.ru_minflt + r.ru_majflt);
	u->major = (uint64_t)r.ru_majflt;
	u->kernel =
	    (uint64_t)r.ru_stime.tv_sec * NS_PER_S + (uint64_t)r.ru_stime.tv_usec * NS_PER_US;
}

/* The number after the n-th blank from here on. */
static uint64_t number_after(const char *p, int blanks)
{
	uint64_t v = 0;
	while (*p && blanks)
		blanks -= *p++ == ' ';
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	return v;
}

/* The number in a line `NAME<tab>NUMBER`; OS_NOT_KNOWN: it is another line. */
static uint64_t number_of_line(const char *line, const char *name)
{
	size_t length = strlen(name);
	if (strncmp(line, name, length) != 0 || line[length] != '\t')
		return OS_NOT_KNOWN;
	return number_after(line + length + 1, 0);
}

static void switches_in(const char *line, struct os_usage *u)
{
	uint64_t n;
	if ((n = number_of_line(line, "voluntary_ctxt_switches:")) != OS_NOT_KNOWN)
		u->switches = n;
	if ((n = number_of_line(line, "nonvoluntary_ctxt_switches:")) != OS_NOT_KNOWN)
		u->preempted = n;
}

/* They are in the last lines of a file that may be long, and the stack may be small. */
static void switches_of(uint32_t tid, struct os_usage *u)
{
	enum { BYTES = 128, LONGEST = 64 };
	char piece[BYTES], line[LONGEST] = "";
	size_t length = 0;
	int fd = os_task_open(tid, "status");
	if (fd < 0)
		return;
	for (int n; (n = os_read(fd, piece, sizeof piece)) > 0;)
		for (int i = 0; i < n; i++)
			if (piece[i] == '\n') {
				line[length] = '\0';
				switches_in(line, u);
				length = 0;
			} else if (length + 1 < sizeof line) {
				line[length++] = piece[i];
			}
	os_close(fd);
}

/* The fields after the name, which is in parentheses and may have blanks (proc(5)): state, and
 * minflt and majflt, 7 and 9 fields further on. */
static void faults_of(uint32_t tid, struct os_usage *u)
{
	enum { BYTES = 512, MINOR = 8, MAJOR = 10 };
	char text[BYTES];
	const char *after = NULL;
	if (os_task_file(tid, "stat", text, sizeof text) <= 0)
		return;
	for (const char *p = text; *p; p++)
		if (*p == ')')
			after = p;
	if (!after)
		return;
	u->major = number_after(after, MAJOR);
	u->faults = number_after(after, MINOR) + u->major;
}

void os_usage_of(uint32_t tid, struct os_usage *u)
{
	*u =
	    (struct os_usage){OS_NOT_KNOWN, OS_NOT_KNOWN, OS_NOT_KNOWN, OS_NOT_KNOWN, OS_NOT_KNOWN};
	faults_of(tid, u);
	switches_of(tid, u);
}
