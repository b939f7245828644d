/* SPDX-License-Identifier: Apache-2.0 */
/* Closes files that are not its own, then goes on. */
#define _GNU_SOURCE
#include <unistd.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  for (int i = 3; i < 256; ++i) close(i);
  sleep(1000);
  return COTREE_OK;
}
