// One part of a large program to symbolize: containers, lambdas and a regular
// expression, instantiated for types that no other part has.
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

namespace PASTE(part, PART)
{
	struct key {
		int a;
		std::string b;
		bool operator<(const key &o) const
		{
			return a < o.a || (a == o.a && b < o.b);
		}
	};
	template <typename T> struct store {
		std::map<key, T> tree;
		std::vector<T> row;
		std::deque<T> line;
		std::set<key> seen;
		void add(const key &k, const T &v)
		{
			tree[k] = v;
			row.push_back(v);
			line.push_front(v);
			seen.insert(k);
		}
		template <typename F> void each(F f)
		{
			for (auto &p : tree)
				f(p.first, p.second);
			std::for_each(row.begin(), row.end(), [&](T &v) { f(key{1, "x"}, v); });
		}
		void order()
		{
			std::sort(row.begin(), row.end());
			std::stable_sort(line.begin(), line.end());
		}
	};
	long run(int n)
	{
		store<std::string> s;
		store<double> d;
		store<std::vector<int>> v;
		store<std::shared_ptr<int>> p;
		std::variant<int, std::string, double> any;
		for (int i = 0; i < n; i++) {
			key k{i * 7919 % 1000, std::to_string(i)};
			s.add(k, k.b + "s");
			d.add(k, i * 0.5);
			v.add(k, {i, i + 1});
			p.add(k, std::make_shared<int>(i));
			any = k.b;
		}
		s.order();
		d.order();
		v.order();
		p.order();
		std::regex r("([a-z]+)([0-9]+)(.*)");
		std::smatch m;
		long sum = 0;
		std::string text = "abc123";
		if (std::regex_match(text, m, r))
			sum++;
		s.each([&](const key &k, std::string &x) { sum += k.a + x.size(); });
		d.each([&](const key &k, double x) { sum += k.a + x; });
		std::ostringstream out;
		out << sum;
		std::unordered_map<std::string, std::function<long(long)>> table;
		table["a"] = [&](long x) { return x + sum; };
		std::visit([&](auto &x) { sum += sizeof x; }, any);
		return table["a"](1) + out.str().size();
	}
}
