/* SPDX-License-Identifier: Apache-2.0 */
/* Writes to address 8. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  double* volatile nowhere = (double*)8;
  *nowhere = 1.0;
  return COTREE_OK;
}
