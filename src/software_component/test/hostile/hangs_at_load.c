/* SPDX-License-Identifier: Apache-2.0 */
/* Hangs before anything was asked of it. */
#define _GNU_SOURCE
#include <unistd.h>

#include "hostile.h"

__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  return COTREE_OK;
}
