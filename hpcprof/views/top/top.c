/* `hpcprof top DIR`: the functions and call paths on which a running program spends its time,
 * screen after screen. */
#include "hpcprof/command/list.h"
#include "hpcprof/correlate/label.h"
#include "hpcprof/metrics/attribute.h"
#include "hpcprof/views/text/text.h"
#include "hpcprof/views/top/live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
	USUAL_ROWS = 20,   /* functions shown without a terminal */
	USUAL_HEIGHT = 24, /* of a terminal whose height is not known */
	LEAST_ROWS = 3,
	OTHER_LINES = 7, /* of a screen: headings and empty lines */
	COLUMNS = 2,     /* attributed: since the last screen, and since the start */
};
#define USUAL_DELAY 2.0

struct top {
	FILE *out;
	const struct common *o;
	struct common plain; /* for the parts of the text view: with the current width */
	struct live live;
	uint64_t *now; /* [contexts]: since the last screen */
	uint64_t now_total;
	double moment; /* of this look, in seconds */
	/* of the previous screen; moment 0: there was none */
	struct live_sums last;
	double last_moment;
	bool terminal, keys; /* out is a terminal; keys can be read */
	unsigned width, height;
	struct termios saved;
};

/* ---- the terminal ---------------------------------------------------------------------- */

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void terminal_take(struct top *t)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	/* what is being written goes on, but poll returns in any case (signal(7)) */
	struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
	struct termios raw;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		sigaction(ends[i], &action, NULL);
	t->terminal = isatty(fileno(t->out));
	if (!t->terminal)
		return;
	if (isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &t->saved) == 0) {
		raw = t->saved;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		t->keys = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
	}
	fputs("\x1b[?1049h\x1b[?25l", t->out); /* the alternate screen, without a cursor */
}

static void terminal_give_back(struct top *t)
{
	if (t->keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &t->saved);
	if (t->terminal)
		fputs("\x1b[?25h\x1b[?1049l", t->out);
	fflush(t->out);
}

static void measure_terminal(struct top *t)
{
	struct winsize size;

	t->width = t->o->width;
	t->height = t->terminal ? USUAL_HEIGHT : 0;
	if (!t->terminal || ioctl(fileno(t->out), TIOCGWINSZ, &size) != 0)
		return;
	if (size.ws_row)
		t->height = size.ws_row;
	if (!getenv("COLUMNS") && size.ws_col >= 60)
		t->width = size.ws_col;
}

/* Wait for the next screen. False if the user has quit. */
static bool wait_for_next(struct top *t, double seconds)
{
	struct pollfd in = {.fd = t->keys ? STDIN_FILENO : -1, .events = POLLIN};
	char key = 0;

	if (stopped)
		return false;
	if (poll(&in, 1, (int)(seconds * 1000)) > 0 && read(STDIN_FILENO, &key, 1) <= 0)
		t->keys = false;
	return !stopped && key != 'q' && key != 'Q';
}

/* Print a screen over the previous one, so that it does not flicker. */
static void send(struct top *t, const char *screen, bool first)
{
	if (!t->terminal) {
		fprintf(t->out, "%s%s", first ? "" : "\n", screen);
	} else {
		const char *line = screen;
		fputs("\x1b[H", t->out);
		for (unsigned n = 0; *line && n + 1 < t->height; n++) {
			size_t len = strcspn(line, "\n");
			fprintf(t->out, "%.*s\x1b[K\n", (int)len, line);
			line += len + (line[len] == '\n');
		}
		fputs("\x1b[J", t->out);
	}
	fflush(t->out);
}

/* ---- one screen ---------------------------------------------------------------------------- */

