# The house: dependencies, demo, install, lint.
