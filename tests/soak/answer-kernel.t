#!/bin/bash
# The kernel's part of the CPU time, as root and as an ordinary user, within 3 points of getrusage.
. "$(dirname "$0")/../lib/shell/tap.sh"
. "$top/tests/lib/shell/measure.sh"
. "$top/tests/lib/shell/ordinary-user.sh"
. "$top/tests/lib/shell/kernel-share.sh"

prepare_kernel_shares
kernel_shares 60 3 we
kernel_shares 60 3 user as_user
kernel_shares 60 3 user-without-perf as_user ./noperf
done_testing
