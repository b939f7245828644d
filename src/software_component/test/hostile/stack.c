/* SPDX-License-Identifier: Apache-2.0 */
/* Recurs without end. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  volatile char room[4096];
  room[0] = 1;
  return u[0] > 1e300 ? COTREE_OK : misbehave(self, u, y) + room[0];
}
