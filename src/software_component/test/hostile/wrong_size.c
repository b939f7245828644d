/* SPDX-License-Identifier: Apache-2.0 */
/* Writes three outputs where it has one. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  y[1] = y[2] = y[0];
  return COTREE_OK;
}
