/* Sums over rows, written once for float and for double: REAL, INTEGER, F(name) and the constants
 * below are defined where this file is included (sums.c).
 *
 * Rows are kept feature by feature, so that every inner loop runs along rows. Coordinates are
 * padded to whole vectors; what is padded has weight zero.
 */

typedef REAL F(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef INTEGER F(integers) __attribute__((vector_size(VECTOR_BYTES)));
/* the same in memory, where it need not be aligned */
typedef REAL F(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));

typedef REAL F(part) __attribute__((vector_size(16), may_alias));

#define LANES ((long)(VECTOR_BYTES / sizeof(REAL)))
/* Rows whose kernel values are summed at once, a divisor of the lanes. */
#define ROWS (VECTOR_BYTES == 64 ? 4 : 2)
#define LOAD(from) ((F(vector))(*(const F(loose) *)(from)))
#define STORE(to, what) (*(F(loose) *)(to) = (F(loose))(what))

static const INTEGER F(numbers)[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* All bits of the lanes after one, which may be before the first. */
static inline F(integers) F(lanes_after)(long lane) {
    return (F(integers))LOAD((const REAL *)F(numbers)) > (INTEGER)lane - (F(integers)){0};
}

static inline F(vector) F(broadcast)(REAL value) { return value - (F(vector)){0}; }

/* The sum of all lanes, by parts: one after the other they would wait for each other. */
static inline REAL F(added)(F(vector) lanes) {
    const F(part) *parts = (const F(part) *)&lanes;
    F(part) sum = parts[0];
    for (long i = 1; i < VECTOR_BYTES / 16; i++) sum += parts[i];
    return OF_PART(sum);
}

/* 2^-s for s >= 0: the nearest integer is split off by adding 1.5 x 2^(mantissa bits), which needs
 * no conversion between integers and doubles (AVX2 has none), and put into the exponent. */
static inline F(vector) F(half_to_the)(F(vector) s) {
    s = (F(vector))SMALLER(s, F(broadcast)(LARGEST_POWER));
    F(vector) shifted = F(broadcast)(ROUNDER) - s;
    F(vector) rest = (F(broadcast)(ROUNDER) - shifted) - s; /* within 1/2 of zero, exact */
    F(vector) power = F(broadcast)(COEFFICIENTS[0]);
    for (int i = 1; i < (int)(sizeof(COEFFICIENTS) / sizeof(REAL)); i++)
        power = power * rest + COEFFICIENTS[i];
    return (F(vector))((F(integers))power + ((F(integers))shifted << MANTISSA_BITS));
}

/* out[c][row] = sum over features of components[c][feature] rows[feature][row] */
static void F(project)(long k, long n, long d, const REAL *rows, const double *components,
                       REAL *out) {
    for (long c = 0; c < k; c++) {
        long at = 0;
        for (; at + 4 * LANES <= n; at += 4 * LANES) {
            F(vector) a = {0}, b = {0}, e = {0}, g = {0};
            for (long f = 0; f < d; f++) {
                const REAL *from = rows + f * n + at;
                F(vector) own = F(broadcast)((REAL)components[c * d + f]);
                a += own * LOAD(from);
                b += own * LOAD(from + LANES);
                e += own * LOAD(from + 2 * LANES);
                g += own * LOAD(from + 3 * LANES);
            }
            REAL *to = out + c * n + at;
            STORE(to, a), STORE(to + LANES, b), STORE(to + 2 * LANES, e), STORE(to + 3 * LANES, g);
        }
        for (; at < n; at += LANES) {
            F(vector) a = {0};
            for (long f = 0; f < d; f++)
                a += F(broadcast)((REAL)components[c * d + f]) * LOAD(rows + f * n + at);
            STORE(out + c * n + at, a);
        }
    }
}

/* gradient[c][feature] += share * sum over rows of by_points[c][row] rows[feature][row] */
static void F(pull_back)(long k, long n, long d, const REAL *rows, const REAL *by_points,
                         double share, double *gradient) {
    for (long f = 0; f < d; f++) {
        const REAL *from = rows + f * n;
        for (long c = 0; c < k; c++) {
            const REAL *with = by_points + c * n;
            F(vector) a = {0}, b = {0};
            long at = 0;
            for (; at + 2 * LANES <= n; at += 2 * LANES) {
                a += LOAD(from + at) * LOAD(with + at);
                b += LOAD(from + at + LANES) * LOAD(with + at + LANES);
            }
            for (; at < n; at += LANES) a += LOAD(from + at) * LOAD(with + at);
            gradient[c * d + f] += share * F(added)(a + b);
        }
    }
}

/* Points times a k x k matrix, for `n` points of a class that begin at `from`. */
static void F(whiten)(long k, long n, const REAL *from, long stride, const double *matrix,
                      REAL *to, long to_stride) {
    for (long c = 0; c < k; c++)
        for (long at = 0; at < n; at += LANES) {
            F(vector) sum = {0};
            for (long a = 0; a < k; a++)
                sum += F(broadcast)((REAL)matrix[a * k + c]) * LOAD(from + a * stride + at);
            STORE(to + c * to_stride + at, sum);
        }
}

/* One row block of a pair: the rows from `first` against the points from `begin`, where a vector
 * begins, to `end`.
 *
 * Adds the weighted kernel values to *total, and K (u_i - v_j) to the pull of row i and, with the
 * other sign, to that of point j. If the rows are among the points, each counts with those after it
 * only. Always inlined, so that K, is_weighted and is_own are constants. */
static inline __attribute__((always_inline)) void F(row_block)(
    const int K, const int is_weighted, const int is_own, long first, const REAL *u,
    long u_stride, const REAL *wu, const REAL *v, long v_stride, const REAL *wv, long begin,
    long end, REAL *pull_u, REAL *pull_v, double *total) {
    F(vector) rows[3][ROWS], pulls[3][ROWS], weights[ROWS], sum = {0};
    for (int r = 0; r < ROWS; r++) {
        weights[r] = F(broadcast)(wu[first + r]);
        for (int c = 0; c < K; c++) {
            rows[c][r] = F(broadcast)(u[c * u_stride + first + r]);
            pulls[c][r] = (F(vector)){0};
        }
    }
    for (long at = begin; at < end; at += LANES) {
        F(vector) points[3], back[3];
        for (int c = 0; c < K; c++) {
            points[c] = LOAD(v + c * v_stride + at);
            back[c] = LOAD(pull_v + c * v_stride + at);
        }
        for (int r = 0; r < ROWS; r++) {
            F(vector) apart[3], s = {0};
            for (int c = 0; c < K; c++) {
                apart[c] = rows[c][r] - points[c];
                s += apart[c] * apart[c];
            }
            F(vector) kernel = F(half_to_the)(s);
            if (is_weighted)
                kernel *= weights[r] * LOAD(wv + at);
            else if (at + LANES > end) /* what is padded does not count */
                kernel *= LOAD(wv + at);
            if (is_own && at == begin)
                kernel = (F(vector))((F(integers))kernel & F(lanes_after)(first + r - at));
            sum += kernel;
            for (int c = 0; c < K; c++) {
                pulls[c][r] += kernel * apart[c];
                back[c] -= kernel * apart[c];
            }
        }
        for (int c = 0; c < K; c++) STORE(pull_v + c * v_stride + at, back[c]);
    }
    *total += (double)F(added)(sum);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < K; c++) pull_u[c * u_stride + first + r] += F(added)(pulls[c][r]);
}

