/* Records what a program does to the files below a folder, and what it sends and prints, in one order for all its threads and
   processes: LD_PRELOAD=recorder.so POWER_FOLDER=/the/folder POWER_TRACE=/the/trace. A record is a line
   of six fields with tabs between them: the operation, the inode, the offset, the name, the second name and the data in hexadecimal
   digits. The index of SQLite's log (-shm) is left out, because SQLite makes it anew after a crash. Build with:
   cc -shared -fPIC -o recorder.so recorder.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(type, name) type (*real)() = (type (*)())dlsym(RTLD_NEXT, name)

/* Set while this thread records: a handler of a signal that writes meanwhile would wait for itself. */
static __thread int is_recording;

/* A descriptor of its own for each call, so that it excludes threads too, and a killed process holds no lock. */
static int lock(void) {
  const char *trace = is_recording++ ? NULL : getenv("POWER_TRACE");
  int fd = trace ? (int)syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR);
  return fd;
}

static void unlock(int trace) {
  int error = errno;
  if (trace >= 0) syscall(SYS_close, trace);
  is_recording--;
  errno = error;
}

static void record(int trace, const char *op, unsigned long inode, long offset, const char *name, const char *target,
                   const struct iovec *data, int count, size_t size) {
  if (trace < 0) return;
  char *line = malloc(strlen(op) + strlen(name) + strlen(target) + 2 * size + 64);
  if (!line) abort();
  char *end = line + sprintf(line, "%s\t%lu\t%ld\t%s\t%s\t", op, inode, offset, name, target);
  for (int i = 0; i < count; i++) {
    const unsigned char *bytes = data[i].iov_base;
    for (size_t j = 0; j < data[i].iov_len && size > 0; j++, size--) {
      *end++ = "0123456789abcdef"[bytes[j] >> 4];
      *end++ = "0123456789abcdef"[bytes[j] & 15];
    }
  }
  *end++ = '\n';
  if (syscall(SYS_write, trace, line, end - line) != end - line) abort();
  free(line);
}

/* The path below the folder, or NULL if the file is not recorded. */
static const char *below(const char *path) {
  const char *folder = getenv("POWER_FOLDER");
  size_t length = folder ? strlen(folder) : 0;
  if (!length || strncmp(path, folder, length) || (path[length] && path[length] != '/') || strstr(path, "-shm")) return NULL;
  return path[length] ? path + length + 1 : ".";
}

static const char *path_of(int fd, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = readlink(link, buffer, PATH_MAX - 1);
  if (length < 0) return NULL;
  buffer[length] = 0;
  return below(buffer);
}

/* Follows the links of the folders, not one of the name itself. */
static const char *path_at(int folder, const char *path, char *buffer) {
  char joined[2 * PATH_MAX], base[PATH_MAX] = ".";
  if (*path != '/' && folder == AT_FDCWD && !getcwd(base, sizeof base)) return NULL;
  if (*path != '/' && folder != AT_FDCWD) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    long length = readlink(link, base, PATH_MAX - 1);
    if (length < 0) return NULL;
    base[length] = 0;
  }
  snprintf(joined, sizeof joined, "%s%s%s", *path == '/' ? "" : base, *path == '/' ? "" : "/", path);
  char *last = strrchr(joined, '/');
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s", last + 1);
  *last = 0;
  if (!realpath(*joined ? joined : "/", buffer)) return NULL;
  if (*name && strcmp(name, ".")) snprintf(buffer + strlen(buffer), PATH_MAX - strlen(buffer), "/%s", name);
  return below(buffer);
}

static unsigned long inode_of(int fd) {
  struct stat status;
  return fstat(fd, &status) ? 0 : status.st_ino;
}

/* Whether what is written here is seen by others at once: a socket, or an output of the process. */
static int is_shown(int fd) {
  struct stat status;
  return !fstat(fd, &status) && (S_ISSOCK(status.st_mode) || ((fd == 1 || fd == 2) && S_ISFIFO(status.st_mode)));
}

