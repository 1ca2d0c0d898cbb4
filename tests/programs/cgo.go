// A Go program with C in it, whose runtime takes SIGURG for itself: it interrupts
// goroutines with it. Burns CPU time in both languages; prints what comes out.
package main

/*
#include <stdint.h>

static uint64_t in_c(uint64_t n)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < n; i++)
		x = x * 6364136223846793005u + i;
	return x;
}
*/
import "C"

import "fmt"

func inGo(n uint64) uint64 {
	x := uint64(1)
	for i := uint64(0); i < n; i++ {
		x = x*6364136223846793005 + i
	}
	return x
}

func main() {
	const rounds = 20
	results := make(chan bool)
	for g := 0; g < 4; g++ {
		go func() {
			equal := true
			for r := uint64(0); r < rounds; r++ {
				n := 1000000 + r
				equal = equal && inGo(n) == uint64(C.in_c(C.uint64_t(n)))
			}
			results <- equal
		}()
	}
	for g := 0; g < 4; g++ {
		fmt.Println("equal:", <-results)
	}
}
