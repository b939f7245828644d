/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NO_MAIN
static int check_assertions(simulation* s, double time) {
/*@if assertions*/
  for (int k = 0; k < MODEL_ASSERTIONS; ++k) {
    if (compute(&s->m, &assertions[k].b, time) != 0) continue;
    if (time > s->last_row) record(s, time);
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
static void add_arrival(simulation* s, double time) {
  if (s->arrival_count == s->arrival_room) {
    s->arrival_room = 2 * s->arrival_room + 16;
    s->arrivals = realloc(s->arrivals, (size_t)s->arrival_room * sizeof(double));
    if (s->arrivals == NULL) abort();
  }
  s->arrivals[s->arrival_count++] = time;
}
/* Kinks and jumps arrive later; corners are known to have arrived. */
static void break_delays(simulation* s, double time, int kink, int corner) {
  for (int d = 0; d < MODEL_DELAYS; ++d) {
    delay_line* line = s->m.lines + d;
    const double u = compute(&s->m, &delays[d].b, time);
    const int arrives = kink || u != line->values[line->count - 1];
    if (arrives) {
      line_break(line, time, u);
      add_arrival(s, time + line->delay);
    } else if (corner) {
      line_corner(line, time);
    }
  }
}
static double next_corner(double past) {
  for (int k = 0; k < MODEL_CORNERS; ++k) {
    if (corner_times[k] > past) return corner_times[k];
  }
  return INFINITY;
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

/* What rounding of times goes by: the time reached. */
static double unit_of_time(double time, double start, double stop) {
  double unit = 1e-9 * (stop - start);
  if (unit < fabs(start)) unit = fabs(start);
  return unit < fabs(time) ? fabs(time) : unit;
}
/* What is within rounding of each other happens together. */
static double close_to(const simulation* s, double time) {
  return time + 1e-12 * unit_of_time(time, s->start, s->stop);
}
static double next_checkpoint(const simulation* s, double after) {
  const double gap = (s->stop - s->start) / 20;
  double k = floor((after - s->start) / gap) + 1;
  if (s->start + k * gap <= close_to(s, after)) ++k;
/*@if states*/
  if (s->method != METHOD_AUTO) { /* nothing but events cuts a fixed step: the next end of one */
    k = ceil(k * gap / s->step * (1 - 1e-12) - 1e-9);
    if (s->start + k * s->step <= close_to(s, after)) ++k;
    return s->start + k * s->step;
  }
/*@end*/
  return s->start + k * gap;
}
static double next_stop(simulation* s, double after, int* knot, int* tick, int* delayed, int* checkpoint,
                        int* corner) {
  const double past = after > s->start ? close_to(s, after) : after;
  while (s->next_knot < s->m.knot_count && s->m.knots[s->next_knot] <= past) ++s->next_knot;
  const double knot_time = s->next_knot < s->m.knot_count ? s->m.knots[s->next_knot] : INFINITY;
  double tick_time = INFINITY, delayed_time = INFINITY, corner_time = INFINITY;
/*@if events*/
  tick_time = next_tick(&s->m, after);
/*@end*/
/*@if delays*/
  delayed_time = next_arrival(s, past);
  corner_time = next_corner(past);
/*@end*/
  const double checkpoint_time = next_checkpoint(s, after);
  double time = knot_time;
  if (tick_time < time) time = tick_time;
  if (delayed_time < time) time = delayed_time;
  if (checkpoint_time < time) time = checkpoint_time;
  if (corner_time < time) time = corner_time;
  if (s->stop < time) time = s->stop;
  if (s->stop <= close_to(s, time)) time = s->stop;
  *knot = knot_time <= close_to(s, time);
  *tick = tick_time <= close_to(s, time);
  *delayed = delayed_time <= close_to(s, time);
  *checkpoint = checkpoint_time <= close_to(s, time);
  *corner = corner_time <= close_to(s, time);
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
  const int mode_begins = s->mode_begins;
  s->mode_begins = 0;
  for (int k = 0; k < MODEL_DEAD; ++k) {
    if (a[k].sign == 0 || b[k].sign == 0) {
      s->last[k] = NAN;
      continue;
    }
    /* Close to zero a determinant is known to a few digits only. */
    const double greater = a[k].log < s->last[k] ? s->last[k] : a[k].log;
    const int small = greater < s->largest[k] + dead_zero;
    const int same = a[k].sign == s->last_sign[k] && fabs(a[k].log - s->last[k]) < 1e-6;
    if (isnan(s->last[k]) || (mode_begins && !small && !same)) { /* another matrix */
      s->largest[k] = -INFINITY;
      s->falling[k] = 0;
      s->near_zero[k] = 0;
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
  return crossed(&s->m, time) || find_undefined(&s->m, time);
}
static void distances(simulation* s, double time, const crossing* of, int count, double* out, int* failed) {
  if (!move_to(s, time)) {
    *failed = 1;
    for (int k = 0; k < count; ++k) out[k] = NAN;
    return;
  }
  for (int k = 0; k < count; ++k) out[k] = compute(&s->m, &relations[of[k].relation].b, time) - of[k].level;
}
static void keep_look(simulation* s, double time) {
  if (s->look_count == 3) {
    memmove(s->look_time, s->look_time + 1, 2 * sizeof(double));
    memmove(s->look_values[0], s->look_values[1], 2 * sizeof s->look_values[0]);
    --s->look_count;
  }
  s->look_time[s->look_count] = time;
  memcpy(s->look_values[s->look_count++], s->m.looked, sizeof s->m.looked);
}
/* The beginning of a step, unless it is where the last one ended. It leaves no trace. */
static void look_first(simulation* s, double time) {
  model* m = &s->m;
  if (s->look_count > 0 && s->look_time[s->look_count - 1] == time) {
    s->look_time[0] = time;
    memmove(s->look_values[0], s->look_values[s->look_count - 1], sizeof s->look_values[0]);
    s->look_count = 1;
    return;
  }
  s->look_count = 0;
  memcpy(s->unlooked, m->v, sizeof m->v);
  if (move_to(s, time)) {
    crossed(m, time);
    keep_look(s, time);
  }
  m->problem[0] = 0;
  memcpy(m->v, s->unlooked, sizeof m->v);
}
/* A condition that comes near its border and leaves it again, by the parabola through three looks: its nearest point is
   looked for. The distance from the border is side*(x - level). */
static int search_turn(simulation* s, int k, double level, double side, double* low, double* high, int* failed) {
  model* m = &s->m;
  double t[3], g[3];
  for (int i = 0; i < 3; ++i) {
    t[i] = s->look_time[i];
    g[i] = side * (s->look_values[i][k] - level);
    if (!isfinite(g[i])) return 0;
  }
  const double part = 1e-12 * (s->stop - s->start), digits = 4 * 2.220446049250313e-16 * fabs(t[2]);
  const double shortest = part < digits ? digits : part;
  for (int turn = 0; turn < 60; ++turn) {
    const double first = (g[1] - g[0]) / (t[1] - t[0]), last = (g[2] - g[1]) / (t[2] - t[1]);
    const double curve = (last - first) / (t[2] - t[0]);
    const double begins = first - curve * (t[1] - t[0]), ends = last + curve * (t[2] - t[1]);
    if (!(begins < 0 && ends > 0)) return 0;
    const double at = t[0] - begins / (2 * curve);
    const double nearest = g[0] + begins * (at - t[0]) / 2;
    double least = g[0], most = g[0];
    for (int i = 1; i < 3; ++i) {
      if (g[i] < least) least = g[i];
      if (most < g[i]) most = g[i];
    }
    if (nearest > (turn == 0 ? 0.25 : 0.1) * (most - least)) return 0;
    if (turn > 0 && !(g[1] < g[0] && g[1] < g[2])) return 0;
    if (t[2] - t[0] < shortest || most - least <= 1e-13 * m->largest[k]) return 0;
    double next = at;
    const double inset = 0.02 * (t[2] - t[0]);
    if (fabs(next - t[1]) < inset) next = t[1] - t[0] > t[2] - t[1] ? t[1] - inset : t[1] + inset;
    if (turn % 4 == 3) next = t[1] - t[0] > t[2] - t[1] ? (t[0] + t[1]) / 2 : (t[1] + t[2]) / 2;
    if (next < t[0] + shortest / 8) next = t[0] + shortest / 8;
    if (t[2] - shortest / 8 < next) next = t[2] - shortest / 8;
    if (!(next > t[0] && next < t[2]) || next == t[1]) return 0;
    const int left = next < t[1];
    *low = left ? t[0] : t[1];
    *high = next;
    if (crosses(s, next, failed)) return 1;
    if (*failed) return 0;
    const double x = side * (m->looked[k] - level);
    if (!isfinite(x)) return 0;
    const int nearer = x < g[1];
    if (left == nearer) {
      t[2] = left ? t[1] : next;
      g[2] = left ? g[1] : x;
    } else {
      t[0] = left ? next : t[1];
      g[0] = left ? x : g[1];
    }
    if (nearer) {
      t[1] = next;
      g[1] = x;
    }
  }
  return 0;
}
static int search_turns(simulation* s, double* low, double* high, int* failed) {
  model* m = &s->m;
  if (s->look_count < 3) return 0;
  for (int k = 0; k < MODEL_RELATIONS && !*failed; ++k) {
    if (m->blocked[k]) continue;
    const double held = m->v[relations[k].slot];
    if (relations[k].kind != RELATION_LEVEL) {
      if (search_turn(s, k, 0, held != 0 ? -1 : 1, low, high, failed)) return 1;
    } else if (search_turn(s, k, held, 1, low, high, failed) ||
               (!*failed && search_turn(s, k, held + 1, -1, low, high, failed))) {
      return 1;
    }
  }
  return 0;
}
/* The first time in (from, *at] at which a condition differs from what is held. */
static int find_crossing(simulation* s, double from, double* at, int* failed) {
  model* m = &s->m;
  if (!(*at > from)) return 0;
  double low = from, high = *at;
  const double count = pieces(s, high - from, MODEL_LOOKS, 2);
  look_first(s, from);
  for (double k = 1, before = from; k <= count; ++k) {
    const double t = k == count ? *at : from + (*at - from) * k / count;
    if (t > before) {
      low = before;
      high = t;
      if (crosses(s, t, failed)) break;
      if (*failed) return 0;
      keep_look(s, t);
      if (search_turns(s, &low, &high, failed)) break;
      if (*failed) return 0;
      before = t;
    }
    if (k == count) return 0;
  }
  s->look_count = 0;
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
      /* Right behind an event what it was about is zero but for rounding: that says nothing of the next. */
      const int rounding = fabs(below[k]) <= 1e-12 * m->largest[found[k].relation];
      if (a != b && isfinite(a) && isfinite(b)) {
        const double zero = low + (high - low) * (rounding ? 0.5 : a / (a - b));
        if (zero < guess) guess = zero;
      }
    }
    const double tenth = 0.1 * (high - low), inset = close / 2 < tenth ? close / 2 : tenth;
    double next = guess < low + inset ? low + inset : high - inset < guess ? high - inset : guess;
    if (turn % 4 == 3 || !isfinite(next) || n == 0) next = low + (high - low) / 2;
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
  s->still = low;
  return 1;
}

/* Events that follow each other without end: ever faster, or at the limit of the numbers. */
static int watch_event(simulation* s, double time) {
  const double gap = time - s->last_event, ratio = gap / s->event_gap, unit = unit_of_time(time, s->start, s->stop);
  s->last_event = time;
  s->shrinking = ratio < 1 ? s->shrinking + 1 : 0;
  s->tiny = gap <= 1e-10 * unit ? s->tiny + 1 : 0;
  s->crowded = gap <= 1e-10 * (s->stop - s->start) ? s->crowded + 1 : 0;
  s->event_gap = gap;
  const int zeno = s->shrinking >= 10 && gap < 1e-5 * unit;
  if (!zeno && s->tiny < 300 && s->crowded < 30000) return 1;
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
/* stop("..."): the run is over at this moment, which is in the last row; what happens at the end happens here. */
static int end_by_model(simulation* s, double time) {
  model* m = &s->m;
  const char* reason = m->stopped;
  int well = !(time > s->last_row) || record(s, time);
  if (MODEL_TERMINALS > 0 && well) well = settle(m, time, 0, 1, 1) && (!m->changed || record(s, time));
  m->stopped = well ? reason : NULL;
  return 0;
}
/* 0: the run is over, with or without a problem. */
static int after_event(simulation* s, double time, int located) {
  model* m = &s->m;
  if (m->stopped != NULL) return end_by_model(s, time);
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
  const double unit = unit_of_time(*at, s->start, s->stop);
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
/*@if dead_centres*/
    s->mode_begins = 1;
/*@end*/
    /* Behind a crossing, what its condition guards may have no value any more. */
    for (int k = 0; k < MODEL_OUTPUTS; ++k) {
      if (isfinite(s->values[outputs[k].slot])) continue;
      double* behind = malloc(sizeof m->v);
      if (behind == NULL) abort();
      memcpy(behind, m->v, sizeof m->v);
      memcpy(m->v, s->values, sizeof m->v); /* with what was held */
      if (move_to_still(s, s->still)) memcpy(s->values, m->v, sizeof m->v);
      memcpy(m->v, behind, sizeof m->v);
      free(behind);
      break;
    }
    for (int k = 0; k < MODEL_SLOTS; ++k) {
      const double v = m->v[k];
      m->v[k] = s->values[k];
      s->values[k] = v;
    }
    const int recorded = record(s, time);
    memcpy(m->v, s->values, sizeof m->v);
    if (!recorded || !record(s, time)) return 0;
/*@if delays*/
    break_delays(s, time, 1, 0);
/*@end*/
  }
  return after_event(s, time, 1) && check_assertions(s, time);
}
/*@end*/

/* What happens at a time known before, seen from behind it. */
static int time_event(simulation* s, double time, int* restart) {
  model* m = &s->m;
  if (!s->knot && !s->tick && !s->delayed && !s->corner) {
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
  const int anew = s->knot || s->delayed || s->corner || changed;
  *restart = anew || s->checkpoint;
  if (anew) {
/*@if dead_centres*/
    s->mode_begins = 1;
/*@end*/
    if (!record(s, time)) return 0;
/*@if delays*/
    break_delays(s, time, s->knot || s->delayed, s->corner);
/*@end*/
  }
/*@if events*/
  if (!after_event(s, time, 0)) return 0;
/*@end*/
  return check_assertions(s, time);
}

/* From one known time to the next. */
static int segment(simulation* s, double begin, double* reached, int happens) {
  const double end = *reached;
  const int wanted = happens || end >= s->stop;
  double time = begin;
  int stuck = 0;
/*@if relations*/
  s->look_count = 0;
/*@end*/
  while (time < end) {
    const double before = time;
    if (!method_step(s, &time)) return 0;
    stuck = time - before < 1e-13 * fabs(time) && time < end ? stuck + 1 : 0;
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
      if (!past(s, from, at, end) || !check_step(s, s->still, 1) || !located_event(s, &at, time)) return 0;
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
    s->still = INFINITY;
    if (time > from) {
/*@if dead_centres*/
      if (!passes_no_dead_centre(s, from, time)) return 0;
/*@end*/
      /* At a known time what its condition guards may have no value any more. */
      const int before_known = happens && time >= end;
      const double checked = before_known ? end - (close_to(s, end) - end) : time;
      if (!past(s, from, time, end) || !check_step(s, checked < from ? from : checked, before_known)) return 0;
    }
  }
  const double next = s->start + (s->row + 1) * s->interval;
  const int due = fabs(next - end) <= 1e-9 * s->interval;
  if (due) ++s->row;
  if (happens && end < s->stop) s->still = end - (close_to(s, end) - end);
  const int done = wanted || due ? record_at(s, end) : move_to(s, end);
  s->still = INFINITY;
  return done;
}

/* What happens at the very end: conditions on the time are as the text says at that moment. */
static int at_end(simulation* s, double time) {
  const int switches_now = s->knot || s->delayed;
  int changed = 0;
  double before[MODEL_OUTPUTS + 1];
  for (int k = 0; k < MODEL_OUTPUTS; ++k) before[k] = s->m.v[outputs[k].slot];
  if (switches_now) {
    int late = 0;
/*@if switches*/
    late = is_late_by_rounding(&s->m);
/*@end*/
    s->m.switch_time = late ? close_to(s, s->stop) : s->stop;
  }
/*@if events*/
  if (MODEL_TERMINALS == 0 && !s->tick && !switches_now) return 1;
  if (!settle(&s->m, time, s->tick, 1, 1)) return 0;
  changed = s->m.changed;
/*@else*/
  if (switches_now && !move_to(s, time)) return 0;
/*@end*/
  for (int k = 0; k < MODEL_OUTPUTS && switches_now; ++k) changed = changed || before[k] != s->m.v[outputs[k].slot];
  if (changed && !record(s, time)) return 0;
/*@if events*/
  if (!after_event(s, time, 0)) return 0;
/*@end*/
  return !switches_now || check_assertions(s, time);
}

static int integrate(simulation* s) {
  double time = s->start;
  int restart = 1, located = 0;
/*@if delays*/
  for (int d = 0; d < MODEL_DELAYS; ++d) {
    if (delays[d].begin != delays[d].before) add_arrival(s, s->start + s->m.lines[d].delay);
  }
/*@end*/
  while (time < s->stop) {
    int knot, tick, delayed, checkpoint, corner;
    double stop = next_stop(s, time, &knot, &tick, &delayed, &checkpoint, &corner);
    s->m.switch_time = time + (stop - time) / 2;
    if (located) restart = 1;
    else if (time > s->start && !time_event(s, time, &restart)) return 0;
/*@if delays*/
    stop = next_stop(s, time, &knot, &tick, &delayed, &checkpoint, &corner); /* the event may have made a jump, which arrives earlier */
    s->m.switch_time = time + (stop - time) / 2;
/*@end*/
    s->end = stop;
    if (restart && !method_restart(s, time, stop)) return 0;
    double reached = stop;
    if (!segment(s, time, &reached, knot || tick || delayed || corner)) return 0;
    located = reached < stop;
    time = reached;
    s->knot = knot;
    s->tick = tick;
    s->delayed = delayed;
    s->checkpoint = checkpoint;
    s->corner = corner;
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
  return at_end(s, time);
}

static int usage(const char* program) {
  fprintf(stderr,
          "usage: %s [--stop T] [--interval H] [--rtol R] [--method auto|euler|heun|rk4] [--step H] [--set NAME=VALUE] "
          "[-o FILE]\n",
          program);
  return 2;
}

/* A number with a unit, as the language reads it: `4`, `4 kohm`, `4e3ohm`. Units: the one of the quantity, with a prefix
   where it is a single one. 0, or what is wrong. */
static const char* read_value(const char* text, const char* unit, double* value) {
  static const char prefixes[] = "fpnumcdhkMGT";
  static const double powers[] = {1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1e-2, 1e-1, 1e2, 1e3, 1e6, 1e9, 1e12};
  const char* at = text;
  char* end = NULL;
  while (*at == ' ') ++at;
  if (strncmp(at, "true", 5) == 0 || strncmp(at, "false", 6) == 0) {
    *value = *at == 't';
    return NULL;
  }
  const char* digits = at;
  if (*digits == '+' || *digits == '-') ++digits;
  if (strspn(digits, "0123456789.") == 0 || digits[1] == 'x' || digits[1] == 'X') return "is no number";
  *value = strtod(at, &end);
  if (end == at) return "is no number";
  if (!isfinite(*value)) return "is not finite";
  while (*end == ' ') ++end;
  if (*end == 0) return strcmp(unit, "rad") == 0 && *value != 0 ? "is an angle without a unit" : NULL;
  if (strcmp(end, unit) == 0) return NULL;
  if (strcmp(unit, "rad") == 0 && strcmp(end, "deg") == 0) {
    *value *= 3.14159265358979323846 / 180;
    return NULL;
  }
  const int kilogram = strcmp(unit, "kg") == 0;
  const char* base = kilogram ? "g" : unit;
  if (strlen(base) == 0 || strpbrk(base, "*/^ ") != NULL) return "has another unit";
  if (kilogram) *value *= 1e-3;
  if (strcmp(end, base) == 0) return NULL;
  const char* prefix = strchr(prefixes, *end);
  if (prefix == NULL || strcmp(end + 1, base) != 0) return "has another unit";
  *value *= powers[prefix - prefixes];
  return NULL;
}
static int read_setting(model* m, const char* text) {
  const char* sign = strchr(text, '=');
  char name[400] = {0};
  size_t length = sign == NULL ? strlen(text) : (size_t)(sign - text);
  while (length > 0 && text[length - 1] == ' ') --length;
  if (sign == NULL || length >= sizeof name) {
    fprintf(stderr, "--set %s: write NAME=VALUE\n", text);
    return 0;
  }
  memcpy(name, text, length);
  double value = 0;
  for (int k = 0; k < MODEL_SETTABLE; ++k) {
    if (strcmp(model_parameter_names[k], name) != 0) continue;
    const char* unit = model_parameter_units[k];
    const char* wrong = read_value(sign + 1, unit, &value);
    if (wrong == NULL) break;
    if (strcmp(unit, "rad") == 0) unit = "deg or rad";
    fprintf(stderr, "--set %s: `%s` %s; give a number%s%s\n", name, sign + 1, wrong, *unit == 0 ? "" : " in ", unit);
    return 0;
  }
  if (model_set(m, name, value) == 0) return 1;
  fprintf(stderr, "--set: %s\n", m->problem);
  return 0;
}
static int read_time(const char* option, const char* text, double* value) {
  const char* wrong = read_value(text, "s", value);
  if (wrong == NULL && !(*value > 0)) wrong = "is not above 0";
  if (wrong != NULL) fprintf(stderr, "%s: `%s` %s; give a time in s\n", option, text, wrong);
  return wrong == NULL;
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
  s.rtol = run_rtol;
  s.still = INFINITY;
  s.restarted = -INFINITY;
  model_reset(&s.m);
  int step_given = 0, method_given = 0;
/*@if fired*/
  int set = 0;
/*@end*/
  for (int k = 1; k < count; k += 2) {
    const char *word = words[k], *value = k + 1 < count ? words[k + 1] : NULL;
    if (value == NULL) return usage(words[0]);
    if (strcmp(word, "--stop") == 0) {
      const char* wrong = read_value(value, "s", &s.stop);
      if (wrong != NULL) return fprintf(stderr, "--stop: `%s` %s; give a time in s\n", value, wrong), 2;
    } else if (strcmp(word, "--step") == 0) {
      if (!read_time(word, value, &s.step)) return 2;
      step_given = 1;
    } else if (strcmp(word, "--interval") == 0) {
      if (!read_time(word, value, &s.interval)) return 2;
    } else if (strcmp(word, "--rtol") == 0) {
      const char* wrong = read_value(value, "", &s.rtol);
      if (wrong == NULL && !(s.rtol >= 1e-13 && s.rtol <= 0.1)) wrong = "is not between 1e-13 and 0.1";
      if (wrong != NULL) return fprintf(stderr, "--rtol: `%s` %s\n", value, wrong), 2;
    } else if (strcmp(word, "-o") == 0) {
      path = value;
    } else if (strcmp(word, "--method") == 0) {
      static const char* const names[] = {"euler", "heun", "rk4", "auto"};
      int found = -1;
      for (int n = 0; n < 4; ++n) found = strcmp(value, names[n]) == 0 ? n : found;
      if (found < 0) return usage(words[0]);
      s.method = found;
      method_given = 1;
    } else if (strcmp(word, "--set") == 0) {
      if (!read_setting(&s.m, value)) return 2;
/*@if fired*/
      set = 1;
/*@end*/
    } else {
      return usage(words[0]);
    }
  }
  if (step_given && !method_given && s.method == METHOD_AUTO) s.method = METHOD_RK4;
  if (!(s.stop > s.start)) return usage(words[0]);
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
/*@if fired*/
  if (set)
    fputs("note: with --set, what `when` and samples set at the very start keeps the values of the parameters emitted\n", stderr);
/*@end*/
/*@if delays*/
  for (int k = 0; k < MODEL_DELAYS && !over && s.method != METHOD_EULER && s.method != METHOD_AUTO; ++k) {
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
    over = !record(&s, s.start);
/*@if events*/
    if (!over && s.m.stopped != NULL) over = !end_by_model(&s, s.start);
/*@end*/
    over = over || !check_assertions(&s, s.start) || !integrate(&s);
  }
/*@if events*/
  if (s.m.stopped != NULL) {
    fprintf(stderr, "the model ended the run: %s\n", s.m.stopped);
    over = 0;
  }
/*@end*/
  const int closed = fflush(s.out) == 0 && (path == NULL || fclose(s.out) == 0);
  model_free(&s.m);
  free(s.matrix);
  free(s.jacobian);
  if (!over) say_growth(&s);
  if (over) fprintf(stderr, "the run failed %s\n", s.m.problem);
  return over ? 4 : closed ? 0 : 5;
}
#endif
