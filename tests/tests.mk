# Tests: unit (cmocka, TAP), end to end (shell, TAP), soak, bench, fuzz.
