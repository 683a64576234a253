/* The term of all pairs of rows, written once for float and for double (climb.c).
 *
 * For classes a and b with kernel covariances S_a and S_b, S = S_a + S_b and R R' = S^-1,
 *
 *     ip_ab = 1 / (N_a N_b) sum_ij w_i w_j N(z_i - z_j; 0, S),
 *
 * whose kernels are K_ij = 2^-|u_i - u_j|^2 of u = SQRT_HALF_LOG2_E R'z. From the same sums follow
 *
 *     d log ip_ab / d z_i = -R sum_j K_ij R'(z_i - z_j) / sum_ij K_ij, twice that within a class,
 *     d log ip_ab / d S = (R M R' - S^-1) / 2, M the mean of R'(z_i - z_j) (z_i - z_j)'R under K. */

/* A pair whose kernel values have underflown: sums relative to the largest value, in double. */
static double OF(far_sums)(int64_t k, int is_own, int64_t n, const REAL *u, int64_t u_stride,
                           const REAL *wu, int64_t m, const REAL *v, int64_t v_stride,
                           const REAL *wv, REAL *pull_u, REAL *pull_v, double *shift) {
    double nearest = INFINITY, total = 0.0, apart[MOST_COMPONENTS];
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) {
                double square = 0.0;
                for (int64_t c = 0; c < k; c++) {
                    apart[c] = (double)u[c * u_stride + i] - (double)v[c * v_stride + j];
                    square += apart[c] * apart[c];
                }
                if (pass == 0) {
                    nearest = fmin(nearest, square);
                    continue;
                }
                double kernel = exp2(nearest - square) * (double)wu[i] * (double)wv[j];
                total += kernel;
                for (int64_t c = 0; c < k; c++) {
                    pull_u[c * u_stride + i] += (REAL)(kernel * apart[c]);
                    if (!is_own) pull_v[c * v_stride + j] -= (REAL)(kernel * apart[c]);
                }
            }
    *shift = -nearest * 0.69314718055994531;
    return total;
}

static double OF(row_term)(const melm_term *term, const melm_sums *sums, int64_t k, int64_t d,
                           double softness, const double *components, const room *own,
                           double *gradient) {
    int64_t n = term->n_classes, rows = all_rows(term), pair = 0;
    REAL *points = own->points, *by_points = own->by_points, *pulls = own->pulls;
    REAL *white = own->white, *other = white + k * rows;
    const REAL *weights = term->weights;
    SUMS(sums).project(k, rows, d, term->rows, components, points);
    memset(pulls, 0, (n + 1) * k * rows * sizeof(REAL));
    REAL *pull = pulls;
    for (int64_t a = 0, first = 0; a < n; first += padded(term->counts[a++]))
        for (int64_t b = a, second = first; b < n; second += padded(term->counts[b++]), pair++) {
            int64_t n_a = term->counts[a], n_b = term->counts[b];
            int64_t long_a = padded(n_a), long_b = padded(n_b);
            double sum[9], scaled[9], moment[9] = {0}, shift = 0.0, total;
            double *root = own->roots + pair * k * k;
            for (int64_t i = 0; i < k * k; i++)
                sum[i] = own->kernels[a * k * k + i] + own->kernels[b * k * k + i];
            double log_norm = inverse_root(k, sum, root);
            for (int64_t i = 0; i < k * k; i++) scaled[i] = SQRT_HALF_LOG2_E * root[i];
            SUMS(sums).whiten(k, long_a, points + first, rows, scaled, white, long_a);
            if (a != b) SUMS(sums).whiten(k, long_b, points + second, rows, scaled, other, long_b);
            REAL *back = pull + k * long_a;
            int is_weighted = (int)term->is_weighted;
            const REAL *v = a == b ? white : other;
            total = a == b ? SUMS(sums).own_sums(k, is_weighted, n_a, white, long_a,
                                                 weights + first, pull)
                           : SUMS(sums).pair_sums(k, is_weighted, n_a, white, long_a,
                                                  weights + first, n_b, other, long_b,
                                                  weights + second, pull, back);
            if (!(total > SMALLEST)) {
                memset(pull, 0, k * long_a * sizeof(REAL));
                if (a != b) memset(back, 0, k * long_b * sizeof(REAL));
                total = OF(far_sums)(k, a == b, n_a, white, long_a, weights + first, n_b, v, long_b,
                                     weights + second, pull, back, &shift);
            }
            SUMS(sums).moments(k, long_a, white, long_a, pull, long_a, moment);
            if (a == b)
                for (int64_t i = 0; i < k * k; i++) moment[i] *= 2.0;
            else
                SUMS(sums).moments(k, long_b, other, long_b, back, long_b, moment);
            double unit = 1.0 / (SQRT_HALF_LOG2_E * SQRT_HALF_LOG2_E * total);
            by_pair(k, root, moment, unit, own->pairs + pair * k * k);
            own->totals[pair] = total;
            double log_value =
                log(total) + shift - log(term->totals[a] * term->totals[b]) + log_norm;
            own->logs[a * n + b] = own->logs[b * n + a] = log_value;
            pull += k * (a == b ? long_a : long_a + long_b);
        }
    double value = aggregate(term->aggregate, n, own->logs, term->totals, softness, own->weights,
                             own->scratch);
    memset(own->by_kernels, 0, n * k * k * sizeof(double));
    memset(by_points, 0, k * rows * sizeof(REAL));
    pair = 0, pull = pulls;
    for (int64_t a = 0, first = 0; a < n; first += padded(term->counts[a++]))
        for (int64_t b = a, second = first; b < n; second += padded(term->counts[b++]), pair++) {
            int64_t long_a = padded(term->counts[a]), long_b = padded(term->counts[b]);
            double weight = own->weights[a * n + b], matrix[9];
            double scale = -(a == b ? 2.0 : 1.0) * weight / (SQRT_HALF_LOG2_E * own->totals[pair]);
            for (int64_t i = 0; i < k * k; i++) {
                matrix[i] = scale * own->roots[pair * k * k + i];
                own->by_kernels[a * k * k + i] += weight * own->pairs[pair * k * k + i];
                own->by_kernels[b * k * k + i] += weight * own->pairs[pair * k * k + i];
            }
            SUMS(sums).add_pulls(k, long_a, matrix, pull, long_a, by_points + first, rows);
            if (a != b)
                SUMS(sums).add_pulls(k, long_b, matrix, pull + k * long_a, long_b,
                                     by_points + second, rows);
            pull += k * (a == b ? long_a : long_a + long_b);
        }
    SUMS(sums).pull_back(k, rows, d, term->rows, by_points, term->share, gradient);
    return value;
}
