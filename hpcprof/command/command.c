#include "hpcprof/command/command.h"

#include "formats/base/nearest.h"
#include "formats/datafile.h"
#include "hpcprof/command/newest.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the tables ----------------------------------------------------------------------- */

/* Options of every command. With these no command runs. */
static const struct option_row end_rows[] = {
    {.letter = 'h', .name = "help", .help = "print this and exit"},
    {.name = "version", .help = "print the version and exit"},
    {0}};
static const struct option_row *const help_row = &end_rows[0], *const version_row = &end_rows[1];

const struct option_row *const command_common_options[] = {common_input_options, end_rows, NULL};

/* In a struct, because lint takes sizeof of a pointer for a mistake. */
struct option_ref {
	const struct option_row *row;
};
typedef VEC(struct option_ref) option_rows;

static bool add_table(option_rows *to, const struct option_row *table)
{
	for (const struct option_row *r = table; r->name; r++)
		if (!vec_push(to, (struct option_ref){r}))
			return false;
	return true;
}

/* The rows of one command. */
static int rows_of_command(option_rows *to, const struct command *c, struct error *e)
{
	for (const struct option_row *const *t = c->options; *t; t++)
		if (!add_table(to, *t))
			return error_memory(e, sizeof *to->at);
	for (const struct option_row *const *t = command_common_options; *t; t++)
		if (!add_table(to, *t))
			return error_memory(e, sizeof *to->at);
	return 0;
}

static const struct option_row *find_row(const option_rows *in, const char *name)
{
	for (size_t i = 0; i < in->len; i++)
		if (strcmp(in->at[i].row->name, name) == 0)
			return in->at[i].row;
	return NULL;
}

/* The rows of all commands, one for each option name. */
static int rows_of_all(option_rows *to, const struct command *const *commands, struct error *e)
{
	option_rows own = {0};
	int rc = 0;

	for (; rc == 0 && *commands; commands++) {
		own.len = 0;
		rc = rows_of_command(&own, *commands, e);
		for (size_t i = 0; rc == 0 && i < own.len; i++)
			if (!find_row(to, own.at[i].row->name) && !vec_push(to, own.at[i]))
				rc = error_memory(e, sizeof *to->at);
	}
	vec_free(&own);
	return rc;
}

/* ---- reading -------------------------------------------------------------------------- */

/* An option on the command line. The command that it belongs to is not known yet. */
struct given {
	const struct option_row *row;
	const char *text;
};
typedef VEC(struct given) givens;

/* The same tables in the form of getopt_long. The value of a long option is FIRST plus its
 * index. */
enum { FIRST = 256 };
struct getopt_tables {
	struct option *longs;
	char *shorts;
};

