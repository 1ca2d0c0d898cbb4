#include "formats/base/workers.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct worker {
	void (*work)(void *item);
	void *item;
	pthread_t thread;
	bool started;
};

static void *run(void *context)
{
	struct worker *w = context;

	w->work(w->item);
	return NULL;
}

void workers_run(void (*work)(void *item), void *items, size_t size, size_t n)
{
	struct worker *workers = n > 1 ? calloc(n, sizeof *workers) : NULL;

	for (size_t i = 1; workers && i < n; i++) {
		workers[i].work = work;
		workers[i].item = (char *)items + i * size;
		workers[i].started =
		    pthread_create(&workers[i].thread, NULL, run, &workers[i]) == 0;
	}
	if (n)
		work(items);
	for (size_t i = 1; i < n; i++)
		if (!workers || !workers[i].started)
			work((char *)items + i * size);
	for (size_t i = 1; workers && i < n; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
	free(workers);
}