static double seconds_now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void print_head(struct top *t, struct text *x)
{
	const struct live_sums *s = &t->live.sums;
	char all[LAYOUT_NUMBER_BYTES], samples[LAYOUT_NUMBER_BYTES];
	const char *where = layout_clean(&x->arena, t->o->profiles[0]);
	double wall = t->moment - t->last_moment;

	fprintf(x->out, "hpcprof top: %s", where ? where : "?");
	if (t->last_moment > 0 && wall > 0)
		fprintf(x->out, ": %.2f CPUs busy in the last %.1f s",
			s->cpu_ns > t->last.cpu_ns
			    ? (double)(s->cpu_ns - t->last.cpu_ns) / 1e9 / wall
			    : 0,
			wall);
	fprintf(x->out, "%s\n", t->keys ? " (q ends)" : "");
	fprintf(x->out, "  program images: %u running, %u ended", s->running, s->ended);
	if (s->killed)
		fprintf(x->out, " (%u killed)", s->killed);
	if (s->unreadable)
		fprintf(x->out, ", %u not readable", s->unreadable);
	fprintf(x->out, "; threads: %u running, %u ended\n", s->threads_running, s->threads_ended);
	fprintf(x->out, "  CPU time %s, %s samples\n", layout_value(all, s->cpu_ns, "ns"),
		layout_exact(samples, s->samples));
}

/* Order functions by value since the last screen, then since the start, then by name. */
static int by_now(const void *pa, const void *pb, void *context)
{
	const struct text *x = context;
	const uint64_t *values = x->a.by[BY_FUNCTION].exclusive;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	for (int k = 0; k < COLUMNS; k++) {
		uint64_t va = values[(size_t)a * COLUMNS + k], vb = values[(size_t)b * COLUMNS + k];
		if (va != vb)
			return va > vb ? -1 : 1;
	}
	return label_compare_functions(x->m, x->c, a, b);
}

static bool function_row(struct text *x, struct layout_table *table, uint32_t id)
{
	const uint64_t *self = x->a.by[BY_FUNCTION].exclusive + (size_t)id * COLUMNS;
	const uint64_t *total = x->a.by[BY_FUNCTION].inclusive + (size_t)id * COLUMNS;
	char number[LAYOUT_NUMBER_BYTES];
	const struct code_function *f = &x->c->functions.at[id];

	return text_value_cells(x, table, self[0], 0) &&
	       layout_number(table, layout_percent(number, total[0], x->columns[0].total)) &&
	       text_value_cells(x, table, self[1], 1) &&
	       layout_cell(table, label_function(x->c, &x->arena, id)) &&
	       layout_cell(table, label_module_base(x->m, &x->arena, f->module));
}

static bool print_functions(struct top *t, struct text *x)
{
	static const struct layout_column titles[] = {{"now", true, CUT_NOT, 0},
						      {"", true, CUT_NOT, 0},
						      {"total", true, CUT_NOT, 0},
						      {"so far", true, CUT_NOT, 0},
						      {"", true, CUT_NOT, 0},
						      {"function", false, CUT_NAME, 12},
						      {"load module", false, CUT_LEFT, 11}};
	struct layout_table table = {
	    .arena = &x->arena, .columns = titles, .num_columns = sizeof titles / sizeof *titles};
	size_t rows = x->a.by[BY_FUNCTION].num_rows, n = 0, most = USUAL_ROWS;
	uint32_t *ids = malloc((rows + 1) * sizeof *ids);
	bool ok = ids != NULL;

	if (t->o->rows)
		most = t->o->rows;
	else if (t->height)
		most = t->height / 2 > OTHER_LINES + LEAST_ROWS ? t->height / 2 - OTHER_LINES / 2
								: LEAST_ROWS;
	for (uint32_t i = 0; ok && i < rows; i++)
		if (x->a.by[BY_FUNCTION].exclusive[(size_t)i * COLUMNS + 1])
			ids[n++] = i;
	if (ok)
		qsort_r(ids, n, sizeof *ids, by_now, x);
	for (size_t i = 0; ok && i < n && i < most; i++)
		ok = function_row(x, &table, ids[i]);
	if (ok) {
		fputc('\n', x->out);
		ok = layout_print(x->out, &table, t->width);
	}
	layout_table_deinit(&table);
	free(ids);
	return ok;
}

