"""executables.py DIR NAME: print how many datafiles are of a command called NAME."""

import os
import sys

import csp

print(sum(os.path.basename(data.process["command"].split("\0")[0]) == sys.argv[2]
          for data in csp.load([sys.argv[1]])))
