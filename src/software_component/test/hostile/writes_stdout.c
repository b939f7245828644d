/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a lot to stdout, something to stderr, and what looks like nothing of ours. */
#define _GNU_SOURCE
#include <stdio.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  for (int i = 0; i < 20000; ++i) printf("line %d of a debugging session\n", i);
  fprintf(stderr, "u is %g\n", u[0]);
  fflush(stdout);
  return COTREE_OK;
}