/* Compute the values since the last screen. A value that became smaller counts as 0. */
static int subtract(struct top *t, struct error *e)
{
	uint32_t n = model_num_contexts(t->live.model);

	free(t->now);
	t->now = malloc((size_t)n * sizeof *t->now);
	if (!t->now)
		return error_memory(e, n * sizeof *t->now);
	t->now_total = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t now = t->live.now[i], before = t->last_moment > 0 ? t->live.before[i] : 0;
		t->now[i] = now > before ? now - before : 0;
		t->now_total += t->now[i];
	}
	return 0;
}

static int print_data(struct top *t, struct text *x, struct error *e)
{
	const uint64_t *values[COLUMNS] = {t->now, t->live.now};
	const char *metric = layout_clean(&x->arena, t->live.metric);
	struct shown_metric columns[COLUMNS] = {{.values = values[0],
						 .unit = t->live.unit,
						 .metric_name = metric,
						 .total = t->now_total},
						{.values = values[1],
						 .unit = t->live.unit,
						 .metric_name = metric,
						 .name = metric,
						 .total = t->live.sums.value}};
	bool ok;

	t->plain = *t->o;
	t->plain.width = t->width;
	x->o = &t->plain;
	columns[0].name = text_format(x, "%s since the %s", metric ? metric : "",
				      t->last_moment > 0 ? "last screen" : "start");
	x->columns = columns;
	x->num_columns = COLUMNS;
	if (attribute(x->m, x->c, ATTRIBUTE(BY_FUNCTION), values, COLUMNS, &x->a, e) != 0)
		return -1;
	ok = metric && columns[0].name && print_functions(t, x) && text_paths_choose(x) &&
	     text_paths(x) && !x->starved;
	text_paths_deinit(x);
	attribute_deinit(&x->a);
	x->columns = NULL;
	return ok ? 0 : error_memory(e, 0);
}

static int print_screen(struct top *t, FILE *out, struct error *e)
{
	struct text x = {.out = out, .m = t->live.model, .c = &t->live.code, .o = t->o};
	int rc = subtract(t, e);

	if (rc == 0) {
		print_head(t, &x);
		if (t->live.files.len)
			rc = print_data(t, &x, e);
		else
			fprintf(out, "\n  waiting for data\n");
	}
	arena_deinit(&x.arena);
	return rc;
}

static int look(struct top *t, struct error *e)
{
	int rc = live_look(&t->live, t->o->profiles[0], e);

	t->moment = seconds_now();
	return rc;
}

/* Whether nothing is measured now: no process runs, and hpcrun has ended, or was killed. */
static bool is_over(const struct top *t)
{
	const struct live_sums *s = &t->live.sums;

	return !s->running && (s->killed || !s->linked);
}

/* The first look. hpcrun may just be starting, which takes a moment. */
static int look_first(struct top *t, struct error *e)
{
	enum { LOOKS = 5, PAUSE_MS = 100 };
	int rc = look(t, e);

	for (int i = 1; rc == 0 && i < LOOKS && is_over(t) && !t->live.files.len; i++) {
		poll(NULL, 0, PAUSE_MS);
		rc = look(t, e);
	}
	if (rc == 0 && is_over(t) && !t->live.files.len)
		rc = error_set(e, ERROR_SYSTEM,
			       "%s: nothing is measured into this directory (start 'hpcrun -o %s "
			       "COMMAND' first)",
			       t->o->profiles[0], t->o->profiles[0]);
	if (rc == 0 && t->live.wanted && !t->live.metric[0] && t->live.files.len)
		rc = error_set(
		    e, ERROR_USAGE,
		    "%s: the metric %s is not measured ('hpcprof %s' shows those that are)",
		    t->o->profiles[0], t->live.wanted, t->o->profiles[0]);
	return rc;
}

