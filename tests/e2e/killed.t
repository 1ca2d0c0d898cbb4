#!/bin/bash
# The deaths of tests/soak/follow-kill.t, thirty times kill -9 and a few of the others.
export KILLS=30 DEATHS=5 LATE=0.2
. "$(dirname "$0")/../soak/follow-kill.t"
