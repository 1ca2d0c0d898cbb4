/* Output in a pager: less, or what HPCPROF_PAGER or PAGER names, run by the shell; "" or "cat" is
 * none. For the main thread, before it starts others; once per process. */
#ifndef HPCPROF_TERMINAL_PAGER_H
#define HPCPROF_TERMINAL_PAGER_H

/* If standard output is a terminal, start a process that becomes the pager when there is something
 * to show: later, none may be started (see sandbox.h). */
void pager_prepare(void);
/* If there is a pager, which is prepared now if it was not before, connect standard output to it,
 * and standard error if that is a terminal, too. With LESS not set, less ends by itself if
 * everything fits the screen. From then on an interrupt from the keyboard is the pager's. If the
 * pager cannot be run, the output goes to the terminal. */
void pager_begin(void);
/* If there is a pager: close standard output, connect standard error to the terminal again, and
 * wait until the user has left the pager. */
void pager_end(void);
/* The same without what standard output still holds, when the process must end at once.
 * Async-signal-safe. */
void pager_leave(void);

#endif
