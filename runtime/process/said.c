#include "runtime/process/said.h"

#include "formats/encode.h"
#include "formats/store/said.h"
#include "runtime/base/options.h"
#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/process/control.h"
#include "runtime/process/labels.h"
#include "runtime/process/regions.h"
#include "runtime/process/samplers.h"
#include "runtime/sample/epoch.h"
#include "runtime/sandboxes/seccomp.h"

#include <string.h>

/* ---- by the program that started this one ------------------------------------------------- */

static void set_label(const struct label_list_item *item)
{
	csprof_label_put(item->key, item->number ? CSP_LABEL_NUMBER : CSP_LABEL_TEXT, item->value);
}

void csprof_said_begin(const char *list)
{
	struct label_list_item item;
	while (list && label_list_next(&list, &item))
		if (item.region)
			csprof_region_give(item.key);
		else
			set_label(&item);
}

size_t csprof_said_list(char *out)
{
	return csprof_regions_list(out, csprof_labels_list(out, 0));
}

/* ---- by hpcrun-mark ----------------------------------------------------------------------- */

static bool name_file(char path[PATH_MAX], uint32_t sender)
{
	size_t n = strlen(csprof_options.out);
	enum { NUMBERS = 2 * 20 + 1 };
	if (n == 0 || n + sizeof "/" STORE_SAID_FILE + NUMBERS > PATH_MAX)
		return false;
	memcpy(path, csprof_options.out, n);
	memcpy(path + n, "/" STORE_SAID_FILE, sizeof STORE_SAID_FILE);
	n += sizeof STORE_SAID_FILE;
	n += csp_format_u64(path + n, csprof_process.pid);
	path[n++] = '-';
	n += csp_format_u64(path + n, sender);
	path[n] = '\0';
	return true;
}

static bool read_request(const char *path, struct store_said *out)
{
	int fd = os_is_file(path) ? os_open_read(path) : -1;
	if (fd < 0)
		return false;
	int n = os_read(fd, out, sizeof *out);
	os_close(fd);
	return n == (int)sizeof *out && memchr(out->list, '\0', sizeof out->list) &&
	       memchr(out->unit, '\0', sizeof out->unit);
}

/* Add to a metric at the interrupted path, or if there is none, at that of our caller. Returns
 * false if it is to be done later. */
static bool record(csprof_state_t *state, const struct store_said *said, const char *name,
		   const void *ucontext)
{
	enum csp_disposition why;
	struct csprof_recording r = {.n = 0};
	int metric = csprof_metric_of_program(name, said->unit);
	if (metric < 0 || !csprof_recording_add(&r, (uint32_t)metric, said->amount))
		return true; /* it never can be */
	csprof_epoch_add_notes();
	if (!ucontext) {
		csprof_record(&r);
		return true;
	}
	if (atomic_exchange(&state->busy, true))
		return false;
	bool done = !csprof_samplers_wanted(state) || (!csprof_context_is_unsafe(ucontext, &why) &&
						       csprof_record_interrupted(ucontext, &r));
	atomic_store(&state->busy, false);
	if (csprof_samplers_pending(state))
		csprof_sample_defer(NULL);
	return done;
}

static void do_item(const struct store_said *said, const struct label_list_item *item)
{
	switch (said->kind) {
	case STORE_SAID_LABEL:
		set_label(item);
		return;
	case STORE_SAID_UNLABEL:
		csprof_label_text(item->key, NULL, false);
		return;
	case STORE_SAID_BEGIN:
		csprof_region_begin_passed(item->key);
		return;
	case STORE_SAID_END:
		csprof_region_end(item->key);
		return;
	default:
		return;
	}
}

/* Returns false if it is to be done later. */
static bool do_request(csprof_state_t *state, const struct store_said *said, const void *ucontext)
{
	struct label_list_item item;
	const char *list = said->list;
	if (said->kind == STORE_SAID_STOP || said->kind == STORE_SAID_START)
		csprof_control_process(said->kind == STORE_SAID_STOP);
	else if (said->kind == STORE_SAID_RECORD)
		return !label_list_next(&list, &item) || record(state, said, item.key, ucontext);
	else if (said->kind == STORE_SAID_END && !*list)
		csprof_region_end(NULL);
	else
		while (label_list_next(&list, &item))
			do_item(said, &item);
	return true;
}

/* Whether the thread is not in code of ours that the request would change something of. */
static bool is_free(csprof_state_t *state, uint32_t sender, const void *ucontext)
{
	enum { STACK_NEEDED = 14 * 1024 };
	if (!state || atomic_load(&state->busy) || csprof_confined() ||
	    os_stack_room(ucontext) < STACK_NEEDED)
		return false;
	if (atomic_load(&state->saying)) {
		atomic_store(&state->saying, sender);
		return false;
	}
	if (!csprof_try_lock())
		return false;
	csprof_unlock();
	return true;
}

static void answer(csprof_state_t *state, uint32_t sender, const void *ucontext)
{
	char path[PATH_MAX];
	struct store_said said;
	if (name_file(path, sender) && read_request(path, &said) &&
	    do_request(state, &said, ucontext))
		os_unlink(path);
}

void csprof_said_late(uint32_t sender)
{
	answer(csprof_self, sender, NULL);
}

bool csprof_said_signal(csprof_state_t *state, const siginfo_t *info, const void *ucontext)
{
	uint32_t sender = (uint32_t)info->si_pid;
	if (info->si_code != SI_QUEUE ||
	    (uintptr_t)info->si_value.sival_ptr != (uintptr_t)STORE_SAID_VALUE)
		return false;
	if (is_free(state, sender, ucontext))
		answer(state, sender, ucontext);
	return true;
}
