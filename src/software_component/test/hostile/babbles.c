/* SPDX-License-Identifier: Apache-2.0 */
/* Writes to files that are not its own. */
#define _GNU_SOURCE
#include <unistd.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  for (int i = 3; i < 16; ++i) {
    if (write(i, "hello", 5) != 5) continue;
    if (write(i, "hello, this is no frame", 23) != 23) continue;
  }
  return COTREE_OK;
}
