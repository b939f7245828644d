/* SPDX-License-Identifier: Apache-2.0 */
/* Says far too much, with sequences that a terminal obeys: as its error, and to stderr. */
#define _GNU_SOURCE
#include <stdio.h>

#include "hostile.h"

static char* text;
__attribute__((destructor)) static void end(void) { free(text); }

static cotree_status misbehave(cotree_instance* self, const double* u, double* y) {
  (void)u, (void)y;
  const size_t size = (size_t)100 << 20;
  if (text == 0) text = (char*)malloc(size);
  if (text == 0) return COTREE_ERROR;
  memset(text, 'a', size);
  memcpy(text,
         "\x1b[31mred \x9b"
         "2J \xc2\x9b"
         "2J \xc3\xa9",
         20);
  text[size - 1] = 0;
  self->error = text;
  for (int i = 0; i < 4; ++i) fprintf(stderr, "\x1b]0;owned\x07 line %d\r\n", i);
  return COTREE_ERROR;
}
