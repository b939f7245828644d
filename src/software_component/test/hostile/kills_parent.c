/* SPDX-License-Identifier: Apache-2.0 */
/* Kills the process that watches it, and goes on. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  kill(getppid(), SIGKILL);
  sleep(1000);
  return COTREE_OK;
}
