/* SIGEV_THREAD: libc runs the program's notification functions in threads that it does not make
 * with pthread_create. Each is measured from the beginning of the function to its end. */
#include "runtime/interception/intercept.h"

#include "runtime/os/os.h"
#include "runtime/process/fork_detect.h"
#include "runtime/process/process.h"
#include "runtime/process/state.h"
#include "runtime/process/thread.h"

#include <errno.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

typedef void notify_function(union sigval);

enum kind { UNUSED, TIMER, QUEUE };

/* What the program requested. libc gets its address instead of the value. */
struct request {
	struct request *next;
	enum kind kind;
	uintptr_t id; /* of the timer or queue */
	notify_function *function;
	union sigval value;
};

/* Notifications that are already on their way when a timer is deleted are still delivered: its
 * request is kept until KEPT others were given up after it. All under the process's lock. */
enum { KEPT = 256, TOGETHER = 64 };
static struct request *requests;          /* in use */
static struct request *given_up, *newest; /* list from the oldest to the newest */
static uint32_t num_given_up;
static struct request *fresh; /* never used */
static uint32_t num_fresh;

/* Memory for a request, or NULL. */
static struct request *find_memory(void)
{
	if (num_given_up > KEPT) {
		struct request *oldest = given_up;
		given_up = oldest->next;
		num_given_up--;
		return oldest;
	}
	if (num_fresh == 0) {
		fresh = os_map(TOGETHER * sizeof *fresh);
		num_fresh = fresh ? TOGETHER : 0;
	}
	return num_fresh ? &fresh[--num_fresh] : NULL;
}

static struct request *take(notify_function *function, union sigval value)
{
	csprof_lock();
	struct request *r = find_memory();
	if (r) {
		*r = (struct request){.next = requests, .function = function, .value = value};
		requests = r;
	}
	csprof_unlock();
	return r;
}

static void give_up(struct request **link)
{
	struct request *r = *link;
	*link = r->next;
	r->next = NULL;
	r->kind = UNUSED;
	if (num_given_up++ == 0)
		given_up = r;
	else
		newest->next = r;
	newest = r;
}

static void give_up_request(struct request *r)
{
	csprof_lock();
	for (struct request **link = &requests; *link;)
		if (*link == r)
			give_up(link);
		else
			link = &(*link)->next;
	csprof_unlock();
}

/* From now on r (NULL: none) is the request of kind and id. */
static void replace(enum kind kind, uintptr_t id, struct request *r)
{
	csprof_lock();
	for (struct request **link = &requests; *link;)
		if (*link != r && (*link)->kind == kind && (*link)->id == id)
			give_up(link);
		else
			link = &(*link)->next;
	if (r) {
		r->kind = kind;
		r->id = id;
	}
	csprof_unlock();
}

static void measure(const struct request *r)
{
	pthread_attr_t attributes;
	void *low = NULL;
	size_t size = 0;
	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		pthread_attr_getstack(&attributes, &low, &size);
		pthread_attr_destroy(&attributes);
	}
	csprof_thread_start(NULL, (uintptr_t)low, (uintptr_t)low + size);
	csprof_thread_end_later();
	os_unblock_signal(csprof_process.sig); /* threads of mq_notify have all signals blocked */
	r->function(r->value);
	csprof_thread_end();
}

static void run_timer(union sigval given)
{
	struct request r = *(struct request *)given.sival_ptr;
	measure(&r);
}

/* A queue notifies once. */
static void run_queue(union sigval given)
{
	struct request r = *(struct request *)given.sival_ptr;
	give_up_request(given.sival_ptr);
	measure(&r);
}

/* Set *ours to the program's event with our function in it. Returns the request, or NULL if the
 * event is to be passed on unchanged. */
static struct request *stand_before(const struct sigevent *event, struct sigevent *ours,
				    notify_function *function)
{
	csprof_fork_detect_adopt();
	if (!event || event->sigev_notify != SIGEV_THREAD || !event->sigev_notify_function ||
	    !csprof_process_measured())
		return NULL;
	struct request *r = take(event->sigev_notify_function, event->sigev_value);
	if (!r)
		return NULL;
	*ours = *event;
	ours->sigev_notify_function = function;
	ours->sigev_value.sival_ptr = r;
	return r;
}

/* taken: libc has accepted the request for kind and id. Leaves errno unchanged. */
static void settle(struct request *r, bool taken, enum kind kind, uintptr_t id)
{
	int saved = errno;
	if (taken)
		replace(kind, id, r);
	else if (r)
		give_up_request(r);
	errno = saved;
}

CSPROF_WRAPPER int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "timer_create");
	struct sigevent ours;
	struct request *r = stand_before(event, &ours, run_timer);
	int result = ((int (*)(clockid_t, struct sigevent *, timer_t *))real)(
	    clock, r ? &ours : event, timer);
	if (r)
		settle(r, result == 0, TIMER, result == 0 ? (uintptr_t)*timer : 0);
	return result;
}

CSPROF_WRAPPER int timer_delete(timer_t timer)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "timer_delete");
	if (requests)
		settle(NULL, true, TIMER, (uintptr_t)timer);
	return ((int (*)(timer_t))real)(timer);
}

CSPROF_WRAPPER int mq_notify(mqd_t queue, const struct sigevent *event)
{
	static _Atomic(void *) real;
	CSPROF_GRAB_FUNCPTR(real, "mq_notify");
	struct sigevent ours;
	struct request *r = stand_before(event, &ours, run_queue);
	int result = ((int (*)(mqd_t, const struct sigevent *))real)(queue, r ? &ours : event);
	if (r || (result == 0 && requests))
		settle(r, result == 0, QUEUE, (uintptr_t)queue);
	return result;
}
