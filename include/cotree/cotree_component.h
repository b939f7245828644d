/* SPDX-License-Identifier: Apache-2.0 */
/* Cotree: the interface of native software components, version 1. C99; also valid C++.

A software component is causal code in a simulated system: a controller, a filter, a state machine. It has

    parameters p    given once, when an instance is made
    inputs     u    continuous states  x    discrete state z (bytes of its own)
    outputs    y  = outputs(t, x, z, u)
    derivatives x' = derivatives(t, x, z, u)
    discrete   z := update(t, x, z, u)      at sample times, or at events

All values are doubles in SI units. The whole component is ONE exported function that returns a table of
functions. A complete one, a gain:

    #include <cotree/cotree_component.h>
    #include <stdlib.h>

    struct cotree_instance { double k; };

    static const cotree_variable parameters[] = {COTREE_VARIABLE("k", 1.0)};
    static const cotree_variable inputs[] = {COTREE_VARIABLE("u", 0.0)};
    static const cotree_variable outputs[] = {COTREE_VARIABLE("y", 0.0)};
    static const cotree_description description = {COTREE_HEAD(cotree_description),
                                                   .input_count = 1,
                                                   .inputs = inputs,
                                                   .output_count = 1,
                                                   .outputs = outputs};

    static cotree_status create(const char* name, const double* p, cotree_instance** self) {
      (void)name;
      *self = malloc(sizeof **self);
      if (*self == NULL) return COTREE_ERROR;
      (*self)->k = p[0];
      return COTREE_OK;
    }
    static void destroy(cotree_instance* self) { free(self); }
    static cotree_status describe(cotree_instance* self, const cotree_description** d) {
      (void)self;
      *d = &description;
      return COTREE_OK;
    }
    static cotree_status evaluate(cotree_instance* self, uint32_t group, double t, const double* x,
                                  const double* u, double* y) {
      (void)group, (void)t, (void)x;
      y[0] = self->k * u[0];
      return COTREE_OK;
    }
    static const cotree_component table = {COTREE_HEAD(cotree_component),
                                           .name = "gain",
                                           .parameter_count = 1,
                                           .parameters = parameters,
                                           .create = create,
                                           .destroy = destroy,
                                           .describe = describe,
                                           .outputs = evaluate};

    COTREE_EXPORT const cotree_component* gain(uint32_t host_version) {
      (void)host_version;
      return &table;
    }

Build it with `cc -std=c99 -O2 -fPIC -shared gain.c -o libgain.so`; a model names it with
`external "libgain.so" "gain"`. More examples: examples/software_components. In C++: <cotree/component.hpp>.

Rules
 - `outputs` and `derivatives` are PURE: they change nothing that a later call could see, and give the same
   values for the same (t, x, u) and discrete state. The integrator tries points, rejects them, goes back.
 - Only `update` changes the discrete state. It runs once per sample time or accepted event, time never
falling (unless `restore` has gone back).
 - No global or static variables that change: a model may hold many instances of one component.
 - Instances may be used by different threads, one instance by one thread at a time.
 - No function ends the process, waits for the user, or changes locale, rounding mode or signals. Text on
stdout and stderr is kept aside and shown if something fails.
 - Every value that is returned is finite.
 - Memory is freed by who made it: what you return (table, description, names, error text) stays yours and
valid until `destroy`; arrays that you are given are the host's and end with the call.

What happens when
 - one exported function -> create -> describe, once per instance; at the end destroy.
 - Continuous component (sample_period 0): `outputs` once per output group and trial point, then
`derivatives`. At accepted events `update`, after which the outputs are computed anew.
 - Sampled component (sample_period T > 0): at t = 0, T, 2T, ... first `outputs` of every group, with the
discrete state left by the sample before, then `update`. Between samples the outputs hold.
 - Sampled component with continuous states: `outputs` and `derivatives` as of a continuous one, and between
samples the states are integrated; at t = 0, T, 2T, ... `update`, which reads x and u and does not change x,
after which the outputs are computed anew. Other events do not call `update`.

Output groups and direct inputs. An output depends *directly* on an input if the input's value at t changes
the output's value at t. Outputs with the same direct inputs form a group, which is computed at once. The
simulation orders all computations by it: an output without direct inputs can be computed before the inputs
are known and breaks loops. So say exactly what is true; an input that a group does not list is NaN during its
`outputs`. Without groups there is one, with all outputs depending on all inputs.

Versions. Each struct begins with its size and the version of this interface; later versions only append
members, and version 1 loads in every later release. */
#ifndef COTREE_COMPONENT_H_
#define COTREE_COMPONENT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define COTREE_COMPONENT_VERSION 1u

