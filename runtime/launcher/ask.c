#include "runtime/launcher/ask.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool launch_ask_thread(pid_t pid, pid_t tid, uint32_t sig, uint64_t value)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);
	info.si_signo = (int)sig;
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_ptr = (void *)(uintptr_t)value;
	return syscall(SYS_rt_tgsigqueueinfo, pid, tid, sig, &info) == 0 || errno != EPERM;
}

bool launch_ask_threads(pid_t pid, uint32_t sig, uint64_t value)
{
	char path[64];
	bool may = true;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && may && (e = readdir(dir));) {
		pid_t tid = (pid_t)strtol(e->d_name, NULL, 10);
		may = tid <= 0 || launch_ask_thread(pid, tid, sig, value);
	}
	if (dir)
		closedir(dir);
	return may;
}

bool launch_thread_blocks(pid_t pid, pid_t tid, uint32_t sig)
{
	static const char key[] = "\nSigBlk:";
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)pid, (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, key);
	return at && sig && strtoull(at + sizeof key - 1, NULL, 16) >> (sig - 1) & 1;
}
