// Templates, methods inlined and not, a lambda, constructors, a local class.
#include <cstdio>
#include <string>
#include <vector>

namespace shapes
{
template <typename T> __attribute__((noinline)) T twice(T x) // DECL twice
{
	asm volatile("" : "+r"(x));
	return x + x;
}

struct box {
	int width;
	__attribute__((noinline)) explicit box(int w) : width(w) // DECL box
	{
		asm volatile("" : : "r"(this) : "memory");
	}
	int area() const; // the declaration
};

__attribute__((noinline)) int box::area() const // DECL area
{
	asm volatile("" : : "r"(this) : "memory");
	return width * width;
}
} // namespace shapes

template <typename F> __attribute__((noinline)) int apply(F f, int x)
{
	asm volatile("" : "+r"(x));
	return f(x) + 1;
}

__attribute__((noinline)) int risky(int x) // DECL risky
{
	std::string text(x, 'x');
	if (x > 1000)
		throw text;
	return (int)text.size();
}

int main(int argc, char **argv)
{
	struct local {
		int n;
		__attribute__((noinline)) int get() // DECL get
		{
			asm volatile("" : : "r"(this) : "memory");
			return n;
		}
	} here{argc};
	auto add = [argc](int x) __attribute__((noinline))
	{ // DECL lambda
		asm volatile("" : "+r"(x));
		return x + argc;
	};
	std::vector<std::string> words(argv, argv + argc);
	shapes::box b(argc);
	return shapes::twice(argc) + (int)shapes::twice(2.5) + b.area() + apply(add, 3) +
	       here.get() + (int)words.size() + risky(argc);
}
