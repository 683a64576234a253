/* The divergence of class densities in a plane, and the climb to a plane where it is largest.
 *
 * The same quantities as melm_core/density/engines/pair_tiles.py, melm_core/melm/objective.py and
 * melm_core/optimization/lbfgs.py, where they are explained and which they are tested against.
 * What is called from outside begins with melm_. Nothing is allocated, nothing is kept between
 * calls: every size is known from the objective, every buffer is the caller's. */

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "sums.h"

#define MOST_COMPONENTS 3
#define INTERFACE 3 /* raised whenever a struct or a function called from outside changes */

/* As in direct_sums.py and pair_tiles.py. */
#define FLATTEST_KERNEL 1e-12
#define NARROWEST_KERNEL 1e-100
#define SMALLEST_SINGLE 1e-25
#define SMALLEST_TWICE 1e-260

/* As in lbfgs.py. */
#define MEMORY 10
#define SUFFICIENT_GAIN 1e-4
#define REMAINING_SLOPE 0.9
#define STEPS_TO_LEARN 5
#define TRIALS_FOR_ANY_GAIN 8
#define MAX_TRIALS 20

/* Kernels are powers of 2: coordinates in which they are normal are multiplied by this. */
#define SQRT_HALF_LOG2_E 0.84932180028801904

enum aggregate { MEAN_OVER_PAIRS, SOFT_MINIMUM, ONE_VS_REST };

typedef struct {
    int64_t n_classes, aggregate, is_double, is_weighted;
    double share;   /* of this term in the objective */
    double squared; /* what the kernel covariances are multiplied by */
    const int64_t *counts;     /* (n_classes) */
    const double *totals;      /* (n_classes), numbers of rows or sums of their weights */
    const void *rows;          /* (d, padded rows), feature by feature, about any common origin */
    const void *weights;       /* (padded rows), zero where padded */
    const double *covariances; /* (n_classes, d, padded d): of kernels; of classes in the limit */
    const double *means;       /* (n_classes, padded d) in the limit of wide kernels, or NULL */
} melm_term;

typedef struct {
    int64_t n_terms, k, d;
    double softness;
    const melm_term *terms;
} melm_objective;

/* A climb between two calls; followed in memory by its arrays, see arrays_of. The function is
 * minimized: values and gradients are those of the negative objective. */
enum status { NEW, RUNNING, CONVERGED, ENDED };

typedef struct {
    int64_t status, n_steps, n_trials, n_evaluations, max_iter, is_resumed;
    double value, slope, length, lower, upper, tol;
} melm_state;

typedef struct {
    double *point, *gradient, *direction, *trial, *trial_gradient;
    double *steps, *changes; /* (MEMORY, entries), the latest last, zero where there are fewer */
} arrays;

extern const melm_sums melm_sums_base;
#if defined(__x86_64__)
extern const melm_sums melm_sums_avx2, melm_sums_avx512;
#endif

static int64_t padded(int64_t n) { return (n + MOST_LANES - 1) / MOST_LANES * MOST_LANES; }

/* ------------------------------------------------------------------------------- processors */

static const melm_sums *sums_of_processor(int64_t number) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    int has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                     __builtin_cpu_supports("avx512dq");
    if (number == 0) return &melm_sums_base;
    if (number == 1) return has_avx2 ? &melm_sums_avx2 : 0;
    if (number == 2) return has_avx512 ? &melm_sums_avx512 : 0;
    return 0;
#else
    return number == 0 ? &melm_sums_base : 0;
#endif
}

int64_t melm_interface(void) { return INTERFACE; }

/* The name of a kind of processor that this machine is, or NULL; the higher, the faster. */
const char *melm_processor(int64_t number) {
    const melm_sums *sums = sums_of_processor(number);
    return sums ? sums->processor : 0;
}

/* ------------------------------------------------------------------------- small matrices */

