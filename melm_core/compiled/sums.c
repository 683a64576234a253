/* The sums over rows for one kind of processor, chosen by the compiler's flags.
 *
 * Built once for each kind, with PROCESSOR and VECTOR_BYTES; climb.c takes the widest that the
 * machine has. */

#include <stdint.h>

#include "sums.h"

#define JOINED(a, b) a##b
#define NAMED(a, b) JOINED(a, b)
#define SPELLED(name) #name
#define QUOTED(name) SPELLED(name)

#if VECTOR_BYTES == 64
#include <immintrin.h>
#define SMALLER_FLOATS _mm512_min_ps
#define SMALLER_DOUBLES _mm512_min_pd
#elif VECTOR_BYTES == 32
#include <immintrin.h>
#define SMALLER_FLOATS _mm256_min_ps
#define SMALLER_DOUBLES _mm256_min_pd
#elif defined(__SSE2__)
#include <emmintrin.h>
#define SMALLER_FLOATS _mm_min_ps
#define SMALLER_DOUBLES _mm_min_pd
#elif defined(__aarch64__)
#include <arm_neon.h>
#define SMALLER_FLOATS vminnmq_f32
#define SMALLER_DOUBLES vminnmq_f64
#endif

/* 2^x on [-1/2, 1/2], interpolated at the nodes of Chebyshev, the highest power first: relative
 * errors of 1e-7 and 3e-16. */
static const float OF_FLOATS[] = {0.0013390863364671234f, 0.0096760319183220537f,
                                  0.055503571142190782f,  0.24022107485308339f,
                                  0.69314718802622877f,   1.0000000754548972f};
static const double OF_DOUBLES[] = {
    7.0725859492692234e-09, 1.0208690299958306e-07, 1.3215442587921689e-06,
    1.5252657260200837e-05, 0.0001540353044173605,  0.0013333558230164974,
    0.0096181291076068882,  0.055504108664447722,   0.24022650695910097,
    0.69314718055994995,    1.0};

#define F(name) name##_f
#define REAL float
#define INTEGER int32_t
#define COEFFICIENTS OF_FLOATS
#define MANTISSA_BITS 23
#define ROUNDER 12582912.0f
#define LARGEST_POWER 125.0f
#define SMALLER SMALLER_FLOATS
#define OF_PART(part) ((part[0] + part[1]) + (part[2] + part[3]))
#include "sums_of.h"
#undef F
#undef REAL
#undef INTEGER
#undef COEFFICIENTS
#undef MANTISSA_BITS
#undef ROUNDER
#undef LARGEST_POWER
#undef SMALLER
#undef OF_PART

#define F(name) name##_d
#define REAL double
#define INTEGER int64_t
#define COEFFICIENTS OF_DOUBLES
#define MANTISSA_BITS 52
#define ROUNDER 6755399441055744.0
#define LARGEST_POWER 1021.0
#define SMALLER SMALLER_DOUBLES
#define OF_PART(part) (part[0] + part[1])
#include "sums_of.h"

#define TABLE(s)                                                                                  \
    {project_##s, pull_back_##s, whiten_##s, pair_sums_##s, own_sums_##s, moments_##s,            \
     add_pulls_##s, kernel_sums_##s}

const melm_sums NAMED(melm_sums_, PROCESSOR) = {QUOTED(PROCESSOR), TABLE(f), TABLE(d)};
