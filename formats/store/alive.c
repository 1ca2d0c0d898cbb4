/* Which processes still run that have made stores. */
#include "formats/store/alive.h"

#include "formats/base/regular_file.h"
#include "formats/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

uint64_t store_pid_space(void)
{
	struct stat st;
	return stat("/proc/self/ns/pid", &st) == 0 ? (uint64_t)st.st_ino : 0;
}

/* Field 22 of its stat. A zombie without other threads does not run. */
bool store_process_runs(uint64_t pid, uint64_t ticks)
{
	char path[64], text[1024];
	uint64_t threads = 0, began = 0;
	char state = 0;
	snprintf(path, sizeof path, "/proc/%" PRIu64 "/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *behind_name = strrchr(text, ')');
	if (!behind_name ||
	    sscanf(behind_name,
		   ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%*s %" SCNu64 " %*s %" SCNu64,
		   &state, &threads, &began) != 3)
		return false;
	return (ticks == 0 || began <= ticks) && !((state == 'Z' || state == 'X') && threads <= 1);
}

bool store_is_locked(int dirfd, const char *path)
{
	struct stat st;
	int fd = regular_file_open_at(dirfd, path, O_RDONLY, &st, NULL);
	if (fd < 0)
		return false;
	bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

/* One line of a process's maps; other files are left out. */
static void add_mapped(struct store_mapped *m, const char *line)
{
	unsigned major, minor;
	uint64_t inode;
	if (!strstr(line, STORE_SUFFIX "\n") ||
	    sscanf(line, "%*x-%*x %*s %*x %x:%x %" SCNu64, &major, &minor, &inode) != 3)
		return;
	if (m->n == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : 64;
		void *more = realloc(m->at, cap * sizeof *m->at);
		if (!more)
			return;
		m->at = more;
		m->cap = cap;
	}
	m->at[m->n].device = makedev(major, minor);
	m->at[m->n++].inode = (ino_t)inode;
}

static void look_at_processes(struct store_mapped *m)
{
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	m->known = true;
	while (proc && (entry = readdir(proc))) {
		char file[NAME_MAX + 16], line[PATH_MAX + 128];
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(file, sizeof file, "/proc/%s/maps", entry->d_name);
		FILE *maps = fopen(file, "re");
		while (maps && fgets(line, sizeof line, maps))
			add_mapped(m, line);
		if (maps)
			fclose(maps);
	}
	if (proc)
		closedir(proc);
}

static bool is_mapped(struct store_mapped *m, int dirfd, const char *path)
{
	struct stat st;
	if (fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	if (!m->known)
		look_at_processes(m);
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].inode == st.st_ino && m->at[i].device == st.st_dev)
			return true;
	return false;
}

bool store_header_is_local(const struct store_header *h)
{
	return h->pid_space && h->start_ticks && h->pid_space == store_pid_space();
}

bool store_lives_among(struct store_mapped *m, int dirfd, const char *path,
		       const struct store_header *h)
{
	if (store_header_is_local(h))
		return store_process_runs(h->pid, h->start_ticks);
	return store_is_locked(dirfd, path) ||
	       (h->state == STORE_RUNNING && is_mapped(m, dirfd, path));
}

bool store_lives(int dirfd, const char *path, const struct store_header *h)
{
	struct store_mapped m = {0};
	bool alive = store_lives_among(&m, dirfd, path, h);
	store_mapped_free(&m);
	return alive;
}

void store_mapped_free(struct store_mapped *m)
{
	free(m->at);
	*m = (struct store_mapped){0};
}
