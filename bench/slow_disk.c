/* Lengthens fdatasync() and fsync() by the milliseconds in the file SLOW_DISK, as on a network disk: LD_PRELOAD=slow_disk.so.
   With -1 they fail. The file may change at any time, even during a call. Build with: gcc -shared -fPIC -o slow_disk.so slow_disk.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double delay(void) {
  const char *path = getenv("SLOW_DISK");
  FILE *file = path ? fopen(path, "r") : NULL;
  double ms = 0;
  if (file && fscanf(file, "%lf", &ms) != 1) ms = 0;
  if (file) fclose(file);
  return ms;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static int sync_slowly(const char *name, int file) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  double left, start = now();
  while ((left = start + delay() - now()) > 0) {
    struct timespec pause = {0, (long)((left < 1 ? left : 1) * 1e6)};
    nanosleep(&pause, NULL);
  }
  if (delay() >= 0) return sync(file);
  errno = EIO;
  return -1;
}

int fdatasync(int file) { return sync_slowly("fdatasync", file); }
int fsync(int file) { return sync_slowly("fsync", file); }