static int open_recorded(const char *function, int folder, const char *path, int flags, mode_t mode, int is_at) {
  REAL(int, function);
  char buffer[PATH_MAX];
  const char *name = flags & (O_CREAT | O_TRUNC) ? path_at(folder, path, buffer) : NULL;
  if (!name) return is_at ? real(folder, path, flags, mode) : real(path, flags, mode);
  int trace = lock();
  struct stat before;
  int existed = !fstatat(folder, path, &before, 0);
  int fd = is_at ? real(folder, path, flags, mode) : real(path, flags, mode);
  if (fd >= 0 && !existed) record(trace, "create", inode_of(fd), 0, name, "", NULL, 0, 0);
  else if (fd >= 0 && flags & O_TRUNC) record(trace, "truncate", inode_of(fd), 0, name, "", NULL, 0, 0);
  unlock(trace);
  return fd;
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
int open(const char *path, int flags, ...) { MODE return open_recorded("open", AT_FDCWD, path, flags, mode, 0); }
int open64(const char *path, int flags, ...) { MODE return open_recorded("open64", AT_FDCWD, path, flags, mode, 0); }
int openat(int folder, const char *path, int flags, ...) { MODE return open_recorded("openat", folder, path, flags, mode, 1); }
int openat64(int folder, const char *path, int flags, ...) { MODE return open_recorded("openat64", folder, path, flags, mode, 1); }

/* What is shown is recorded before it leaves, and a write after it was made: so neither is too early. */
#define WRITE(fd, parts, count, total, offset, call) \
  char buffer[PATH_MAX]; \
  int shown = is_shown(fd); \
  const char *name = shown ? "" : path_of(fd, buffer); \
  if (!name) return call; \
  int trace = lock(); \
  if (shown) record(trace, "show", fd, getpid(), "", "", parts, count, total); \
  ssize_t done = call; \
  if (!shown && done > 0) record(trace, "write", inode_of(fd), offset, name, "", parts, count, done); \
  unlock(trace); \
  return done;

static size_t sum(const struct iovec *parts, int count) {
  size_t total = 0;
  for (int i = 0; i < count; i++) total += parts[i].iov_len;
  return total;
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL(ssize_t, "write");
  struct iovec part = {(void *)data, size};
  WRITE(fd, &part, 1, size, lseek(fd, 0, SEEK_CUR) - done, real(fd, data, size))
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev");
  WRITE(fd, parts, count, sum(parts, count), lseek(fd, 0, SEEK_CUR) - done, real(fd, parts, count))
}
#define PWRITE(function) \
  ssize_t function(int fd, const void *data, size_t size, off64_t offset) { \
    REAL(ssize_t, #function); \
    struct iovec part = {(void *)data, size}; \
    WRITE(fd, &part, 1, size, offset, real(fd, data, size, offset)) \
  }
PWRITE(pwrite)
PWRITE(pwrite64)
#define PWRITEV(function) \
  ssize_t function(int fd, const struct iovec *parts, int count, off64_t offset) { \
    REAL(ssize_t, #function); \
    WRITE(fd, parts, count, sum(parts, count), offset, real(fd, parts, count, offset)) \
  }
PWRITEV(pwritev)
PWRITEV(pwritev64)
ssize_t send(int fd, const void *data, size_t size, int flags) {
  REAL(ssize_t, "send");
  struct iovec part = {(void *)data, size};
  WRITE(fd, &part, 1, size, 0, real(fd, data, size, flags))
}
ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
  REAL(ssize_t, "sendto");
  struct iovec part = {(void *)data, size};
  WRITE(fd, &part, 1, size, 0, real(fd, data, size, flags, to, length))
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  REAL(ssize_t, "sendmsg");
  WRITE(fd, message->msg_iov, (int)message->msg_iovlen, sum(message->msg_iov, (int)message->msg_iovlen), 0, real(fd, message, flags))
}

/* The bytes are read from the source: to open the target again would drop the locks of the process on it. */
static void record_copy(int trace, int from, off64_t start, int to, ssize_t done) {
  char buffer[PATH_MAX], *bytes = done > 0 ? malloc(done) : NULL;
  const char *name = bytes ? path_of(to, buffer) : NULL;
  struct iovec part = {bytes, done};
  if (name && pread(from, bytes, done, start) == done)
    record(trace, "write", inode_of(to), lseek(to, 0, SEEK_CUR) - done, name, "", &part, 1, done);
  free(bytes);
}
ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t size, unsigned flags) {
  REAL(ssize_t, "copy_file_range");
  int trace = lock();
  off64_t start = from_offset ? *from_offset : lseek(from, 0, SEEK_CUR), target = to_offset ? *to_offset : -1;
  ssize_t done = real(from, from_offset, to, to_offset, size, flags);
  if (target >= 0 && done > 0) lseek(to, target + done, SEEK_SET);
  record_copy(trace, from, start, to, done);
  unlock(trace);
  return done;
}
#define SENDFILE(function) \
  ssize_t function(int to, int from, off64_t *offset, size_t size) { \
    REAL(ssize_t, #function); \
    int trace = lock(); \
    off64_t start = offset ? *offset : lseek(from, 0, SEEK_CUR); \
    ssize_t done = real(to, from, offset, size); \
    record_copy(trace, from, start, to, done); \
    unlock(trace); \
    return done; \
  }
SENDFILE(sendfile)
SENDFILE(sendfile64)

/* Calls on a descriptor that are recorded by its inode: a folder has no other. */
#define ON_FILE(function, parameters, arguments, op, offset) \
  int function parameters { \
    REAL(int, #function); \
    char buffer[PATH_MAX]; \
    const char *name = path_of(fd, buffer); \
    if (!name) return real arguments; \
    int trace = lock(), result = real arguments; \
    if (result == 0) record(trace, op, inode_of(fd), offset, name, "", NULL, 0, 0); \
    unlock(trace); \
    return result; \
  }
ON_FILE(fsync, (int fd), (fd), "sync", 0)
ON_FILE(fdatasync, (int fd), (fd), "sync", 0)
ON_FILE(ftruncate, (int fd, off64_t size), (fd, size), "truncate", size)
ON_FILE(ftruncate64, (int fd, off64_t size), (fd, size), "truncate", size)

/* Calls that change names. */
#define ON_NAMES(function, parameters, arguments, op, folder, path, target_folder, target_path) \
  int function parameters { \
    REAL(int, #function); \
    char buffer[PATH_MAX], target_buffer[PATH_MAX]; \
    const char *name = path_at(folder, path, buffer), *target = path_at(target_folder, target_path, target_buffer); \
    if (!name && !target) return real arguments; \
    int trace = lock(), result = real arguments; \
    if (result == 0) record(trace, op, 0, 0, name ? name : "", target ? target : "", NULL, 0, 0); \
    unlock(trace); \
    return result; \
  }
ON_NAMES(mkdir, (const char *path, mode_t mode), (path, mode), "mkdir", AT_FDCWD, path, AT_FDCWD, path)
ON_NAMES(rmdir, (const char *path), (path), "unlink", AT_FDCWD, path, AT_FDCWD, path)
ON_NAMES(unlink, (const char *path), (path), "unlink", AT_FDCWD, path, AT_FDCWD, path)
ON_NAMES(remove, (const char *path), (path), "unlink", AT_FDCWD, path, AT_FDCWD, path)
ON_NAMES(unlinkat, (int at, const char *path, int flags), (at, path, flags), "unlink", at, path, at, path)
ON_NAMES(rename, (const char *from, const char *to), (from, to), "rename", AT_FDCWD, from, AT_FDCWD, to)
ON_NAMES(renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), "rename", a, from, b, to)
ON_NAMES(renameat2, (int a, const char *from, int b, const char *to, unsigned flags), (a, from, b, to, flags), "rename", a, from, b, to)
ON_NAMES(link, (const char *from, const char *to), (from, to), "link", AT_FDCWD, from, AT_FDCWD, to)
ON_NAMES(linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags), "link", a, from, b, to)
