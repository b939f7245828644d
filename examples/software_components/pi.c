/* SPDX-License-Identifier: Apache-2.0 */
/* A PI controller with a continuous state, the part of u that the integral gives:

    u = kp (w - y) + z,  z' = ki (w - y)

Build:  cc -std=c99 -O2 -fPIC -shared -I include examples/software_components/pi.c -o libpi.so
Model:  external "libpi.so" "pi" */
#include <cotree/cotree_component.h>
#include <stdlib.h>

struct cotree_instance {
  double kp, ki;
};

static const cotree_variable parameters[] = {COTREE_VARIABLE("kp", 1.0), COTREE_VARIABLE("ki", 0.0)};
static const cotree_variable inputs[] = {COTREE_VARIABLE("w", 0.0), COTREE_VARIABLE("y", 0.0)};
static const cotree_variable outputs[] = {COTREE_VARIABLE("u", 0.0)};
static const cotree_variable states[] = {COTREE_VARIABLE("z", 0.0)};

/* Without groups there is one: u depends directly on w and y. */
static const cotree_description description = {COTREE_HEAD(cotree_description),
                                               .input_count = 2,
                                               .inputs = inputs,
                                               .output_count = 1,
                                               .outputs = outputs,
                                               .state_count = 1,
                                               .states = states};

static cotree_status create(const char* name, const double* p, cotree_instance** self) {
  (void)name;
  *self = malloc(sizeof **self);
  if (*self == NULL) return COTREE_ERROR;
  (*self)->kp = p[0];
  (*self)->ki = p[1];
  return COTREE_OK;
}

static void destroy(cotree_instance* self) {
  free(self);
}

static cotree_status describe(cotree_instance* self, const cotree_description** d) {
  (void)self;
  *d = &description;
  return COTREE_OK;
}

static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                              const double* u, double* y) {
  (void)group, (void)t;
  y[0] = self->kp * (u[0] - u[1]) + x[0];
  return COTREE_OK;
}

static cotree_status derivatives(cotree_instance* self, double t, const double* x, const double* u,
                                 double* dx) {
  (void)t, (void)x;
  dx[0] = self->ki * (u[0] - u[1]);
  return COTREE_OK;
}

/* Rows z', u; columns z, w, y. */
static cotree_status jacobian(cotree_instance* self, double t, const double* x, const double* u,
                              double* matrix) {
  (void)t, (void)x, (void)u;
  matrix[1] = self->ki;
  matrix[2] = -self->ki;
  matrix[3] = 1.0;
  matrix[4] = self->kp;
  matrix[5] = -self->kp;
  return COTREE_OK;
}

static const cotree_component table = {
    COTREE_HEAD(cotree_component), .name = "pi",        .parameter_count = 2,
    .parameters = parameters,      .create = create,    .destroy = destroy,
    .describe = describe,          .outputs = evaluate, .derivatives = derivatives,
    .jacobian = jacobian};

COTREE_EXPORT const cotree_component* pi(uint32_t host_version) {
  (void)host_version;
  return &table;
}
