// Put in front of the C library (LD_PRELOAD): writes down, in order, what a process does to the files of the folder RECORDED, and what
// it says on its standard output, into the file RECORD. A record: kind (1 byte), file (4), offset (8), length (8), then the bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST = 4096 };
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int watched[MOST]; // by descriptor: whether it is a file of the folder
static int record_fd = -1;

static void out(const void *bytes, size_t length) {
    for (const char *at = bytes; length > 0;) {
        ssize_t written = syscall(SYS_write, record_fd, at, length);
        if (written < 0) abort(); // a record with gaps proves nothing
        at += written;
        length -= (size_t)written;
    }
}

static void record(char kind, int fd, uint64_t offset, const void *bytes, uint64_t length) {
    if (record_fd < 0) {
        const char *path = getenv("RECORD");
        record_fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
        if (record_fd < 0) abort();
    }
    char head[21];
    uint32_t file = (uint32_t)fd;
    head[0] = kind;
    memcpy(head + 1, &file, 4);
    memcpy(head + 5, &offset, 8);
    memcpy(head + 13, &length, 8);
    out(head, sizeof head);
    out(bytes, length);
}

static int inside(const char *path) {
    const char *folder = getenv("RECORDED");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_watched(int fd) { return fd >= 0 && fd < MOST && watched[fd]; }

static int opened(int at, const char *path, int flags, mode_t mode) {
    pthread_mutex_lock(&turn);
    int fd = (int)syscall(SYS_openat, at, path, flags, mode);
    int error = errno;
    if (fd >= 0 && inside(path)) {
        if (fd >= MOST) abort();
        watched[fd] = 1;
        record('o', fd, (flags & O_TRUNC) != 0, path, strlen(path));
    }
    pthread_mutex_unlock(&turn);
    errno = error;
    return fd;
}

#define OPEN(name, ...)                                        \
    {                                                          \
        va_list rest;                                          \
        va_start(rest, flags);                                 \
        mode_t mode = (mode_t)va_arg(rest, int);               \
        va_end(rest);                                          \
        return opened(name, path, flags, mode);                \
    }
int open(const char *path, int flags, ...) OPEN(AT_FDCWD)
int open64(const char *path, int flags, ...) OPEN(AT_FDCWD)
int openat(int at, const char *path, int flags, ...) OPEN(at)
int openat64(int at, const char *path, int flags, ...) OPEN(at)

// Does a call, and writes it down when it succeeded; one at a time, so that the record has the order of what happened.
#define NOTED(type, fd, call, kind, offset, bytes, length)     \
    if (!is_watched(fd)) return (type)(call);                  \
    pthread_mutex_lock(&turn);                                 \
    type result = (type)(call);                                \
    int error = errno;                                         \
    if (result >= 0) record(kind, fd, (uint64_t)(offset), bytes, (uint64_t)(length)); \
    pthread_mutex_unlock(&turn);                               \
    errno = error;                                             \
    return result;

int close(int fd) {
    if (is_watched(fd)) watched[fd] = 0;
    return (int)syscall(SYS_close, fd);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    if (fd == 1) {
        // Written down before anybody can hear it: what was heard is in the record.
        pthread_mutex_lock(&turn);
        record('1', fd, 0, bytes, length);
        pthread_mutex_unlock(&turn);
    }
    // Files of the folder are written at places only; whoever changes that must teach it to this recorder.
    if (is_watched(fd)) abort();
    return syscall(SYS_write, fd, bytes, length);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    NOTED(ssize_t, fd, syscall(SYS_pwrite64, fd, bytes, length, offset), 'w', offset, bytes, result)
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    NOTED(ssize_t, fd, syscall(SYS_pwrite64, fd, bytes, length, offset), 'w', offset, bytes, result)
}
int ftruncate(int fd, off_t length) {
    NOTED(int, fd, syscall(SYS_ftruncate, fd, length), 't', length, "", 0)
}
int ftruncate64(int fd, off64_t length) {
    NOTED(int, fd, syscall(SYS_ftruncate, fd, length), 't', length, "", 0)
}
int fsync(int fd) {
    NOTED(int, fd, syscall(SYS_fsync, fd), 's', 0, "", 0)
}
int fdatasync(int fd) {
    NOTED(int, fd, syscall(SYS_fdatasync, fd), 's', 0, "", 0)
}
int unlink(const char *path) {
    pthread_mutex_lock(&turn);
    int result = (int)syscall(SYS_unlink, path);
    int error = errno;
    if (result == 0 && inside(path)) record('u', 0, 0, path, strlen(path));
    pthread_mutex_unlock(&turn);
    errno = error;
    return result;
}
