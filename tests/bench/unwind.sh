#!/bin/bash
# ns per frame of our unwinder, compared with libunwind, glibc and frame pointers, for a program
# with frame pointers and for one without.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
cd "$top"
out=$BUILD/bench
mkdir -p "$out"
make --no-print-directory -s BUILD="$BUILD" "$BUILD/lib/libhpcrun-marks.so"
mapfile -t objects < <(find "$BUILD/runtime-obj/runtime" "$BUILD/runtime-obj/formats" -name '*.o' ! -path '*/static/*' ! -name no_slots.o)
for frame in -fno-omit-frame-pointer -fomit-frame-pointer; do
	${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -I. -O2 -g -fno-optimize-sibling-calls -fno-ipa-cp $frame \
		-o "$out/unwind" tests/bench/unwind.c "${objects[@]}" -lunwind -pthread
	echo "$frame"
	timeout 120 "$out/unwind"
done
