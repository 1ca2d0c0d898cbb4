/* What stress.cc loads and unloads all the time: a bit of work with a call in it,
 * so that samples fall into a module that comes and goes. */
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
