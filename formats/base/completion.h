/* Completion of a command line for a shell. hpcrun and hpcprof, called with --complete and the
 * words of the line, print what the last word can be; the scripts in share/completion ask for it. A
 * line of the answer is one of
 *
 *     WORD<tab>DESCRIPTION    the last word, completed
 *     :file, :directory       any file or directory may follow, too (after "--option=", if the
 *                             word begins so)
 *     :names                  some of the words are names of files
 *     :command N              word N (from 0) begins a command with arguments of its own
 *
 * No allocation; one thread. */
#ifndef FORMATS_BASE_COMPLETION_H
#define FORMATS_BASE_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct completion_option {
	char letter;              /* 0: none */
	const char *name;         /* without its dashes */
	const char *argument;     /* its value's name; NULL: it takes none */
	const char *const *words; /* what the value can be, with a NULL at the end; NULL: other */
	const char *help;         /* newlines in it are printed as spaces */
};

/* Where the last word of a line is. */
struct completion {
	FILE *out;
	/* What is typed of it. That follows prefix, as in "--sort=". */
	const char *typed, *prefix;
	size_t prefix_length;
	/* The option of which it is the value; NULL: of none. */
	const struct completion_option *option;
	bool is_option; /* it is the beginning of an option */
	/* The words before it that are neither options nor their values. */
	const char *const *plain;
	size_t num_plain;
	size_t first_plain; /* the index of the first one in the line; num_words: there is none */
};

/* Find where the last of num_words words, at least one, is. plain has room for num_words. If
 * is_prefix, options end at the first word that is none. out is where the answer is printed. */
void completion_find(struct completion *c, const struct completion_option *options,
		     size_t num_options, const char *const *words, size_t num_words, bool is_prefix,
		     const char **plain, FILE *out);

/* Print a word if it begins with what is typed. Nothing is printed of a word with control
 * characters. help may be NULL. */
void completion_offer(const struct completion *c, const char *word, const char *help);
/* The same for the name of an option, with its dashes. */
void completion_offer_option(const struct completion *c, const struct completion_option *o);
/* The same for the values of c->option that are known by its words and the name of its argument:
 * FILE is a file, DIR a directory. */
void completion_offer_values(const struct completion *c);

#endif
