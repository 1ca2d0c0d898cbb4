/* cmocka, and the headers that must be included before it. */
#ifndef TESTS_LIB_UNIT_CMOCKA_ALL_H
#define TESTS_LIB_UNIT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
