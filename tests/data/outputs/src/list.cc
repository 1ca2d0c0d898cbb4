/* Names that are mangled. */
#include "work.h"

extern "C" int run(int argc);

namespace list
{
template <typename T> struct node {
	T value;
	node *next;
	__attribute__((noinline)) T sum(int depth) const
	{
		return depth && next ? value + next->sum(depth - 1) : mix(value);
	}
};
template struct node<long>;
template struct node<unsigned char>;
} // namespace list

int work(const list::node<long> &n, const list::node<unsigned char> *m)
{
	return (int)n.sum(5) + m->sum(6) + run(7);
}
