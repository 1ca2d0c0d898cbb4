/* Names in attributes of XML. A name is any bytes up to a NUL; XML 1.0 contains characters. Invalid
 * UTF-8, control characters and characters that XML does not allow are written byte by byte as
 * \xNN, and a backslash as \\, so that decoding gives the same name. Any thread, different
 * files. */
#ifndef READER_XML_NAME_H
#define READER_XML_NAME_H

#include <stdio.h>

/* Used instead of a missing name. If a real name is the same, its first byte is escaped. */
#define READER_XML_UNKNOWN_FILE "[unknown file]"
#define READER_XML_UNKNOWN_LINE "?" /* the id of an S */
#define READER_XML_PARTIAL_PATHS "[partial call paths]"

/* Write the name as the inside of a double-quoted attribute, in UTF-8. */
void reader_xml_write_name(FILE *out, const char *name);
/* Decode the escapes of an attribute's value in place. A backslash that does not begin an escape,
 * and \x00, are unchanged. */
void reader_xml_decode_name(char *value);

#endif
