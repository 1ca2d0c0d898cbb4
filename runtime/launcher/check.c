#include "runtime/launcher/check.h"

#include "formats/base/path.h"
#include "formats/base/regular_file.h"
#include "formats/datafile.h"
#include "runtime/base/emulator.h"
#include "runtime/base/options.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
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

/* ---- ELF files --------------------------------------------------------------------- */

/* The relevant properties of an executable. */
struct image {
	unsigned char ident[EI_NIDENT];
	uint16_t machine;
	char loader[PATH_MAX]; /* PT_INTERP; empty: none */
	bool linked;           /* with libhpcrun.a */
};

static bool has_note(const char *p, size_t n)
{
	Elf64_Nhdr note;
	while (n >= sizeof note) {
		memcpy(&note, p, sizeof note);
		size_t name = (note.n_namesz + 3u) & ~(size_t)3;
		size_t all = sizeof note + name + ((note.n_descsz + 3u) & ~(size_t)3);
		if (all > n)
			return false;
		if (note.n_type == HPCRUN_NOTE_LINKED && note.n_namesz == sizeof HPCRUN_NOTE_NAME &&
		    memcmp(p + sizeof note, HPCRUN_NOTE_NAME, sizeof HPCRUN_NOTE_NAME) == 0)
			return true;
		p += all;
		n -= all;
	}
	return false;
}

static void read_segment(int fd, const Elf64_Phdr *p, struct image *out)
{
	char bytes[PATH_MAX];
	size_t n = p->p_filesz < sizeof bytes ? (size_t)p->p_filesz : sizeof bytes;
	if (pread(fd, bytes, n, (off_t)p->p_offset) != (ssize_t)n || n == 0)
		return;
	if (p->p_type == PT_NOTE)
		out->linked |= has_note(bytes, n);
	bytes[n - 1] = '\0';
	if (p->p_type == PT_INTERP)
		memcpy(out->loader, bytes, n);
}

