/* A small library with inlined calls, nested blocks and a call through the PLT. */
extern int outside(int);

static inline __attribute__((always_inline)) int leaf(int x)
{
	if (x > 3) {
		int y = outside(x);
		return y + 1;
	}
	return x * 5;
}

static inline __attribute__((always_inline)) int middle(int x)
{
	int y = x * 3;
	return leaf(y) + leaf(y + 1);
}

__attribute__((noinline)) int outer(int x)
{
	return middle(x) + 1;
}

int loop(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		int part = outer(i);
		sum += middle(part);
	}
	return sum;
}
