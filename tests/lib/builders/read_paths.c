#include "tests/lib/builders/read_paths.h"

#include "formats/base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 128 };

struct tree {
	struct build_tree built;
	VEC(struct build_node) nodes;
};

struct epoch {
	VEC(struct build_module) modules;
};

struct text {
	const char *path;
	unsigned line;
	char *words[MOST_WORDS];
	unsigned num_words;

	const char *target;
	VEC(struct build_metric) metrics;
	VEC(struct build_pair) process;
	VEC(struct build_thread) threads;
	VEC(struct build_account) account;
	VEC(struct build_trace) trace;
	VEC(struct epoch) epochs;
	VEC(struct tree) trees;
	struct build_epoch *built_epochs; /* from here LeakSanitizer finds them */
	struct build_tree *built_trees;
};

static struct text the_text; /* which is used until the process ends */

static _Noreturn void refuse(const struct text *t, const char *what)
{
	fprintf(stderr, "%s:%u: %s\n", t->path, t->line, what);
	exit(2);
}

/* What every vec_push and allocation here returns. */
static void need(const struct text *t, bool done)
{
	if (!done)
		refuse(t, "out of memory");
}

static void split(struct text *t, char *line)
{
	t->num_words = 0;
	for (char *at = line;;) {
		at += strspn(at, " \n");
		if (!*at || *at == '#')
			return;
		if (t->num_words == MOST_WORDS)
			refuse(t, "too many words");
		bool quoted = *at == '"';
		char *end = quoted ? strchr(++at, '"') : at + strcspn(at, " \n");
		if (!end)
			refuse(t, "a \" is not closed");
		t->words[t->num_words++] = at;
		at = *end ? end + 1 : end;
		*end = '\0';
	}
}

static uint64_t number_of(const struct text *t, const char *word)
{
	char *end;
	uint64_t v = strtoull(word, &end, 0);
	if (end == word || *end)
		refuse(t, "expected a number");
	return v;
}

static uint64_t number(const struct text *t, unsigned i)
{
	if (i >= t->num_words)
		refuse(t, "too few words");
	return number_of(t, t->words[i]);
}

static const char *word(const struct text *t, unsigned i)
{
	if (i >= t->num_words)
		refuse(t, "too few words");
	char *copy = strdup(t->words[i]);
	need(t, copy);
	return copy;
}

/* The value of a pair, in which \0 is a NUL. */
static struct build_pair pair(const struct text *t, unsigned i)
{
	struct build_pair p = {word(t, i), word(t, i + 1), 0};
	char *to = (char *)p.value, *nul;
	uint32_t n = (uint32_t)strlen(to);
	while ((nul = strstr(to, "\\0"))) {
		*nul = '\0';
		memmove(nul + 1, nul + 2, (size_t)(p.value + n - nul - 1));
		n--;
		to = nul + 1;
	}
	p.n = n;
	return p;
}

static void add_metric(struct text *t)
{
	struct build_pair *about = calloc(MOST_WORDS / 2, sizeof *about);
	struct build_metric m = {word(t, 1), number(t, 2), number(t, 3), about, 0};
	need(t, about);
	if (t->metrics.len == BUILD_METRICS)
		refuse(t, "too many metrics");
	for (unsigned i = 4; i < t->num_words; i += 2)
		about[m.num_about++] = pair(t, i);
	need(t, vec_push(&t->metrics, m));
}

static void add_tree(struct text *t)
{
	bool created = t->num_words > 3;
	struct tree tree = {.built = {.version = CSP_VERSION_TREE_T,
				      .epoch = (uint32_t)t->epochs.len - 1,
				      .thread = (uint32_t)number(t, 1),
				      .kind = (uint32_t)number(t, 2),
				      .creator_tree = created ? (uint32_t)number(t, 3) : CSP_NONE,
				      .creator_node = created ? number(t, 4) : 0}};
	need(t, vec_push(&tree.nodes, (struct build_node){0}) && vec_push(&t->trees, tree));
}

static uint64_t address(const struct text *t, char *text)
{
	const struct epoch *e = &t->epochs.at[t->trees.at[t->trees.len - 1].built.epoch];
	char *plus = strchr(text, '+');
	if (!plus)
		return number_of(t, text);
	*plus = '\0';
	for (size_t i = 0; i < e->modules.len; i++) {
		const char *name = e->modules.at[i].name;
		size_t n = strlen(name), end = strlen(text);
		if (n >= end && strcmp(name + n - end, text) == 0)
			return e->modules.at[i].mapped_address + number_of(t, plus + 1);
	}
	refuse(t, "no such module in the tree's epoch");
}

