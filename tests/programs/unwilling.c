/* A library to be preloaded: write(2) and writev(2) are interrupted, and take fewer bytes than they are given, as a
 * pipe or a network file system may at any time. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned calls;

static int is_interrupted(void) {
  if (++calls % 3 != 0) return 0;
  errno = EINTR;
  return 1;
}

static size_t less(size_t size) {
  size_t most = calls % 5 * 777 + 1;
  return size < most ? size : most;
}

ssize_t write(int fd, const void *data, size_t size) {
  ssize_t (*real)(int, const void *, size_t);
  void *symbol = dlsym(RTLD_NEXT, "write");
  memcpy(&real, &symbol, sizeof real);
  if (fd == 2) return real(fd, data, size);
  return is_interrupted() ? -1 : real(fd, data, less(size));
}

ssize_t writev(int fd, const struct iovec *pieces, int count) {
  for (int i = 0; i < count; i++) {
    if (pieces[i].iov_len > 0) return write(fd, pieces[i].iov_base, pieces[i].iov_len);
  }
  return 0;
}
