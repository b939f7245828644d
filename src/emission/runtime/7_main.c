/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NO_MAIN
/* ---- A run with fixed steps, as `cotree simulate --solver rk4 --step ...` does it ------------------------------------ */
enum { METHOD_EULER, METHOD_HEUN, METHOD_RK4 };

typedef struct simulation {
  model m;
  FILE* out;
  int method;
  double start, stop, step, interval, max_step;
  /* the method: from `before` to `time` */
  double time, before, end;
  double y[MODEL_STATES + 1], begin[MODEL_STATES + 1], slope[MODEL_STATES + 1], begin_slope[MODEL_STATES + 1];
  double moved[MODEL_STATES + 1], k2[MODEL_STATES + 1], k3[MODEL_STATES + 1], k4[MODEL_STATES + 1];
  /* what happens at times known before */
  int next_knot;
  int knot, tick, delayed, checkpoint; /* at the last stop */
  double row;                          /* output times that are past */
/*@if delays*/
  double* arrivals; /* jumps that arrive later */
  int arrival_count, arrival_room;
/*@end*/
/*@if relations*/
  double last_event, event_gap, last_crossing; /* events without end are noticed */
  int shrinking, tiny, close;
  double values[MODEL_SLOTS + 1];
/*@end*/
/*@if dead_centres*/
  double largest[MODEL_DEAD], last[MODEL_DEAD];
  int falling[MODEL_DEAD], last_sign[MODEL_DEAD], near_zero[MODEL_DEAD];
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

static void record(simulation* s, double time) {
  write_number(s->out, time);
  for (int k = 0; k < MODEL_OUTPUTS; ++k) {
    fputc(',', s->out);
    write_number(s->out, output_value(&s->m, k));
  }
  fputc('\n', s->out);
}

static int slopes(simulation* s, double time, const double* y, double* out) {
  return model_derivatives(&s->m, time, y, out) == 0;
}
static double* moved(simulation* s, double h, const double* slope) {
  for (int k = 0; k < MODEL_STATES; ++k) s->moved[k] = s->begin[k] + h * slope[k];
  return s->moved;
}
static int method_restart(simulation* s, double time, double end) {
  s->time = s->before = time;
  s->end = end;
  if (MODEL_STATES == 0) return 1;
  for (int k = 0; k < MODEL_STATES; ++k) s->y[k] = s->begin[k] = s->m.v[model_state_slots[k]];
  return slopes(s, time, s->y, s->slope);
}
static int method_step(simulation* s, double* time) {
  if (MODEL_STATES == 0) {
    double most = s->max_step > 0 ? s->max_step : (s->stop - s->start) / 100;
/*@if delays*/
    for (int k = 0; k < MODEL_DELAYS; ++k) most = s->m.lines[k].delay < most ? s->m.lines[k].delay : most;
/*@end*/
    s->time = s->time + most < s->end ? s->time + most : s->end;
    *time = s->time;
    return 1;
  }
  const double turns = floor((s->time - s->start) / s->step * (1 + 1e-12) + 1e-9) + 1;
  const double grid = s->start + turns * s->step, end = grid < s->end ? grid : s->end, h = end - s->time;
  memcpy(s->begin, s->y, sizeof s->y);
  memcpy(s->begin_slope, s->slope, sizeof s->slope);
  s->before = s->time;
  if (s->method == METHOD_EULER) {
    memcpy(s->y, moved(s, h, s->begin_slope), sizeof s->y);
  } else if (s->method == METHOD_HEUN) {
    if (!slopes(s, s->time + h, moved(s, h, s->begin_slope), s->k2)) return 0;
    for (int k = 0; k < MODEL_STATES; ++k) s->y[k] = s->begin[k] + h / 2 * (s->begin_slope[k] + s->k2[k]);
  } else {
    if (!slopes(s, s->time + h / 2, moved(s, h / 2, s->begin_slope), s->k2) ||
        !slopes(s, s->time + h / 2, moved(s, h / 2, s->k2), s->k3) ||
        !slopes(s, s->time + h, moved(s, h, s->k3), s->k4))
      return 0;
    for (int k = 0; k < MODEL_STATES; ++k)
      s->y[k] = s->begin[k] + h / 6 * (s->begin_slope[k] + 2 * s->k2[k] + 2 * s->k3[k] + s->k4[k]);
  }
/*@if projection*/
  if (model_project(&s->m, end, s->y) != 0) return 0;
/*@end*/
  if (!slopes(s, end, s->y, s->slope)) return 0;
  *time = s->time = end;
  return 1;
}

/* The states of a time within the last step, and all that follows from them. */
static int move_to(simulation* s, double time) {
  double* states = s->moved;
  const double h = s->time - s->before;
  memcpy(states, s->y, sizeof s->y);
  if (time < s->time && h > 0) {
    const double at = (time - s->before) / h, a = at * at * (3 - 2 * at), b = at * (1 - at) * (1 - at),
                 c = at * at * (at - 1);
    for (int k = 0; k < MODEL_STATES; ++k)
      states[k] = s->begin[k] + a * (s->y[k] - s->begin[k]) + h * (b * s->begin_slope[k] + c * s->slope[k]);
  }
  return run_at(&s->m, time, states);
}
static int record_at(simulation* s, double time) {
  if (!move_to(s, time)) return 0;
  record(s, time);
  return 1;
}

static int check_assertions(simulation* s, double time) {
/*@if assertions*/
  for (int k = 0; k < MODEL_ASSERTIONS; ++k) {
    if (compute(&s->m, &assertions[k].b, time) != 0) continue;
    snprintf(s->m.problem, sizeof s->m.problem, "at %.9g s: %s", time, assertions[k].text);
    return 0;
  }
/*@else*/
  (void)s;
  (void)time;
/*@end*/
  return 1;
}

/* In how many pieces a step is looked at: none longer than a `parts`th of the run. */
MAYBE_UNUSED static double pieces(const simulation* s, double step, double parts, double least) {
  const double count = ceil(step / (s->stop - s->start) * parts);
  return least < count ? count : least;
}

/*@if delays*/
static void break_delays(simulation* s, double time, int kink) {
  for (int d = 0; d < MODEL_DELAYS; ++d) {
    delay_line* line = s->m.lines + d;
    const double u = compute(&s->m, &delays[d].b, time);
    if (!kink && u == line->values[line->count - 1]) continue;
    line_break(line, time, u);
    if (s->arrival_count == s->arrival_room) {
      s->arrival_room = 2 * s->arrival_room + 16;
      s->arrivals = realloc(s->arrivals, (size_t)s->arrival_room * sizeof(double));
      if (s->arrivals == NULL) abort();
    }
    s->arrivals[s->arrival_count++] = time + line->delay;
  }
}
static double next_arrival(simulation* s, double past) {
  double next = INFINITY;
  int kept = 0;
  for (int k = 0; k < s->arrival_count; ++k) {
    if (s->arrivals[k] <= past) continue;
    s->arrivals[kept++] = s->arrivals[k];
    if (s->arrivals[k] < next) next = s->arrivals[k];
  }
  s->arrival_count = kept;
  return next;
}
/*@end*/

/* What is within rounding of each other happens together. */
static double close_to(const simulation* s, double time) {
  const double unit = 1e-3 * (s->stop - s->start);
  return time + 1e-12 * (fabs(time) < unit ? unit : fabs(time));
}
static double next_checkpoint(const simulation* s, double after) {
  const double gap = (s->stop - s->start) / 20;
  double k = floor((after - s->start) / gap) + 1;
  if (s->start + k * gap <= close_to(s, after)) ++k;
  return s->start + k * gap;
}
static double next_stop(simulation* s, double after, int* knot, int* tick, int* delayed, int* checkpoint) {
  const double past = after > s->start ? close_to(s, after) : after;
  while (s->next_knot < s->m.knot_count && s->m.knots[s->next_knot] <= past) ++s->next_knot;
  const double knot_time = s->next_knot < s->m.knot_count ? s->m.knots[s->next_knot] : INFINITY;
  double tick_time = INFINITY, delayed_time = INFINITY;
/*@if events*/
  tick_time = next_tick(&s->m, after);
/*@end*/
/*@if delays*/
  delayed_time = next_arrival(s, past);
/*@end*/
  const double checkpoint_time = next_checkpoint(s, after);
  double time = knot_time;
  if (tick_time < time) time = tick_time;
  if (delayed_time < time) time = delayed_time;
  if (checkpoint_time < time) time = checkpoint_time;
  if (s->stop < time) time = s->stop;
  if (s->stop <= close_to(s, time)) time = s->stop;
  *knot = knot_time <= close_to(s, time);
  *tick = tick_time <= close_to(s, time);
  *delayed = delayed_time <= close_to(s, time);
  *checkpoint = checkpoint_time <= close_to(s, time);
  return time;
}

/* Output rows and the past of delays within a step, or a part of it. */
static int past(simulation* s, double from, double to, double end) {
  for (;;) {
    const double next = s->start + (s->row + 1) * s->interval;
    if (!(next <= to) || !(next < end - 1e-9 * s->interval)) break;
    ++s->row;
    if (next <= from) continue;
    if (!record_at(s, next)) return 0;
  }
/*@if past*/
  double points = 1;
/*@if delays*/
  points = pieces(s, to - from, 2000, 4);
/*@end*/
  for (double k = 1; k <= points; ++k) {
    const double t = k == points ? to : from + (to - from) * k / points;
    if (!move_to(s, t)) return 0;
/*@if delays*/
    for (int d = 0; d < MODEL_DELAYS; ++d) line_add(s->m.lines + d, t, compute(&s->m, &delays[d].b, t));
/*@end*/
  }
/*@if delays*/
  for (int d = 0; d < MODEL_DELAYS; ++d) line_forget(s->m.lines + d, to);
/*@end*/
  return check_assertions(s, to);
/*@else*/
  return 1;
/*@end*/
}

/*@if dead_centres*/
/* Whether constraints keep determining the motion: where the determinant of the block that a nonlinear constraint is
   solved in passes zero, they do not. */
static int determinants_at(simulation* s, double time, determinant* out) {
  if (!move_to(s, time)) return 0;
  for (int k = 0; k < MODEL_DEAD; ++k) out[k] = find_determinant(&s->m, dead_blocks[k]);
  return 1;
}
static int passes_no_dead_centre(simulation* s, double from, double to) {
  determinant a[MODEL_DEAD], a2[MODEL_DEAD], b2[MODEL_DEAD], b[MODEL_DEAD], middle[MODEL_DEAD], next[MODEL_DEAD];
  memset(a, 0, sizeof a);
  const double little = 1e-3 * (to - from);
  int failed = !determinants_at(s, from, a);
  failed = !determinants_at(s, from + little, a2) || failed;
  failed = !determinants_at(s, to - little, b2) || failed;
  failed = !determinants_at(s, to, b) || failed;
  if (failed) return 0;
  for (int k = 0; k < MODEL_DEAD; ++k) {
    if (a[k].sign == 0 || b[k].sign == 0) {
      s->last[k] = NAN;
      continue;
    }
    /* Close to zero a determinant is known to a few digits only. */
    const double greater = a[k].log < s->last[k] ? s->last[k] : a[k].log;
    const int small = greater < s->largest[k] + dead_zero;
    if (!small && !(fabs(a[k].log - s->last[k]) < 1e-6)) { /* another mode, with another matrix */
      s->largest[k] = -INFINITY;
      s->falling[k] = 0;
    } else {
      a[k].sign = s->last_sign[k]; /* looking back from behind a dead centre finds the other solution */
    }
    s->last[k] = b[k].log;
    s->last_sign[k] = b[k].sign;
    if (s->largest[k] < a[k].log) s->largest[k] = a[k].log;
    if (s->largest[k] < b[k].log) s->largest[k] = b[k].log;
    const int changed = a[k].sign * b[k].sign < 0, falls = a2[k].log < a[k].log, rises = b2[k].log < b[k].log;
    const int turned_before = s->falling[k] != 0 && !falls;
    s->falling[k] = b[k].log < b2[k].log ? 1 : 0;
    double least = turned_before ? a[k].log : s->largest[k], low = from, high = to;
    for (int turn = 0; turn < 40 && (changed || (falls && rises)); ++turn) {
      const double half = low + (high - low) / 2;
      if (!determinants_at(s, half, middle)) return 0;
      if (!changed && !determinants_at(s, half + 1e-3 * (high - low), next)) return 0;
      if (middle[k].log < least) least = middle[k].log;
      if (changed ? middle[k].sign == a[k].sign : next[k].log < middle[k].log) low = half;
      else high = half;
    }
    s->near_zero[k] = b[k].log < s->largest[k] + dead_zero ? s->near_zero[k] + 1 : 0;
    if (!changed && !(least < s->largest[k] + dead_zero) && s->near_zero[k] < 30) continue;
    snprintf(s->m.problem, sizeof s->m.problem, "at %.9g s: a dead centre: the states do not determine the position, %s",
             low, blocks[dead_blocks[k]].text);
    return 0;
  }
  return 1;
}
/*@end*/

/*@if relations*/
/* ---- Events in the middle of a step ------------------------------------------------------------------------------------ */
static int crosses(simulation* s, double time, int* failed) {
  if (!move_to(s, time)) {
    *failed = 1;
    return 0;
  }
  return crossed(&s->m, time);
}
static void distances(simulation* s, double time, const crossing* of, int count, double* out, int* failed) {
  if (!move_to(s, time)) {
    *failed = 1;
    for (int k = 0; k < count; ++k) out[k] = NAN;
    return;
  }
  for (int k = 0; k < count; ++k) out[k] = compute(&s->m, &relations[of[k].relation].b, time) - of[k].level;
}
/* The first time in (from, *at] at which a condition differs from what is held. */
static int find_crossing(simulation* s, double from, double* at, int* failed) {
  model* m = &s->m;
  if (!(*at > from)) return 0;
  double low = from, high = *at;
  const double count = pieces(s, high - from, 500, 2);
  for (double k = 1; k <= count; ++k) {
    const double t = k == count ? *at : from + (*at - from) * k / count;
    if (!(t > low)) continue;
    if (crosses(s, t, failed)) {
      high = t;
      break;
    }
    if (*failed || k == count) return 0;
    low = t;
  }
  const double small = 4 * 2.220446049250313e-16 * fabs(high), share = 1e-14 * (*at - from);
  const double close = small < share ? share : small;
  crossing found[MODEL_RELATIONS];
  double below[MODEL_RELATIONS] = {0}, above[MODEL_RELATIONS] = {0};
  int n = m->crossing_count;
  memcpy(found, m->crossings, (size_t)n * sizeof(crossing));
  distances(s, low, found, n, below, failed);
  for (int k = 0; k < n; ++k) above[k] = found[k].value - found[k].level;
  double weight_low = 1, weight_high = 1; /* Illinois: an end that stays counts half */
  for (int turn = 0; high - low > close && turn < 100 && !*failed; ++turn) {
    double guess = high;
    for (int k = 0; k < n; ++k) {
      const double a = weight_low * below[k], b = weight_high * above[k];
      if (a != b && isfinite(a) && isfinite(b)) {
        const double zero = low + (high - low) * a / (a - b);
        if (zero < guess) guess = zero;
      }
    }
    const double tenth = 0.1 * (high - low), inset = close / 2 < tenth ? close / 2 : tenth;
    double next = guess < low + inset ? low + inset : high - inset < guess ? high - inset : guess;
    if (turn % 4 == 3 || !isfinite(next)) next = low + (high - low) / 2;
    if (!(next > low && next < high)) break;
    if (crosses(s, next, failed)) {
      high = next;
      const int other = m->crossing_count != n;
      n = m->crossing_count;
      memcpy(found, m->crossings, (size_t)n * sizeof(crossing));
      if (other) distances(s, low, found, n, below, failed);
      for (int k = 0; k < n; ++k) above[k] = found[k].value - found[k].level;
      weight_high = 1;
      weight_low /= 2;
    } else {
      low = next;
      distances(s, low, found, n, below, failed);
      weight_low = 1;
      weight_high /= 2;
    }
  }
  *at = high;
  return 1;
}

/* Events that follow each other without end: ever faster, or at the limit of the numbers. */
static int watch_event(simulation* s, double time) {
  const double gap = time - s->last_event, ratio = gap / s->event_gap, duration = s->stop - s->start;
  s->last_event = time;
  s->shrinking = ratio < 1 ? s->shrinking + 1 : 0;
  s->tiny = gap <= 1e-10 * duration ? s->tiny + 1 : 0;
  s->event_gap = gap;
  const double unit = fabs(time) < 1e-3 * duration ? 1e-3 * duration : fabs(time);
  const int zeno = s->shrinking >= 10 && gap < 1e-5 * unit;
  if (!zeno && s->tiny < 300) return 1;
  snprintf(s->m.problem, sizeof s->m.problem, "at %.9g s: %s", time,
           zeno ? "infinitely many events in a finite time (Zeno)" : "chattering: event follows event");
  return 0;
}
static int is_dense(simulation* s, double time) {
  s->close = time - s->last_crossing <= 1e-6 * (s->stop - s->start) ? s->close + 1 : 0;
  s->last_crossing = time;
  return s->close >= 10;
}
/*@end*/

/*@if events*/
/* 0: the run is over, with or without a problem. */
static int after_event(simulation* s, double time, int located) {
  model* m = &s->m;
  if (m->stopped != NULL) return 0;
/*@if relations*/
  if (located && is_dense(s, time)) block_undecided(m, time);
  if (located && (m->changed || m->fired > 0)) return watch_event(s, time);
/*@else*/
  (void)time;
  (void)located;
/*@end*/
  return 1;
}
/*@end*/

/*@if relations*/
static int located_event(simulation* s, double* at, double end) {
  model* m = &s->m;
  const double share = 1e-3 * (s->stop - s->start), unit = fabs(*at) < share ? share : fabs(*at);
  double time = *at;
  for (double later = 1e-14 * unit;; later *= 8) {
    if (!move_to(s, time)) return 0;
    memcpy(s->values, m->v, sizeof m->v);
    if (settle(m, time, 0, 0, 0)) break;
    if (!m->undecided) return 0;
    memcpy(m->v, s->values, sizeof m->v);
    if (later > 1e-9 * unit || time >= end) {
      if (settle(m, time, 0, 0, 1)) break;
      return 0;
    }
    time = end < *at + later ? end : *at + later;
  }
  *at = time;
  if (m->changed) {
    for (int k = 0; k < MODEL_SLOTS; ++k) {
      const double v = m->v[k];
      m->v[k] = s->values[k];
      s->values[k] = v;
    }
    record(s, time);
    memcpy(m->v, s->values, sizeof m->v);
    record(s, time);
/*@if delays*/
    break_delays(s, time, 1);
/*@end*/
  }
  return after_event(s, time, 1) && check_assertions(s, time);
}
/*@end*/

/* What happens at a time known before, seen from behind it. */
static int time_event(simulation* s, double time, int* restart) {
  model* m = &s->m;
  if (!s->knot && !s->tick && !s->delayed) {
    *restart = 1;
    return 1;
  }
  int changed = 0;
/*@if events*/
  if (!settle(m, time, s->tick, 0, 1)) return 0;
  changed = m->changed;
/*@else*/
  if (!run(m, time)) return 0;
/*@end*/
  const int anew = s->knot || s->delayed || changed;
  *restart = anew || s->checkpoint;
  if (anew) {
    record(s, time);
/*@if delays*/
    break_delays(s, time, s->knot || s->delayed);
/*@end*/
  }
/*@if events*/
  if (!after_event(s, time, 0)) return 0;
/*@end*/
  return check_assertions(s, time);
}

/* From one known time to the next. */
static int segment(simulation* s, double begin, double* reached, int wanted) {
  const double end = *reached;
  double time = begin;
  int stuck = 0;
  while (time < end) {
    const double before = time;
    if (!method_step(s, &time)) return 0;
    const double unit = fabs(time) < end - begin ? end - begin : fabs(time);
    stuck = time - before < 1e-13 * unit && time < end ? stuck + 1 : 0;
    if (stuck > 200) {
      snprintf(s->m.problem, sizeof s->m.problem, "at %.9g s: the steps become too small", time);
      return 0;
    }
    double from = before;
/*@if relations*/
    for (;;) {
      double at = time;
      int failed = 0;
      const int found = find_crossing(s, from, &at, &failed);
      if (failed) return 0;
      if (!found) break;
/*@if dead_centres*/
      if (!passes_no_dead_centre(s, from, at)) return 0;
/*@end*/
      if (!past(s, from, at, end) || !located_event(s, &at, time)) return 0;
      from = at;
      if (!s->m.changed) continue;
/*@if delays*/
      if (at < end) {
        *reached = at;
        return 1;
      }
/*@end*/
      if (!method_restart(s, at, end)) return 0;
      time = at;
      break;
    }
/*@end*/
    if (time > from) {
/*@if dead_centres*/
      if (!passes_no_dead_centre(s, from, time)) return 0;
/*@end*/
      if (!past(s, from, time, end)) return 0;
    }
  }
  const double next = s->start + (s->row + 1) * s->interval;
  const int due = fabs(next - end) <= 1e-9 * s->interval;
  if (due) ++s->row;
  return wanted || due ? record_at(s, end) : move_to(s, end);
}

static int integrate(simulation* s) {
  double time = s->start;
  int restart = 1, located = 0;
  while (time < s->stop) {
    int knot, tick, delayed, checkpoint;
    const double stop = next_stop(s, time, &knot, &tick, &delayed, &checkpoint);
    s->m.switch_time = time + (stop - time) / 2;
    if (located) restart = 1;
    else if (time > s->start && !time_event(s, time, &restart)) return 0;
    s->end = stop;
    if (restart && !method_restart(s, time, stop)) return 0;
    double reached = stop;
    if (!segment(s, time, &reached, knot || tick || delayed || stop >= s->stop)) return 0;
    located = reached < stop;
    time = reached;
    s->knot = knot;
    s->tick = tick;
    s->delayed = delayed;
    s->checkpoint = checkpoint;
/*@if blocks*/
    if (checkpoint && !located) {
      for (int k = 0; k < MODEL_BLOCKS; ++k)
        s->m.factored[k] = s->m.constant_done[k] = s->m.stale[k] = s->m.refused[k] = 0;
    }
/*@end*/
/*@if projection*/
    if (checkpoint && !located) s->m.known = s->m.rounded = 0;
/*@end*/
  }
/*@if events*/
  if (MODEL_TERMINALS == 0 && !s->tick) return 1;
  if (!settle(&s->m, time, s->tick, 1, 1)) return 0;
  if (s->m.changed) record(s, time);
/*@end*/
  return 1;
}

static int usage(const char* program) {
  fprintf(stderr,
          "usage: %s [--stop T] [--step H] [--interval H] [--method euler|heun|rk4] [--set NAME=NUMBER] [-o FILE]\n",
          program);
  return 2;
}

int main(int count, char** words) {
  static simulation s;
  const char* path = NULL;
  s.method = run_method;
  s.start = run_start;
  s.stop = run_stop;
  s.step = run_step;
  s.interval = run_interval;
  s.max_step = run_max_step;
  model_reset(&s.m);
  for (int k = 1; k < count; k += 2) {
    const char *word = words[k], *value = k + 1 < count ? words[k + 1] : NULL;
    if (value == NULL) return usage(words[0]);
    if (strcmp(word, "--stop") == 0) s.stop = atof(value);
    else if (strcmp(word, "--step") == 0) s.step = atof(value);
    else if (strcmp(word, "--interval") == 0) s.interval = atof(value);
    else if (strcmp(word, "-o") == 0) path = value;
    else if (strcmp(word, "--method") == 0 && strcmp(value, "euler") == 0) s.method = METHOD_EULER;
    else if (strcmp(word, "--method") == 0 && strcmp(value, "heun") == 0) s.method = METHOD_HEUN;
    else if (strcmp(word, "--method") == 0 && strcmp(value, "rk4") == 0) s.method = METHOD_RK4;
    else if (strcmp(word, "--set") == 0 && strchr(value, '=') != NULL) {
      char name[200] = {0};
      const size_t length = (size_t)(strchr(value, '=') - value);
      if (length < sizeof name) memcpy(name, value, length);
      if (model_set(&s.m, name, atof(strchr(value, '=') + 1)) != 0) {
        fprintf(stderr, "%s\n", s.m.problem);
        return 2;
      }
    } else return usage(words[0]);
  }
  if (!(s.stop > s.start) || s.step < 0 || s.interval < 0) return usage(words[0]);
  if (s.step == 0) s.step = s.interval > 0 ? s.interval : (s.stop - s.start) / 1000;
  if (s.interval == 0) s.interval = (s.stop - s.start) / 500;
  s.out = path == NULL ? stdout : fopen(path, "w");
  if (s.out == NULL) {
    fprintf(stderr, "%s cannot be written\n", path);
    return 5;
  }
/*@if relations*/
  s.last_event = s.last_crossing = -INFINITY;
  s.event_gap = INFINITY;
/*@end*/
/*@if dead_centres*/
  for (int k = 0; k < MODEL_DEAD; ++k) {
    s.largest[k] = -INFINITY;
    s.last[k] = NAN;
  }
/*@end*/
  int over = model_init(&s.m, s.start, s.stop) != 0;
/*@if delays*/
  for (int k = 0; k < MODEL_DELAYS && !over && s.method != METHOD_EULER; ++k) {
    if (s.step <= s.m.lines[k].delay * (1 + 1e-9)) continue;
    fprintf(stderr, "the step of %g s is longer than a delay, %g s\n", s.step, s.m.lines[k].delay);
    return 2;
  }
/*@end*/
  if (!over) {
    fputs("time", s.out);
    for (int k = 0; k < MODEL_OUTPUTS; ++k) {
      fputc(',', s.out);
      write_name(s.out, model_output_names[k]);
    }
    fputc('\n', s.out);
    record(&s, s.start);
    over = !check_assertions(&s, s.start) || !integrate(&s);
  }
/*@if events*/
  if (s.m.stopped != NULL) {
    fprintf(stderr, "the model ended the run: %s\n", s.m.stopped);
    over = 0;
  }
/*@end*/
  const int closed = fflush(s.out) == 0 && (path == NULL || fclose(s.out) == 0);
  model_free(&s.m);
  if (over) fprintf(stderr, "the run failed %s\n", s.m.problem);
  return over ? 4 : closed ? 0 : 5;
}
#endif
