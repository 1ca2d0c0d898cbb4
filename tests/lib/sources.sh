# Sourced after tap.sh by tests that need the sources of Debian packages.

# fetch_sources PACKAGE...: unpack each into ./sources/PACKAGE, from the archive that the
# machine's own packages come from; 1 where that fails, with what was said in ./fetched.
fetch_sources() {
	local package mirror lists=$PWD/sources/lists
	mirror=$(grep -rhoE '(URIs:|^deb( \[.*\])?) *https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list \
		/etc/apt/sources.list.d 2>/dev/null | grep -oE 'https?://[^ ]+' | head -1)
	mkdir -p "$lists/partial"
	chmod 777 sources # apt fetches as a user of its own
	echo "deb-src ${mirror:-http://deb.debian.org/debian} bookworm main" >sources/list
	set -- apt-get -o "Dir::Etc::sourcelist=$PWD/sources/list" -o Dir::Etc::sourceparts=/dev/null \
		-o "Dir::State::lists=$lists" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= -- "$@"
	local apt=()
	while [ "$1" != -- ]; do
		apt+=("$1")
		shift
	done
	shift
	timeout 300 "${apt[@]}" update >fetched 2>&1 || return 1
	for package; do
		(cd sources && timeout 300 "${apt[@]}" source "$package" >>../fetched 2>&1 &&
			mv "$package"-[0-9]*/ "$package") || return 1
	done
}
