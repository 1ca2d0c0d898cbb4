/* Load, use and unload plugins, one after the other, which the loader maps to the same place if
 * possible; at the end the same in two threads.
 *
 *     epochs MILLISECONDS PLUGIN...
 *
 * Each plugin has a function work(ms) that uses CPU time in a function of its own. Prints the
 * address of each plugin. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int ms;

static void use(const char *plugin)
{
	void *library = dlopen(plugin, RTLD_NOW);
	void (*work)(int) = library ? (void (*)(int))dlsym(library, "work") : NULL;

	if (!work)
		exit(1);
	work(ms);
	printf("%p\n", (void *)work);
	dlclose(library);
}

static void *thread(void *plugin)
{
	use(plugin);
	return NULL;
}

__attribute__((noinline)) static void begin_threads(char **plugins)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, plugins[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	ms = atoi(argv[1]);
	for (int i = 2; i < argc; i++)
		use(argv[i]);
	for (int i = 2; i < argc; i++)
		use(argv[i]);
	begin_threads(argv + 2);
	return 0;
}
