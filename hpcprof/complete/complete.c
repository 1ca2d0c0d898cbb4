#include "hpcprof/complete/complete.h"

#include "formats/base/completion.h"
#include "formats/datafile.h"
#include "formats/store/recover.h"
#include "hpcprof/command/newest.h"
#include "hpcprof/load/importers.h"
#include "reader/reader.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file of which no more than the metrics are wanted is not read if it is larger. */
enum { LARGEST_FILE = 64 << 20 };

/* ---- options -------------------------------------------------------------------------- */

typedef VEC(struct completion_option) option_list;

static bool add_row(option_list *to, const struct option_row *r)
{
	struct completion_option o = {r->letter, r->name, r->argument, r->words, r->help};

	for (size_t i = 0; i < to->len; i++)
		if (strcmp(to->at[i].name, r->name) == 0)
			return true;
	return vec_push(to, o);
}

static bool add_command(option_list *to, const struct command *c)
{
	bool ok = true;

	for (const struct option_row *const *t = c->options; *t; t++)
		for (const struct option_row *r = *t; ok && r->name; r++)
			ok = add_row(to, r);
	for (const struct option_row *const *t = command_common_options; *t; t++)
		for (const struct option_row *r = *t; ok && r->name; r++)
			ok = add_row(to, r);
	return ok;
}

/* ---- names of files ------------------------------------------------------------------- */

/* A path as the shell would take it: with the home directory in place of "~/". NULL if memory ran
 * out. */
static const char *expanded(struct arena *a, const char *path, size_t n)
{
	const char *home = path[0] == '~' && n > 1 && path[1] == '/' ? getenv("HOME") : NULL;
	size_t skip = home ? 1 : 0, head = home ? strlen(home) : 0;
	char *out = arena_alloc(a, head + n - skip + 1);

	if (!out)
		return NULL;
	if (head)
		memcpy(out, home, head);
	memcpy(out + head, path + skip, n - skip);
	out[head + n - skip] = '\0';
	return out;
}

static const char *joined(struct arena *a, const char *one, const char *two, const char *three)
{
	char *out = arena_alloc(a, strlen(one) + strlen(two) + strlen(three) + 1);

	if (out)
		strcpy(stpcpy(stpcpy(out, one), two), three);
	return out;
}

/* What the file is for hpcprof: for the description; NULL: nothing. */
static const char *kind_of(const char *path, const char *name)
{
	if (store_has_suffix(name, CSP_SUFFIX))
		return "datafile";
	if (store_has_suffix(name, STORE_SUFFIX))
		return "store";
	return importers_of(path) ? "profile" : NULL;
}

/* One name of a folder. shown is the folder as typed. False if memory ran out. */
static bool offer_name(const struct completion *c, struct arena *a, const char *folder,
		       const char *shown, const char *name)
{
	const char *path = joined(a, folder, name, ""), *word, *kind;
	struct stat st;

	if (!path)
		return false;
	if (stat(path, &st) != 0)
		return true;
	if (S_ISDIR(st.st_mode)) {
		word = joined(a, shown, name, "/");
		kind = newest_is_measurement(path) ? "measurement" : "";
	} else {
		word = joined(a, shown, name, "");
		kind = S_ISREG(st.st_mode) ? kind_of(path, name) : NULL;
	}
	if (word && kind)
		completion_offer(c, word, kind);
	return word != NULL;
}

