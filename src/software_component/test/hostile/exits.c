/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the process. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  exit(3);
}
