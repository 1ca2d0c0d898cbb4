// A C++ program as a profiler meets them: templates, virtual calls, inlined
// helpers, exceptions thrown through many frames, deep recursion, the standard
// library's sort.
//
//     cxx ROUNDS
//
// Prints checksums on stdout, a line on stderr, and exits with status 3.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define KEEP __attribute__((noinline))

namespace shapes
{

template <typename Number, unsigned Degree> struct Polynomial {
	Number factor[Degree + 1];

	Number at(Number x) const
	{
		Number sum = factor[Degree];
		for (unsigned i = Degree; i-- > 0;)
			sum = sum * x + factor[i];
		return sum;
	}
};

template <typename Number, unsigned Degree> KEEP Number integrate(unsigned steps)
{
	Polynomial<Number, Degree> p;
	for (unsigned i = 0; i <= Degree; i++)
		p.factor[i] = Number(i + 1) / Number(7);
	Number sum = 0;
	for (unsigned i = 0; i < steps; i++)
		sum += p.at(Number(i) / Number(steps));
	return sum;
}

struct Tree {
	std::unique_ptr<Tree> left, right;
	uint64_t key;

	virtual ~Tree() = default;
	virtual uint64_t sum() const
	{
		return key + (left ? left->sum() : 0) + (right ? right->sum() : 0);
	}
};

struct Negative : Tree {
	uint64_t sum() const override
	{
		return Tree::sum() - 2 * key;
	}
};

KEEP std::unique_ptr<Tree> grow(unsigned depth, uint64_t &seed)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	std::unique_ptr<Tree> node(seed >> 63 ? new Negative : new Tree);
	node->key = seed >> 40;
	if (depth) {
		node->left = grow(depth - 1, seed);
		node->right = grow(depth - 1, seed);
	}
	return node;
}

KEEP unsigned thrower(unsigned depth)
{
	if (depth == 0)
		throw std::runtime_error("the bottom");
	std::string guard(20, char('a' + depth % 26)); // something to destroy on the way
	return thrower(depth - 1) + unsigned(guard.size());
}

KEEP unsigned catcher(unsigned times, unsigned depth)
{
	unsigned caught = 0;
	for (unsigned i = 0; i < times; i++) {
		try {
			thrower(depth);
		} catch (const std::exception &) {
			caught++;
		}
	}
	return caught;
}

KEEP uint64_t deep(unsigned depth, uint64_t value)
{
	volatile uint64_t work = value;
	for (unsigned i = 0; i < 200; i++)
		work = work * 3 + depth;
	return depth ? deep(depth - 1, work) + 1 : work;
}

KEEP size_t sort_strings(unsigned count)
{
	std::vector<std::string> list;
	std::map<std::string, unsigned> seen;
	uint64_t seed = 1;
	for (unsigned i = 0; i < count; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		list.push_back(std::to_string(seed >> 45));
	}
	std::sort(list.begin(), list.end(), [](const std::string &a, const std::string &b) {
		return std::lexicographical_compare(b.begin(), b.end(), a.begin(), a.end());
	});
	for (const std::string &text : list)
		seen[text]++;
	return seen.size();
}

} // namespace shapes

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? unsigned(std::atoi(argv[1])) : 4;
	uint64_t seed = 42, sum = 0;
	double area = 0;
	size_t strings = 0;
	unsigned caught = 0;

	for (unsigned i = 0; i < rounds; i++) {
		area += shapes::integrate<double, 5>(3000000);
		area += double(shapes::integrate<float, 3>(3000000));
		sum += shapes::grow(15, seed)->sum();
		caught += shapes::catcher(600, 40);
		sum += shapes::deep(20000, i);
		strings += shapes::sort_strings(30000);
	}
	std::printf("%.6e %llu %u %zu\n", area, static_cast<unsigned long long>(sum), caught,
		    strings);
	std::fprintf(stderr, "cxx: %u rounds\n", rounds);
	return 3;
}
