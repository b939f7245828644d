/* SPDX-License-Identifier: Apache-2.0 */
/* Starts processes that never end, in its group and out of it, then hangs itself. */
#define _GNU_SOURCE
#include <sys/types.h>
#include <unistd.h>

#include "hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)self, (void)u, (void)y;
  for (int i = 0; i < 8; ++i) {
    if (fork() != 0) continue;
    if (i % 2 == 1) setsid();
    if (i % 4 == 3 && fork() != 0) _exit(0); /* an orphan in a session of its own */
    for (;;) pause();
  }
  for (;;) pause();
  return COTREE_OK;
}
