/* What are the logarithm of the gamma function of one element, and its derivatives?
 *
 * In f64; f32 results are those, rounded. lgamma: SunPro's fdlibm, `e_lgamma_r.c`, and for negative
 * numbers down to -32 the recurrence with an exact product, as fdlibm's reflection loses the zeros
 * beside the poles: within 4 ULP, or 4 epsilons next to a zero. polygamma: Abramowitz and Stegun
 * 6.3.18 and 6.4.11 (asymptotic series), 6.4.6 (recurrence), 6.4.7 (reflection): within 1e-13,
 * relative, except next to a zero. These have branches: loops over them are not vectorised.
 *
 * Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunPro, a Sun Microsystems, Inc. business.
 * Permission to use, copy, modify, and distribute this software is freely granted,
 * provided that this notice is preserved. */
#ifndef S2SAD_GAMMA_H
#define S2SAD_GAMMA_H

#include "log.h"
#include "trig.h"

static const double s2_lgamma_below_two[] = {
    0.0, 0.07721566490153287, 0.3224670334241136, 0.06735230105312927, 0.020580808432516733,
    0.007385550860814029, 0.0028905138367341563, 0.0011927076318336207, 0.0005100697921535113,
    0.00022086279071390839, 0.00010801156724758394, 2.5214456545125733e-05,
    4.4864094961891516e-05};
static const double s2_lgamma_minimum[] = {
    0.48383612272381005, -0.1475877229945939, 0.06462494023913339, -0.032788541075985965,
    0.01797067508118204, -0.010314224129834144, 0.006100538702462913, -0.0036845201678113826,
    0.0022596478090061247, -0.0014034646998923284, 0.000881081882437654, -0.0005385953053567405,
    0.00031563207090362595, -0.00031275416837512086, 0.0003355291926355191};
static const double s2_lgamma_one_u[] = {
    -0.07721566490153287, 0.6328270640250934, 1.4549225013723477, 0.9777175279633727,
    0.22896372806469245, 0.013381091853678766};
static const double s2_lgamma_one_v[] = {
    1.0, 2.4559779371304113, 2.128489763798934, 0.7692851504566728, 0.10422264559336913,
    0.003217092422824239};
static const double s2_lgamma_two_s[] = {
    -0.07721566490153287, 0.21498241596060885, 0.325778796408931, 0.14635047265246445,
    0.02664227030336386, 0.0018402845140733772, 3.194753265841009e-05};
static const double s2_lgamma_two_r[] = {
    1.0, 1.3920053346762105, 0.7219355475671381, 0.17193386563280308, 0.01864591917156529,
    0.0007779424963818936, 7.326684307446256e-06};
static const double s2_lgamma_stirling[] = {
    0.08333333333333297, -0.0027777777772877554, 0.0007936505586430196, -0.00059518755745034,
    0.0008363399189962821, -0.0016309293409657527};
static const double s2_bernoulli[] = {
    0.16666666666666666, -0.03333333333333333, 0.023809523809523808, -0.03333333333333333,
    0.07575757575757576, -0.2531135531135531, 1.1666666666666667, -7.092156862745098,
    54.971177944862156, -529.1242424242424, 6192.123188405797, -86580.25311355312};

/* Down from -32 no double lies so near a pole that lgamma almost vanishes; the series of polygamma
 * has converged from 16 + n on. */
enum { S2_REFLECT_BELOW = -32, S2_SERIES_FROM = 16 };

#define S2_LENGTH(table) ((int)(sizeof(table) / sizeof((table)[0])))
#define S2_PI 3.14159265358979311600e+00

static inline double s2_polynomial(double x, const double *table, int count) {
    double value = table[count - 1];
    for (int i = count - 2; i >= 0; i--) value = table[i] + x * value;
    return value;
}

#define S2_POLYNOMIAL(x, table) s2_polynomial(x, table, S2_LENGTH(table))

static inline double s2_lgamma_to_two(double x) {
    double shifted = x < 0.9 ? x + 1.0 : x, offset = x < 0.9 ? x : x - 1.0, value;
    if (shifted >= 1.7316) {
        double y = 1.0 - offset;
        value = S2_POLYNOMIAL(y, s2_lgamma_below_two) - 0.5 * y;
    } else if (shifted >= 1.2316) {
        double y = offset - (1.46163214496836224576e+00 - 1.0);
        double rise = y * y * S2_POLYNOMIAL(y, s2_lgamma_minimum);
        value = -1.21486290535849611461e-01 + (rise + 3.63867699703950536541e-18);
    } else {
        double v = S2_POLYNOMIAL(offset, s2_lgamma_one_v);
        value = -0.5 * offset + offset * (S2_POLYNOMIAL(offset, s2_lgamma_one_u) / v);
    }
    return value + (x < 0.9 ? -s2_log_f64(x) : 0.0);
}

static inline double s2_lgamma_to_eight(double x) {
    double whole = floor(x), y = x - whole, product = 1.0;
    for (int k = 2; k < 7; k++) product *= whole > k ? y + k : 1.0;
    double ratio = S2_POLYNOMIAL(y, s2_lgamma_two_s) / S2_POLYNOMIAL(y, s2_lgamma_two_r);
    return 0.5 * y + y * ratio + s2_log_f64(product);
}

static inline double s2_lgamma_far(double x) {
    double inverse = 1.0 / x;
    double correction = inverse * S2_POLYNOMIAL(inverse * inverse, s2_lgamma_stirling);
    return (x - 0.5) * (s2_log_f64(x) - 1.0) + (4.18938533204672725052e-01 + correction);
}