/* False if fd is not an ELF file. For a file of another class only ident and machine are read. */
static bool read_image(int fd, struct image *out)
{
	Elf64_Ehdr h;
	memset(out, 0, sizeof *out);
	if (pread(fd, &h, sizeof h, 0) != sizeof h || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	memcpy(out->ident, h.e_ident, sizeof out->ident);
	out->machine = h.e_machine; /* at the same place in both classes */
	if (h.e_ident[EI_CLASS] != ELFCLASS64)
		return true;
	for (unsigned i = 0; i < h.e_phnum; i++) {
		Elf64_Phdr p;
		off_t at = (off_t)(h.e_phoff + (Elf64_Off)i * h.e_phentsize);
		if (pread(fd, &p, sizeof p, at) == sizeof p)
			read_segment(fd, &p, out);
	}
	return true;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Why a program is not measured. All zeros: it is. */
struct verdict {
	const char *why;    /* for the sentence */
	const char *reason; /* CSP_UNMEASURED_*; NULL: not known */
	bool alone;
};

/* The loader ignores LD_PRELOAD for a program that gains rights by exec. */
static struct verdict gains_rights(int fd, const struct stat *st)
{
	struct verdict v = {.reason = CSP_UNMEASURED_RIGHTS};
	if ((st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	    (st->st_mode & S_ISGID && st->st_gid != getegid()))
		v.why = "runs as another user (setuid or setgid) and will not be measured; "
			"measure it as that user";
	else if (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0)
		v.why = "has file capabilities and will not be measured; run hpcrun as root, or "
			"measure a copy without them";
	return v.why ? v : (struct verdict){0};
}

/* own: of a program that can be measured, such as hpcrun. */
static struct verdict judge_image(const char *path, const struct image *i, const struct image *own)
{
	if (csprof_is_emulator(path))
		return (struct verdict){
		    .why =
			"emulates another program, and neither will be measured; run hpcrun on a "
			"machine of that kind",
		    .reason = CSP_UNMEASURED_FOREIGN,
		    .alone = true};
	if (i->ident[EI_CLASS] != own->ident[EI_CLASS] ||
	    i->ident[EI_DATA] != own->ident[EI_DATA] || i->machine != own->machine)
		return (struct verdict){
		    .why = "is built for another architecture and will not be measured; use an "
			   "hpcrun built for it",
		    .reason = CSP_UNMEASURED_FOREIGN,
		    .alone = true};
	if (!i->loader[0] && !i->linked && !same_file(path, own->loader))
		return (struct verdict){
		    .why = "is statically linked and will not be measured; link it dynamically, or "
			   "with libhpcrun.a (see hpcrun(1))",
		    .reason = CSP_UNMEASURED_STATIC};
	if (i->loader[0] && strcmp(path_basename(i->loader), path_basename(own->loader)) != 0)
		return (struct verdict){
		    .why = "is built with another C library and will not be measured; build it "
			   "with the one that hpcrun is built with",
		    .reason = CSP_UNMEASURED_FOREIGN,
		    .alone = true};
	return (struct verdict){0};
}

static struct verdict judge_elf(const char *path, int fd, const struct image *i, const char *like)
{
	struct image own;
	struct stat st;
	struct verdict v = {0};
	int self = open(like, O_RDONLY | O_CLOEXEC);
	if (self >= 0 && read_image(self, &own))
		v = judge_image(path, i, &own);
	if (self >= 0)
		close(self);
	return v.why || fstat(fd, &st) != 0 ? v : gains_rights(fd, &st);
}

/* ---- scripts ------------------------------------------------------------------------- */

/* Copy the next word of *at, up to the end of the line, to out; false if there is none. */
static bool next_word(const char **at, char *out, size_t size)
{
	const char *p = *at + strspn(*at, " \t");
	size_t n = strcspn(p, " \t\n");
	*at = p + n;
	if (n == 0 || n >= size)
		return false;
	memcpy(out, p, n);
	out[n] = '\0';
	return true;
}

/* The program that env would run: the first of its arguments that is neither an option nor a
 * variable. */
static bool behind_env(const char *arguments, char *out)
{
	char word[PATH_MAX];
	while (next_word(&arguments, word, sizeof word))
		if (word[0] != '-' && !strchr(word, '='))
			return launch_find(word, out) == 0;
	return false;
}

/* The interpreter of a script: as in its first line (head, a string), else sh. */
static bool interpreter_of(const char *head, char *out)
{
	if (head[0] != '#' || head[1] != '!') {
		memcpy(out, "/bin/sh", sizeof "/bin/sh");
		return true;
	}
	const char *rest = head + 2;
	if (!next_word(&rest, out, PATH_MAX))
		return false;
	if (strcmp(path_basename(out), "env") == 0)
		behind_env(rest, out);
	return true;
}

void launch_check(const char *path, const char *like, struct launch_obstacle *out)
{
	enum { MAX_SCRIPTS = 5 }; /* the kernel's limit */
	char at[PATH_MAX];
	memset(out, 0, sizeof *out);
	snprintf(at, sizeof at, "%s", path);
	for (int depth = 0; depth <= MAX_SCRIPTS; depth++) {
		char head[256] = "";
		struct image image;
		struct verdict v = {0};
		struct error e;
		struct stat st;
		int fd = regular_file_open(at, &st, &e);
		bool elf = fd >= 0 && read_image(fd, &image);
		if (fd < 0 && e.sys_errno == EACCES)
			v.why = "cannot be read: hpcrun cannot tell whether it will be measured, "
				"and its functions will have no names; make it readable";
		else if (elf)
			v = judge_elf(at, fd, &image, like);
		bool script = fd >= 0 && !elf && pread(fd, head, sizeof head - 1, 0) > 0;
		if (fd >= 0)
			close(fd);
		if (depth == 0)
			out->elf = elf;
		out->alone |= v.alone;
		if (v.why && depth == 0)
			snprintf(out->sentence, sizeof out->sentence, "%s", v.why);
		else if (v.why)
			snprintf(out->sentence, sizeof out->sentence, "is run by %s, which %s", at,
				 v.why);
		if (v.reason) {
			out->reason = v.reason;
			snprintf(out->program, sizeof out->program, "%s", at);
		}
		if (!script || !interpreter_of(head, at))
			return;
	}
}
