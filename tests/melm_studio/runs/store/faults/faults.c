/* What a process writes to files goes wrong at a chosen place: loaded before the C library, whose
   functions it stands in for. Pipes and sockets are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOTHING, COUNTED, FAILS, FULL, KILLED, TORN };

static int kind = NOTHING;
static long at, seen;

void fault_begin(int chosen, long number) { kind = chosen, at = number, seen = 0; }

long fault_end(void) { kind = NOTHING; return seen; }

/* Whether the operation, one of a file where it has a descriptor, is the one that goes wrong. */
static int strikes(int descriptor) {
    struct stat found;
    if (kind == NOTHING) return 0;
    if (descriptor >= 0 && (fstat(descriptor, &found) || !(S_ISREG(found.st_mode) || S_ISDIR(found.st_mode))))
        return 0;
    long number = seen++;
    if (kind == COUNTED || number < at) return 0;
    if (kind == KILLED) _exit(137);
    return kind == FULL || number == at;
}

static int failed(int full) { errno = kind == FULL ? full : EIO; return -1; }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define WRITES(name, arguments, some, all)                                     \
    ssize_t name arguments {                                                   \
        if (!strikes(descriptor)) return REAL(name) all;                       \
        if (kind == TORN) { if (size > 1) REAL(name) some; _exit(137); }       \
        return failed(ENOSPC);                                                 \
    }

WRITES(write, (int descriptor, const void *from, size_t size), (descriptor, from, size / 2), (descriptor, from, size))
WRITES(pwrite, (int descriptor, const void *from, size_t size, off_t to), (descriptor, from, size / 2, to),
       (descriptor, from, size, to))
WRITES(pwrite64, (int descriptor, const void *from, size_t size, off_t to), (descriptor, from, size / 2, to),
       (descriptor, from, size, to))

#define CHANGES(name, arguments, all, descriptor, full)                        \
    int name arguments {                                                       \
        if (!strikes(descriptor)) return REAL(name) all;                       \
        if (kind == TORN) _exit(137);                                          \
        return failed(full);                                                   \
    }

CHANGES(ftruncate, (int descriptor, off_t size), (descriptor, size), descriptor, EIO)
CHANGES(ftruncate64, (int descriptor, off_t size), (descriptor, size), descriptor, EIO)
CHANGES(rename, (const char *from, const char *to), (from, to), -1, ENOSPC)
CHANGES(link, (const char *from, const char *to), (from, to), -1, ENOSPC)
CHANGES(mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
CHANGES(unlink, (const char *path), (path), -1, EIO)

/* Nothing waits for the disk, since a machine that loses its power is not tried. */
#define SYNCS(name)                                                            \
    int name(int descriptor) {                                                 \
        if (!strikes(descriptor)) return 0;                                    \
        if (kind == TORN) _exit(137);                                          \
        return failed(ENOSPC);                                                 \
    }

SYNCS(fsync)
SYNCS(fdatasync)
