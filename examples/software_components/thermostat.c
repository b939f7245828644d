/* SPDX-License-Identifier: Apache-2.0 */
/* A state machine with sampling: a heater with two thresholds and a rest after each heating.

    waiting --(T < low)--> heating --(T > high)--> resting --(after `rest` seconds)--> waiting

Outputs: `heat` (1 while heating) and `mode` (0 waiting, 1 heating, 2 resting). They depend on the mode alone,
on no input directly.

Build:  cc -std=c99 -O2 -fPIC -shared -I include examples/software_components/thermostat.c -o libthermostat.so
Model:  external "libthermostat.so" "thermostat" */
#include <cotree/cotree_component.h>
#include <stdlib.h>
#include <string.h>

enum mode { WAITING, HEATING, RESTING };
enum { LOW, HIGH, REST, PERIOD, PARAMETERS };
enum { HEAT, MODE, OUTPUTS };

typedef struct memory {
  int64_t mode;
  int64_t samples_left; /* of the rest: counted, so that no rounding of times matters */
} memory;

struct cotree_instance {
  double p[PARAMETERS];
  memory m;
  cotree_description description;
  const char* error;
};

static const cotree_variable parameters[PARAMETERS] = {
    COTREE_VARIABLE("low", 293.15), COTREE_VARIABLE("high", 295.15), COTREE_VARIABLE("rest", 60.0),
    COTREE_VARIABLE("period", 1.0)};
static const cotree_variable inputs[] = {COTREE_VARIABLE("T", 0.0)};
static const cotree_variable outputs[OUTPUTS] = {COTREE_VARIABLE("heat", 0.0), COTREE_VARIABLE("mode", 0.0)};
static const uint32_t both[] = {HEAT, MODE};
static const cotree_group groups[] = {{COTREE_HEAD(cotree_group), .output_count = OUTPUTS, .outputs = both}};

static cotree_status create(const char* name, const double* p, cotree_instance** self) {
  const cotree_description description = {COTREE_HEAD(cotree_description),
                                          .input_count = 1,
                                          .inputs = inputs,
                                          .output_count = OUTPUTS,
                                          .outputs = outputs,
                                          .group_count = 1,
                                          .groups = groups,
                                          .discrete_bytes = sizeof(memory),
                                          .sample_period = p[PERIOD]};
  (void)name;
  *self = calloc(1, sizeof **self); /* mode: WAITING */
  if (*self == NULL) return COTREE_ERROR;
  memcpy((*self)->p, p, sizeof(*self)->p);
  (*self)->description = description;
  if (!(p[LOW] < p[HIGH])) (*self)->error = "low must be below high";
  if (!(p[PERIOD] > 0)) (*self)->error = "period must be positive";
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

static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                              const double* u, double* y) {
  (void)group, (void)t, (void)x, (void)u;
  y[HEAT] = self->m.mode == HEATING ? 1.0 : 0.0;
  y[MODE] = (double)self->m.mode;
  return COTREE_OK;
}

static cotree_status update(cotree_instance* self, double t, const double* x, const double* u) {
  memory* m = &self->m;
  (void)t, (void)x;
  switch (m->mode) {
    case WAITING:
      if (u[0] < self->p[LOW]) m->mode = HEATING;
      break;
    case HEATING:
      if (u[0] > self->p[HIGH]) {
        m->mode = RESTING;
        m->samples_left = (int64_t)(self->p[REST] / self->p[PERIOD] + 0.5);
      }
      break;
    case RESTING:
      if (--m->samples_left <= 0) m->mode = WAITING;
      break;
    default:
      self->error = "a mode that does not exist";
      return COTREE_ERROR;
  }
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
                                       .name = "thermostat",
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

COTREE_EXPORT const cotree_component* thermostat(uint32_t host_version) {
  (void)host_version;
  return &table;
}