/* Root R of the inverse of a symmetric k x k matrix, R R' = C^-1, and the logarithm of the
 * Gaussian density at its mean, by Jacobi rotations. */
static double inverse_root(int64_t k, const double *covariance, double *root) {
    double a[3][3], axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) a[i][j] = 0.5 * (covariance[i * k + j] + covariance[j * k + i]);
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0.0, on = 0.0;
        for (int i = 0; i < k; i++) {
            on += a[i][i] * a[i][i];
            for (int j = i + 1; j < k; j++) off += a[i][j] * a[i][j];
        }
        if (!(off > 1e-36 * on)) break;
        for (int p = 0; p < k; p++)
            for (int q = p + 1; q < k; q++) {
                if (a[p][q] == 0.0) continue;
                double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                double t = (theta < 0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int i = 0; i < k; i++) {
                    double x = a[i][p], y = a[i][q];
                    a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
                }
                for (int i = 0; i < k; i++) {
                    double x = a[p][i], y = a[q][i];
                    a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
                }
                for (int i = 0; i < k; i++) {
                    double x = axes[i][p], y = axes[i][q];
                    axes[i][p] = c * x - s * y, axes[i][q] = s * x + c * y;
                }
            }
    }
    double largest = a[0][0], log_norm = 0.0;
    for (int i = 1; i < k; i++) largest = fmax(largest, a[i][i]);
    double floor = fmax(FLATTEST_KERNEL * largest, NARROWEST_KERNEL);
    for (int j = 0; j < k; j++) {
        double variance = fmax(a[j][j], floor);
        log_norm -= 0.5 * log(2.0 * M_PI * variance);
        for (int i = 0; i < k; i++) root[i * k + j] = axes[i][j] / sqrt(variance);
    }
    return log_norm;
}

static double inner(int64_t n, const double *a, const double *b) {
    double sums[4] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int lane = 0; lane < 4; lane++) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < n; i++) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* ------------------------------------------------------------------------------ aggregates */

/* Log of the sum of exp(logs), whose shares replace them. */
static double softmax(int64_t n, double *logs) {
    double largest = logs[0], total = 0.0;
    for (int64_t i = 1; i < n; i++) largest = fmax(largest, logs[i]);
    for (int64_t i = 0; i < n; i++) total += logs[i] = exp(logs[i] - largest);
    for (int64_t i = 0; i < n; i++) logs[i] /= total;
    return largest + log(total);
}

/* The value, and its derivatives by the logs over unordered pairs in the upper triangle of
 * `weights`; `scratch` has room for 2 n^2. See melm_core/melm/multiclass.py. */
static double aggregate(int64_t kind, int64_t n, const double *logs, const double *totals,
                        double softness, double *weights, double *scratch) {
    memset(weights, 0, n * n * sizeof(double));
    double value = 0.0;
    if (kind == ONE_VS_REST) {
        double *within = scratch, *across = scratch + n * n;
        for (int64_t code = 0; code < n; code++) {
            double rest = 0.0;
            int64_t n_within = 0, n_across = 0;
            for (int64_t a = 0; a < n; a++) rest += a == code ? 0.0 : totals[a];
            for (int64_t a = 0; a < n; a++) {
                if (a == code) continue;
                double log_share = log(totals[a] / rest);
                across[n_across++] = logs[code * n + a] + log_share;
                for (int64_t b = 0; b < n; b++)
                    if (b != code)
                        within[n_within++] = logs[a * n + b] + log_share + log(totals[b] / rest);
            }
            value += logs[code * n + code] + softmax(n_within, within);
            value -= 2.0 * softmax(n_across, across);
            weights[code * n + code] += 1.0;
            n_within = n_across = 0;
            for (int64_t a = 0; a < n; a++) {
                if (a == code) continue;
                weights[a < code ? a * n + code : code * n + a] -= 2.0 * across[n_across++];
                for (int64_t b = 0; b < n; b++)
                    if (b != code) weights[a < b ? a * n + b : b * n + a] += within[n_within++];
            }
        }
        for (int64_t i = 0; i < n * n; i++) weights[i] /= n;
        return value / n;
    }
    int64_t n_pairs = n * (n - 1) / 2, pair = 0;
    double *shares = scratch, *divergences = scratch + n_pairs;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = a + 1; b < n; b++, pair++) {
            divergences[pair] = logs[a * n + a] + logs[b * n + b] - 2.0 * logs[a * n + b];
            shares[pair] = kind == SOFT_MINIMUM ? -divergences[pair] / softness : 1.0 / n_pairs;
        }
    if (kind == SOFT_MINIMUM)
        value = -softness * (softmax(n_pairs, shares) - log((double)n_pairs));
    else
        for (pair = 0; pair < n_pairs; pair++) value += divergences[pair] / n_pairs;
    pair = 0;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = a + 1; b < n; b++, pair++) {
            weights[a * n + b] = -2.0 * shares[pair];
            weights[a * n + a] += shares[pair];
            weights[b * n + b] += shares[pair];
        }
    return value;
}