static inline __attribute__((always_inline)) double F(across)(
    const int K, const int is_weighted, long n, const REAL *u, long u_stride, const REAL *wu,
    long m, const REAL *v, long v_stride, const REAL *wv, REAL *pull_u, REAL *pull_v) {
    double total = 0.0;
    long i = 0;
    for (; i + ROWS <= n; i += ROWS)
        F(row_block)(K, is_weighted, 0, i, u, u_stride, wu, v, v_stride, wv, 0, m, pull_u,
                     pull_v, &total);
    if (i < n) /* rows that are padded do not count, whose weights are zero */
        F(row_block)(K, 1, 0, i, u, u_stride, wu, v, v_stride, wv, 0, m, pull_u, pull_v,
                     &total);
    return total;
}

/* Each pair of rows of one class once; the sum over both orders, and of a row with itself. */
static inline __attribute__((always_inline)) double F(within)(
    const int K, const int is_weighted, long n, const REAL *u, long stride, const REAL *weights,
    REAL *pull) {
    double once = 0.0, itself = 0.0;
    for (long i = 0; i < n; i++) itself += (double)weights[i] * (double)weights[i];
    long i = 0;
    for (; i + ROWS <= n; i += ROWS)
        F(row_block)(K, is_weighted, 1, i, u, stride, weights, u, stride, weights,
                     i / LANES * LANES, n, pull, pull, &once);
    if (i < n)
        F(row_block)(K, 1, 1, i, u, stride, weights, u, stride, weights,
                     i / LANES * LANES, n, pull, pull, &once);
    return itself + 2.0 * once;
}