/* lgamma(x + n) - log|x (x+1) ... (x+n-1)| with x + n from 1 to 2, for x from -32 to 0. */
static inline double s2_lgamma_by_product(double x) {
    double count = 1.0 - floor(x), high = 1.0, low = 0.0;
    for (int k = 0; k < count; k++) {
        double factor = x + k, rest = low * factor;
        s2_pair product = s2_product(high, factor);
        high = product.high;
        low = product.low + rest;
    }
    return s2_lgamma_to_two(x + count) - s2_log_f64(fabs(high)) - low / high;
}

static inline double s2_lgamma_f64(double x) {
    if (x != x) return x;
    if (fabs(x) == INFINITY || (x <= 0.0 && x == floor(x))) return INFINITY;
    if (x <= S2_REFLECT_BELOW) {
        double sine = fabs(s2_sin_f64(S2_PI * (x - rint(x))));
        return s2_log_f64(S2_PI / (-x * sine)) - s2_lgamma_far(-x);
    }
    if (x < 0.0) return s2_lgamma_by_product(x);
    return x <= 2.0 ? s2_lgamma_to_two(x) : x < 8.0 ? s2_lgamma_to_eight(x) : s2_lgamma_far(x);
}

static inline double s2_digamma_positive(double x) {
    double shifted = x < S2_SERIES_FROM ? x + S2_SERIES_FROM : x, inverse = 1.0 / shifted;
    double square = inverse * inverse, series = 0.0, steps = 0.0;
    for (int k = S2_LENGTH(s2_bernoulli) - 1; k >= 0; k--)
        series = s2_bernoulli[k] / (2 * k + 2) + square * series;
    double value = s2_log_f64(shifted) - inverse / 2.0 - square * series;
    for (int k = S2_SERIES_FROM - 1; k >= 0; k--) steps += 1.0 / (x + k);
    return x < S2_SERIES_FROM ? value - steps : value;
}

/* n x**n times the sum of 1/(x+k)**(n+1) over k >= 0, for x from S2_SERIES_FROM + n on. */
static inline double s2_zeta_series(double n, double x) {
    double square = 1.0 / (x * x), rising = 1.0, power = 1.0, sum = 0.0;
    for (int k = 0; k < S2_LENGTH(s2_bernoulli); k++) {
        rising *= (n + 2 * k) / (2 * k + 1) * ((n + 2 * k + 1) / (2 * k + 2));
        sum += s2_bernoulli[k] * rising * power;
        power *= square;
    }
    return 1.0 + n / (2.0 * x) + square * sum;
}

static inline double s2_whole_power(double x, int64_t n) {
    double value = 1.0;
    for (; n; n >>= 1, x *= x) value *= n & 1 ? x : 1.0;
    return value;
}

/* The sum of (x/(x+k))**(n+1) over k >= 0: `steps` terms, then the series. */
static inline double s2_zeta_shifted(int64_t n, double x, int64_t steps) {
    double far = x + (double)steps;
    double rest = far / (double)n * s2_zeta_series((double)n, far);
    double sum = s2_whole_power(x / far, n + 1) * rest;
    for (int64_t k = steps - 1; k > 0; k--) sum += s2_whole_power(x / (x + (double)k), n + 1);
    return sum + 1.0;
}

/* n! times the sum of 1/(x+k)**(n+1) over k >= 0, for n >= 1 and x > 0. Factorials and powers are
 * divided term by term, so that neither overflows alone. */
static inline double s2_zeta_sum(int64_t n, double x) {
    double scale = 1.0 / x;
    for (int64_t k = 1; k < n; k++) scale *= (double)k / x;
    int64_t start = S2_SERIES_FROM + n;
    if (x >= (double)start) return scale * s2_zeta_series((double)n, x);
    return scale * ((double)n / x * s2_zeta_shifted(n, x, start));
}

/* Of negative x that are no poles, for n >= 1. The sum of 1/(x+k)**(n+1) over all integers k is
 * even or odd around each of them; its half right of x is sought, that left of it that of 1 - x. */
static inline double s2_polygamma_reflected(int64_t n, double x) {
    double offset = x - rint(x), distance = fabs(offset), lattice;
    double near = s2_zeta_sum(n, distance), far = s2_zeta_sum(n, 1.0 - distance);
    if (n & 1) {
        lattice = near + far;
    } else { /* midway the halves cancel; elsewhere the nearer one wins, even if both overflow */
        double odd = near == INFINITY ? near : near - far;
        lattice = copysign(distance == 0.5 ? 0.0 : odd, offset);
    }
    double sum = (n & 1 ? lattice : -lattice);
    return sum - (fabs(lattice) == INFINITY ? 0.0 : s2_zeta_sum(n, 1.0 - x));
}

static inline double s2_polygamma_f64(double x, int64_t n) {
    if (x == 0.0) return n & 1 ? INFINITY : -1.0 / x;
    if (x < 0.0 && x == floor(x)) return x > -INFINITY && (n & 1) ? INFINITY : NAN;
    if (n == 0 && x < 0.0)
        return s2_digamma_positive(1.0 - x) - S2_PI / s2_tan_f64(S2_PI * (x - rint(x)));
    if (x < 0.0) return s2_polygamma_reflected(n, x);
    if (n == 0) return s2_digamma_positive(x);
    return n & 1 ? s2_zeta_sum(n, x) : -s2_zeta_sum(n, x);
}

static inline float s2_lgamma_f32(float x) { return (float)s2_lgamma_f64((double)x); }

static inline float s2_polygamma_f32(float x, int64_t n) {
    return (float)s2_polygamma_f64((double)x, n);
}

#endif
