// Exceptions without end, thrown through many frames, in four threads; prints how many
// were caught, which is known beforehand.
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{
struct Guard {
	std::atomic<long> &count;
	~Guard()
	{
		count++;
	}
};

std::atomic<long> unwound;

__attribute__((noinline)) int down(int depth, int value)
{
	Guard guard{unwound};
	if (depth == 0) {
		if (value % 2)
			throw std::runtime_error(std::to_string(value));
		throw value;
	}
	return down(depth - 1, value) + 1;
}

long storm()
{
	long caught = 0;
	for (int i = 0; i < 3000; i++) {
		try {
			down(20, i);
		} catch (const std::exception &e) {
			caught += std::stoi(e.what()) == i;
		} catch (int value) {
			caught += value == i;
		}
	}
	return caught;
}
} // namespace

int main()
{
	std::atomic<long> caught{0};
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&] { caught += storm(); });
	for (auto &thread : threads)
		thread.join();
	std::printf("caught %ld, frames %ld\n", caught.load(), unwound.load());
}
