// Virtual calls, templates and small functions: an expression tree that is evaluated, simplified
// and printed, and shapes that are asked in turn. The argument is how often.
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace
{
struct Expression {
	virtual ~Expression() = default;
	virtual double value(const std::vector<double> &variables) const = 0;
	virtual int depth() const = 0;
	virtual void print(std::string &to) const = 0;
};
using Pointer = std::unique_ptr<Expression>;

struct Number : Expression {
	double number;
	explicit Number(double n) : number(n)
	{
	}
	double value(const std::vector<double> &) const override
	{
		return number;
	}
	int depth() const override
	{
		return 1;
	}
	void print(std::string &to) const override
	{
		to += std::to_string(static_cast<int>(number));
	}
};

struct Variable : Expression {
	unsigned index;
	explicit Variable(unsigned i) : index(i)
	{
	}
	double value(const std::vector<double> &variables) const override
	{
		return variables.at(index);
	}
	int depth() const override
	{
		return 1;
	}
	void print(std::string &to) const override
	{
		to += static_cast<char>('a' + index);
	}
};

template <char symbol> struct Binary : Expression {
	Pointer left, right;
	Binary(Pointer l, Pointer r) : left(std::move(l)), right(std::move(r))
	{
	}
	double value(const std::vector<double> &variables) const override
	{
		double a = left->value(variables), b = right->value(variables);
		if (symbol == '+')
			return a + b;
		if (symbol == '-')
			return a - b;
		return b == 0 ? 0 : symbol == '*' ? a * b : a / b;
	}
	int depth() const override
	{
		int a = left->depth(), b = right->depth();
		return 1 + (a > b ? a : b);
	}
	void print(std::string &to) const override
	{
		to += '(';
		left->print(to);
		to += symbol;
		right->print(to);
		to += ')';
	}
};

unsigned state = 1;
unsigned take(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

Pointer grow(int depth)
{
	if (depth == 0 || take(8) == 0) {
		if (take(3))
			return std::make_unique<Variable>(take(4));
		return std::make_unique<Number>(take(100));
	}
	Pointer left = grow(depth - 1), right = grow(depth - 1);
	switch (take(8)) {
	case 0:
		return std::make_unique<Binary<'/'>>(std::move(left), std::move(right));
	case 1:
		return std::make_unique<Binary<'-'>>(std::move(left), std::move(right));
	case 2:
	case 3:
		return std::make_unique<Binary<'*'>>(std::move(left), std::move(right));
	default:
		return std::make_unique<Binary<'+'>>(std::move(left), std::move(right));
	}
}
} // namespace

int main(int, char **argv)
{
	std::vector<double> variables = {1, 2, 3, 5};
	std::map<std::string, int> seen;
	double sum = 0;
	for (int k = std::atoi(argv[1]); k > 0; k--) {
		Pointer tree = grow(9);
		for (int i = 0; i < 60; i++) {
			variables[i % 4] += 0.5;
			sum += tree->value(variables);
		}
		std::string text;
		tree->print(text);
		seen[text.substr(0, 8)] += tree->depth();
	}
	std::cout << sum << ' ' << seen.size() << '\n';
}
