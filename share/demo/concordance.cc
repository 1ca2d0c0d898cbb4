// A program to measure: it generates a library of texts, indexes them with four
// threads, and answers search expressions such as (river & !stone) | "old house"
// with a recursive-descent parser and evaluator. It does nothing useful, but
// spends its time like real programs: in templates, inlined helpers, the
// allocator, recursion, and several threads with different work.
//
//     concordance [SCALE]        SCALE 10 (the default) takes about ten seconds

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace search
{

constexpr unsigned threads = 4;
constexpr unsigned vocabulary_size = 20000;

// xorshift64*: the same library on every machine.
class Random
{
      public:
	explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 1)
	{
	}
	uint64_t next()
	{
		state ^= state >> 12;
		state ^= state << 25;
		state ^= state >> 27;
		return state * 0x2545f4914f6cdd1du;
	}
	uint64_t below(uint64_t n)
	{
		return next() % n;
	}
	// Few words are common and many are rare, as in any language.
	unsigned word()
	{
		double unit = double(next() >> 11) * 0x1p-53;
		return unsigned(std::pow(double(vocabulary_size), unit)) - 1;
	}

      private:
	uint64_t state;
};

std::string spell(unsigned number)
{
	static const char *const onset[] = {"b", "d", "f", "g", "k", "l", "m", "n", "r", "st"};
	static const char *const rime[] = {"a", "en", "i", "or", "u"};
	std::string word;
	do {
		word += onset[number % 10];
		word += rime[number / 10 % 5];
		number /= 50;
	} while (number);
	return word;
}

// ---- texts -------------------------------------------------------------------

using Document = uint32_t;

std::vector<std::string> make_library(unsigned documents, unsigned words)
{
	std::vector<std::string> library(documents);
	Random random(7);
	for (std::string &text : library) {
		for (unsigned i = 0; i < words; i++) {
			std::string word = spell(random.word());
			if (i % 12 == 0)
				word[0] = char(std::toupper(word[0]));
			text += word;
			text += i % 12 == 11 ? ". " : " ";
		}
	}
	return library;
}

// Call visit with each word of text, in lower case.
template <typename Visit> void for_each_word(std::string_view text, Visit visit)
{
	std::string word;
	for (char c : text) {
		if (std::isalpha(static_cast<unsigned char>(c)))
			word += char(std::tolower(static_cast<unsigned char>(c)));
		else if (!word.empty()) {
			visit(word);
			word.clear();
		}
	}
	if (!word.empty())
		visit(word);
}

// ---- the index ---------------------------------------------------------------

using Postings = std::vector<Document>; // ascending, each document once

class Index
{
      public:
	void add(const std::string &word, Document document)
	{
		Postings &postings = words[word];
		if (postings.empty() || postings.back() != document)
			postings.push_back(document);
	}
	void absorb(Index &&other)
	{
		for (auto &[word, postings] : other.words) {
			Postings &mine = words[word];
			Postings both;
			both.reserve(mine.size() + postings.size());
			std::merge(mine.begin(), mine.end(), postings.begin(), postings.end(),
				   std::back_inserter(both));
			mine.swap(both);
		}
	}
	const Postings &find(const std::string &word) const
	{
		static const Postings none;
		auto at = words.find(word);
		return at == words.end() ? none : at->second;
	}
	std::vector<std::pair<std::string, size_t>> by_frequency() const
	{
		std::vector<std::pair<std::string, size_t>> list;
		for (const auto &[word, postings] : words)
			list.emplace_back(word, postings.size());
		std::sort(list.begin(), list.end(), [](const auto &a, const auto &b) {
			return a.second != b.second ? a.second > b.second : a.first < b.first;
		});
		return list;
	}

      private:
	std::unordered_map<std::string, Postings> words;
};

// ---- search expressions --------------------------------------------------------
// either := both { '|' both }     both := one { '&' one }
// one := word | '!' one | '(' either ')'

struct Query {
	virtual ~Query() = default;
	virtual Postings evaluate(const Index &index) const = 0;
};
using QueryPtr = std::unique_ptr<Query>;

struct Word : Query {
	std::string word;
	explicit Word(std::string w) : word(std::move(w))
	{
	}
	Postings evaluate(const Index &index) const override
	{
		return index.find(word);
	}
};

struct Not : Query {
	QueryPtr inner;
	Document documents;
	Not(QueryPtr q, Document n) : inner(std::move(q)), documents(n)
	{
	}
	Postings evaluate(const Index &index) const override
	{
		Postings without = inner->evaluate(index), rest;
		auto next = without.begin();
		for (Document d = 0; d < documents; d++) {
			if (next != without.end() && *next == d)
				++next;
			else
				rest.push_back(d);
		}
		return rest;
	}
};

struct And {
	static void combine(const Postings &a, const Postings &b, Postings &out)
	{
		std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
				      std::back_inserter(out));
	}
};

struct Or {
	static void combine(const Postings &a, const Postings &b, Postings &out)
	{
		std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
	}
};

