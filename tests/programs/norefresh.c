/* Run a command that is killed (SIGSYS) if it lets a performance event disable itself after
 * some overflows (PERF_EVENT_IOC_REFRESH). If the event is a clock, Linux 6.16 and 6.17 freeze
 * the whole machine then.
 *
 *     norefresh COMMAND [ARGUMENT]...
 *     norefresh --try         makes that call, without an event
 */
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PERF_EVENT_IOC_REFRESH, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

	if (argc < 2) {
		fprintf(stderr, "usage: norefresh COMMAND [ARGUMENT]...\n");
		return 125;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		perror("norefresh");
		return 125;
	}
	if (strcmp(argv[1], "--try") == 0)
		return ioctl(-1, PERF_EVENT_IOC_REFRESH, 1) == 0;
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
