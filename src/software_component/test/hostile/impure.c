/* SPDX-License-Identifier: Apache-2.0 */
/* Counts its outputs: in the discrete state for u < 1, in a variable of the library else. */
#include "hostile.h"

static double calls = 0.0;

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  if (u[0] < 1.0) {
    ++self->updates;
  } else {
    y[0] += ++calls;
  }
  return COTREE_OK;
}