/* ---------------------------------------------------------------------------- one evaluation */

/* What one evaluation of a term writes, in the caller's buffer. */
typedef struct {
    double *spread;  /* (n_classes, k, padded d): components times covariances */
    double *kernels; /* (n_classes, k, k) */
    double *logs, *weights, *scratch;       /* (n_classes^2), and twice that */
    double *roots, *totals, *pairs, *by_kernels; /* of pairs: (k, k), (), (k, k); of classes */
    double *centers;                        /* (n_classes, k) in the limit */
    void *points, *by_points;               /* (k, padded rows) */
    void *white, *pulls;                    /* of all pairs: first class, then second */
} room;

static int64_t all_rows(const melm_term *term) {
    int64_t n = 0;
    for (int64_t c = 0; term->counts && c < term->n_classes; c++) n += padded(term->counts[c]);
    return n;
}

static double *taken(double **from, int64_t n) {
    double *here = *from;
    *from += padded(n);
    return here;
}

/* Divides a buffer; returns how many doubles of it are taken. */
static int64_t divide(const melm_term *term, int64_t k, int64_t d, double *buffer, room *own) {
    int64_t n = term->n_classes, n_pairs = n * (n + 1) / 2, rows = term->means ? 0 : all_rows(term);
    double *left = buffer;
    own->spread = taken(&left, n * k * padded(d));
    own->kernels = taken(&left, n * k * k);
    own->logs = taken(&left, n * n);
    own->weights = taken(&left, n * n);
    own->scratch = taken(&left, 2 * n * n);
    own->roots = taken(&left, n_pairs * k * k);
    own->totals = taken(&left, n_pairs);
    own->pairs = taken(&left, n_pairs * k * k);
    own->by_kernels = taken(&left, n * k * k);
    own->centers = taken(&left, n * k);
    own->points = taken(&left, k * rows);
    own->by_points = taken(&left, k * rows);
    /* of single precision half of it is used */
    own->white = taken(&left, 2 * k * rows);
    own->pulls = taken(&left, (n + 1) * k * rows);
    return left - buffer;
}

int64_t melm_room(const melm_objective *objective) {
    int64_t largest = 0;
    for (int64_t t = 0; t < objective->n_terms; t++) {
        room own;
        int64_t n = divide(objective->terms + t, objective->k, objective->d, (double *)0, &own);
        largest = n > largest ? n : largest;
    }
    return largest;
}

/* Derivatives by the kernel covariance of a pair, from the moment of its pulls. */
static void by_pair(int64_t k, const double *root, const double *moment, double scale,
                    double *result) {
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0.0;
            for (int64_t a = 0; a < k; a++) {
                sum -= root[i * k + a] * root[j * k + a];
                for (int64_t b = 0; b < k; b++)
                    sum += root[i * k + a] * 0.5 * (moment[a * k + b] + moment[b * k + a]) * scale *
                           root[j * k + b];
            }
            result[i * k + j] = 0.5 * sum;
        }
}

