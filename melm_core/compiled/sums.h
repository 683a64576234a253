/* The sums over rows, compiled for one kind of processor. */

#ifndef MELM_SUMS_H
#define MELM_SUMS_H

/* Coordinates of a class are padded to whole vectors of any processor. */
#define MOST_LANES 16

#define SUMS_OF(REAL)                                                                             \
    void (*project)(long k, long n, long d, const REAL *rows, const double *components,           \
                    REAL *out);                                                                   \
    void (*pull_back)(long k, long n, long d, const REAL *rows, const REAL *by_points,            \
                      double share, double *gradient);                                            \
    void (*whiten)(long k, long n, const REAL *from, long stride, const double *matrix, REAL *to, \
                   long to_stride);                                                               \
    double (*pair_sums)(long k, int is_weighted, long n, const REAL *u, long u_stride,            \
                        const REAL *wu, long m, const REAL *v, long v_stride, const REAL *wv,     \
                        REAL *pull_u, REAL *pull_v);                                              \
    double (*own_sums)(long k, int is_weighted, long n, const REAL *u, long stride,               \
                       const REAL *weights, REAL *pull);                                          \
    void (*moments)(long k, long n, const REAL *u, long u_stride, const REAL *pull, long stride,  \
                    double *moment);                                                              \
    void (*add_pulls)(long k, long n, const double *matrix, const REAL *pull, long pull_stride,   \
                      REAL *by_points, long stride);                                              \
    void (*kernel_sums)(long k, long n, const REAL *u, long u_stride, long m, const REAL *v,      \
                        long v_stride, const REAL *wv, REAL *sums);

typedef struct { SUMS_OF(float) } sums_of_float;
typedef struct { SUMS_OF(double) } sums_of_double;

typedef struct {
    const char *processor;
    sums_of_float single;
    sums_of_double twice;
} melm_sums;

#endif
