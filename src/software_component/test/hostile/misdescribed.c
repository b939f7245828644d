/* SPDX-License-Identifier: Apache-2.0 */
/* Components whose tables are wrong, one function each. */
#include <cotree/cotree_component.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct cotree_instance {
  const cotree_description* description;
};

static const cotree_variable u[] = {COTREE_VARIABLE("u", 0.0)};
static const cotree_variable y[] = {COTREE_VARIABLE("y", 0.0), COTREE_VARIABLE("z", 0.0)};
static const cotree_variable twice[] = {COTREE_VARIABLE("y", 0.0), COTREE_VARIABLE("y", 0.0)};
static const cotree_variable needed[] = {COTREE_VARIABLE("k", NAN)};
static const uint32_t first[] = {0}, ninth[] = {9};
static const cotree_group half[] = {{COTREE_HEAD(cotree_group), .output_count = 1, .outputs = first}};
static const cotree_group beyond[] = {{COTREE_HEAD(cotree_group), .output_count = 1, .outputs = ninth}};

static const cotree_description in_no_group_description = {
    COTREE_HEAD(cotree_description), 1, u, 2, y, 0, NULL, 1, half, 0, 0.0};
static const cotree_description no_such_output_description = {
    COTREE_HEAD(cotree_description), 1, u, 2, y, 0, NULL, 1, beyond, 0, 0.0};
static const cotree_description same_name_description = {
    COTREE_HEAD(cotree_description), 1, u, 2, twice, 0, NULL, 0, NULL, 0, 0.0};
static const cotree_description no_derivatives_description = {
    COTREE_HEAD(cotree_description), 1, u, 2, y, 1, u, 0, NULL, 0, 0.0};
static const cotree_description not_set_description = {
    COTREE_HEAD(cotree_description), 1, u, 2, y, 0, NULL, 0, NULL, 0, 0.0};
static const cotree_description hidden_input_description = {
    COTREE_HEAD(cotree_description), 1, u, 1, y, 0, NULL, 1, half, 0, 0.0};

static void destroy(cotree_instance* self) {
  free(self);
}
static cotree_status describe(cotree_instance* self, const cotree_description** d) {
  *d = self->description;
  return COTREE_OK;
}
static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                              const double* in, double* out) {
  (void)self, (void)group, (void)t, (void)x;
  out[0] = 2.0 * in[0];
  return COTREE_OK;
}

#define COMPONENT(name)                                                                                    \
  static cotree_status name##_create(const char* instance, const double* p, cotree_instance** self) {      \
    (void)instance, (void)p;                                                                               \
    *self = calloc(1, sizeof **self);                                                                      \
    (*self)->description = &name##_description;                                                            \
    return COTREE_OK;                                                                                      \
  }                                                                                                        \
  COTREE_EXPORT const cotree_component* name(uint32_t host_version) {                                      \
    static const cotree_component table = {COTREE_HEAD(cotree_component), .create = name##_create,         \
                                           .destroy = destroy, .describe = describe, .outputs = evaluate}; \
    (void)host_version;                                                                                    \
    return &table;                                                                                         \
  }

COMPONENT(in_no_group)
COMPONENT(no_such_output)
COMPONENT(same_name)
COMPONENT(no_derivatives)
COMPONENT(not_set)      /* z is never written */
COMPONENT(hidden_input) /* y depends on u, but no direct input is listed */

COTREE_EXPORT const cotree_component* too_new(uint32_t host_version) {
  static const cotree_component table = {.size = sizeof(cotree_component) + 64, .version = 9};
  (void)host_version;
  return &table;
}
COTREE_EXPORT const cotree_component* without_head(uint32_t host_version) {
  static const cotree_component table = {.name = "forgot COTREE_HEAD"};
  (void)host_version;
  return &table;
}
COTREE_EXPORT const cotree_component* refuses(uint32_t host_version) {
  (void)host_version;
  return NULL;
}
COTREE_EXPORT const cotree_component* crashes_at_once(uint32_t host_version) {
  uint32_t* volatile nowhere = (uint32_t*)16;
  *nowhere = host_version;
  return NULL;
}
COTREE_EXPORT const cotree_component* hangs_at_once(uint32_t host_version) {
  (void)host_version;
  for (;;) sleep(1);
  return NULL;
}
COTREE_EXPORT const cotree_component* needs_parameter(uint32_t host_version) {
  static const cotree_component table = {COTREE_HEAD(cotree_component),
                                         .parameter_count = 1,
                                         .parameters = needed,
                                         .create = not_set_create,
                                         .destroy = destroy,
                                         .describe = describe,
                                         .outputs = evaluate};
  (void)host_version;
  return &table;
}