/* The node of a frame, which is added if there is none. */
static uint64_t child(const struct text *t, struct tree *tree, uint64_t parent, uint64_t ip)
{
	for (uint64_t i = 1; i < tree->nodes.len; i++)
		if (tree->nodes.at[i].parent == parent && tree->nodes.at[i].ip == ip)
			return i;
	need(t, vec_push(&tree->nodes, (struct build_node){.parent = parent, .ip = ip}));
	return tree->nodes.len - 1;
}

static void add_path(struct text *t)
{
	unsigned first = 1 + (unsigned)t->metrics.len;
	uint64_t at = 0;
	if (!t->trees.len)
		refuse(t, "a path before the first tree");
	if (t->num_words <= first || strcmp(t->words[first], ":") != 0)
		refuse(t, "expected a value for each metric and ':'");
	struct tree *tree = &t->trees.at[t->trees.len - 1];
	for (unsigned i = first + 1; i < t->num_words; i++)
		at = child(t, tree, at, address(t, t->words[i]));
	for (unsigned i = 0; i < t->metrics.len; i++)
		tree->nodes.at[at].metrics[i] += number(t, 1 + i);
}

static void add(struct text *t)
{
	const char *what = t->words[0];
	if (strcmp(what, "target") == 0)
		t->target = word(t, 1);
	else if (strcmp(what, "metric") == 0)
		add_metric(t);
	else if (strcmp(what, "process") == 0)
		need(t, vec_push(&t->process, pair(t, 1)));
	else if (strcmp(what, "thread") == 0)
		need(t, vec_push(&t->threads,
				 (struct build_thread){number(t, 1), word(t, 2), number(t, 3),
						       number(t, 4), number(t, 5)}));
	else if (strcmp(what, "account") == 0)
		need(t, vec_push(&t->account, (struct build_account){
						  (uint32_t)number(t, 1), (uint32_t)number(t, 2),
						  word(t, 3), number(t, 4), number(t, 5)}));
	else if (strcmp(what, "epoch") == 0)
		need(t, vec_push(&t->epochs, (struct epoch){0}));
	else if (strcmp(what, "module") == 0)
		need(t, vec_push(&t->epochs.at[t->epochs.len - 1].modules,
				 (struct build_module){word(t, 1), 0, number(t, 2), number(t, 3),
						       word(t, 4)}));
	else if (strcmp(what, "tree") == 0)
		add_tree(t);
	else if (strcmp(what, "path") == 0)
		add_path(t);
	else if (strcmp(what, "trace") == 0)
		need(t,
		     vec_push(&t->trace, (struct build_trace){number(t, 1), (uint32_t)number(t, 2),
							      (uint32_t)number(t, 3), number(t, 4),
							      number(t, 5)}));
	else
		refuse(t, "expected target, metric, process, thread, account, epoch, module, tree, "
			  "path or trace");
}

static struct build_file contents(struct text *t)
{
	struct build_epoch *epochs = calloc(t->epochs.len, sizeof *epochs);
	struct build_tree *trees = calloc(t->trees.len + 1, sizeof *trees);
	need(t, epochs && trees);
	t->built_epochs = epochs;
	t->built_trees = trees;
	for (size_t i = 0; i < t->epochs.len; i++)
		epochs[i] = (struct build_epoch){t->epochs.at[i].modules.at,
						 (uint32_t)t->epochs.at[i].modules.len};
	for (size_t i = 0; i < t->trees.len; i++) {
		trees[i] = t->trees.at[i].built;
		trees[i].nodes = t->trees.at[i].nodes.at;
		trees[i].num_nodes = t->trees.at[i].nodes.len;
	}
	return (struct build_file){
	    .target = t->target ? t->target : "",
	    .metrics = t->metrics.at,
	    .num_metrics = (uint32_t)t->metrics.len,
	    .epochs = epochs,
	    .num_epochs = (uint32_t)t->epochs.len,
	    .trees = trees,
	    .num_trees = (uint32_t)t->trees.len,
	    .process = t->process.at,
	    .num_process = (uint32_t)t->process.len,
	    .threads = t->threads.at,
	    .num_threads = (uint32_t)t->threads.len,
	    .account = t->account.at,
	    .num_account = (uint32_t)t->account.len,
	    .trace = t->trace.at,
	    .num_trace = t->trace.len,
	};
}

struct build_file read_paths(const char *path)
{
	struct text *t = &the_text;
	char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen(path, "r");

	t->path = path;
	if (!f)
		refuse(t, "cannot be opened");
	need(t, vec_push(&t->epochs, (struct epoch){0}));
	while (getline(&line, &cap, f) > 0) {
		t->line++;
		split(t, line);
		if (t->num_words)
			add(t);
	}
	free(line);
	fclose(f);
	return contents(t);
}
