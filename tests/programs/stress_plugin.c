/* A plugin that stress.cc repeatedly loads and unloads: a little work with a call, so that samples
 * are in a module that is loaded and unloaded. */
__attribute__((noinline)) static unsigned inner(unsigned n)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += i & 3;
	return sum;
}

unsigned plugin_work(unsigned n);

unsigned plugin_work(unsigned n)
{
	return inner(n) + 1;
}
