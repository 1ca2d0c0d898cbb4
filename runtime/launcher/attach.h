/* hpcrun attach PID: measure a program that runs already. */
#ifndef RUNTIME_LAUNCHER_ATTACH_H
#define RUNTIME_LAUNCHER_ATTACH_H

/* argv[0] is "attach". Returns the exit status: 0, or 125 if nothing is measured. */
int launch_attach_main(int argc, char **argv);

#endif
