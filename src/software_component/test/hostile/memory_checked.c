/* SPDX-License-Identifier: Apache-2.0 */
/* Takes more memory than there is, notices, and says so. */
#define _GNU_SOURCE
#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  if (malloc((size_t)1 << 40) != NULL) return COTREE_OK;
  self->error = "no room for the map";
  return COTREE_ERROR;
}
