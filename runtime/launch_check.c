#include "runtime/launch_check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int judge(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return errno == EACCES ? 126 : 127;
	if (S_ISDIR(st.st_mode) || access(path, X_OK) != 0)
		return 126;
	return 0;
}

int launch_find(const char *command, char *out)
{
	if (strchr(command, '/')) {
		snprintf(out, PATH_MAX, "%s", command);
		return judge(out);
	}
	const char *dirs = getenv("PATH");
	int result = 127;
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs;) {
		size_t n = strcspn(dirs, ":");
		if (n == 0)
			snprintf(out, PATH_MAX, "./%s", command);
		else
			snprintf(out, PATH_MAX, "%.*s/%s", (int)n, dirs, command);
		int r = judge(out);
		if (r == 0)
			return 0;
		if (r == 126)
			result = 126;
		dirs += n + (dirs[n] == ':');
	}
	return result;
}

/* The interpreter of a "#!" line into out; false where line is none. */
static bool interpreter(const char *line, size_t n, char *out, size_t size)
{
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	size_t i = 2, k = 0;
	while (i < n && (line[i] == ' ' || line[i] == '\t'))
		i++;
	while (i < n && line[i] != ' ' && line[i] != '\t' && line[i] != '\n' && k + 1 < size)
		out[k++] = line[i++];
	out[k] = '\0';
	return k > 0;
}

static const char *elf_obstacle(int fd, const unsigned char *head)
{
	Elf64_Ehdr own, h;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool known = self >= 0 && pread(self, &own, sizeof own, 0) == sizeof own;
	if (self >= 0)
		close(self);
	memcpy(&h, head, sizeof h);
	if (known && (h.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
		      h.e_ident[EI_DATA] != own.e_ident[EI_DATA] || h.e_machine != own.e_machine))
		return "is built for another architecture and will not be measured; use an hpcrun "
		       "built for it";
	for (unsigned i = 0; i < h.e_phnum; i++) {
		Elf64_Phdr p;
		off_t at = (off_t)(h.e_phoff + (Elf64_Off)i * h.e_phentsize);
		if (pread(fd, &p, sizeof p, at) == sizeof p && p.p_type == PT_INTERP)
			return NULL;
	}
	return "is statically linked and will not be measured; link it dynamically";
}

const char *launch_obstacle(const char *path)
{
	enum { MAX_SCRIPTS = 4 };
	char at[PATH_MAX];
	const char *why = NULL;
	snprintf(at, sizeof at, "%s", path);
	for (int depth = 0; depth < MAX_SCRIPTS; depth++) {
		unsigned char head[512];
		struct stat st;
		int fd = open(at, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return NULL; /* executable but not readable: let exec decide */
		ssize_t n = pread(fd, head, sizeof head, 0);
		bool elf = n >= (ssize_t)sizeof(Elf64_Ehdr) && memcmp(head, ELFMAG, SELFMAG) == 0;
		if (elf && fstat(fd, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)) &&
		    ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
		     (st.st_mode & S_ISGID && st.st_gid != getegid())))
			why = "runs as another user (setuid or setgid) and will not be measured; "
			      "measure it as that user";
		else if (elf)
			why = elf_obstacle(fd, head);
		close(fd);
		if (elf || n <= 0 || !interpreter((const char *)head, (size_t)n, at, sizeof at))
			return why;
	}
	return NULL;
}
