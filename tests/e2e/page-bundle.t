#!/bin/bash
# The checked-in page is what share/html/build makes, and its policy allows its own code alone.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
page=$top/share/html/page.html

# The same bytes only come of the same version.
version=$(command -v esbuild >/dev/null && esbuild --version)
case $version in
0.17.*)
	mkdir share
	cp -r "$top/share/html" share/html
	rm share/html/page.html
	check "the page can be built" share/html/build
	check "and is the one that is checked in" cmp share/html/page.html "$page"
	;;
*) skip "the page is built from its sources" "esbuild 0.17 is not installed (${version:-no esbuild})" ;;
esac

check "the policy has the hashes of its own code, and nothing else is let run" lib pagepolicy.py "$page"

# ---- the check itself ---------------------------------------------------------------
# refused PATTERN SED: pagepolicy.py says it of the page as changed by SED.
refused() {
	sed "$2" "$page" >changed.html
	! cmp -s changed.html "$page" || {
		echo "$2 changes nothing"
		return 1
	}
	! lib pagepolicy.py changed.html >said || {
		echo "passed"
		return 1
	}
	says said "$1"
}
check "a changed script is refused" refused 'has no hash' 's|</script>|;&|'
check "a changed style is refused" refused 'has no hash' 's|</style>| &|'
check "a hash too many is refused" refused 'is of nothing' "s|script-src |&'sha256-AAAA' |"
check "unsafe-inline is refused" refused 'unsafe-inline' "s|style-src |&'unsafe-inline' |"
check "a handler is refused" refused 'onclick' 's|<body|& onclick="f()"|'
check "an address is refused" refused 'https:' 's|</body>|https://example.org/&|'
check "a marker that is missing is refused" refused '<!--data-->' 's|<!--data-->||'
done_testing
