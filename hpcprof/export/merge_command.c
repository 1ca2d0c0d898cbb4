/* The command merge: makes one datafile of many. */
#include "formats/base/path.h"
#include "formats/base/regular_file.h"
#include "hpcprof/command/list.h"
#include "hpcprof/command/output.h"
#include "hpcprof/correlate/pack.h"
#include "hpcprof/export/merge.h"
#include "hpcprof/load/importers.h"
#include "hpcprof/load/profile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGE_MOST = 1 << 20 }; /* bytes; that of x86-64 has 8 KiB */

/* The folder of path, with its slash, and the file name under which the image of a vdso is saved.
 * NULL if memory ran out. */
static char *image_beside(const char *path, const char *build_id)
{
	char *to;

	return asprintf(&to, "%.*s" CSP_VDSO_PREFIX "%s", (int)path_folder_length(path), path,
			build_id) < 0
		   ? NULL
		   : to;
}

/* The bytes of an image, malloc'd. NULL if there are none. One that was not saved or is lost needs
 * no message: its code has no names in any case. */
static void *read_image(const char *from, size_t *n, struct diag *d)
{
	struct error why;
	struct stat st;
	int fd = regular_file_open(from, &st, &why);
	void *bytes = NULL;

	if (fd >= 0 && st.st_size > IMAGE_MOST)
		error_set(&why, ERROR_LIMIT, "is larger than %d MiB", IMAGE_MOST >> 20);
	else if (fd >= 0)
		bytes = regular_file_read(fd, &st, &why);
	if (fd >= 0)
		close(fd);
	*n = bytes ? (size_t)st.st_size : 0;
	if (!bytes && (fd >= 0 || why.kind != ERROR_SYSTEM) && d)
		diag_problem(d, from, "%s (not copied)", why.text);
	return bytes;
}

static int copy(const char *from, const char *to, struct diag *d, struct error *e)
{
	struct output out;
	size_t n;
	void *bytes = read_image(from, &n, d);
	int rc = 0;

	if (!bytes)
		return 0;
	rc = output_open(&out, NULL, to, e);
	if (rc == 0) {
		fwrite(bytes, 1, n, out.file);
		rc = output_commit(&out, e);
	}
	free(bytes);
	return rc;
}

/* Copy the images that were saved with the parts into the folder of the merged file. */
static int copy_images(const struct model *m, const char *path, struct diag *d, struct error *e)
{
	struct stat st;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < m->modules.len; i++) {
		const struct model_module *mod = &m->modules.at[i];
		char *to;
		if (!mod->image)
			continue;
		to = image_beside(path, mod->build_id);
		if (!to)
			return error_memory(e, strlen(path));
		if (stat(to, &st) != 0)
			rc = copy(mod->image, to, d, e);
		free(to);
	}
	return rc;
}

/* Keep the names that were kept with the parts. */
static int copy_packs(const struct profile *p, const char *path, struct error *e)
{
	struct pack pack = {.symbolizer = {.packs_only = true}};
	size_t length = path_folder_length(path);
	const char **folders;
	char *folder;
	int rc;

	if (!p->packs.len)
		return 0;
	folder = length ? strndup(path, length) : strdup(".");
	folders = malloc((p->packs.len + 1) * sizeof *folders);
	if (folder && folders) {
		memcpy(folders, p->packs.at, p->packs.len * sizeof *folders);
		folders[p->packs.len] = pack.folder = folder;
		pack.symbolizer.pack_folders = folders;
		pack.symbolizer.num_pack_folders = p->packs.len + 1;
		rc = pack_model(&pack, p->model, e);
	} else {
		rc = error_memory(e, length);
	}
	free(folder);
	free(folders);
	return rc;
}

struct merge_options {
	struct common common;
	const char *output; /* or NULL */
};

/* Refuse a file without addresses by its name. Those in lists of files are left to merge_write. */
static int check_files(const struct common *o, struct error *e)
{
	for (size_t i = 0; i < o->num_profiles; i++)
		if (importers_of(o->profiles[i]))
			return error_set(e, ERROR_USAGE,
					 "%.200s contains names instead of addresses and cannot be "
					 "merged into a datafile (omit it, or use hpcprof db)",
					 o->profiles[i]);
	return 0;
}

static int print(FILE *out, const struct profile *p, const void *options, struct error *e)
{
	const struct merge_options *o = options;

	if (check_files(&o->common, e) != 0 || merge_write(out, p->model, e) != 0)
		return -1;
	return copy_images(p->model, o->output, p->diag, e) == 0 ? copy_packs(p, o->output, e) : -1;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct merge_options *o = options;
	const struct profile_request wanted = {.common = &o->common,
					       .output = o->output,
					       .no_names = true,
					       .threads = true,
					       .values = true,
					       .keep_notes = true,
					       .interpreter = true};

	if (!o->output)
		return error_set(e, ERROR_USAGE, "no output is named (use -o FILE)");
	return profile_show(out, &wanted, print, options, d, e);
}

static const struct option_row own_options[] = {
    {'o', "output", "FILE", "write to FILE, completely or not at all", option_output,
     offsetof(struct merge_options, output), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options, common_symbols_options,
						  common_loading_options, NULL};

const struct command merge_command = {
    .name = "merge",
    .summary = "one datafile that combines many",
    .options = tables,
    .size = sizeof(struct merge_options),
    .run = run,
    .print = print,
};