/* The directory has to be there: a wrong name would be waited for. */
static int check_directory(const char *path, struct error *e)
{
	struct stat st;
	int problem = stat(path, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;

	return problem
		   ? error_set(e, ERROR_SYSTEM, "%s: %s (name the directory that hpcrun writes to)",
			       path, strerror(problem))
		   : 0;
}

static int show_screen(struct top *t, bool first, struct error *e)
{
	char *screen = NULL;
	size_t n = 0;
	FILE *out;
	int rc;

	measure_terminal(t);
	out = open_memstream(&screen, &n);
	if (!out)
		return error_memory(e, n);
	rc = print_screen(t, out, e);
	if (fclose(out) != 0 && rc == 0)
		rc = error_memory(e, n);
	if (rc == 0)
		send(t, screen, first);
	free(screen);
	t->last = t->live.sums;
	t->last_moment = t->moment;
	return rc;
}

struct top_options {
	struct common common;
	const char *metric; /* or NULL */
	double delay;       /* seconds */
	uint64_t screens;   /* 0: until it is stopped */
};

/* Screen after screen, until the user or the measurement ends. That it is over has to be seen
 * twice: a process that ends may be between its store and its datafile. */
static int show_screens(struct top *t, const struct top_options *own, struct error *e)
{
	bool over = is_over(t), was_over = over;
	int rc = 0;

	for (uint64_t n = 0; rc == 0 && (!own->screens || n < own->screens); n++) {
		if (n && ((over && was_over) || !wait_for_next(t, own->delay)))
			break;
		was_over = over;
		if (n)
			rc = look(t, e);
		over = is_over(t);
		if (rc == 0)
			rc = show_screen(t, n == 0, e);
	}
	return rc;
}

static int run(FILE *out, const void *options, struct diag *d, struct error *e)
{
	const struct top_options *own = options;
	const struct common *o = &own->common;
	struct top t = {.out = out, .o = o};
	const struct symbolizer_options symbols = correlate_symbolizer(o);
	bool shows = false;
	int rc;

	if (o->num_profiles != 1)
		return error_set(e, ERROR_USAGE, "top takes one directory");
	if (check_directory(o->profiles[0], e) != 0)
		return -1;
	rc = live_init(&t.live, &symbols, own->metric, e);
	if (rc == 0)
		rc = look_first(&t, e);
	if (rc == 0) {
		/* what is over is shown once, and stays on the terminal */
		shows = !is_over(&t);
		if (shows)
			terminal_take(&t);
		rc = show_screens(&t, own, e);
		if (shows)
			terminal_give_back(&t);
	}
	if (rc == 0 && is_over(&t))
		diag_notice(d, o->profiles[0],
			    "no measured process runs%s ('hpcprof %s' shows the report)",
			    shows ? " any more" : "", o->profiles[0]);
	live_deinit(&t.live);
	free(t.now);
	return rc;
}

static void set_defaults(void *options)
{
	struct top_options *o = options;

	o->delay = USUAL_DELAY;
	o->common.page = false;
}

static const struct option_row own_options[] = {
    {'m', "metric", "METRIC", "show this metric", option_string,
     offsetof(struct top_options, metric), NULL},
    {'d', "delay", "SECONDS", "time from one screen to the next (2)", option_seconds,
     offsetof(struct top_options, delay), NULL},
    {0, "screens", "COUNT", "stop after COUNT screens (0: never)", option_count,
     offsetof(struct top_options, screens), NULL},
    {0}};

static const struct option_row *const tables[] = {own_options, common_rows_options,
						  common_symbols_options, NULL};

const struct command top_command = {
    .name = "top",
    .summary = "the running program's hottest functions and paths, refreshed (DIR)",
    .newest = true,
    .options = tables,
    .size = sizeof(struct top_options),
    .set_defaults = set_defaults,
    .run = run,
};
