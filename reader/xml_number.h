/* Numbers in attributes of XML. */
#ifndef READER_XML_NUMBER_H
#define READER_XML_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Read a whole number, also in other forms: 12, 12.0, 1.2e+01. False for anything else: numbers
 * that are not whole, negative, above 2^64 - 1, also without their exponent, or longer than 64
 * characters. */
bool reader_xml_whole_number(const char *s, uint64_t *out);

#endif
