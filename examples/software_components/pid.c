/* SPDX-License-Identifier: Apache-2.0 */
/* A sampled PID controller with filtered derivative and limited output; the integral stands still while the
output is at its limit and the error would drive it further.

    e = w - y,  D := (Tf D + kd (e - e_before)) / (Tf + T),  u = limit(kp e + I + D),  I := I + ki T e

Build:  cc -std=c99 -O2 -fPIC -shared -I include examples/software_components/pid.c -o libpid.so
Model:  external "libpid.so" "pid" */
#include <cotree/cotree_component.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KP, KI, KD, TF, T, U_MIN, U_MAX, PARAMETERS };
enum { SET_POINT, MEASURED, INPUTS };
enum { CONTROL, OUTPUTS };

/* What update changes; saved and restored as bytes. */
typedef struct memory {
  double integral, derivative, last_error;
} memory;

struct cotree_instance {
  double p[PARAMETERS];
  memory m;
  cotree_description description; /* its sample period is a parameter */
  const char* error;
};

static const cotree_variable parameters[PARAMETERS] = {
    COTREE_VARIABLE("kp", 1.0),    COTREE_VARIABLE("ki", 0.0),  COTREE_VARIABLE("kd", 0.0),
    COTREE_VARIABLE("Tf", 0.0),    COTREE_VARIABLE("T", 0.001), COTREE_VARIABLE("umin", -1e300),
    COTREE_VARIABLE("umax", 1e300)};
static const cotree_variable inputs[INPUTS] = {COTREE_VARIABLE("w", 0.0), COTREE_VARIABLE("y", 0.0)};
static const cotree_variable outputs[OUTPUTS] = {COTREE_VARIABLE("u", 0.0)};

static const char* check(const double* p) {
  if (!(p[T] > 0)) return "T must be positive";
  if (!(p[TF] >= 0)) return "Tf must not be negative";
  if (!(p[U_MIN] < p[U_MAX])) return "umin must be below umax";
  return NULL;
}

static cotree_status create(const char* name, const double* p, cotree_instance** self) {
  const cotree_description description = {COTREE_HEAD(cotree_description),
                                          .input_count = INPUTS,
                                          .inputs = inputs,
                                          .output_count = OUTPUTS,
                                          .outputs = outputs,
                                          .discrete_bytes = sizeof(memory),
                                          .sample_period = p[T]};
  (void)name;
  *self = calloc(1, sizeof **self);
  if (*self == NULL) return COTREE_ERROR;
  memcpy((*self)->p, p, sizeof(*self)->p);
  (*self)->description = description;
  (*self)->error = check(p);
  return (*self)->error == NULL ? COTREE_OK : COTREE_ERROR;
}

static void destroy(cotree_instance* self) {
  free(self);
}

static cotree_status describe(cotree_instance* self, const cotree_description** d) {
  *d = &self->description;
  return COTREE_OK;
}

static const char* error(cotree_instance* self) {
  return self->error;
}

static double new_derivative(const cotree_instance* self, double e) {
  const double* p = self->p;
  return (p[TF] * self->m.derivative + p[KD] * (e - self->m.last_error)) / (p[TF] + p[T]);
}

static double unlimited(const cotree_instance* self, double e) {
  return self->p[KP] * e + self->m.integral + new_derivative(self, e);
}

static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                              const double* u, double* y) {
  const double value = unlimited(self, u[SET_POINT] - u[MEASURED]);
  (void)group, (void)t, (void)x;
  y[CONTROL] = fmin(fmax(value, self->p[U_MIN]), self->p[U_MAX]);
  return COTREE_OK;
}

static cotree_status update(cotree_instance* self, double t, const double* x, const double* u) {
  const double* p = self->p;
  const double e = u[SET_POINT] - u[MEASURED];
  const double value = unlimited(self, e);
  const int winds_up = (value > p[U_MAX] && p[KI] * e > 0) || (value < p[U_MIN] && p[KI] * e < 0);
  (void)t, (void)x;
  self->m.derivative = new_derivative(self, e);
  self->m.last_error = e;
  if (!winds_up) self->m.integral += p[KI] * p[T] * e;
  return COTREE_OK;
}

static cotree_status save(cotree_instance* self, void* bytes) {
  memcpy(bytes, &self->m, sizeof self->m);
  return COTREE_OK;
}

static cotree_status restore(cotree_instance* self, const void* bytes) {
  memcpy(&self->m, bytes, sizeof self->m);
  return COTREE_OK;
}

static const cotree_component table = {COTREE_HEAD(cotree_component),
                                       .name = "pid",
                                       .parameter_count = PARAMETERS,
                                       .parameters = parameters,
                                       .create = create,
                                       .destroy = destroy,
                                       .describe = describe,
                                       .error = error,
                                       .outputs = evaluate,
                                       .update = update,
                                       .save = save,
                                       .restore = restore};

COTREE_EXPORT const cotree_component* pid(uint32_t host_version) {
  (void)host_version;
  return &table;
}
