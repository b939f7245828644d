/* SPDX-License-Identifier: Apache-2.0 */
/* A sampled integral behind a continuous filter: x' = (y - x)/Tf, u = kp (w - x) + I with w as the only
direct input, and every T: I := I + ki T (w - x). `count` says how often that happened. */
#include <cotree/cotree_component.h>
#include <stdlib.h>

enum { KP, KI, TF, T, PARAMETERS };
enum { SET_POINT, MEASURED, INPUTS };
enum { CONTROL, COUNT, OUTPUTS };

typedef struct memory {
  double integral, count;
} memory;

struct cotree_instance {
  double p[PARAMETERS];
  memory m;
  cotree_description description;
};

static const cotree_variable parameters[PARAMETERS] = {COTREE_VARIABLE("kp", 1.0), COTREE_VARIABLE("ki", 1.0),
                                                       COTREE_VARIABLE("Tf", 0.1),
                                                       COTREE_VARIABLE("T", 0.01)};
static const cotree_variable inputs[INPUTS] = {COTREE_VARIABLE("w", 0.0), COTREE_VARIABLE("y", 0.0)};
static const cotree_variable outputs[OUTPUTS] = {COTREE_VARIABLE("u", 0.0), COTREE_VARIABLE("count", 0.0)};
static const cotree_variable states[] = {COTREE_VARIABLE("x", 0.25)};
static const uint32_t control[] = {CONTROL}, set_point[] = {SET_POINT}, count[] = {COUNT};
static const cotree_group groups[] = {{COTREE_HEAD(cotree_group), 1, control, 1, set_point},
                                      {COTREE_HEAD(cotree_group), 1, count, 0, NULL}};

static cotree_status create(const char* name, const double* p, cotree_instance** self) {
  const cotree_description description = {COTREE_HEAD(cotree_description),
                                          .input_count = INPUTS,
                                          .inputs = inputs,
                                          .output_count = OUTPUTS,
                                          .outputs = outputs,
                                          .state_count = 1,
                                          .states = states,
                                          .group_count = 2,
                                          .groups = groups,
                                          .discrete_bytes = sizeof(memory),
                                          .sample_period = p[T]};
  (void)name;
  *self = calloc(1, sizeof **self);
  if (*self == NULL) return COTREE_ERROR;
  for (int k = 0; k < PARAMETERS; ++k) (*self)->p[k] = p[k];
  (*self)->description = description;
  return COTREE_OK;
}
static void destroy(cotree_instance* self) {
  free(self);
}
static cotree_status describe(cotree_instance* self, const cotree_description** d) {
  *d = &self->description;
  return COTREE_OK;
}
static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                              const double* u, double* y) {
  (void)t;
  if (group == 0) y[CONTROL] = self->p[KP] * (u[SET_POINT] - x[0]) + self->m.integral;
  if (group == 1) y[COUNT] = self->m.count;
  return COTREE_OK;
}
static cotree_status derivatives(cotree_instance* self, double t, const double* x, const double* u,
                                 double* dx) {
  (void)t;
  dx[0] = (u[MEASURED] - x[0]) / self->p[TF];
  return COTREE_OK;
}
static cotree_status update(cotree_instance* self, double t, const double* x, const double* u) {
  (void)t;
  self->m.integral += self->p[KI] * self->p[T] * (u[SET_POINT] - x[0]);
  self->m.count += 1;
  return COTREE_OK;
}
static cotree_status save(cotree_instance* self, void* bytes) {
  *(memory*)bytes = self->m;
  return COTREE_OK;
}
static cotree_status restore(cotree_instance* self, const void* bytes) {
  self->m = *(const memory*)bytes;
  return COTREE_OK;
}
static cotree_status jacobian(cotree_instance* self, double t, const double* x, const double* u,
                              double* matrix) {
  (void)t, (void)x, (void)u;
  /* Rows x', u, count; columns x, w, y. */
  matrix[0] = -1 / self->p[TF];
  matrix[2] = 1 / self->p[TF];
  matrix[3] = -self->p[KP];
  matrix[4] = self->p[KP];
  return COTREE_OK;
}

static const cotree_component table = {COTREE_HEAD(cotree_component),
                                       .name = "filtered_pi",
                                       .parameter_count = PARAMETERS,
                                       .parameters = parameters,
                                       .create = create,
                                       .destroy = destroy,
                                       .describe = describe,
                                       .outputs = evaluate,
                                       .derivatives = derivatives,
                                       .update = update,
                                       .save = save,
                                       .restore = restore,
                                       .jacobian = jacobian};

COTREE_EXPORT const cotree_component* filtered_pi(uint32_t host_version) {
  (void)host_version;
  return &table;
}
