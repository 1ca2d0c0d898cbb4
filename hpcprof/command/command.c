#include "hpcprof/command/command.h"

#include "formats/datafile.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the tables ----------------------------------------------------------------------- */

/* What every command has, and what asks for no work. */
static const struct option_row help_row = {.name = "help", .help = "print this and exit"};
static const struct option_row version_row = {.name = "version",
					      .help = "print the version and exit"};

typedef VEC(const struct option_row *) rows;

static bool add_table(rows *to, const struct option_row *table)
{
	for (const struct option_row *r = table; r->name; r++)
		if (!vec_push(to, r))
			return false;
	return true;
}

/* The rows of one command. */
static int rows_of_command(rows *to, const struct command *c, struct error *e)
{
	for (const struct option_row *const *t = c->options; *t; t++)
		if (!add_table(to, *t))
			return error_memory(e, sizeof *to->at);
	if (!add_table(to, options_of_input) || !vec_push(to, &help_row) ||
	    !vec_push(to, &version_row))
		return error_memory(e, sizeof *to->at);
	return 0;
}

static const struct option_row *find_row(const rows *in, const char *name)
{
	for (size_t i = 0; i < in->len; i++)
		if (strcmp(in->at[i]->name, name) == 0)
			return in->at[i];
	return NULL;
}

/* One row of each name of all commands. */
static int rows_of_all(rows *to, const struct command *const *commands, struct error *e)
{
	rows own = {0};
	int rc = 0;

	for (; rc == 0 && *commands; commands++) {
		own.len = 0;
		rc = rows_of_command(&own, *commands, e);
		for (size_t i = 0; rc == 0 && i < own.len; i++)
			if (!find_row(to, own.at[i]->name) && !vec_push(to, own.at[i]))
				rc = error_memory(e, sizeof *to->at);
	}
	vec_free(&own);
	return rc;
}

/* ---- reading -------------------------------------------------------------------------- */

/* An option as it stands on the command line: which command it belongs to is not known yet. */
struct given {
	const struct option_row *row;
	const char *text;
};
typedef VEC(struct given) givens;

/* The same tables as getopt_long wants them; a long option's value is its place behind FIRST. */
enum { FIRST = 256 };
struct getopt_tables {
	struct option *longs;
	char *shorts;
};

static bool make_getopt_tables(struct getopt_tables *t, const rows *from)
{
	char *to;

	t->longs = calloc(from->len + 1, sizeof *t->longs);
	t->shorts = to = calloc(2 * from->len + 2, 1);
	if (!t->longs || !t->shorts)
		return false;
	*to++ = ':';
	for (size_t i = 0; i < from->len; i++) {
		const struct option_row *r = from->at[i];
		t->longs[i] = (struct option){
		    r->name, r->argument ? required_argument : no_argument, NULL, FIRST + (int)i};
		if (!r->letter)
			continue;
		*to++ = r->letter;
		if (r->argument)
			*to++ = ':';
	}
	return true;
}

static const struct option_row *row_of_value(const rows *all, int value)
{
	if (value >= FIRST)
		return all->at[value - FIRST];
	for (size_t i = 0; i < all->len; i++)
		if (all->at[i]->letter == value)
			return all->at[i];
	return NULL;
}

static int collect(givens *to, const rows *all, const struct getopt_tables *t, int argc,
		   char **argv, struct error *e)
{
	int value;

	opterr = 0;
	optind = 0; /* a fresh start, whoever parsed before */
	while ((value = getopt_long(argc, argv, t->shorts, t->longs, NULL)) != -1) {
		if (value == ':')
			return error_set(e, ERROR_USAGE, "%s needs a value", argv[optind - 1]);
		if (value == '?' && optopt && optopt < FIRST)
			return error_set(e, ERROR_USAGE, "unknown option -%c", optopt);
		if (value == '?')
			return error_set(e, ERROR_USAGE, "unknown option %s", argv[optind - 1]);
		if (!vec_push(to, (struct given){row_of_value(all, value), optarg}))
			return error_memory(e, sizeof *to->at);
	}
	return 0;
}

/* The options of a command line, with the words behind them at argv[optind]. */
static int read_words(givens *to, const struct command *const *commands, int argc, char **argv,
		      struct error *e)
{
	struct getopt_tables tables = {0};
	rows all = {0};
	int rc = rows_of_all(&all, commands, e);

	if (rc == 0 && !make_getopt_tables(&tables, &all))
		rc = error_memory(e, all.len * sizeof *tables.longs);
	if (rc == 0)
		rc = collect(to, &all, &tables, argc, argv, e);
	free(tables.longs);
	free(tables.shorts);
	vec_free(&all);
	return rc;
}

/* Into the command's struct. */
static int take(struct command_line *l, const givens *given, struct error *e)
{
	rows own = {0};
	int rc = rows_of_command(&own, l->command, e);

	for (size_t i = 0; rc == 0 && i < given->len; i++) {
		const struct given *g = &given->at[i];
		const struct option_row *row = find_row(&own, g->row->name);
		if (!row)
			rc = error_set(e, ERROR_USAGE, "%s does not take --%s", l->command->name,
				       g->row->name);
		else if (row->read)
			rc = row->read(row, g->text, (char *)l->options + row->field, e);
	}
	vec_free(&own);
	return rc;
}

/* ---- what is asked for ---------------------------------------------------------------- */

static void choose_command(struct command_line *l, const struct command *const *commands,
			   const char *word)
{
	l->command = commands[0];
	for (; word && *commands && !l->named; commands++)
		if (strcmp(word, (*commands)->name) == 0) {
			l->command = *commands;
			l->named = true;
		}
}

