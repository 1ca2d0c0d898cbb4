#!/bin/bash
# The page of hpcprof html beside speedscope (https://www.speedscope.app, MIT): size, first view,
# interactions and memory, of the same contexts in the same headless Chromium, which has no
# graphics card. speedscope is fetched as the npm package and is not kept in the sources; where it
# cannot be had, the page is measured alone. See tests/bench/page/ for what is timed, and how.
#
# speedscope gets a profile of type "sampled"; one of type "evented" it opens in 5 to 20% less time.
# What is wanted is printed beside the figures, and nothing fails if it is not met. This takes about
# seven minutes, most of them for speedscope with a million contexts.
#
# CONTEXTS=...  how many contexts, a list ("5000 100000 1000000")
# VIEWS=...     how often each is opened (5)     TIMES=...  how often each interaction is done (20)
# SPEEDSCOPE=no measures the page alone
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$top/build}
out=$BUILD/bench/page
version=1.25.0
sum=2831f1e0d26df914b477e522d78b8485511495a6af81a0b88158f8b48f9e0d03

for tool in node chromium chromedriver; do
	command -v "$tool" >/dev/null || {
		echo "$tool is not installed: nothing is measured"
		exit 0
	}
done
mkdir -p "$out"
trap 'rm -rf "$out/data" "$out/new"' EXIT
rm -rf "$out/data" "$out/new"
mkdir "$out/data"

package=$out/speedscope-$version.tgz
# fetch: the package, as it was published, or a line that says why not
fetch() {
	[ -e "$package" ] || {
		command -v npm >/dev/null || {
			echo 'npm is not installed'
			return 1
		}
		mkdir "$out/new"
		timeout 60 npm pack --silent --pack-destination "$out/new" "speedscope@$version" \
			>"$out/errors" 2>&1 && mv "$out/new/"*.tgz "$package" || {
			echo 'npm cannot fetch it'
			return 1
		}
	}
	[ "$(sha256sum <"$package")" = "$sum  -" ] || {
		rm -f "$package"
		echo 'the package is not the one that was published'
		return 1
	}
	tar -xzf "$package" -C "$out/data"
}

theirs=
if [ "${SPEEDSCOPE:-yes}" = no ]; then
	:
elif why=$(fetch); then
	theirs=$out/data/package/dist/release
else
	echo "without speedscope $version: $why"
fi

node --max-old-space-size=8192 "$top/tests/bench/page/main.mjs" "$out/data" "$theirs"
