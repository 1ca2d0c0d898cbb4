#include "runtime/launcher/complete.h"

#include "formats/base/completion.h"
#include "runtime/launcher/control.h"
#include "runtime/launcher/detach_command.h"
#include "runtime/launcher/list_events.h"
#include "runtime/launcher/options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 64 };

static size_t options_of_table(struct completion_option *to)
{
	size_t n = 0;
	for (const struct launch_option *row = launch_option_table; row->name && n < MOST_OPTIONS;
	     row++)
		to[n++] =
		    (struct completion_option){row->id < LAUNCH_BUDGET ? (char)row->id : '\0',
					       row->name, row->argument, row->words, row->help};
	return n;
}

static void offer_event(void *c, const char *name, const char *text)
{
	completion_offer(c, name, text);
}

static void offer_signals(const struct completion *c)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (launch_signal_usable(sig) && sigabbrev_np(sig))
			completion_offer(c, sigabbrev_np(sig), sigdescr_np(sig));
	completion_offer(c, "RTMIN", "the first real-time signal");
}

static void offer_topics(const struct completion *c, bool debug)
{
	const char *name, *meaning;
	completion_offer(c, "help", debug ? "list the checks" : "list the topics");
	for (size_t i = 0; (name = launch_topic(debug, i, &meaning)); i++)
		completion_offer(c, name, meaning);
}

static void offer_values(struct completion *c)
{
	if (strcmp(c->option->name, "event") == 0)
		launch_each_name(offer_event, c);
	else if (strcmp(c->option->name, "signal") == 0)
		offer_signals(c);
	else if (strcmp(c->option->name, "verbose") == 0)
		offer_topics(c, false);
	else if (strcmp(c->option->name, "debug") == 0)
		offer_topics(c, true);
	completion_offer_values(c);
	if (strcmp(c->option->name, "store") == 0)
		puts(":directory");
}

/* "detach" and what follows. */
static void complete_detach(const char *const *words, size_t n)
{
	const char *plain[MOST_OPTIONS];
	struct completion_option options[MOST_OPTIONS];
	size_t num_options = launch_detach_options(options);
	struct completion c;
	if (n > MOST_OPTIONS)
		return;
	completion_find(&c, options, num_options, words + 1, n - 1, false, plain, stdout);
	if (!c.is_option)
		puts(":directory");
	for (size_t i = 0; c.is_option && i < num_options; i++)
		completion_offer_option(&c, &options[i]);
}

/* "control" and what follows: DIR, a verb and its options. */
static void complete_control(const char *const *words, size_t n)
{
	const char *plain[MOST_OPTIONS], *what, *help;
	struct completion_option options[MOST_OPTIONS];
	size_t num_options = launch_control_options(options);
	struct completion c;
	if (n > MOST_OPTIONS)
		return;
	completion_find(&c, options, num_options, words + 1, n - 1, false, plain, stdout);
	if (c.option)
		return;
	if (c.is_option)
		for (size_t i = 0; i < num_options; i++)
			completion_offer_option(&c, &options[i]);
	else if (c.num_plain == 0)
		puts(":directory");
	else if (c.num_plain == 1)
		for (size_t i = 0; (what = launch_control_verb(i, &help)); i++)
			completion_offer(&c, what, help);
}

static const struct {
	const char *name, *help;
} commands[] = {
    {"attach", "measure a process that runs already"},
    {"control", "stop, start and save a running measurement"},
    {"detach", "end the measurement of a process that goes on"},
};

int launch_complete(const char *const *words, size_t n)
{
	static const char *const nothing[] = {""};
	struct completion_option options[MOST_OPTIONS];
	size_t num_options = options_of_table(options);
	const char **plain = calloc(n + 1, sizeof(char *));
	struct completion c;
	if (!plain)
		return 1;
	if (!n) {
		words = nothing;
		n = 1;
	}
	bool control = n > 1 && strcmp(words[0], "control") == 0;
	if (control || (n > 1 && strcmp(words[0], "detach") == 0)) {
		(control ? complete_control : complete_detach)(words, n);
		free(plain);
		return 0;
	}
	bool attach = n > 1 && strcmp(words[0], "attach") == 0;
	words += attach;
	n -= attach;
	completion_find(&c, options, num_options, words, n, !attach, plain, stdout);
	if (c.option)
		offer_values(&c);
	else if (c.is_option)
		for (size_t i = 0; i < num_options; i++)
			completion_offer_option(&c, &options[i]);
	else if (!attach) {
		for (size_t i = 0; n == 1 && i < sizeof commands / sizeof *commands; i++)
			completion_offer(&c, commands[i].name, commands[i].help);
		printf(":command %zu\n", c.num_plain ? c.first_plain : n - 1);
	}
	free(plain);
	return 0;
}
