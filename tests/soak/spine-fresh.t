#!/bin/bash
# A fresh machine: a minimal Debian 12 with only git and make added. The README's two
# commands work there, from a clone of what is committed here.
. "$(dirname "$0")/../lib/shell/tap.sh"

[ "$(id -u)" = 0 ] || skip_all "only root can make a root"
command -v debootstrap >/dev/null || skip_all "debootstrap is missing"

# A place that allows devices and programs; /tmp may not.
fresh=$(mktemp -d /var/tmp/hpcfresh.XXXXXX)
chmod 755 "$fresh" # its users must get in
leave() {
	local place
	for place in dev/shm dev sys proc .; do
		umount -l "$fresh/$place" 2>/dev/null
	done
	rm -rf --one-file-system "$fresh"
	rm -rf "$scratch"
}
trap leave EXIT

mirror=$(grep -rhoE '(URIs:|^deb( \[.*\])?) *https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list \
	/etc/apt/sources.list.d 2>/dev/null | grep -oE 'https?://[^ ]+' | head -1)
timeout 900 debootstrap --variant=minbase --include=git,make,ca-certificates bookworm "$fresh" \
	"${mirror:-http://deb.debian.org/debian}" >debootstrap.log 2>&1 ||
	skip_all "debootstrap could not fetch: $(tail -1 debootstrap.log)"

# The network as this machine reaches it.
cp -a /etc/resolv.conf /etc/hosts "$fresh/etc/" 2>/dev/null
cp -a /etc/apt/apt.conf.d /etc/apt/auth.conf.d "$fresh/etc/apt/" 2>/dev/null
rm -rf "$fresh/etc/apt/sources.list.d"
cp -a /etc/apt/sources.list.d "$fresh/etc/apt/" 2>/dev/null
[ ! -s /etc/apt/sources.list ] || cp /etc/apt/sources.list "$fresh/etc/apt/"
cp -a /etc/ssl/certs/. "$fresh/etc/ssl/certs/" 2>/dev/null
# A mount point, so that tests can have mounts of their own there; and its own memory for stores.
mount --bind "$fresh" "$fresh"
mount -t proc proc "$fresh/proc"
mount --rbind /sys "$fresh/sys"
mount --rbind /dev "$fresh/dev"
mount --make-rslave "$fresh/sys"
mount --make-rslave "$fresh/dev"
mount -t tmpfs -o mode=1777 tmpfs "$fresh/dev/shm"
git clone -q "$top" "$fresh/srv/toolkit"

# inside COMMAND...: in the fresh root, with nothing of this session's environment but
# what the network needs.
inside() {
	timeout 3000 env -i HOME=/ PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$fresh" "$@" </dev/null
}

# What is committed is what counts; without a compiler, make must still parse.
check "make help works before anything is installed" inside make -C /srv/toolkit help
inside make -C /srv/toolkit demo >demo.log 2>&1
is "make demo works" "$?" 0
note "$(tail -60 demo.log)"
check "make demo shows the hottest function" grep -q 'concordance' demo.log
inside make -C /srv/toolkit check >check.log 2>&1
is "make check works" "$?" 0
note "$(grep -aE '^(==|not ok|FAILED)|Failed|Wstat|skipped|Result|rror:' check.log | head -100)"
note "$(sed -n '/^the tests have left behind:/,/^[^ ]*FAILED/p' check.log | head -20)"
done_testing
