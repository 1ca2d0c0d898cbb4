#include "runtime/signals.h"

#include "runtime/csprof.h"
#include "runtime/os/os.h"
#include "runtime/state.h"

/* What the program wants on our signals. A seqlock would be overdone: a program
 * that changes its action while the signal is under way must expect either. */
struct wish {
	int sig;
	struct sigaction act;
};
static struct wish wishes[2]; /* our signal, and SIGPROF */

static struct wish *wish_for(int sig)
{
	for (int i = 0; i < 2; i++)
		if (wishes[i].sig == sig)
			return &wishes[i];
	return NULL;
}

int csprof_signal_install(int sig)
{
	if (wish_for(sig))
		return 0;
	struct wish *w = wish_for(0);
	if (!w)
		return 0;
	int r = os_handle(sig, csprof_signal_handler, &w->act);
	if (r == 0)
		w->sig = sig;
	return r;
}

void csprof_signal_pass_on(int sig, siginfo_t *info, void *ucontext)
{
	struct wish *w = wish_for(sig);
	if (!w)
		return;
	if (w->act.sa_flags & SA_SIGINFO)
		w->act.sa_sigaction(sig, info, ucontext);
	else if (w->act.sa_handler == SIG_DFL && info->si_code <= 0 && info->si_code != SI_TIMER)
		os_default_action(sig); /* a late sample of ours is no reason to die */
	else if (w->act.sa_handler != SIG_DFL && w->act.sa_handler != SIG_IGN)
		w->act.sa_handler(sig);
}

int csprof_signal_set_action(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct wish *w = sig ? wish_for(sig) : NULL;
	if (!w)
		return 1;
	struct sigaction before = w->act;
	if (act)
		w->act = *act;
	if (old)
		*old = before;
	return 0;
}