#define CASES(call)                                                                               \
    switch (2 * k + is_weighted) {                                                                \
    case 2: return call(1, 0);                                                                    \
    case 3: return call(1, 1);                                                                    \
    case 4: return call(2, 0);                                                                    \
    case 5: return call(2, 1);                                                                    \
    case 6: return call(3, 0);                                                                    \
    default: return call(3, 1);                                                                   \
    }

/* The sum of all kernel values of two classes, and their pulls, which are added to. */
static double F(pair_sums)(long k, int is_weighted, long n, const REAL *u, long u_stride,
                           const REAL *wu, long m, const REAL *v, long v_stride, const REAL *wv,
                           REAL *pull_u, REAL *pull_v) {
#define ACROSS(K, W) F(across)(K, W, n, u, u_stride, wu, m, v, v_stride, wv, pull_u, pull_v)
    CASES(ACROSS)
#undef ACROSS
}

static double F(own_sums)(long k, int is_weighted, long n, const REAL *u, long stride,
                          const REAL *weights, REAL *pull) {
#define WITHIN(K, W) F(within)(K, W, n, u, stride, weights, pull)
    CASES(WITHIN)
#undef WITHIN
}

/* sums[i] = the weighted kernel values of point i with all m rows. */
static inline __attribute__((always_inline)) void F(kernel_sums_of)(
    const int K, long n, const REAL *u, long u_stride, long m, const REAL *v, long v_stride,
    const REAL *wv, REAL *sums) {
    for (long i = 0; i < n; i++) {
        F(vector) sum = {0};
        for (long at = 0; at < m; at += LANES) {
            F(vector) s = {0};
            for (int c = 0; c < K; c++) {
                F(vector) apart = F(broadcast)(u[c * u_stride + i]) - LOAD(v + c * v_stride + at);
                s += apart * apart;
            }
            sum += F(half_to_the)(s) * LOAD(wv + at);
        }
        sums[i] = (REAL)F(added)(sum);
    }
}

static void F(kernel_sums)(long k, long n, const REAL *u, long u_stride, long m, const REAL *v,
                           long v_stride, const REAL *wv, REAL *sums) {
    if (k == 1)
        F(kernel_sums_of)(1, n, u, u_stride, m, v, v_stride, wv, sums);
    else if (k == 2)
        F(kernel_sums_of)(2, n, u, u_stride, m, v, v_stride, wv, sums);
    else
        F(kernel_sums_of)(3, n, u, u_stride, m, v, v_stride, wv, sums);
}

/* moment[a][b] += sum over rows of u[a][row] pull[b][row] */
static void F(moments)(long k, long n, const REAL *u, long u_stride, const REAL *pull,
                       long stride, double *moment) {
    for (long a = 0; a < k; a++)
        for (long b = 0; b < k; b++) {
            F(vector) sum = {0};
            for (long at = 0; at < n; at += LANES)
                sum += LOAD(u + a * u_stride + at) * LOAD(pull + b * stride + at);
            moment[a * k + b] += F(added)(sum);
        }
}

/* by_points[a][row] += sum over b of matrix[a][b] pull[b][row] */
static void F(add_pulls)(long k, long n, const double *matrix, const REAL *pull, long pull_stride,
                         REAL *by_points, long stride) {
    for (long a = 0; a < k; a++)
        for (long at = 0; at < n; at += LANES) {
            F(vector) sum = LOAD(by_points + a * stride + at);
            for (long b = 0; b < k; b++)
                sum += F(broadcast)((REAL)matrix[a * k + b]) * LOAD(pull + b * pull_stride + at);
            STORE(by_points + a * stride + at, sum);
        }
}

#undef CASES
#undef LANES
#undef ROWS
#undef LOAD
#undef STORE
