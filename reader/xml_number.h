/* Numbers in attributes of XML. */
#ifndef READER_XML_NUMBER_H
#define READER_XML_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number, also as some programs write it: 12, 12.0, 1.2e+01. False for anything
 * else, for what is not whole or negative, past 2^64 - 1, or longer than 64 characters. */
bool reader_xml_whole_number(const char *s, uint64_t *out);

#endif
