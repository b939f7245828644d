/* SPDX-License-Identifier: Apache-2.0 */
/* A filter x' = u - x, y = x, whose derivatives misbehave from t = 0.5 s on, as TROUBLE says. */
#include <cotree/cotree_component.h>
#include <math.h>
#include <stdlib.h>

static const cotree_variable inputs[] = {COTREE_VARIABLE("u", 0.0)};
static const cotree_variable outputs[] = {COTREE_VARIABLE("y", 0.0)};
static const cotree_variable states[] = {COTREE_VARIABLE("x", 0.0)};
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

struct cotree_instance {
  int unused;
};

static cotree_status create(const char* name, const double* p, cotree_instance** self) {
  (void)name, (void)p;
  *self = calloc(1, sizeof **self);
  return *self == NULL ? COTREE_ERROR : COTREE_OK;
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
  (void)self;
  return "the table ends here";
}
static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                              const double* u, double* out) {
  (void)self, (void)group, (void)t, (void)u;
  out[0] = x[0];
  return COTREE_OK;
}
static cotree_status derivatives(cotree_instance* self, double t, const double* x, const double* u,
                                 double* dx) {
  (void)self;
  dx[0] = u[0] - x[0];
  if (t < 0.5) return COTREE_OK;
  TROUBLE;
  return COTREE_OK;
}

static const cotree_component table = {
    COTREE_HEAD(cotree_component), .name = "trouble", .create = create,    .destroy = destroy,
    .describe = describe,          .error = error,    .outputs = evaluate, .derivatives = derivatives};

COTREE_EXPORT const cotree_component* trouble(uint32_t host_version) {
  (void)host_version;
  return &table;
}
