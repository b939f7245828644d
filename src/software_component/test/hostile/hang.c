/* SPDX-License-Identifier: Apache-2.0 */
/* Never returns. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  for (volatile int forever = 1; forever;) continue;
  return COTREE_OK;
}