static bool make_getopt_tables(struct getopt_tables *t, const option_rows *from)
{
	char *to;

	t->longs = calloc(from->len + 1, sizeof *t->longs);
	t->shorts = to = calloc(2 * from->len + 2, 1);
	if (!t->longs || !t->shorts)
		return false;
	*to++ = ':';
	for (size_t i = 0; i < from->len; i++) {
		const struct option_row *r = from->at[i].row;
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

static const struct option_row *row_of_value(const option_rows *all, int value)
{
	if (value >= FIRST)
		return (size_t)(value - FIRST) < all->len ? all->at[value - FIRST].row : NULL;
	for (size_t i = 0; i < all->len; i++)
		if (all->at[i].row->letter == value)
			return all->at[i].row;
	return NULL;
}

/* The command that is named somewhere among the words, or else the first. */
static const struct command *likely_command(const struct command *const *commands, char **argv)
{
	for (char **word = argv + 1; word[0] && strcmp(word[0], "--") != 0; word++)
		for (const struct command *const *c = commands; *c; c++)
			if (strcmp(word[0], (*c)->name) == 0)
				return *c;
	return commands[0];
}

static void offer_rows(struct nearest *near, const option_rows *rows)
{
	for (size_t i = 0; i < rows->len; i++)
		nearest_offer(near, rows->at[i].row->name, strlen(rows->at[i].row->name));
}

/* The names of which this is the beginning: "--files, --functions". Returns their number. */
static size_t beginnings(char *out, size_t size, const option_rows *all, const char *name,
			 size_t length)
{
	size_t n = 0, used = 0;

	for (size_t i = 0; i < all->len; i++) {
		const char *full = all->at[i].row->name;
		if (strncmp(full, name, length) == 0 && used < size)
			used += (size_t)snprintf(out + used, size - used, "%s--%s", n++ ? ", " : "",
						 full);
	}
	return n;
}

/* The only option of the command, or the one of exactly that name, that begins like a long option
 * in word; NULL if there are none or several. */
static const struct option_row *only_beginning(const option_rows *own, const char *word)
{
	size_t length = strcspn(word, "=") - 2;
	const struct option_row *found = NULL;

	for (size_t i = 0; length && i < own->len; i++) {
		const struct option_row *r = own->at[i].row;
		if (strncmp(r->name, word + 2, length) != 0)
			continue;
		if (found)
			return NULL;
		found = r;
	}
	return found;
}

/* Take a long option that getopt finds ambiguous, because options of several commands begin like
 * it, but only one of the command that is named. 1 if there is one, 0 if not, or -1 and *e. */
static int take_beginning(givens *to, const struct command *const *commands, int argc, char **argv,
			  struct error *e)
{
	const char *word = argv[optind - 1], *value = strchr(word, '=');
	const struct option_row *row;
	option_rows own = {0};
	int rc = rows_of_command(&own, likely_command(commands, argv), e);

	row = rc == 0 ? only_beginning(&own, word) : NULL;
	vec_free(&own);
	if (!row)
		return rc;
	if (value && !row->argument)
		return error_set(e, ERROR_USAGE, "--%s takes no value", row->name);
	if (!value && row->argument && optind >= argc)
		return error_set(e, ERROR_USAGE, "%s needs a value", word);
	/* getopt takes a word that is skipped for the value of an option */
	value = value ? value + 1 : row->argument ? argv[optind++] : NULL;
	return vec_push(to, (struct given){row, value}) ? 1 : error_memory(e, sizeof *to->at);
}

/* Say what is wrong with a long option that getopt refuses. */
static int refuse_long(const option_rows *all, const struct command *const *commands,
		       const char *word, char **argv, struct error *e)
{
	int length = (int)strcspn(word, "=");
	char *name = strndup(word + 2, (size_t)length - 2);
	char list[256] = "", text[NEAREST_TEXT];
	struct nearest near = {.typed = name};
	option_rows own = {0};
	int rc;

	if (!name)
		return error_memory(e, (uint64_t)length);
	rc = rows_of_command(&own, likely_command(commands, argv), e);
	if (rc == 0) {
		offer_rows(&near, &own);
		if (!near.best)
			offer_rows(&near, all);
		rc = length > 2 && beginnings(list, sizeof list, all, name, strlen(name)) > 1
			 ? error_set(e, ERROR_USAGE, "%.*s can be any of %s", length, word, list)
			 : error_set(e, ERROR_USAGE, "unknown option %.*s%s", length, word,
				     nearest_text(text, &near, "--"));
	}
	vec_free(&own);
	free(name);
	return rc;
}

static int collect(givens *to, const option_rows *all, const struct command *const *commands,
		   const struct getopt_tables *t, int argc, char **argv, struct error *e)
{
	int value;

	opterr = 0;
	optind = 0; /* reset getopt after an earlier parse */
	while ((value = getopt_long(argc, argv, t->shorts, t->longs, NULL)) != -1) {
		if (value == ':')
			return error_set(e, ERROR_USAGE, "%s needs a value", argv[optind - 1]);
		if (value == '?' && optopt && optopt < FIRST)
			return error_set(e, ERROR_USAGE, "unknown option -%c", optopt);
		if (value == '?' && optopt)
			return error_set(e, ERROR_USAGE, "--%s takes no value",
					 row_of_value(all, optopt)->name);
		if (value == '?') {
			int taken = take_beginning(to, commands, argc, argv, e);
			if (taken == 0)
				return refuse_long(all, commands, argv[optind - 1], argv, e);
			if (taken < 0)
				return -1;
			continue;
		}
		if (!vec_push(to, (struct given){row_of_value(all, value), optarg}))
			return error_memory(e, sizeof *to->at);
	}
	return 0;
}

/* Read the options of a command line. The words after them begin at argv[optind]. */
static int read_words(givens *to, const struct command *const *commands, int argc, char **argv,
		      struct error *e)
{
	struct getopt_tables tables = {0};
	option_rows all = {0};
	int rc = rows_of_all(&all, commands, e);

	if (rc == 0 && !make_getopt_tables(&tables, &all))
		rc = error_memory(e, all.len * sizeof *tables.longs);
	if (rc == 0)
		rc = collect(to, &all, commands, &tables, argc, argv, e);
	free(tables.longs);
	free(tables.shorts);
	vec_free(&all);
	return rc;
}

/* Store the options in the command's struct. */
static int take(struct command_line *l, const givens *given, struct error *e)
{
	option_rows own = {0};
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

int command_line_outputs(const struct command_line *l, option_strings_field *to, struct error *e)
{
	const struct common *o = l->options;
	option_rows own = {0};
	int rc = rows_of_command(&own, l->command, e);

	for (size_t i = 0; rc == 0 && i < own.len; i++) {
		const struct option_row *row = own.at[i].row;
		const char *const *path = (const void *)((const char *)l->options + row->field);
		if (row->read == option_output && *path && !vec_push(to, *path))
			rc = error_memory(e, sizeof *path);
	}
	vec_free(&own);
	for (size_t i = 0; l->command->writes == WRITES_PROFILES && i < o->num_profiles; i++)
		if (rc == 0 && !vec_push(to, o->profiles[i]))
			rc = error_memory(e, sizeof *to->at);
	return rc;
}

/* ---- commands and arguments ----------------------------------------------------------- */

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

/* If the first of several words is not a file, the user meant it as a command; and so if the only
 * one is nearly a command's name. */
static int check_word(const char *word, const struct command *const *commands, bool is_only,
		      struct error *e)
{
	struct nearest near = {.typed = word};
	char names[256] = "", text[NEAREST_TEXT];
	size_t n = 0;

	if (strpbrk(word, "/.") || access(word, F_OK) == 0)
		return 0;
	for (const struct command *const *c = commands; *c; c++) {
		nearest_offer(&near, (*c)->name, strlen((*c)->name));
		if (n < sizeof names)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
					      (*c)->name);
	}
	if (near.best)
		return error_set(e, ERROR_USAGE, "%s is neither a command nor a file%s", word,
				 nearest_text(text, &near, ""));
	return is_only ? 0
		       : error_set(e, ERROR_USAGE,
				   "%s is neither a command nor a file (the commands are %s)", word,
				   names);
}

/* Whether the newest measurement is meant. Not if the only argument is a file: the user forgot the
 * subject. */
static bool takes_newest(const struct command_line *l)
{
	const struct common *o = l->options;

	if (!l->command->newest || o->lists.len)
		return false;
	return !l->command->subject || (o->subject && access(o->subject, F_OK) != 0);
}

static void take_newest(struct command_line *l)
{
	struct common *o = l->options;

	l->newest = newest_measurement(&o->arena);
	if (l->newest) {
		o->profiles = &l->newest;
		o->num_profiles = 1;
		o->is_newest = true;
	}
}

/* The command's subject and the PROFILEs. */
static int take_words(struct command_line *l, const struct command *const *commands,
		      const char *const *words, size_t n, struct error *e)
{
	struct common *o = l->options;

	if (l->command->needs_nothing && l->command->needs_nothing(o))
		return 0;
	if (!l->named && n && check_word(words[0], commands, n == 1, e) != 0)
		return -1;
	if (l->command->subject && n) {
		o->subject = *words++;
		n--;
	}
	o->profiles = words;
	o->num_profiles = n;
	if (common_read_lists(o, e) != 0)
		return -1;
	if (!o->num_profiles && takes_newest(l))
		take_newest(l);
	if (o->num_profiles)
		return 0;
	if (o->subject)
		return error_set(e, ERROR_USAGE, "%s needs %s and a PROFILE", l->command->name,
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

/* How many words come after "--". It has to be found before getopt reorders them. */
static size_t words_after_dashes(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i]; i++)
		if (strcmp(argv[i], "--") == 0)
			return (size_t)(argc - i - 1);
	return 0;
}

int command_line_parse(struct command_line *l, const struct command *const *commands, int argc,
		       char **argv, FILE *out, struct error *e)
{
	givens given = {0};
	size_t after = words_after_dashes(argc, argv), n;
	const char *const *words;
	int rc;

	memset(l, 0, sizeof *l);
	rc = read_words(&given, commands, argc, argv, e);
	if (rc == 0) {
		words = (const char *const *)argv + optind;
		n = (size_t)(argc - optind);
		choose_command(l, commands, n ? words[0] : NULL);
		l->help = has(&given, help_row);
		l->version = has(&given, version_row);
	}
	if (rc == 0 && !l->help && !l->version) {
		rc = make_options(l, out, e);
		if (rc == 0) {
			((struct common *)l->options)->after_dashes = after;
			rc = take(l, &given, e);
		}
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

static void print_tables(FILE *out, const struct option_row *const *tables)
{
	for (; *tables; tables++)
		for (const struct option_row *r = *tables; r->name; r++)
			print_row(out, r);
}

static void print_end(FILE *out)
{
	fputs("\nExit status: 0 success, 1 some input was skipped, 2 usage error, 3 failure.\n"
	      "Environment: COLUMNS (width of the output), HPCPROF_PAGER, PAGER, NO_COLOR.\n",
	      out);
}

void command_list(FILE *out, const struct command *const *commands)
{
	fputs("Usage: hpcprof [COMMAND] [options] [PROFILE]...\n\n"
	      "PROFILE is a measurement directory written by hpcrun, a datafile (*" CSP_SUFFIX
	      "),\na database written by hpcprof, a PROFILE or CSPROFILE in XML, or a file of "
	      "pprof,\n"
	      "callgrind, perf script or collapsed stacks. Commands that print a profile take the\n"
	      "newest measurement in the current directory by default.\n\n"
	      "Commands:\n",
	      out);
	for (const struct command *const *c = commands; *c; c++) {
		char left[48];
		snprintf(left, sizeof left, "%s%s%s", (*c)->name, (*c)->subject ? " " : "",
			 (*c)->subject ? (*c)->subject : "");
		fprintf(out, "  %-24s %s%s\n", left, (*c)->summary,
			c == commands ? " (the default)" : "");
	}
	fputs("\n'hpcprof COMMAND --help' lists the options of COMMAND. Options of all commands:\n",
	      out);
	print_tables(out, command_common_options);
	print_end(out);
	fputs("Manual: man hpcprof, man hpcprof-COMMAND.\n"
	      "Example: hpcrun python3 script.py; hpcprof\n",
	      out);
}

void command_help(FILE *out, const struct command *c)
{
	fprintf(out, "Usage: hpcprof %s [options]%s%s %s\n\n%c%s.\n\nOptions:\n", c->name,
		c->subject ? " " : "", c->subject ? c->subject : "",
		c->arguments ? c->arguments
		: c->newest  ? "[PROFILE]..."
			     : "PROFILE...",
		toupper((unsigned char)c->summary[0]), c->summary + 1);
	print_tables(out, c->options);
	print_tables(out, command_common_options);
	print_end(out);
	fprintf(out,
		"Manual: man hpcprof-%s, and man hpcprof for what all commands have in common.\n",
		c->name);
}
