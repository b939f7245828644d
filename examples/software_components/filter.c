/* SPDX-License-Identifier: Apache-2.0 */
/* A first-order low-pass filter with a continuous state: Tf x' = u - x, y = x.

Build:  cc -std=c99 -O2 -fPIC -shared -I include examples/software_components/filter.c -o libfilter.so
Model:  external "libfilter.so" "filter" */
#include <cotree/cotree_component.h>
#include <stdlib.h>

struct cotree_instance {
  double time_constant;
  const char* error;
};

static const cotree_variable parameters[] = {COTREE_VARIABLE("Tf", 0.1)};
static const cotree_variable inputs[] = {COTREE_VARIABLE("u", 0.0)};
static const cotree_variable outputs[] = {COTREE_VARIABLE("y", 0.0)};
static const cotree_variable states[] = {COTREE_VARIABLE("x", 0.0)};

/* y depends on no input directly: the filter breaks an algebraic loop. */
static const uint32_t y[] = {0};
static const cotree_group groups[] = {{COTREE_HEAD(cotree_group), .output_count = 1, .outputs = y}};

static const cotree_description description = {COTREE_HEAD(cotree_description),
                                               .input_count = 1,
                                               .inputs = inputs,
                                               .output_count = 1,
                                               .outputs = outputs,
                                               .state_count = 1,
                                               .states = states,
                                               .group_count = 1,
                                               .groups = groups};

static cotree_status create(const char* name, const double* p, cotree_instance** self) {
  (void)name;
  *self = calloc(1, sizeof **self);
  if (*self == NULL) return COTREE_ERROR;
  (*self)->time_constant = p[0];
  if (p[0] > 0) return COTREE_OK;
  (*self)->error = "Tf must be positive";
  return COTREE_ERROR;
}

static void destroy(cotree_instance* self) {
  free(self);
}

static cotree_status describe(cotree_instance* self, const cotree_description** d) {
  (void)self;
  *d = &description;
  return COTREE_OK;
}

static const char* error(cotree_instance* self) {
  return self->error;
}

static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                              const double* u, double* y_out) {
  (void)self, (void)group, (void)t, (void)u;
  y_out[0] = x[0];
  return COTREE_OK;
}

static cotree_status derivatives(cotree_instance* self, double t, const double* x, const double* u,
                                 double* dx) {
  (void)t;
  dx[0] = (u[0] - x[0]) / self->time_constant;
  return COTREE_OK;
}

/* Rows x', y; columns x, u. */
static cotree_status jacobian(cotree_instance* self, double t, const double* x, const double* u,
                              double* matrix) {
  (void)t, (void)x, (void)u;
  matrix[0] = -1.0 / self->time_constant;
  matrix[1] = 1.0 / self->time_constant;
  matrix[2] = 1.0;
  return COTREE_OK;
}

static const cotree_component table = {
    COTREE_HEAD(cotree_component), .name = "filter",    .parameter_count = 1,
    .parameters = parameters,      .create = create,    .destroy = destroy,
    .describe = describe,          .error = error,      .outputs = evaluate,
    .derivatives = derivatives,    .jacobian = jacobian};

COTREE_EXPORT const cotree_component* filter(uint32_t host_version) {
  (void)host_version;
  return &table;
}
