/* What is wrong with the words after hpcrun COMMAND. */
#ifndef RUNTIME_LAUNCHER_MISUSE_H
#define RUNTIME_LAUNCHER_MISUSE_H

/* Say it on stderr, in one line. value: of which word; NULL: none. */
void launch_misuse(const char *command, const char *what, const char *value);

#endif
