/* Preloaded into a process: counts its write-class system calls below one directory and lets the N-th of them fail or kill.
 *
 * Armed by the process itself (ctypes): fault_arm(directory, number, error, sticky, cut). error 0: SIGKILL. sticky: every later call
 * fails too. cut: a write that is struck takes half of its bytes first, as on a disk that fills up in the middle of it, and says so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char below[PATH_MAX];
static int armed, error_number, sticky, cut;
static atomic_int seen, limit, fired;

void fault_arm(const char *directory, int number, int error, int stay, int half) {
    strncpy(below, directory, sizeof below - 1);
    error_number = error;
    sticky = stay;
    cut = half;
    seen = 0;
    fired = 0;
    limit = number;
    armed = 1;
}
void fault_disarm(void) { armed = 0; }
int fault_fired(void) { return fired; }
int fault_seen(void) { return seen; }

static int inside(const char *path) {
    char whole[PATH_MAX];
    if (path == NULL) return 0;
    if (path[0] != '/') {
        if (getcwd(whole, sizeof whole) == NULL) return 0;
        return strncmp(whole, below, strlen(below)) == 0;
    }
    return strncmp(path, below, strlen(below)) == 0;
}

static int inside_fd(int fd) {
    char link[64], whole[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, whole, sizeof whole - 1);
    if (length <= 0) return 0;
    whole[length] = 0;
    return whole[0] == '/' && strncmp(whole, below, strlen(below)) == 0;
}

static int inside_at(int fd, const char *path) {
    return path != NULL && (path[0] == '/' || fd == AT_FDCWD) ? inside(path) : inside_fd(fd);
}

/* Calls that need room: a full disk lets all others through. */
static int needs_room(void) { return error_number == ENOSPC || error_number == EDQUOT; }

/* Whether this call is the one. The error is set where it shall fail. `room`: it takes some. */
static int struck_at(int room) {
    if (needs_room() && !room) return 0;
    int number = ++seen;
    if (number != limit && !(sticky && number > limit)) return 0;
    fired = 1;
    if (error_number == 0) kill(getpid(), SIGKILL);
    errno = error_number;
    return 1;
}

static int struck(void) { return struck_at(1); }

/* Whether a write that is struck now takes `half` of its bytes: only the first one that is, the next ones find no room at all. */
static int halved(size_t half) { return cut && half > 0 && seen == limit; }
static int struck_roomless(void) { return struck_at(0); }

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define WRITES(flags) ((flags) & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC))
#define MODE(flags, last) mode_t mode = 0; if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, last); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { REAL(open); MODE(flags, flags)
    if (armed && WRITES(flags) && inside(path) && struck()) return -1; return real(path, flags, mode); }
int open64(const char *path, int flags, ...) { REAL(open64); MODE(flags, flags)
    if (armed && WRITES(flags) && inside(path) && struck()) return -1; return real(path, flags, mode); }
int openat(int fd, const char *path, int flags, ...) { REAL(openat); MODE(flags, flags)
    if (armed && WRITES(flags) && inside_at(fd, path) && struck()) return -1; return real(fd, path, flags, mode); }
int openat64(int fd, const char *path, int flags, ...) { REAL(openat64); MODE(flags, flags)
    if (armed && WRITES(flags) && inside_at(fd, path) && struck()) return -1; return real(fd, path, flags, mode); }
ssize_t write(int fd, const void *data, size_t size) { REAL(write);
    if (armed && inside_fd(fd) && struck()) return halved(size / 2) ? real(fd, data, size / 2) : -1; return real(fd, data, size); }
static ssize_t write_some(int fd, const void *data, size_t size) {
    static __typeof__(write) *real; if (!real) real = (__typeof__(write) *)dlsym(RTLD_NEXT, "write"); return real(fd, data, size); }
ssize_t writev(int fd, const struct iovec *parts, int count) { REAL(writev);
    if (armed && inside_fd(fd) && struck()) return halved(parts[0].iov_len / 2) ? write_some(fd, parts[0].iov_base, parts[0].iov_len / 2) : -1;
    return real(fd, parts, count); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { REAL(pwrite);
    if (armed && inside_fd(fd) && struck()) return halved(size / 2) ? real(fd, data, size / 2, at) : -1; return real(fd, data, size, at); }
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) { REAL(pwrite64);
    if (armed && inside_fd(fd) && struck()) return halved(size / 2) ? real(fd, data, size / 2, at) : -1; return real(fd, data, size, at); }
int ftruncate(int fd, off_t size) { REAL(ftruncate); if (armed && inside_fd(fd) && struck_roomless()) return -1; return real(fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64); if (armed && inside_fd(fd) && struck_roomless()) return -1; return real(fd, size); }
int fsync(int fd) { REAL(fsync); if (armed && inside_fd(fd)) { if (struck_roomless()) return -1; return 0; } return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); if (armed && inside_fd(fd)) { if (struck_roomless()) return -1; return 0; } return real(fd); }
int rename(const char *old, const char *new) { REAL(rename); if (armed && inside(new) && struck()) return -1; return real(old, new); }
int renameat(int one, const char *old, int two, const char *new) { REAL(renameat);
    if (armed && inside_at(two, new) && struck()) return -1; return real(one, old, two, new); }
int link(const char *old, const char *new) { REAL(link); if (armed && inside(new) && struck()) return -1; return real(old, new); }
int symlink(const char *old, const char *new) { REAL(symlink); if (armed && inside(new) && struck()) return -1; return real(old, new); }
int unlink(const char *path) { REAL(unlink); if (armed && inside(path) && struck_roomless()) return -1; return real(path); }
int unlinkat(int fd, const char *path, int flags) { REAL(unlinkat);
    if (armed && inside_at(fd, path) && struck_roomless()) return -1; return real(fd, path, flags); }
int rmdir(const char *path) { REAL(rmdir); if (armed && inside(path) && struck_roomless()) return -1; return real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); if (armed && inside(path) && struck()) return -1; return real(path, mode); }
int fchmod(int fd, mode_t mode) { REAL(fchmod); if (armed && inside_fd(fd) && struck_roomless()) return -1; return real(fd, mode); }
int chmod(const char *path, mode_t mode) { REAL(chmod); if (armed && inside(path) && struck_roomless()) return -1; return real(path, mode); }
int utimensat(int fd, const char *path, const struct timespec times[2], int flags) { REAL(utimensat);
    if (armed && inside_at(fd, path) && struck_roomless()) return -1; return real(fd, path, times, flags); }
