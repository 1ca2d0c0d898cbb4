/* cmocka with what its header wants to be included before it. */
#ifndef TESTS_LIB_CMOCKA_ALL_H
#define TESTS_LIB_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
