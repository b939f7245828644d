// SPDX-License-Identifier: Apache-2.0
// The frame of the components that misbehave: input u, output y = 2 u, a counter as discrete state; from t =
// 1 on `misbehave` decides. Each source defines that function.
#ifndef COTREE_TEST_HOSTILE_H_
#define COTREE_TEST_HOSTILE_H_

#include <cotree/cotree_component.h>
#include <stdlib.h>  // NOLINT: C
#include <string.h>  // NOLINT: C

#ifndef HOSTILE_PERIOD
#define HOSTILE_PERIOD 0.0  // continuous
#endif

struct cotree_instance {
  int64_t updates;
  const char* error;
};

static cotree_status misbehave(cotree_instance* self, const double* u, double* y);

static const cotree_variable hostile_inputs[] = {COTREE_VARIABLE("u", 0.0)};
static const cotree_variable hostile_outputs[] = {COTREE_VARIABLE("y", 0.0)};
static const cotree_description hostile_description = {COTREE_HEAD(cotree_description),
                                                       1,
                                                       hostile_inputs,
                                                       1,
                                                       hostile_outputs,
                                                       0,
                                                       0,
                                                       0,
                                                       0,
                                                       sizeof(int64_t),
                                                       HOSTILE_PERIOD};

static cotree_status hostile_create(const char* name, const double* p, cotree_instance** self) {
  (void)name, (void)p;
  *self = (cotree_instance*)calloc(1, sizeof **self);
  return *self == 0 ? COTREE_ERROR : COTREE_OK;
}
static void hostile_destroy(cotree_instance* self) {
  free(self);
}
static cotree_status hostile_describe(cotree_instance* self, const cotree_description** d) {
  (void)self;
  *d = &hostile_description;
  return COTREE_OK;
}
static const char* hostile_error(cotree_instance* self) {
  return self->error;
}
static cotree_status hostile_evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                                      const double* u, double* y) {
  (void)group, (void)x;
  y[0] = 2.0 * u[0];
  return t < 1.0 ? COTREE_OK : misbehave(self, u, y);
}
static cotree_status hostile_update(cotree_instance* self, double t, const double* x, const double* u) {
  (void)t, (void)x, (void)u;
  ++self->updates;
  return COTREE_OK;
}
static cotree_status hostile_save(cotree_instance* self, void* bytes) {
  memcpy(bytes, &self->updates, sizeof self->updates);
  return COTREE_OK;
}
static cotree_status hostile_restore(cotree_instance* self, const void* bytes) {
  memcpy(&self->updates, bytes, sizeof self->updates);
  return COTREE_OK;
}
static const cotree_component hostile_table = {COTREE_HEAD(cotree_component),
                                               "hostile",
                                               0,
                                               0,
                                               hostile_create,
                                               hostile_destroy,
                                               hostile_describe,
                                               hostile_error,
                                               hostile_evaluate,
                                               0,
                                               hostile_update,
                                               hostile_save,
                                               hostile_restore,
                                               0};

COTREE_EXPORT const cotree_component* hostile(uint32_t host_version) {  // NOLINT: included once per library
  (void)host_version;
  return &hostile_table;
}

#endif  // COTREE_TEST_HOSTILE_H_
