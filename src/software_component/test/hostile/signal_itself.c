/* SPDX-License-Identifier: Apache-2.0 */
/* Ends itself by a signal. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  kill(getpid(), SIGTERM);
  return COTREE_OK;
}
