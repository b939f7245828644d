/* SPDX-License-Identifier: Apache-2.0 */
/* Changes the locale and the rounding mode. */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  setlocale(LC_ALL, "C.UTF-8");
  fesetround(FE_UPWARD);
  return COTREE_OK;
}
