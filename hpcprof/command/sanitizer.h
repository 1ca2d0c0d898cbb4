/* Whether this is a build with AddressSanitizer or ThreadSanitizer, which have memory and files of
 * their own, and start processes to look for leaks. */
#ifndef HPCPROF_COMMAND_SANITIZER_H
#define HPCPROF_COMMAND_SANITIZER_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WITH_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITH_SANITIZER
#endif

#endif
