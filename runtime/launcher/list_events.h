/* hpcrun -l and -L: the events of this machine. */
#ifndef RUNTIME_LAUNCHER_LIST_EVENTS_H
#define RUNTIME_LAUNCHER_LIST_EVENTS_H

#include <stdbool.h>

/* Print what this user can sample on this machine. details: also how, and what cannot be sampled,
 * why, and the remedy. */
void launch_list_events(bool details);

/* Call each(what, name, text) for those with a name of their own. */
typedef void launch_each_event(void *what, const char *name, const char *text);
void launch_each_name(launch_each_event *each, void *what);

#endif
