// SPDX-License-Identifier: Apache-2.0
// Throws through the C interface, without the wrapper: by its input a std::exception, or a number.
#include <cotree/cotree_component.h>

#include <stdexcept>

#include "software_component/test/hostile/hostile.h"

static cotree_status misbehave(cotree_instance* self, const double* u, double*) {
  if (u[0] > 1) throw 7;
  if (u[0] < 0) self->error = "";
  throw std::runtime_error("the matrix is singular");
}
