/* Lengthens fdatasync() and fsync() by SLOW_DISK_MS milliseconds, as on a network disk: LD_PRELOAD=slow_disk.so.
   Build with: gcc -shared -fPIC -o slow_disk.so slow_disk.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int sync_slowly(const char *name, int file) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *setting = getenv("SLOW_DISK_MS");
  double ms = setting ? atof(setting) : 0;
  struct timespec pause = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000L};
  if (ms > 0) nanosleep(&pause, NULL);
  return sync(file);
}

int fdatasync(int file) { return sync_slowly("fdatasync", file); }
int fsync(int file) { return sync_slowly("fsync", file); }
