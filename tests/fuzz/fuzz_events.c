/* Fuzzes the argument of -e of hpcrun. What is accepted must be understood by the library, and stay
 * what it is when it is expanded again; else there is a message. */
#include "runtime/events/request.h"
#include "runtime/launcher/expand.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 700, ROOM = 2048 };

static void need(bool ok)
{
	if (!ok)
		abort();
}

static void understood(const char *list)
{
	struct csprof_event_requests all = {.n = 0};
	const char *why, *at;

	if (csprof_events_parse(list, &all, &at, &why) == 0) {
		need(all.n > 0 && all.n <= CSPROF_MAX_EVENTS);
		for (uint32_t i = 0; i < all.n; i++)
			need(all.of[i].name[0] && memchr(all.of[i].name, 0, CSPROF_NAME_BYTES) &&
			     (all.of[i].period || all.of[i].rate) && all.of[i].per_second);
	} else {
		need(at >= list && at <= list + strlen(list) && strlen(why) > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char list[LONGEST + 1], out[ROOM], again[ROOM], message[LAUNCH_MESSAGE_BYTES] = "";

	if (size > LONGEST)
		return 0;
	memcpy(list, data, size);
	list[size] = '\0';
	understood(list);
	if (launch_expand(list, false, out, sizeof out, message) < 0) {
		need(message[0]);
		return 0;
	}
	understood(out);
	need(launch_expand(out, false, again, sizeof again, message) == 0);
	need(strcmp(out, again) == 0);
	return 0;
}
