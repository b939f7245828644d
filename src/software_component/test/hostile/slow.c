/* SPDX-License-Identifier: Apache-2.0 */
/* Each call takes 50 ms. */
#define _GNU_SOURCE
#include <unistd.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  usleep(50000);
  return COTREE_OK;
}