#define REAL float
#define OF(name) name##_f
#define SUMS(of) (of->single)
#define SMALLEST SMALLEST_SINGLE
#include "term_of.h"
#undef REAL
#undef OF
#undef SUMS
#undef SMALLEST

#define REAL double
#define OF(name) name##_d
#define SUMS(of) (of->twice)
#define SMALLEST SMALLEST_TWICE
#include "term_of.h"

/* The term where every class is one Gaussian: see wide_kernel_objective in search.py. */
static double limit_term(const melm_term *term, int64_t k, int64_t d, double softness,
                         const double *components, const room *own, double *gradient) {
    int64_t n = term->n_classes, wide = padded(d), pair = 0;
    for (int64_t c = 0; c < n; c++)
        for (int64_t i = 0; i < k; i++)
            own->centers[c * k + i] = inner(d, components + i * d, term->means + c * wide);
    double offsets[MOST_COMPONENTS];
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = a; b < n; b++, pair++) {
            double sum[9], *root = own->roots + pair * k * k, *found = own->pairs + pair * k * k;
            for (int64_t i = 0; i < k * k; i++)
                sum[i] = own->kernels[a * k * k + i] + own->kernels[b * k * k + i];
            double log_value = inverse_root(k, sum, root);
            for (int64_t i = 0; i < k; i++)
                offsets[i] = own->centers[a * k + i] - own->centers[b * k + i];
            memset(found, 0, k * k * sizeof(double));
            for (int64_t j = 0; j < k; j++) {
                double along = 0.0;
                for (int64_t i = 0; i < k; i++) along += root[i * k + j] * offsets[i];
                log_value -= 0.5 * along * along;
                for (int64_t i = 0; i < k; i++) found[i] += root[i * k + j] * along;
            }
            own->logs[a * n + b] = own->logs[b * n + a] = log_value;
        }
    double value = aggregate(term->aggregate, n, own->logs, term->totals, softness, own->weights,
                             own->scratch);
    memset(own->by_kernels, 0, n * k * k * sizeof(double));
    pair = 0;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = a; b < n; b++, pair++) {
            double weight = own->weights[a * n + b];
            const double *root = own->roots + pair * k * k, *found = own->pairs + pair * k * k;
            for (int64_t i = 0; i < k; i++) {
                for (int64_t j = 0; j < k; j++) {
                    double by = found[i] * found[j];
                    for (int64_t m = 0; m < k; m++) by -= root[i * k + m] * root[j * k + m];
                    own->by_kernels[a * k * k + i * k + j] += 0.5 * weight * by;
                    own->by_kernels[b * k * k + i * k + j] += 0.5 * weight * by;
                }
                double of_means = term->share * weight * found[i];
                for (int64_t f = 0; f < d && a != b; f++)
                    gradient[i * d + f] -=
                        of_means * (term->means[a * wide + f] - term->means[b * wide + f]);
            }
        }
    return value;
}

