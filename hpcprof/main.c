/* hpcprof: show what hpcrun measured. The only file of the program that exits. */
#include "formats/base/mapped_file.h"
#include "hpcprof/command/command.h"
#include "hpcprof/command/sandbox.h"
#include "hpcprof/commands.h"
#include "hpcprof/complete/complete.h"
#include "hpcprof/terminal/pager.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Allocations of at least this many bytes are separate mappings. A threshold that is set stays
 * fixed; otherwise malloc raises it when mappings are freed, and tables that grow leave holes in
 * the heap. */
enum { OWN_MAPPING = 128 << 10 };
enum { STATUS_DONE = 0, STATUS_LEFT_OUT = 1, STATUS_USAGE = 2, STATUS_NOTHING = 3 };

static int status_of(const struct error *e)
{
	return e->kind == ERROR_USAGE ? STATUS_USAGE : STATUS_NOTHING;
}

/* Start the programs that are needed, and give away the rights to start others. */
static int enter_sandbox(const struct command_line *l, struct error *e)
{
	option_strings_field outputs = {0};
	const struct common *o = l->options;
	int rc = vec_reserve(&outputs, 1) ? 0 : error_memory(e, sizeof *outputs.at);

	if (o->page)
		pager_prepare();
	if (l->command->start)
		l->command->start(l->options);
	if (rc == 0)
		rc = command_line_outputs(l, &outputs, e);
	if (rc == 0 && o->sandbox)
		sandbox_enter(l->command->writes == WRITES_ANYWHERE ? NULL : outputs.at,
			      outputs.len);
	vec_free(&outputs);
	return rc;
}

static int run(const struct command_line *l, struct diag *d)
{
	const struct common *o = l->options;
	struct error e = {0};
	int rc;

	d->quiet = o->quiet;
	if (l->newest)
		diag_notice(d, l->newest, "the newest measurement here");
	rc = enter_sandbox(l, &e);
	if (rc == 0)
		rc = l->command->run(stdout, l->options, d, &e);
	if (rc > STATUS_LEFT_OUT)
		return rc; /* the command's own */
	if (rc >= 0)
		return rc || d->problems ? STATUS_LEFT_OUT : STATUS_DONE;
	if (e.kind != ERROR_NONE)
		diag_problem(d, NULL, "%s", e.text);
	return status_of(&e);
}

static int answer_shell(struct diag *d, const char *const *words, size_t n)
{
	struct error e = {0};

	if (complete(stdout, commands_all, words, n, &e) == 0)
		return STATUS_DONE;
	diag_problem(d, NULL, "%s", e.text);
	return STATUS_NOTHING;
}

int main(int argc, char **argv)
{
	struct diag d = {.out = stderr, .terminal = isatty(STDERR_FILENO)};
	struct error e = {0};
	struct command_line l;
	int status = STATUS_DONE;

	mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
	mapped_file_guard();
	signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is then a failed write */
	commands_add_importers();
	if (argc > 1 && strcmp(argv[1], "--complete") == 0)
		return answer_shell(&d, (const char *const *)argv + 2, (size_t)argc - 2);
	if (command_line_parse(&l, commands_all, argc, argv, stdout, &e) != 0) {
		diag_problem(&d, NULL, "%s (see hpcprof %s%s--help)", e.text,
			     l.named ? l.command->name : "", l.named ? " " : "");
		status = status_of(&e);
	} else if (l.help && l.named) {
		command_help(stdout, l.command);
	} else if (l.help) {
		command_list(stdout, commands_all);
	} else if (l.version) {
		printf("hpcprof %s\n", HPC_VERSION);
	} else {
		status = run(&l, &d);
	}
	command_line_deinit(&l);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		diag_problem(&d, "standard output", "%s (the output is not complete)",
			     strerror(errno));
		status = status > STATUS_LEFT_OUT ? status : STATUS_LEFT_OUT;
	}
	pager_end();
	return status;
}
