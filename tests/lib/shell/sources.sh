# Sourced after tap.sh by tests that need Debian packages that are not installed: sources, or
# libraries of another architecture.

# apt_apart ARCHITECTURE KIND: sets the array `apt` to apt-get with separate lists in ./sources, of
# the archive of the machine's packages. KIND is deb or deb-src. 1 if the lists cannot be fetched;
# the messages are in ./fetched.
apt_apart() {
	local mirror lists=$PWD/sources/lists
	mirror=$(grep -rhoE '(URIs:|^deb( \[.*\])?) *https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list \
		/etc/apt/sources.list.d 2>/dev/null | grep -oE 'https?://[^ ]+' | head -1)
	mkdir -p "$lists/partial"
	chmod 777 sources # apt fetches as a separate user
	echo "$2 ${mirror:-http://deb.debian.org/debian} bookworm main" >sources/list
	apt=(apt-get -o "APT::Architecture=$1" -o "APT::Architectures=$1"
		-o "Dir::Etc::sourcelist=$PWD/sources/list" -o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::lists=$lists" -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache=)
	timeout 300 "${apt[@]}" update >fetched 2>&1
}

# fetch_sources PACKAGE...: unpack each into ./sources/PACKAGE; 1 as apt_apart.
fetch_sources() {
	local package apt
	apt_apart "$(dpkg --print-architecture)" deb-src || return 1
	for package; do
		(cd sources && timeout 300 "${apt[@]}" source "$package" >>../fetched 2>&1 &&
			mv "$package"-[0-9]*/ "$package") || return 1
	done
}

# fetch_packages ARCHITECTURE PACKAGE...: unpack all into ./ARCHITECTURE, without installing them; 1
# as apt_apart.
fetch_packages() {
	local architecture=$1 file apt
	shift
	apt_apart "$architecture" deb || return 1
	(cd sources && timeout 300 "${apt[@]}" -o Dir::State::status=/dev/null download "$@" >>../fetched 2>&1) ||
		return 1
	for file in sources/*.deb; do
		dpkg -x "$file" "$architecture" >>fetched 2>&1 || return 1
	done
}