/* The folders and profiles whose names begin with what is typed. False if memory ran out. */
static bool offer_profiles(const struct completion *c, struct arena *a)
{
	const char *slash = strrchr(c->typed, '/');
	size_t n = slash ? (size_t)(slash - c->typed) + 1 : 0;
	const char *shown = arena_strndup(a, c->typed, n), *start = c->typed + n;
	const char *folder = n ? expanded(a, c->typed, n) : "./";
	bool ok = shown && folder;
	DIR *dir = ok ? opendir(folder) : NULL;
	struct dirent *entry;

	while (ok && dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;
		if (strncmp(name, start, strlen(start)) != 0 || (name[0] == '.' && !start[0]) ||
		    strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		ok = offer_name(c, a, folder, shown, name);
	}
	if (dir)
		closedir(dir);
	fputs(":names\n", c->out);
	return ok;
}

/* ---- metrics -------------------------------------------------------------------------- */

/* The first datafile of a folder by its name, or the file itself. NULL: none, or no memory. */
static const char *first_datafile(struct arena *a, const char *profile)
{
	const char *path = expanded(a, profile, strlen(profile)), *first = NULL;
	struct stat st;
	struct dirent *entry;
	DIR *dir;

	if (!path || stat(path, &st) != 0)
		return NULL;
	if (!S_ISDIR(st.st_mode))
		return store_has_suffix(path, CSP_SUFFIX) ? path : NULL;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (store_has_suffix(entry->d_name, CSP_SUFFIX) &&
		    (!first || strcmp(entry->d_name, first) < 0))
			first = arena_strndup(a, entry->d_name, strlen(entry->d_name));
	if (dir)
		closedir(dir);
	return first ? joined(a, path, "/", first) : NULL;
}

/* The metrics of the first datafile that the words name, or of the newest measurement. */
static void offer_metrics(const struct completion *c, struct arena *a)
{
	const char *path = NULL, *newest;
	struct reader *r;
	struct stat st;

	for (size_t i = 0; !path && i < c->num_plain; i++)
		path = first_datafile(a, c->plain[i]);
	newest = path ? NULL : newest_measurement(a);
	if (newest)
		path = first_datafile(a, newest);
	if (!path || stat(path, &st) != 0 || st.st_size > LARGEST_FILE ||
	    reader_open(path, &r, NULL) != 0)
		return;
	for (uint32_t i = 0; i < reader_num_metrics(r); i++) {
		const struct reader_metric *m = reader_metric(r, i);
		const char *name = arena_strndup(a, m->name.at, m->name.n);
		if (name && !(m->flags & CSP_METRIC_SAMPLES))
			completion_offer(c, name, NULL);
	}
	reader_close(r);
}

/* ---- the line ------------------------------------------------------------------------- */

static const struct command *named_command(const struct command *const *commands,
					   const struct completion *c)
{
	for (; c->num_plain && *commands; commands++)
		if (strcmp((*commands)->name, c->plain[0]) == 0)
			return *commands;
	return NULL;
}

static bool offer_words(const struct completion *c, const struct command *const *commands,
			const struct command *named, struct arena *a)
{
	if (!c->num_plain)
		for (const struct command *const *at = commands; *at; at++)
			completion_offer(c, (*at)->name, (*at)->summary);
	if (named && named->subject && c->num_plain == 1) {
		if (named->complete_subject)
			named->complete_subject(c);
		if (strstr(named->subject, "FILE"))
			fputs(":file\n", c->out);
		return true;
	}
	return offer_profiles(c, a);
}

static int answer(const struct completion *c, const struct command *const *commands,
		  struct arena *a, struct error *e)
{
	const struct command *named = named_command(commands, c);
	const struct command *meant = named ? named : commands[0];
	option_list own = {0};
	bool ok = true;

	if (c->option && strcmp(c->option->argument, "METRIC") == 0) {
		offer_metrics(c, a);
	} else if (c->option) {
		completion_offer_values(c);
	} else if (c->is_option) {
		ok = meant && add_command(&own, meant);
		for (size_t i = 0; i < own.len; i++)
			completion_offer_option(c, &own.at[i]);
	} else {
		ok = offer_words(c, commands, named, a);
	}
	vec_free(&own);
	return ok ? 0 : error_memory(e, 0);
}

/* All options, those of the first command before others of the same name. */
static bool list_options(option_list *to, const struct command *first,
			 const struct command *const *commands)
{
	bool ok = !first || add_command(to, first);

	for (; ok && *commands; commands++)
		ok = add_command(to, *commands);
	return ok;
}

int complete(FILE *out, const struct command *const *commands, const char *const *words, size_t n,
	     struct error *e)
{
	static const char *const nothing[] = {""};
	option_list all = {0}, own = {0};
	const struct command *named;
	const char **plain = calloc(n + 1, sizeof(char *));
	struct completion c;
	struct arena a;
	bool ok = plain && list_options(&all, NULL, commands);
	int rc;

	if (!n) {
		words = nothing;
		n = 1;
	}
	arena_init(&a);
	/* which words are values depends on the options, and these on the command */
	if (ok) {
		completion_find(&c, all.at, all.len, words, n, false, plain, out);
		named = named_command(commands, &c);
		ok = list_options(&own, named ? named : commands[0], commands);
	}
	if (ok) {
		completion_find(&c, own.at, own.len, words, n, false, plain, out);
		rc = answer(&c, commands, &a, e);
	} else {
		rc = error_memory(e, 0);
	}
	arena_deinit(&a);
	free(plain);
	vec_free(&all);
	vec_free(&own);
	return rc;
}