/* A word before the profiles that names no file was meant to be a command. */
static int check_word(const char *word, const struct command *const *commands, struct error *e)
{
	char names[256] = "";
	size_t n = 0;

	if (strpbrk(word, "/.") || access(word, F_OK) == 0)
		return 0;
	for (const struct command *const *c = commands; *c && n < sizeof names; c++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
				      (*c)->name);
	return error_set(e, ERROR_USAGE,
			 "no command and no file is called %s (the commands are %s)", word, names);
}

/* The command's subject and the PROFILEs. */
static int take_words(struct command_line *l, const struct command *const *commands,
		      const char *const *words, size_t n, struct error *e)
{
	struct common *o = l->options;

	if (l->command->needs_nothing && l->command->needs_nothing(o))
		return 0;
	if (!l->named && n > 1 && check_word(words[0], commands, e) != 0)
		return -1;
	if (l->command->subject && n) {
		o->subject = *words++;
		n--;
	}
	o->profiles = words;
	o->num_profiles = n;
	if (common_read_lists(o, e) != 0)
		return -1;
	if (o->num_profiles)
		return 0;
	if (o->subject)
		return error_set(e, ERROR_USAGE, "%s takes %s and then a PROFILE", l->command->name,
				 l->command->subject);
	return error_set(e, ERROR_USAGE,
			 "no PROFILE given (name a measurement directory, hpcrun-COMMAND-N, or a "
			 "datafile)");
}

static bool has(const givens *given, const struct option_row *row)
{
	for (size_t i = 0; i < given->len; i++)
		if (given->at[i].row == row)
			return true;
	return false;
}

static int make_options(struct command_line *l, FILE *out, struct error *e)
{
	l->options = calloc(1, l->command->size);
	if (!l->options)
		return error_memory(e, l->command->size);
	common_init(l->options, out);
	if (l->command->set_defaults)
		l->command->set_defaults(l->options);
	return 0;
}

int command_line_parse(struct command_line *l, const struct command *const *commands, int argc,
		       char **argv, FILE *out, struct error *e)
{
	givens given = {0};
	const char *const *words;
	size_t n;
	int rc;

	memset(l, 0, sizeof *l);
	rc = read_words(&given, commands, argc, argv, e);
	if (rc == 0) {
		words = (const char *const *)argv + optind;
		n = (size_t)(argc - optind);
		choose_command(l, commands, n ? words[0] : NULL);
		l->help = has(&given, &help_row);
		l->version = has(&given, &version_row);
	}
	if (rc == 0 && !l->help && !l->version) {
		rc = make_options(l, out, e);
		if (rc == 0)
			rc = take(l, &given, e);
		if (rc == 0)
			rc = take_words(l, commands, words + l->named, n - l->named, e);
	}
	vec_free(&given);
	return rc;
}

void command_line_deinit(struct command_line *l)
{
	if (!l || !l->options)
		return;
	if (l->command->deinit)
		l->command->deinit(l->options);
	common_deinit(l->options);
	free(l->options);
	l->options = NULL;
}

/* ---- help ----------------------------------------------------------------------------- */

static void print_row(FILE *out, const struct option_row *r)
{
	char left[48], letter[6] = "    ";

	if (r->letter)
		snprintf(letter, sizeof letter, "-%c, ", r->letter);
	snprintf(left, sizeof left, "%s--%s%s%s", letter, r->name, r->argument ? " " : "",
		 r->argument ? r->argument : "");
	fprintf(out, "  %-24s %s\n", left, r->help);
}

static void print_end(FILE *out)
{
	fputs("\nExit status: 0 done, 1 done but something was left out, 2 usage, 3 nothing done.\n"
	      "Environment: COLUMNS (width of the output), NO_COLOR.\n",
	      out);
}

void command_list(FILE *out, const struct command *const *commands)
{
	fputs("Usage: hpcprof [COMMAND] [options] PROFILE...\n\n"
	      "PROFILE is a measurement directory that hpcrun made, a datafile (*" CSP_SUFFIX
	      "),\na database that hpcprof made, or a PROFILE or CSPROFILE in XML.\n\nCommands:\n",
	      out);
	for (const struct command *const *c = commands; *c; c++) {
		char left[48];
		snprintf(left, sizeof left, "%s%s%s", (*c)->name, (*c)->subject ? " " : "",
			 (*c)->subject ? (*c)->subject : "");
		fprintf(out, "  %-24s %s%s\n", left, (*c)->summary,
			c == commands ? " (the default)" : "");
	}
	fputs("\nhpcprof COMMAND --help shows its options. Those of all commands:\n", out);
	for (const struct option_row *r = options_of_input; r->name; r++)
		print_row(out, r);
	print_row(out, &help_row);
	print_row(out, &version_row);
	print_end(out);
	fputs("Example: hpcrun python3 script.py; hpcprof hpcrun-python3-1/\n", out);
}

void command_help(FILE *out, const struct command *c)
{
	fprintf(out, "Usage: hpcprof %s [options]%s%s PROFILE...\n\n%c%s.\n\nOptions:\n", c->name,
		c->subject ? " " : "", c->subject ? c->subject : "",
		toupper((unsigned char)c->summary[0]), c->summary + 1);
	for (const struct option_row *const *t = c->options; *t; t++)
		for (const struct option_row *r = *t; r->name; r++)
			print_row(out, r);
	for (const struct option_row *r = options_of_input; r->name; r++)
		print_row(out, r);
	print_row(out, &help_row);
	print_row(out, &version_row);
	print_end(out);
}