template <typename How> struct Pair : Query {
	QueryPtr left, right;
	Pair(QueryPtr l, QueryPtr r) : left(std::move(l)), right(std::move(r))
	{
	}
	Postings evaluate(const Index &index) const override
	{
		Postings out;
		How::combine(left->evaluate(index), right->evaluate(index), out);
		return out;
	}
};

class Parser
{
      public:
	Parser(std::string_view t, Document n) : text(t), documents(n)
	{
	}
	QueryPtr parse()
	{
		QueryPtr query = either();
		if (at != text.size())
			throw std::invalid_argument("something follows the expression");
		return query;
	}

      private:
	bool take(char c)
	{
		while (at < text.size() && text[at] == ' ')
			at++;
		if (at == text.size() || text[at] != c)
			return false;
		at++;
		return true;
	}
	template <typename How> QueryPtr chain(char sign, QueryPtr (Parser::*part)())
	{
		QueryPtr query = (this->*part)();
		while (take(sign))
			query = std::make_unique<Pair<How>>(std::move(query), (this->*part)());
		return query;
	}
	QueryPtr either()
	{
		return chain<Or>('|', &Parser::both);
	}
	QueryPtr both()
	{
		return chain<And>('&', &Parser::one);
	}
	QueryPtr one()
	{
		if (take('!'))
			return std::make_unique<Not>(one(), documents);
		if (take('(')) {
			QueryPtr query = either();
			if (!take(')'))
				throw std::invalid_argument("a parenthesis stays open");
			return query;
		}
		size_t from = at;
		while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])))
			at++;
		if (at == from)
			throw std::invalid_argument("a word is missing");
		return std::make_unique<Word>(std::string(text.substr(from, at - from)));
	}

	std::string_view text;
	size_t at = 0;
	Document documents;
};

std::string make_query(Random &random, unsigned depth)
{
	if (depth == 0)
		return spell(random.word());
	std::string left = make_query(random, depth - 1), right = make_query(random, depth - 1);
	switch (random.below(8)) {
	case 0:
		return "!(" + left + " & " + right + ")";
	case 1:
		return "(" + left; // a typing mistake
	case 2:
	case 3:
	case 4:
		return "(" + left + " & (" + right + " | ba))";
	default:
		return "(" + left + " | " + right + ")";
	}
}

// ---- threads -------------------------------------------------------------------

template <typename Work> void run_threads(const char *name, Work work)
{
	std::vector<std::thread> team;
	for (unsigned t = 0; t < threads; t++)
		team.emplace_back([=] {
			pthread_setname_np(pthread_self(), name);
			work(t);
		});
	for (std::thread &member : team)
		member.join();
}

void index_texts(const std::vector<std::string> &library, unsigned first, Index &index)
{
	for (Document d = first; d < library.size(); d += threads)
		for_each_word(library[d], [&](const std::string &word) { index.add(word, d); });
}

Index build_index(const std::vector<std::string> &library)
{
	std::vector<Index> part(threads);
	run_threads("indexer", [&](unsigned t) { index_texts(library, t, part[t]); });
	Index whole;
	for (Index &index : part)
		whole.absorb(std::move(index));
	return whole;
}

struct Answers {
	uint64_t found = 0, mistakes = 0;
};

Answers search_texts(const Index &index, Document documents, unsigned queries, uint64_t seed)
{
	Answers answers;
	Random random(seed);
	for (unsigned i = 0; i < queries; i++) {
		std::string text = make_query(random, 2 + i % 4);
		try {
			answers.found += Parser(text, documents).parse()->evaluate(index).size();
		} catch (const std::invalid_argument &) {
			answers.mistakes++;
		}
	}
	return answers;
}

Answers answer_queries(const Index &index, Document documents, unsigned queries)
{
	std::vector<Answers> part(threads);
	run_threads("searcher", [&](unsigned t) {
		part[t] = search_texts(index, documents, queries * (t + 1) / 4, 100 + t);
	});
	Answers all;
	for (const Answers &answers : part) {
		all.found += answers.found;
		all.mistakes += answers.mistakes;
	}
	return all;
}

} // namespace search

int main(int argc, char **argv)
{
	unsigned scale = argc > 1 ? unsigned(std::atoi(argv[1])) : 10;
	if (scale == 0) {
		std::fprintf(stderr, "usage: concordance [SCALE]\n");
		return 2;
	}
	std::vector<std::string> library = search::make_library(scale * 3000, 400);
	search::Index index = search::build_index(library);
	auto words = index.by_frequency();
	search::Answers answers =
	    search::answer_queries(index, search::Document(library.size()), 6000);
	std::printf("%zu texts, %zu words, the most frequent \"%s\" in %zu of them\n",
		    library.size(), words.size(), words.front().first.c_str(),
		    words.front().second);
	std::printf("%llu texts found, %llu expressions with a mistake\n",
		    static_cast<unsigned long long>(answers.found),
		    static_cast<unsigned long long>(answers.mistakes));
	return 0;
}