static double evaluate(const melm_objective *objective, const melm_sums *sums,
                       const double *components, double *gradient, double *buffer) {
    int64_t k = objective->k, d = objective->d, wide = padded(d);
    double value = 0.0;
    memset(gradient, 0, k * d * sizeof(double));
    for (int64_t t = 0; t < objective->n_terms; t++) {
        const melm_term *term = objective->terms + t;
        room own;
        divide(term, k, d, buffer, &own);
        for (int64_t c = 0; c < term->n_classes; c++) {
            double *spread = own.spread + c * k * wide;
            sums->twice.project(k, wide, d, term->covariances + c * d * wide, components, spread);
            for (int64_t i = 0; i < k; i++)
                for (int64_t j = 0; j < k; j++)
                    own.kernels[(c * k + i) * k + j] =
                        term->squared * inner(d, spread + i * wide, components + j * d);
        }
        double softness = objective->softness, found;
        if (term->means)
            found = limit_term(term, k, d, softness, components, &own, gradient);
        else if (term->is_double)
            found = row_term_d(term, sums, k, d, softness, components, &own, gradient);
        else
            found = row_term_f(term, sums, k, d, softness, components, &own, gradient);
        value += term->share * found;
        double scale = 2.0 * term->share * term->squared;
        for (int64_t c = 0; c < term->n_classes; c++)
            for (int64_t i = 0; i < k; i++)
                for (int64_t j = 0; j < k; j++) {
                    double by = scale * own.by_kernels[(c * k + i) * k + j];
                    const double *spread = own.spread + (c * k + j) * wide;
                    for (int64_t f = 0; f < d; f++) gradient[i * d + f] += by * spread[f];
                }
    }
    return value;
}

/* The objective and its gradient (k, d) at components (k, d); `buffer` has room for melm_room
 * doubles. */
double melm_evaluate(const melm_objective *objective, int64_t processor, const double *components,
                     double *gradient, double *buffer) {
    return evaluate(objective, sums_of_processor(processor), components, gradient, buffer);
}

/* Where melm_evaluate leaves the logarithms of the potentials of the last term in its buffer:
 * (n_classes, n_classes). */
int64_t melm_logs(const melm_objective *objective) {
    room own;
    divide(objective->terms + objective->n_terms - 1, objective->k, objective->d, (double *)0,
           &own);
    return own.logs - (double *)0;
}

/* Sums of 2^-|u - v|^2 over weighted rows v, (k, padded rows), at n points u, (k, n). */
void melm_kernel_sums(int64_t processor, int64_t k, int64_t n, const double *points, int64_t m,
                      const double *rows, const double *weights, double *sums) {
    sums_of_processor(processor)->twice.kernel_sums(k, n, points, n, m, rows, padded(m),
                                                    weights, sums);
}

/* Makes the k rows of each of several planes, (n_planes, k, d), orthonormal where they stand, each
 * a combination of those up to it: Gram-Schmidt as in melm_core/linalg/planes.py. Returns how many
 * planes come before the first of which a row depends on others up to `negligible`. */
int64_t melm_orthonormalize(int64_t n_planes, int64_t k, int64_t d, double negligible,
                            double *planes) {
    for (int64_t number = 0; number < n_planes; number++, planes += k * d)
        for (int64_t i = 0; i < k; i++) {
            double *row = planes + i * d, largest = DBL_MIN;
            for (int64_t l = 0; l < d; l++) largest = fmax(largest, fabs(row[l]));
            for (int64_t l = 0; l < d; l++) row[l] /= largest; /* now squares are in range */
            double length = sqrt(inner(d, row, row));
            for (int64_t j = 0; j < 2 * i; j++) { /* all rows before it, twice */
                const double *before = planes + j % i * d;
                double along = inner(d, row, before);
                for (int64_t l = 0; l < d; l++) row[l] -= along * before[l];
            }
            double rest = sqrt(inner(d, row, row));
            if (rest <= negligible * length) return number;
            for (int64_t l = 0; l < d; l++) row[l] /= rest;
        }
    return n_planes;
}

/* ------------------------------------------------------------------------------------- climb */

static arrays arrays_of(melm_state *state, int64_t n) {
    double *left = (double *)(state + 1);
    arrays own = {left, left + n, left + 2 * n, left + 3 * n, left + 4 * n, left + 5 * n,
                  left + (5 + MEMORY) * n};
    return own;
}

/* How many bytes a climb of `entries` components takes. */
int64_t melm_state_bytes(int64_t entries) {
    return (int64_t)sizeof(melm_state) + (5 + 2 * MEMORY) * entries * (int64_t)sizeof(double);
}

