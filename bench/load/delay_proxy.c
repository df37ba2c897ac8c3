/* A TCP proxy that delays all bytes by the same time, like a network. Bytes do not wait for those before them, so it limits no throughput.
   It connects to a port of this machine, prints its own port, and reads the delay, in microseconds for each direction, from each line of
   its standard input, with which it ends. Build with: cc -O2 -o delay_proxy delay_proxy.c */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 4096 };

/* Bytes on their way, or the end of those of one side. One queue has all in the order of their times. */
struct piece {
  struct piece *next;
  long long due;
  int to;
  ssize_t length;
  char bytes[];
};

static struct piece *first, **last = &first;
/* The other side of each connection, and the sides that have ended, by file descriptor. */
static int peer[MOST], ended[MOST];
static long long delay, lateness;
static int epoll;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Waits for events until a time at most, in nanoseconds from now. */
static int wait_for(struct epoll_event *events, int most, long long left) {
  if (left < 0) left = 0;
  return epoll_pwait2(epoll, events, most, &(struct timespec){left / 1000000000, left % 1000000000}, NULL);
}

static int compare(const void *one, const void *other) {
  return *(const int *)one - *(const int *)other;
}

/* How late a timer usually is: on a virtual machine, as much as a tenth of a millisecond. */
static int measure_lateness(void) {
  enum { TIMES = 101, PAUSE = 300000 };
  int late[TIMES];
  for (int i = 0; i < TIMES; i++) {
    long long begin = now();
    wait_for(&(struct epoll_event){0}, 1, PAUSE);
    late[i] = now() - begin - PAUSE;
  }
  qsort(late, TIMES, sizeof *late, compare);
  return late[TIMES / 2];
}

static void require(int is_true, const char *what) {
  if (is_true) return;
  perror(what);
  exit(1);
}

static void watch(int file) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = file};
  require(file < MOST && epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event) == 0, "epoll_ctl");
}

static void join(int from, int to) {
  int yes = 1;
  setsockopt(from, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  peer[from] = to;
  ended[from] = 0;
  watch(from);
}

static void take(int from) {
  static char buffer[1 << 16];
  ssize_t length = recv(from, buffer, sizeof buffer, MSG_DONTWAIT);
  if (length <= 0) {
    length = 0;
    epoll_ctl(epoll, EPOLL_CTL_DEL, from, NULL);
  }
  struct piece *piece = malloc(sizeof *piece + length);
  *piece = (struct piece){.due = now() + delay, .to = peer[from], .length = length};
  memcpy(piece->bytes, buffer, length);
  *last = piece;
  last = &piece->next;
}

/* Sends wait until the receiver has room. */
static void deliver(struct piece *piece) {
  int to = piece->to, from = peer[to];
  for (ssize_t sent = 0, done = 1; sent < piece->length && done > 0; sent += done) {
    done = send(to, piece->bytes + sent, piece->length - sent, MSG_NOSIGNAL);
  }
  if (piece->length > 0) return;
  shutdown(to, SHUT_WR);
  ended[from] = 1;
  if (!ended[to]) return;
  close(from);
  close(to);
}

int main(int count, char **arguments) {
  require(count == 2, "The port of this machine is missing");
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, target = place;
  target.sin_port = htons(atoi(arguments[1]));
  socklen_t size = sizeof place;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  require(bind(listener, (struct sockaddr *)&place, size) == 0 && listen(listener, 1024) == 0, "listen");
  getsockname(listener, (struct sockaddr *)&place, &size);
  /* Bytes are late where other processes are busy, unless this one comes first. It needs root, and is of use without. */
  sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
  prctl(PR_SET_TIMERSLACK, 1);
  epoll = epoll_create1(0);
  lateness = measure_lateness();
  printf("%d\n", ntohs(place.sin_port));
  fflush(stdout);
  watch(listener);
  watch(STDIN_FILENO);
  for (;;) {
    struct epoll_event events[64];
    int ready = first ? wait_for(events, 64, first->due - lateness - now()) : epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < ready; i++) {
      int file = events[i].data.fd;
      char line[32] = "";
      if (file == listener) {
        int client = accept(listener, NULL, NULL), server = socket(AF_INET, SOCK_STREAM, 0);
        require(client >= 0 && connect(server, (struct sockaddr *)&target, sizeof target) == 0, "connect");
        join(client, server);
        join(server, client);
      } else if (file != STDIN_FILENO) {
        take(file);
      } else if (read(STDIN_FILENO, line, sizeof line - 1) > 0) {
        delay = atoll(line) * 1000;
      } else return 0;
    }
    while (first && first->due - lateness <= now()) {
      struct piece *piece = first;
      first = piece->next;
      if (!first) last = &first;
      deliver(piece);
      free(piece);
    }
  }
}
