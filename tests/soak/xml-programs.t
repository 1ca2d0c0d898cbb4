#!/bin/bash
# XML of all test programs, also of those that end at once.
export PROGRAMS=all
. "$(dirname "$0")/../e2e/xml.t"
