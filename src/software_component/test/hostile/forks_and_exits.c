/* SPDX-License-Identifier: Apache-2.0 */
/* Starts processes that never end and hold all its files, then ends. */
#define _GNU_SOURCE
#include <sys/types.h>
#include <unistd.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  for (int i = 0; i < 8; ++i) {
    if (fork() != 0) continue;
    if (i % 2 == 1) setsid();
    for (;;) pause();
  }
  _exit(4);
}
