/* SPDX-License-Identifier: Apache-2.0 */
/* Takes memory until there is none, and writes to what it got. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  for (;;) {
    volatile char* more = malloc((size_t)1 << 28);
    more[0] = 1;
    more[1 << 27] = 1;
  }
  return COTREE_OK;
}
