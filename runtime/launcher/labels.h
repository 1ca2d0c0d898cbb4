/* Labels of the command line, for the programs that are started. */
#ifndef RUNTIME_LAUNCHER_LABELS_H
#define RUNTIME_LAUNCHER_LABELS_H

/* Add KEY=VALUE to a list of LABEL_LIST_BYTES + 1 bytes (formats/identity/label_list.h). Returns
 * NULL, or what is wrong with it. */
const char *launch_label_add(char *list, const char *word);

/* Pass a list in the environment, after the labels that are there. 0, or -1 and errno. */
int launch_labels_pass(const char *list);

#endif
