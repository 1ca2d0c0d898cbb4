#!/bin/bash
# The port for AArch64 is built with Debian's cross compiler, and the unit tests that need no sample
# pass in user-mode emulation. The libraries come from Debian's arm64 packages, unpacked here.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/sources.sh"

for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
libraries='libcmocka-dev libcmocka0 libdw-dev libdw1 libelf-dev libelf1 zlib1g-dev zlib1g libdeflate-dev libdeflate0 liblzma5
	libbz2-1.0 libsqlite3-dev libsqlite3-0 libexpat1-dev libexpat1 libcapstone-dev libcapstone4
	libiberty-dev uthash-dev'
# shellcheck disable=SC2086
fetch_packages arm64 $libraries || skip_all "packages cannot be fetched: $(tail -1 fetched)"

cat >cc <<END
#!/bin/sh
exec aarch64-linux-gnu-gcc -isystem $PWD/arm64/usr/include -isystem $PWD/arm64/usr/include/aarch64-linux-gnu \\
	-L$PWD/arm64/usr/lib/aarch64-linux-gnu -L$PWD/arm64/lib/aarch64-linux-gnu \\
	-Wl,-rpath-link=$PWD/arm64/usr/lib/aarch64-linux-gnu:$PWD/arm64/lib/aarch64-linux-gnu "\$@"
END
cat >run <<END
#!/bin/sh
exec timeout 300 qemu-aarch64 -L /usr/aarch64-linux-gnu \
	-E LD_LIBRARY_PATH=$PWD/arm64/usr/lib/aarch64-linux-gnu:$PWD/arm64/lib/aarch64-linux-gnu "\$@"
END
chmod +x cc run

# Of x86-64: what the port's own unwinder does, and calls that it continues. Not in the emulator: filters of system calls, single
# steps of another process.
tests=$(cd "$top/tests/unit" && printf '%s\n' *.c | sed 's/\.c$//' |
	grep -vE '^runtime_(kernel|insn|returned|unwind|unwind_step|unwind_corrupt|unwind_oracle|bpf|merge)$')
mapfile -t targets < <(printf "$PWD/build/unit/%s\\n" $tests)
built() {
	make -C "$top" -j2 CC="$PWD/cc" BUILD="$PWD/build" all "${targets[@]}" >made 2>&1 || {
		grep -vE '^  [A-Z]+ ' made | tail -20
		return 1
	}
}
check "the library, the programs and the unit tests are built without a warning" built
check "the library is for AArch64" sh -c "readelf -h build/lib/libhpcrun.so | grep -q AArch64"
for test in $tests; do
	check "$test" env TAP_DATA="$top/tests/data" BUILD="$PWD/build" ./run "build/unit/$test"
done
is "hpcprof reads what x86-64 wrote as it does there" \
	"$(./run build/bin/hpcprof dump "$top/tests/data/example.csp")" "$(cat "$top/tests/data/example.dump")"
done_testing
