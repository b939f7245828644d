/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NO_MAIN
/* ---- A run, as `cotree simulate` does it: with steps that errors choose, or with fixed ones -------------------------- */
enum { METHOD_EULER, METHOD_HEUN, METHOD_RK4, METHOD_AUTO };

typedef struct simulation {
  model m;
  FILE* out;
  int method;
  double start, stop, step, interval, max_step;
  /* the method: from `before` to `time` */
  double time, before, end;
  double y[MODEL_STATES + 1], begin[MODEL_STATES + 1], slope[MODEL_STATES + 1], begin_slope[MODEL_STATES + 1];
  double moved[MODEL_STATES + 1], k2[MODEL_STATES + 1], k3[MODEL_STATES + 1], k4[MODEL_STATES + 1];
  /* steps that errors choose: explicit ones until stability limits them, then implicit ones */
  double rtol, next_step, last_error, longest;
  double k[7][MODEL_STATES + 1], stage[MODEL_STATES + 1], weights[MODEL_STATES + 1];
  double largest_state[MODEL_STATES + 1], least_state[MODEL_STATES + 1], floor_state[MODEL_STATES + 1];
  double *matrix, *jacobian; /* of implicit steps */
  int pivots[MODEL_STATES + 1];
  double restarted, fastest;
  int stiff, implicit_step, since, votes, rejected, scaled, hurried;
  int unsound;   /* something has no value at the end of the step */
  double still;  /* right before what happens: when all is still as it was */
  /* what grows without bound: sizes of the outputs at the start, in the first half, at most */
  double first_size[MODEL_OUTPUTS + 1], half_size[MODEL_OUTPUTS + 1], largest_size[MODEL_OUTPUTS + 1];
  double last_row;
  int rows;
  /* what happens at times known before */
  int next_knot;
  int knot, tick, delayed, checkpoint, corner; /* at the last stop */
  double row;                          /* output times that are past */
/*@if delays*/
  double* arrivals; /* jumps that arrive later */
  int arrival_count, arrival_room;
/*@end*/
/*@if relations*/
  double last_event, event_gap, last_crossing; /* events without end are noticed */
  int shrinking, tiny, crowded, close;
  double values[MODEL_SLOTS + 1], unlooked[MODEL_SLOTS + 1];
  double look_time[3], look_values[3][MODEL_RELATIONS + 1]; /* the last looks at conditions */
  int look_count;
/*@end*/
/*@if dead_centres*/
  double largest[MODEL_DEAD], last[MODEL_DEAD];
  int falling[MODEL_DEAD], last_sign[MODEL_DEAD], near_zero[MODEL_DEAD];
  int mode_begins; /* an event changed what is held: blocks may have other matrices */
/*@end*/
} simulation;

/* The shortest digits that give the number back. */
static void write_number(FILE* out, double x) {
  char text[40], digits[24];
  int count = 15, used = 0, exponent;
  if (!isfinite(x)) {
    fprintf(out, "%s%s", signbit(x) ? "-" : "", isnan(x) ? "nan" : "inf");
    return;
  }
  if (signbit(x)) fputc('-', out);
  x = fabs(x);
  if (x == 0) {
    fputc('0', out);
    return;
  }
  if (x < 2.2250738585072014e-308) count = 1; /* with fewer bits, fewer digits do */
  for (;; ++count) {
    snprintf(text, sizeof text, "%.*e", count - 1, x);
    if (count >= 17 || strtod(text, NULL) == x) break;
    if (count == 16 && frexp(x, &exponent) == 0.5) { /* below a power of two numbers are denser */
      char above[40];
      const char* e = strchr(text, 'e');
      for (int k = 0; text + k < e; ++k) {
        if (text[k] != '.') digits[used++] = text[k];
      }
      digits[used] = 0;
      used = 0;
      snprintf(above, sizeof above, "%llue%d", strtoull(digits, NULL, 10) + 1, atoi(e + 1) - 15);
      if (strtod(above, NULL) == x) {
        const int power = atoi(e + 1);
        snprintf(digits, sizeof digits, "%llu", strtoull(digits, NULL, 10) + 1);
        snprintf(text, sizeof text, "%c.%se%d", digits[0], digits + 1, power);
        break;
      }
    }
  }
  const char* e = strchr(text, 'e');
  exponent = atoi(e + 1);
  for (int k = 0; text + k < e; ++k) {
    if (text[k] != '.') digits[used++] = text[k];
  }
  while (used > 1 && digits[used - 1] == '0') --used;
  digits[used] = 0;
  if (exponent < -4 || exponent >= 16) {
    fprintf(out, used > 1 ? "%c.%s" : "%c%s", digits[0], digits + 1);
    fprintf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
  } else if (exponent >= used - 1) {
    fputs(digits, out);
    for (int k = used; k <= exponent; ++k) fputc('0', out);
  } else if (exponent >= 0) {
    fprintf(out, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
  } else {
    fputs("0.", out);
    for (int k = -1; k > exponent; --k) fputc('0', out);
    fputs(digits, out);
  }
}

static void write_name(FILE* out, const char* name) {
  if (strpbrk(name, ",\"\r\n") == NULL) {
    fputs(name, out);
    return;
  }
  fputc('"', out);
  for (; *name != 0; ++name) {
    if (*name == '"') fputc('"', out);
    fputc(*name, out);
  }
  fputc('"', out);
}

/* The output that has no finite value at the present values; -1: all have one. */
static int without_value(const model* m) {
  for (int k = 0; k < MODEL_OUTPUTS; ++k) {
    if (!isfinite(m->v[outputs[k].slot])) return k;
  }
  return -1;
}
static int fail_without_value(simulation* s, double time) {
  const int k = without_value(&s->m);
  snprintf(s->m.problem, sizeof s->m.problem, "at %.9g s: %s is not finite", time, k < 0 ? "a value" : model_output_names[k]);
  return 0;
}

/* A row of the present values. */
static int record(simulation* s, double time) {
  if (without_value(&s->m) >= 0) return fail_without_value(s, time);
  write_number(s->out, time);
  for (int k = 0; k < MODEL_OUTPUTS; ++k) {
    const double value = output_value(&s->m, k), size = fabs(value);
    fputc(',', s->out);
    write_number(s->out, value);
    if (s->rows == 0) s->first_size[k] = size;
    if (s->last_row <= (s->start + s->stop) / 2 && time > (s->start + s->stop) / 2) s->half_size[k] = s->largest_size[k];
    if (s->largest_size[k] < size) s->largest_size[k] = size;
  }
  fputc('\n', s->out);
  s->last_row = time;
  ++s->rows;
  return 1;
}
static void say_growth(const simulation* s) {
  int worst = -1;
  double most = 0;
  for (int k = 0; k < MODEL_OUTPUTS; ++k) {
    const double ratio = s->largest_size[k] / (s->first_size[k] < 1 ? 1 : s->first_size[k]);
    if (s->largest_size[k] < 1e100 && (ratio < 1e30 || s->largest_size[k] < 1e6 * s->half_size[k])) continue;
    if (!(ratio > most)) continue;
    most = ratio;
    worst = k;
  }
  if (worst < 0) return;
  fprintf(stderr, "note: %s grows without bound: it reaches %.3g, from %.3g at the start\n", model_output_names[worst],
          s->largest_size[worst], s->first_size[worst]);
}
#endif