static double at(const melm_objective *objective, const melm_sums *sums, const double *components,
                 double *gradient, double *buffer, melm_state *state) {
    double value = evaluate(objective, sums, components, gradient, buffer);
    for (int64_t i = 0; i < objective->k * objective->d; i++) gradient[i] = -gradient[i];
    state->n_evaluations++;
    return -value;
}

static int is_flat(int64_t n, const double *gradient, double tol) {
    double largest = 0.0;
    for (int64_t i = 0; i < n; i++) largest = fmax(largest, fabs(gradient[i]));
    return largest <= sqrt(tol);
}

/* The inverse Hessian of L-BFGS times the gradient, by its two loops. */
static void quasi_newton(int64_t n, const arrays *own, double *direction) {
    double along[MEMORY], curvatures[MEMORY], scale = 1.0;
    memcpy(direction, own->gradient, n * sizeof(double));
    for (int i = MEMORY - 1; i >= 0; i--) {
        const double *step = own->steps + i * n, *change = own->changes + i * n;
        curvatures[i] = inner(n, step, change);
        if (i == MEMORY - 1) {
            double square = inner(n, change, change);
            scale = square > 0 ? curvatures[i] / square : 1.0;
        }
        if (curvatures[i] == 0.0) continue;
        along[i] = inner(n, step, direction) / curvatures[i];
        for (int64_t j = 0; j < n; j++) direction[j] -= along[i] * change[j];
    }
    for (int64_t j = 0; j < n; j++) direction[j] *= scale;
    for (int i = 0; i < MEMORY; i++) {
        const double *step = own->steps + i * n, *change = own->changes + i * n;
        if (curvatures[i] == 0.0) continue;
        double back = inner(n, change, direction) / curvatures[i];
        for (int64_t j = 0; j < n; j++) direction[j] += (along[i] - back) * step[j];
    }
    for (int64_t j = 0; j < n; j++) direction[j] = -direction[j];
}

static void turn(int64_t n, melm_state *state, const arrays *own) {
    quasi_newton(n, own, own->direction);
    state->slope = inner(n, own->direction, own->gradient);
    if (!(state->slope < 0)) {
        for (int64_t i = 0; i < n; i++) own->direction[i] = -own->gradient[i];
        state->slope = -inner(n, own->gradient, own->gradient);
    }
    state->length = 1.0, state->lower = 0.0, state->upper = INFINITY, state->n_trials = 0;
}

static void adjust(melm_state *state, double value, int is_too_long) {
    double length = state->length;
    if (is_too_long) {
        double curvature = 2.0 * (value - state->value - state->slope * length);
        double parabola = isfinite(curvature) && curvature > 0
                              ? -state->slope * length * length / curvature
                              : 0.0;
        double gap = length - state->lower;
        state->upper = length;
        state->length = fmin(fmax(parabola, state->lower + 0.1 * gap), state->lower + 0.5 * gap);
    } else {
        state->lower = length;
        state->length = isinf(state->upper) ? 2.0 * length : 0.5 * (length + state->upper);
    }
}

static void remember(int64_t n, const arrays *own) {
    const double *trial = own->trial, *trial_gradient = own->trial_gradient;
    double along = 0.0, square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double change = trial_gradient[i] - own->gradient[i];
        along += (trial[i] - own->point[i]) * change;
        square += change * change;
    }
    if (!(along > 2.220446049250313e-16 * square)) return; /* it would not stay positive definite */
    memmove(own->steps, own->steps + n, (MEMORY - 1) * n * sizeof(double));
    memmove(own->changes, own->changes + n, (MEMORY - 1) * n * sizeof(double));
    double *step = own->steps + (MEMORY - 1) * n, *change = own->changes + (MEMORY - 1) * n;
    for (int64_t i = 0; i < n; i++) {
        step[i] = trial[i] - own->point[i];
        change[i] = trial_gradient[i] - own->gradient[i];
    }
}

