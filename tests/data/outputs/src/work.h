/* Shared by both files of the measured library. */
static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
{
	x ^= x >> 12;
	return x * 2685821657736338717u;
}