/* The first two members of each struct: its size and version. */
#define COTREE_HEAD(type) sizeof(type), COTREE_COMPONENT_VERSION

/* Before the one exported function. */
#ifdef __cplusplus
#define COTREE_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define COTREE_EXPORT __attribute__((visibility("default")))
#endif

/* What every function returns. */
typedef int32_t cotree_status;
#define COTREE_OK 0    /* done */
#define COTREE_ERROR 1 /* failed: the run ends, with the text of `error` */
#define COTREE_REJECT \
  2 /* no value at this trial point (outside a domain): the integrator may try a shorter step */

/* An instance: yours to define, `struct cotree_instance { ... };`. */
typedef struct cotree_instance cotree_instance;

/* A named value. `start`: of a parameter its default (NAN from <math.h>: must be given); of a continuous
state its start value; of inputs and outputs not used. Names are letters, digits and _, as in the
model; elements of an array are u[1], u[2], ... */
typedef struct cotree_variable {
  uint32_t size, version;
  const char* name;
  double start;
} cotree_variable;

#define COTREE_VARIABLE(name, start) \
  { COTREE_HEAD(cotree_variable), name, start }

/* An output group: indices of its outputs, and of the inputs on which they depend directly. */
typedef struct cotree_group {
  uint32_t size, version;
  uint32_t output_count;
  const uint32_t* outputs;
  uint32_t input_count;
  const uint32_t* inputs;
} cotree_group;

/* What an instance is made of. It may depend on the parameters (numbers too), and does not change in its
life. Each output is in exactly one group. */
typedef struct cotree_description {
  uint32_t size, version;
  uint32_t input_count;
  const cotree_variable* inputs;
  uint32_t output_count;
  const cotree_variable* outputs;
  uint32_t state_count; /* continuous states */
  const cotree_variable* states;
  uint32_t group_count; /* 0: one group, everything direct */
  const cotree_group* groups;
  uint64_t discrete_bytes; /* size of the discrete state for save and restore */
  double sample_period;    /* in seconds; 0: continuous */
} cotree_description;

/* The component. Functions that are not needed are NULL, as said beside them. Vectors: x has state_count, u
input_count, y output_count values; NULL where the number is 0. */
typedef struct cotree_component {
  uint32_t size, version;
  const char* name;
  uint32_t parameter_count;
  const cotree_variable* parameters;

  /* Makes an instance. `instance_name` is its path in the model ("drive.pid"), for messages; `parameters` are
  in the order of the table. On failure it may leave an instance in *instance to be asked for the `error`
  text; it is destroyed like any other. *instance is NULL before. */
  cotree_status (*create)(const char* instance_name, const double* parameters, cotree_instance** instance);
  void (*destroy)(cotree_instance* instance);

  /* Points *description to what the instance is made of. */
  cotree_status (*describe)(cotree_instance* instance, const cotree_description** description);

  /* The text of the last failure, or NULL. NULL if there is never a text. */
  const char* (*error)(cotree_instance* instance);

  /* Writes the outputs of one group into y[index of the output]; other elements of y are ignored. Pure. */
  cotree_status (*outputs)(cotree_instance* instance, uint32_t group, double t, const double* x,
                           const double* u, double* y);

  /* Writes all derivatives of the continuous states. Pure. NULL without states. */
  cotree_status (*derivatives)(cotree_instance* instance, double t, const double* x, const double* u,
                               double* dx);

  /* The step of the discrete state. NULL without one. */
  cotree_status (*update)(cotree_instance* instance, double t, const double* x, const double* u);

  /* Copy the discrete state out and in: discrete_bytes bytes, everything that `update` changes, no pointers.
  NULL only without discrete state. */
  cotree_status (*save)(cotree_instance* instance, void* bytes);
  cotree_status (*restore)(cotree_instance* instance, const void* bytes);

  /* Optional (NULL): partial derivatives at (t, x, u). `matrix` has state_count + output_count rows (first
  x', then y) and state_count + input_count columns (first x, then u), row by row, zeros where nothing
  depends; it is zero before. Pure. */
  cotree_status (*jacobian)(cotree_instance* instance, double t, const double* x, const double* u,
                            double* matrix);
} cotree_component;

/* The type of the one exported function. `host_version` is the version that the host knows; a component of a
later version may return an older table to an older host. Return NULL to refuse. */
typedef const cotree_component* (*cotree_entry)(uint32_t host_version);

#ifdef __cplusplus
}
#endif

#endif /* COTREE_COMPONENT_H_ */
