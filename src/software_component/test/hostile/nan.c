/* SPDX-License-Identifier: Apache-2.0 */
/* Returns NaN. */
#define _GNU_SOURCE
#include <math.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  y[0] = NAN;
  return COTREE_OK;
}
