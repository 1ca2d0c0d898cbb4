/* What the text view says of all processes together. */
#include "hpcprof/model/sum.h"
#include "hpcprof/views/text/text.h"

#include <stdlib.h>
#include <string.h>

/* Earlier images first. Images that began together are in the order of their datafiles. */
int text_by_start(const void *pa, const void *pb)
{
	const struct model_process *a = *(const struct model_process *const *)pa;
	const struct model_process *b = *(const struct model_process *const *)pb;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* By host and pid, so that images of one process are adjacent. Strings of the model are interned,
 * so hosts are compared by pointer. */
static int by_identity(const void *pa, const void *pb)
{
	const struct model_process *a = *(const struct model_process *const *)pa;
	const struct model_process *b = *(const struct model_process *const *)pb;

	if (a->host != b->host)
		return (uintptr_t)a->host < (uintptr_t)b->host ? -1 : 1;
	if (a->has_pid != b->has_pid)
		return a->has_pid ? 1 : -1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static bool same_process(const struct model_process *a, const struct model_process *b)
{
	return a->has_pid && b->has_pid && by_identity(&a, &b) == 0;
}

/* Whether the parent is in known, which is sorted by identity. */
static bool is_child(const struct model_process *p, const struct model_process *const *known,
		     size_t n)
{
	const struct model_process parent = {.host = p->host, .has_pid = true, .pid = p->ppid};
	const struct model_process *key = &parent;

	return p->ppid != p->pid &&
	       bsearch(&key, known, n, sizeof(struct model_process *), by_identity);
}

/* known is sorted by identity; the first process was found. */
static void count_distinct(struct text_span *s, const struct model_process *const *known, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		s->processes += !i || !same_process(known[i - 1], known[i]);
		s->hosts += known[i]->host[0] && (!i || known[i - 1]->host != known[i]->host);
		s->several_tools |= known[i]->tool[0] && known[i]->tool != s->first->tool;
	}
}

/* Find the earliest process that no other started, and its last image. If parents form a cycle, use
 * the earliest process. */
static void find_first(struct text_span *s, const struct model_process *const *sorted,
		       const struct model_process *const *known, size_t n)
{
	s->first = sorted[0];
	for (size_t i = 0; i < n; i++)
		if (!is_child(sorted[i], known, n)) {
			s->first = sorted[i];
			break;
		}
	s->last = s->first;
	for (size_t i = 0; i < n; i++)
		if (same_process(sorted[i], s->first))
			s->last = sorted[i];
}

const struct model_process **text_sorted_processes(const struct model *m,
						   int (*order)(const void *, const void *))
{
	size_t n = m->processes.len;
	const struct model_process **sorted = calloc(n + 1, sizeof(struct model_process *));

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = &m->processes.at[i];
	if (sorted)
		qsort(sorted, n, sizeof(struct model_process *), order);
	return sorted;
}

bool text_span_measure(const struct text *t, struct text_span *s)
{
	size_t n = t->m->processes.len;
	const struct model_process **sorted = text_sorted_processes(t->m, text_by_start);
	const struct model_process **known = text_sorted_processes(t->m, by_identity);
	bool ok = sorted && known, saturated = false;

	memset(s, 0, sizeof *s);
	for (size_t i = 0; ok && i < n; i++) {
		const struct model_process *p = sorted[i];
		s->cpu_ns = sum_add(s->cpu_ns, p->cpu_ns, &saturated);
		s->outside_ns = sum_add(s->outside_ns, p->outside_ns, &saturated);
		if (p->process_ns > p->cpu_ns)
			s->unseen_ns = sum_add(s->unseen_ns, p->process_ns - p->cpu_ns, &saturated);
		s->waited_ns = sum_add(s->waited_ns, p->waited_ns, &saturated);
		s->has_cpu |= p->has_cpu;
		s->threads += p->threads - p->has_ended;
		s->more_threads |= p->has_ended;
	}
	ok = ok && wall_time_measure(t->m, NULL, NULL, &s->wall);
	if (ok) {
		find_first(s, sorted, known, n);
		count_distinct(s, known, n);
		/* a thread that called exec is in both images: count it once */
		s->threads -= s->threads > n - s->processes ? n - s->processes : 0;
	}
	free(sorted);
	free(known);
	return ok;
}

const char *text_command_of(const struct model_process *p)
{
	return p->command[0] ? p->command : p->executable[0] ? p->executable : p->path;
}

/* The command without the folder of its program, because there is little room in a table. */
const char *text_short_command(struct text *t, const struct model_process *p)
{
	const char *command = layout_clean(&t->arena, text_command_of(p)), *at = command;

	for (size_t i = 0, n = at ? strcspn(at, " ") : 0; i + 1 < n; i++)
		if (at[i] == '/')
			command = at + i + 1;
	return command;
}
