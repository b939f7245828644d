/* SPDX-License-Identifier: Apache-2.0 */
/* ---- The interface -------------------------------------------------------------------------------------------
   model m;                       large models: static, or from malloc
   model_reset(&m);               parameters as emitted
   model_set(&m, "motor.R", 0.3); if you like; numbers are in SI units
   model_init(&m, 0, 10);         start values, and what switches between these times
   model_derivatives(&m, t, x, dx);
   Functions return 0, or 1 and the reason in m.problem. Between two calls of model_segment the right sides are
   smooth in x and, up to the time that it gives, in t. */
/*@if delays*/
typedef struct delay_line {
  double delay, start, before;
  double *times, *values;
  int *breaks; /* points that begin a smooth part; the first is 0 */
  int *corners; /* points at which one polynomial ends and another begins */
  int count, room, break_count, break_room, corner_count, corner_room;
} delay_line;
/*@end*/
/*@if events*/
typedef struct crossing {
  int relation;
  double value, level; /* level: where it switches */
} crossing;
/*@end*/

typedef struct model {
  double v[MODEL_SLOTS + 1];       /* all values; the states are v[model_state_slots[k]] */
  double d[MODEL_SLOTS + 1];       /* their derivatives along a direction */
  double p[MODEL_PARAMETERS + 1];  /* numbers of the parameters */
  double time, time_tangent;
  double switch_time;              /* a time inside the segment: what relations on time see */
  double start, stop;              /* of the run */
  double* knots;                   /* times of the run at which something is known to switch */
  int knot_count, knot_room;
  char problem[400];
/*@if blocks*/
  double work[MODEL_WORK + 1];     /* matrices of implicit blocks */
  int order[MODEL_ORDER + 1];      /* their pivots */
  int factored[MODEL_BLOCKS + 1], constant_done[MODEL_BLOCKS + 1], stale[MODEL_BLOCKS + 1],
      refused[MODEL_BLOCKS + 1];
/*@end*/
/*@if delays*/
  delay_line lines[MODEL_DELAYS];
/*@end*/
/*@if projection*/
  int known, rounded;                   /* the matrix of invariants is that of some step before */
  double gaps[MODEL_GAP_ENTRIES + 1];   /* invariants by states */
  double square[MODEL_GAPS * MODEL_GAPS];
  double rounding[MODEL_GAPS];          /* what counts as zero */
/*@if kept*/
  double column_scale[MODEL_STATES + 1], row_scale[MODEL_GAPS];
/*@end*/
  double factors[MODEL_GAP_FACTORS + 1], pivots[MODEL_GAPS];
  int factor_rows[MODEL_GAP_FACTORS + 1];
  double widest[MODEL_WATCHED + 1];     /* of the determinants, their logarithms */
/*@end*/
/*@if events*/
  double clock_next[MODEL_CLOCKS + 1]; /* number of the next tick */
  int conditions[MODEL_WHENS + 1];     /* of whens, at the last event */
  double largest[MODEL_RELATIONS + 1], noise[MODEL_RELATIONS + 1];
  double looked[MODEL_RELATIONS + 1]; /* what the conditions were at the last look */
  int blocked[MODEL_RELATIONS + 1];
  crossing crossings[MODEL_RELATIONS + 1];
  int crossing_count;
  crossing* updated; /* by the last event */
  int updated_count, updated_room;
  int changed, fired, undecided; /* by the last event */
  int undefined;                 /* a condition compares something with no number */
  const char* stopped;           /* by stop("reason") */
/*@end*/
} model;

size_t model_size(void); /* of a model, for who does not include this file */
void model_reset(model* m);
int model_set(model* m, const char* parameter, double number);
int model_init(model* m, double start, double stop);
void model_free(model* m);
/* At the beginning of a segment: returns the time at which something switches next, the end of the run if nothing
   does. Call it again there. */
double model_segment(model* m, double t);
int model_derivatives(model* m, double t, const double* x, double* dx);
int model_outputs(model* m, double t, const double* x, double* y);
/* By condition on the motion: a number that changes its sign (or passes a whole number) where it switches. */
int model_events(model* m, double t, const double* x, double* g);
/* d dx / d x by columns: entries model_jacobian_first[j] ... of column j are in rows model_jacobian_rows[...]. */
int model_jacobian(model* m, double t, const double* x, double* entries);
/*@if projection*/
/* After each step of your method: the nearest states at which the loops of mechanisms are closed. */
int model_project(model* m, double t, double* x);
/*@end*/
/*@if delays*/
/* What delays remember: call it at each step of your method and a few times in between, the present values being those
   of time t; `jump`: what was computed jumped there. No step may be longer than a delay. */
void model_past(model* m, double t, int jump);
/*@end*/
/*@if events*/
/* Carries out an event at the present values; `tick`: samples that are due. m->changed: begin your method anew. */
int model_event(model* m, double t, int tick);
/*@end*/
