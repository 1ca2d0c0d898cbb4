/* Names in attributes of XML. A name is bytes up to a NUL, of any kind; XML 1.0 holds
 * characters. What is no character of UTF-8, or a control character, or not allowed in
 * XML, stands byte by byte as \xNN, and a backslash as \\, so that a name comes back
 * as it was. Any thread, different files. */
#ifndef READER_XML_NAME_H
#define READER_XML_NAME_H

#include <stdio.h>

/* What stands for things that have no name. A thing that is really called so gets its
 * first byte escaped. */
#define READER_XML_UNKNOWN_FILE "[unknown file]"
#define READER_XML_PARTIAL_PATHS "[partial call paths]"

/* Write the name as the inside of a double-quoted attribute, in UTF-8. */
void reader_xml_write_name(FILE *out, const char *name);
/* Replace the escapes of an attribute's value by what they stand for, in place. A
 * backslash that begins no escape, and \x00, stay as they are. */
void reader_xml_decode_name(char *value);

#endif