/* Goes on with a climb for at most `most_accepted` accepted steps, of which the initial plane is
 * the first, and returns how many there were. Of each, `values` receives what was reached, and so
 * do `planes` (most_accepted, k, d) and `evaluations` (so far) unless they are NULL. A new state has max_iter, tol, is_resumed, the
 * point, and steps and changes where it goes on from another search; all else is zero. */
int64_t melm_climb(const melm_objective *objective, int64_t processor, melm_state *state,
                   int64_t most_accepted, double *planes, double *values, int64_t *evaluations,
                   double *buffer) {
    const melm_sums *sums = sums_of_processor(processor);
    int64_t n = objective->k * objective->d, n_accepted = 0;
    arrays own = arrays_of(state, n);
    int is_accepted = 0;
    if (state->status == NEW) {
        state->value = at(objective, sums, own.point, own.gradient, buffer, state);
        state->status = is_flat(n, own.gradient, state->tol) ? CONVERGED : RUNNING;
        if (state->is_resumed) {
            state->n_steps = STEPS_TO_LEARN; /* it has learned */
            turn(n, state, &own);
        } else {
            double norm = sqrt(inner(n, own.gradient, own.gradient));
            for (int64_t i = 0; i < n; i++) own.direction[i] = -own.gradient[i];
            state->slope = -norm * norm, state->length = 1.0 / fmax(norm, 1.0);
            state->lower = 0.0, state->upper = INFINITY;
        }
        is_accepted = 1;
    }
    for (;;) {
        if (is_accepted) {
            if (planes) memcpy(planes + n_accepted * n, own.point, n * sizeof(double));
            if (evaluations) evaluations[n_accepted] = state->n_evaluations;
            values[n_accepted++] = -state->value;
        }
        if (state->status != RUNNING || n_accepted >= most_accepted) return n_accepted;
        for (int64_t i = 0; i < n; i++)
            own.trial[i] = own.point[i] + state->length * own.direction[i];
        double value = at(objective, sums, own.trial, own.trial_gradient, buffer, state);
        double gain = state->value - value;
        double slope = inner(n, own.trial_gradient, own.direction);
        state->n_trials++;
        int is_too_long = !(gain >= -SUFFICIENT_GAIN * state->length * state->slope);
        int is_settled = slope >= REMAINING_SLOPE * state->slope;
        is_accepted = !is_too_long && (is_settled || state->n_trials >= TRIALS_FOR_ANY_GAIN);
        if (!is_accepted) {
            adjust(state, value, is_too_long);
            if (state->n_trials >= MAX_TRIALS) state->status = ENDED;
            continue;
        }
        double scale = fmax(fmax(fabs(state->value), fabs(value)), 1.0);
        int has_converged = (gain <= state->tol * scale && state->n_steps >= STEPS_TO_LEARN) ||
                            is_flat(n, own.trial_gradient, state->tol);
        remember(n, &own);
        memcpy(own.point, own.trial, n * sizeof(double));
        memcpy(own.gradient, own.trial_gradient, n * sizeof(double));
        state->value = value, state->n_steps++;
        if (has_converged)
            state->status = CONVERGED;
        else if (state->n_steps >= state->max_iter)
            state->status = ENDED;
        else
            turn(n, state, &own);
    }
}

/* Climbs from several planes to the end, one after the other. Their states follow each other, and
 * of each `values` (n_planes, most_accepted) and `n_values` receive the accepted steps, of which
 * there must be room for all. */
void melm_climb_all(const melm_objective *objective, int64_t processor, int64_t n_planes,
                    melm_state *states, int64_t most_accepted, double *values, int64_t *n_values,
                    double *buffer) {
    int64_t n_bytes = melm_state_bytes(objective->k * objective->d);
    for (int64_t i = 0; i < n_planes; i++) {
        melm_state *state = (melm_state *)((char *)states + i * n_bytes);
        n_values[i] = melm_climb(objective, processor, state, most_accepted, 0,
                                 values + i * most_accepted, 0, buffer);
    }
}
