/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* ---- Elementary functions: the one place where they come from --------------------------------------------
   With -DCOTREE_SLEEF and -lsleef: those of all other tiers of cotree, the same bits. Otherwise the platform's. */
#ifdef COTREE_SLEEF
#define FUNCTION(name) double Sleef_cinz_##name##d1_u10purec(double)
FUNCTION(sin);
FUNCTION(cos);
FUNCTION(tan);
FUNCTION(asin);
FUNCTION(acos);
FUNCTION(atan);
FUNCTION(sinh);
FUNCTION(cosh);
FUNCTION(tanh);
FUNCTION(exp);
FUNCTION(log);
FUNCTION(log10);
#undef FUNCTION
double Sleef_cinz_powd1_u10purec(double, double);
double Sleef_cinz_atan2d1_u10purec(double, double);
#define f_sin Sleef_cinz_sind1_u10purec
#define f_cos Sleef_cinz_cosd1_u10purec
#define f_tan Sleef_cinz_tand1_u10purec
#define f_asin Sleef_cinz_asind1_u10purec
#define f_acos Sleef_cinz_acosd1_u10purec
#define f_atan Sleef_cinz_atand1_u10purec
#define f_sinh Sleef_cinz_sinhd1_u10purec
#define f_cosh Sleef_cinz_coshd1_u10purec
#define f_tanh Sleef_cinz_tanhd1_u10purec
#define f_exp Sleef_cinz_expd1_u10purec
#define f_log Sleef_cinz_logd1_u10purec
#define f_log10 Sleef_cinz_log10d1_u10purec
#define f_pow Sleef_cinz_powd1_u10purec
#define f_atan2 Sleef_cinz_atan2d1_u10purec
#else
#define f_sin sin
#define f_cos cos
#define f_tan tan
#define f_asin asin
#define f_acos acos
#define f_atan atan
#define f_sinh sinh
#define f_cosh cosh
#define f_tanh tanh
#define f_exp exp
#define f_log log
#define f_log10 log10
#define f_pow pow
#define f_atan2 atan2
#endif

MAYBE_UNUSED static double f_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
/* Derivatives. */
MAYBE_UNUSED static double slope_sin(double x) { return f_cos(x); }
MAYBE_UNUSED static double slope_cos(double x) { return -f_sin(x); }
MAYBE_UNUSED static double slope_tan(double x) { return 1 + f_tan(x) * f_tan(x); }
MAYBE_UNUSED static double slope_asin(double x) { return 1 / sqrt(1 - x * x); }
MAYBE_UNUSED static double slope_acos(double x) { return -1 / sqrt(1 - x * x); }
MAYBE_UNUSED static double slope_atan(double x) { return 1 / (1 + x * x); }
MAYBE_UNUSED static double slope_sinh(double x) { return f_cosh(x); }
MAYBE_UNUSED static double slope_cosh(double x) { return f_sinh(x); }
MAYBE_UNUSED static double slope_tanh(double x) { return 1 - f_tanh(x) * f_tanh(x); }
MAYBE_UNUSED static double slope_exp(double x) { return f_exp(x); }
MAYBE_UNUSED static double slope_log(double x) { return 1 / x; }
MAYBE_UNUSED static double slope_log10(double x) { return 1 / (x * f_log(10.0)); }
MAYBE_UNUSED static double slope_sqrt(double x) { return 1 / (2 * sqrt(x)); }
MAYBE_UNUSED static double slope_fabs(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }
