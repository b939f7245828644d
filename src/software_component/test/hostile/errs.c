/* SPDX-License-Identifier: Apache-2.0 */
/* Returns errors: with a text, rejecting, and a status that does not exist, by its input. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  self->error = "the table ends at 4";
  return u[0] > 2 ? 77 : u[0] > 1 ? COTREE_REJECT : COTREE_ERROR;
}
