/* SPDX-License-Identifier: Apache-2.0 */
/*@if delays*/
/* ---- The past of signals: points along the steps, read by cubics that never reach across a jump ---------------- */
static void line_push(delay_line* line, double time, double value) {
  if (line->count == line->room) {
    line->room = 2 * line->room + 64;
    line->times = realloc(line->times, (size_t)line->room * sizeof(double));
    line->values = realloc(line->values, (size_t)line->room * sizeof(double));
    if (line->times == NULL || line->values == NULL) abort();
  }
  line->times[line->count] = time;
  line->values[line->count++] = value;
}
static void line_push_break(delay_line* line, int at) {
  if (line->break_count == line->break_room) {
    line->break_room = 2 * line->break_room + 16;
    line->breaks = realloc(line->breaks, (size_t)line->break_room * sizeof(int));
    if (line->breaks == NULL) abort();
  }
  line->breaks[line->break_count++] = at;
}
static void line_begin(delay_line* line, double time, double value, double before) {
  line->start = time;
  line->before = before;
  line->count = line->break_count = line->corner_count = 0;
  line_push(line, time, value);
  line_push_break(line, 0);
}
static void line_add(delay_line* line, double time, double value) {
  if (time <= line->times[line->count - 1]) return;
  line_push(line, time, value);
}
/* At the time of the last point, the value behind a jump or kink there. */
static void line_break(delay_line* line, double time, double value) {
  if (line->breaks[line->break_count - 1] + 1 == line->count) {
    line->values[line->count - 1] = value;
    return;
  }
  line_push_break(line, line->count);
  line_push(line, time, value);
}
/* The last point, if it is of this time, is a corner: the value goes on there, but not its slope. */
MAYBE_UNUSED static void line_corner(delay_line* line, double time) {
  const int last = line->count - 1;
  if (line->times[last] != time || (line->corner_count > 0 && line->corners[line->corner_count - 1] >= last)) return;
  if (line->corner_count == line->corner_room) {
    line->corner_room = 2 * line->corner_room + 16;
    line->corners = realloc(line->corners, (size_t)line->corner_room * sizeof(int));
    if (line->corners == NULL) abort();
  }
  line->corners[line->corner_count++] = last;
}
static double line_at(const delay_line* line, double time, double inside) {
  inside += 4 * 2.220446049250313e-16 * (fabs(inside) + line->delay); /* at the end of a run it may be a jump's */
  if (inside < line->start || time < line->start - 1e-9 * line->delay) return line->before;
  if (time < line->times[0] || line->count == 1) return line->values[0];
  int part = 0;
  while (part < line->break_count && !(inside < line->times[line->breaks[part]])) ++part;
  part = part == 0 ? 0 : part - 1;
  int first = line->breaks[part], end = part + 1 < line->break_count ? line->breaks[part + 1] : line->count;
  for (int k = 0; k < line->corner_count; ++k) {
    const int corner = line->corners[k];
    if (corner <= first || corner + 1 >= end) continue;
    if (time < line->times[corner]) end = corner + 1;
    else first = corner;
  }
  int a = first, b = end;
  while (a < b) {
    const int middle = a + (b - a) / 2;
    if (time < line->times[middle]) b = middle;
    else a = middle + 1;
  }
  int low = a >= first + 2 ? a - 2 : first, high = low + 4 < end ? low + 4 : end;
  low = high >= first + 4 ? high - 4 : first;
  double total = 0;
  for (int i = low; i < high; ++i) {
    double weight = 1;
    for (int j = low; j < high; ++j) {
      if (j != i) weight *= (time - line->times[j]) / (line->times[i] - line->times[j]);
    }
    total += weight * line->values[i];
  }
  return total;
}
static void line_forget(delay_line* line, double time) {
  int old = 0;
  int a = 0, b = line->count;
  while (a < b) {
    const int middle = a + (b - a) / 2;
    if (line->times[middle] < time - line->delay) a = middle + 1;
    else b = middle;
  }
  old = a;
  if (old < 4096 || old < line->count / 2) return;
  const int drop = old - 8;
  memmove(line->times, line->times + drop, (size_t)(line->count - drop) * sizeof(double));
  memmove(line->values, line->values + drop, (size_t)(line->count - drop) * sizeof(double));
  line->count -= drop;
  int kept = 1;
  for (int k = 0; k < line->break_count; ++k) {
    if (line->breaks[k] > drop) line->breaks[kept++] = line->breaks[k] - drop;
  }
  line->breaks[0] = 0;
  line->break_count = kept;
  kept = 0;
  for (int k = 0; k < line->corner_count; ++k) {
    if (line->corners[k] > drop) line->corners[kept++] = line->corners[k] - drop;
  }
  line->corner_count = kept;
}
/*@end*/

/* ---- Everything from states, inputs and time -------------------------------------------------------------------- */
static int run(model* m, double time) {
  m->time = time;
/*@if delays*/
  for (int k = 0; k < MODEL_DELAYS; ++k)
    m->v[delays[k].slot] = line_at(m->lines + k, time - m->lines[k].delay, m->switch_time - m->lines[k].delay);
/*@end*/
  if (!run_steps(m)) return 0;
  for (int k = 0; k < MODEL_STATES; ++k) {
    if (isfinite(m->v[derivative_slots[k]])) continue;
    snprintf(m->problem, sizeof m->problem, "at %.9g s: the rate of %s is not finite", time, model_state_names[k]);
    return 0;
  }
  return 1;
}

/* The derivatives of everything along the direction in m->d, at the point of the last run. */
static int run_tangent(model* m, double time, double time_tangent) {
  m->time = time;
  m->time_tangent = time_tangent;
  return run_tangents(m);
}
MAYBE_UNUSED static double compute(model* m, const bound* b, double time) {
  double r[MODEL_RESULTS + 1];
  m->time = time;
  codes[b->code](m, m->p + b->parameters, locals + b->locals, r);
  return r[0];
}

/*@if switches*/
/* ---- Times at which something is known to switch ------------------------------------------------------------------ */
static double switch_value(model* m, const known_switch* s, double t) {
  double r[MODEL_RESULTS + 1];
  m->time = m->switch_time = t;
  codes[s->code](m, m->p + s->parameters, locals, r);
  return r[0];
}
static double switch_level(const known_switch* s, double value) {
  if (s->kind == SWITCH_ZERO) return value > 0 ? 1 : 0;
  if (s->kind == SWITCH_WHOLE) return floor(value);
/*@if tables*/
  return knots_to(tables[s->table].x, tables[s->table].rows, value);
/*@else*/
  return 0;
/*@end*/
}
/* Right at the moment of a switch. */
static int is_switching(const known_switch* s, double value) {
  if (s->kind == SWITCH_ZERO) return value == 0;
  if (s->kind == SWITCH_WHOLE) return value == floor(value);
/*@if tables*/
  for (int k = 0; k < tables[s->table].rows; ++k) {
    if (tables[s->table].x[k] == value) return 1;
  }
/*@end*/
  return 0;
}
static double end_rounding(const model* m) {
  const double unit = 1e-3 * (m->stop - m->start);
  return 1e-12 * (fabs(m->stop) < unit ? unit : fabs(m->stop));
}
/* Whether something switches right behind the end, by rounding of the time at which it does. */
MAYBE_UNUSED static int is_late_by_rounding(model* m) {
  for (int k = 0; k < MODEL_SWITCHES; ++k) {
    const known_switch* s = switches + k;
    const double now = switch_value(m, s, m->stop), behind = switch_value(m, s, m->stop + end_rounding(m));
    if (!is_switching(s, now) && switch_level(s, now) != switch_level(s, behind)) return 1;
  }
  return 0;
}
/* What is within rounding of the end happens there. */
static void add_knot(model* m, double t) {
  if (fabs(t - m->stop) <= end_rounding(m)) t = m->stop;
  if (!(t > m->start && t <= m->stop) || m->knot_count >= 1000000) return;
  if (m->knot_count == m->knot_room) {
    m->knot_room = 2 * m->knot_room + 64;
    m->knots = realloc(m->knots, (size_t)m->knot_room * sizeof(double));
    if (m->knots == NULL) abort();
  }
  m->knots[m->knot_count++] = t;
}
static void cross_level(model* m, double level, double low, double high, double margin, double from, double va,
                        double slope) {
  if (level >= low - margin && level <= high + margin) add_knot(m, from + (level - va) / slope);
}
static void find_straight(model* m, const known_switch* s, double from, double to, double va, double vb) {
  const double slope = (vb - va) / (to - from);
  if (slope == 0 || !isfinite(slope)) return;
  const double low = vb < va ? vb : va, high = va < vb ? vb : va, margin = 1e-6 * (high - low);
  if (s->kind == SWITCH_ZERO) cross_level(m, 0, low, high, margin, from, va, slope);
/*@if tables*/
  if (s->kind == SWITCH_KNOTS) {
    for (int k = 0; k < tables[s->table].rows; ++k)
      cross_level(m, tables[s->table].x[k], low, high, margin, from, va, slope);
  }
/*@end*/
  if (s->kind == SWITCH_WHOLE && high - low <= 1000000) {
    for (double level = ceil(low - margin); level <= high + margin; ++level)
      cross_level(m, level, low, high, margin, from, va, slope);
  }
}
static void find_between(model* m, const known_switch* s, double a, double b, int samples) {
  const double digits = 4 * 2.220446049250313e-16 * (fabs(a) < fabs(b) ? fabs(b) : fabs(a));
  const double share = 1e-7 * (b - a), part = 1e-11 * (m->stop - m->start), less = part < share ? part : share;
  const double inset = less < digits ? digits : less, from = a + inset, to = b - inset;
  const double va = switch_value(m, s, from), vb = switch_value(m, s, to),
               vm = switch_value(m, s, from + 0.375 * (to - from));
  if (!isfinite(va) || !isfinite(vb)) return;
  const double straight = va + 0.375 * (vb - va), equal = 1e-9 * (fabs(va) + fabs(vb) + 1e-300);
  /* What is the same at both ends may have a peak in between. */
  if (fabs(vm - straight) <= equal && fabs(vb - va) > equal) {
    find_straight(m, s, from, to, va, vb);
    return;
  }
  double t0 = from, level = switch_level(s, va);
  const int count = b < m->stop ? samples : samples + 1; /* the end itself counts, too */
  for (int k = 1; k <= count; ++k) {
    const double t1 = k > samples ? m->stop : from + (to - from) * (double)k / (double)samples;
    const double value = switch_value(m, s, t1), next = switch_level(s, value);
    if (k > samples && is_switching(s, value)) add_knot(m, m->stop);
    if (next != level) {
      double low = t0, high = t1;
      for (double middle = low + (high - low) / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
        if (switch_level(s, switch_value(m, s, middle)) == level) low = middle;
        else high = middle;
      }
      add_knot(m, high);
    }
    t0 = t1;
    level = next;
  }
}
static int compare_times(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : y < x ? 1 : 0;
}
static void tidy_knots(model* m) {
  if (m->knot_count == 0) return;
  qsort(m->knots, (size_t)m->knot_count, sizeof(double), compare_times);
  int kept = 1;
  for (int k = 1; k < m->knot_count; ++k) {
    double unit = 1e-9 * (m->stop - m->start); /* rounding goes by the time itself */
    if (unit < fabs(m->start)) unit = fabs(m->start);
    if (unit < fabs(m->knots[k])) unit = fabs(m->knots[k]);
    if (!(m->knots[k] - m->knots[kept - 1] <= 1e-12 * unit)) m->knots[kept++] = m->knots[k];
  }
  m->knot_count = kept;
}
static void find_knots(model* m) {
  m->knot_count = 0;
  /* Saw-teeth first: between their jumps the others are smooth. */
  for (int k = 0; k < MODEL_SWITCHES; ++k) {
    if (switches[k].kind == SWITCH_WHOLE) find_between(m, switches + k, m->start, m->stop, MODEL_SAMPLES);
  }
  tidy_knots(m);
  int jumps = m->knot_count;
  if (jumps > 0 && m->knots[jumps - 1] == m->stop) --jumps;
  double* ends = malloc((size_t)(jumps + 2) * sizeof(double));
  if (ends == NULL) abort();
  ends[0] = m->start;
  for (int k = 0; k < jumps; ++k) ends[k + 1] = m->knots[k];
  ends[jumps + 1] = m->stop;
  const int samples = MODEL_SAMPLES / (jumps + 2) > 16 ? MODEL_SAMPLES / (jumps + 2) : 16;
  for (int k = 0; k < MODEL_SWITCHES; ++k) {
    if (switches[k].kind == SWITCH_WHOLE) continue;
    for (int i = 0; i <= jumps; ++i) find_between(m, switches + k, ends[i], ends[i + 1], samples);
  }
  tidy_knots(m);
  free(ends);
}
/*@end*/

/* ---- The functions of the interface --------------------------------------------------------------------------------- */
size_t model_size(void) { return sizeof(model); }

void model_reset(model* m) {
  memset(m, 0, sizeof *m);
  memcpy(m->p, parameter_numbers, sizeof parameter_numbers);
}

int model_set(model* m, const char* parameter, double number) {
  for (int k = 0; k < MODEL_SETTABLE; ++k) {
    if (strcmp(model_parameter_names[k], parameter) != 0) continue;
    const parameter_bound* b = parameter_bounds + k;
    const char* wrong = !isfinite(number)                       ? "is not finite"
                        : b->whole && (number != floor(number) || fabs(number) >= 9007199254740992.0)
                                                                ? "must be a whole number below 2^53"
                        : number < b->least                     ? "is below its least value"
                        : number > b->most                      ? "is above its largest value"
                        : number <= b->above                    ? "is not above what it must be above"
                        : number >= b->below                    ? "is not below what it must be below"
                        : b->nonzero && number == 0             ? "must not be 0"
                                                                : NULL;
    if (wrong != NULL) {
      const double bound = number < b->least     ? b->least
                           : number > b->most    ? b->most
                           : number <= b->above  ? b->above
                           : number >= b->below  ? b->below
                                                 : NAN;
      char text[40] = "";
      if (!isnan(bound)) snprintf(text, sizeof text, " (%.6g)", bound);
      snprintf(m->problem, sizeof m->problem, "%s: %.6g %s%s", parameter, number, wrong, text);
      return 1;
    }
    m->p[parameter_slots[k]] = number;
    return 0;
  }
  for (int k = 0; fixed_parameters[k] != NULL; ++k) {
    const size_t length = strlen(fixed_parameters[k]);
    if (strncmp(fixed_parameters[k], parameter, length) != 0 || (parameter[length] != 0 && parameter[length] != '[')) continue;
    snprintf(m->problem, sizeof m->problem,
             "%.200s is fixed in this program: it decides a period, a delay or the form of the equations, or was 0; emit the model "
             "anew, with `cotree emit --set`",
             parameter);
    return 1;
  }
  snprintf(m->problem, sizeof m->problem, "there is no parameter %.300s", parameter);
  return 1;
}

/*@if projection*/
static int loops_close(model* m, double time);
/*@end*/

int model_init(model* m, double start, double stop) {
  const int other = memcmp(m->p, parameter_numbers, sizeof parameter_numbers) != 0;
  m->start = start;
  m->stop = stop;
  memcpy(m->v, start_values, sizeof start_values);
  if (other && !bounds_hold(m)) return 1;
/*@if decisions*/
  for (int k = 0; other && k < MODEL_DECISIONS; ++k) {
    double r[MODEL_RESULTS + 1];
    codes[decisions[k].code](m, m->p + decisions[k].parameters, locals, r);
    if ((r[0] != 0) == decisions[k].nonzero) continue;
    snprintf(m->problem, sizeof m->problem,
             "at the start: with these parameters an equation is solved in another way; emit the model anew");
    return 1;
  }
/*@end*/
/*@if blocks*/
  for (int k = 0; k < MODEL_BLOCKS; ++k) {
    m->factored[k] = m->constant_done[k] = m->stale[k] = 0;
    m->refused[k] = block_refused[k];
  }
/*@end*/
/*@if delays*/
  for (int k = 0; k < MODEL_DELAYS; ++k) {
    m->lines[k].delay = delays[k].time;
    line_begin(m->lines + k, start, delays[k].begin, delays[k].before);
  }
/*@end*/
/*@if events*/
  for (int k = 0; k < MODEL_CLOCKS; ++k) m->clock_next[k] = clocks[k].next;
  for (int k = 0; k < MODEL_WHENS; ++k) m->conditions[k] = when_conditions[k];
  for (int k = 0; k < MODEL_RELATIONS; ++k) {
    m->largest[k] = relation_largest[k];
    m->noise[k] = relation_noise[k];
    m->blocked[k] = relation_blocked[k];
  }
  m->changed = m->fired = m->undecided = 0;
  m->stopped = stopped_at_start;
/*@end*/
/*@if projection*/
  m->known = m->rounded = 0;
  for (int k = 0; k < MODEL_WATCHED; ++k) m->widest[k] = -INFINITY;
/*@end*/
/*@if switches*/
  find_knots(m);
/*@end*/
  model_segment(m, start);
  if (other && !run(m, start)) return 1;
/*@if projection*/
  if (other && !loops_close(m, start)) {
    snprintf(m->problem, sizeof m->problem,
             "at the start: with these parameters the loops of the mechanism do not close; emit the model anew, with `cotree emit --set`");
    return 1;
  }
/*@end*/
  return 0;
}

void model_free(model* m) {
  free(m->knots);
  m->knots = NULL;
  m->knot_count = m->knot_room = 0;
/*@if events*/
  free(m->updated);
  m->updated = NULL;
  m->updated_count = m->updated_room = 0;
/*@end*/
/*@if delays*/
  for (int k = 0; k < MODEL_DELAYS; ++k) {
    free(m->lines[k].times);
    free(m->lines[k].values);
    free(m->lines[k].breaks);
    free(m->lines[k].corners);
    memset(m->lines + k, 0, sizeof m->lines[k]);
  }
/*@end*/
}

double model_segment(model* m, double t) {
  double end = m->stop;
  for (int k = 0; k < m->knot_count; ++k) {
    if (!(m->knots[k] > t)) continue;
    end = m->knots[k];
    break;
  }
  m->switch_time = t + (end - t) / 2;
  return end;
}

/*@if delays*/
void model_past(model* m, double t, int jump) {
  for (int k = 0; k < MODEL_DELAYS; ++k) {
    const double value = compute(m, &delays[k].b, t);
    if (jump) line_break(m->lines + k, t, value);
    else line_add(m->lines + k, t, value);
    line_forget(m->lines + k, t);
  }
}
/*@end*/

static int run_at(model* m, double t, const double* x) {
  for (int k = 0; k < MODEL_STATES; ++k) m->v[model_state_slots[k]] = x[k];
  return run(m, t);
}
int model_derivatives(model* m, double t, const double* x, double* dx) {
  if (!run_at(m, t, x)) return 1;
  for (int k = 0; k < MODEL_STATES; ++k) dx[k] = m->v[derivative_slots[k]];
  return 0;
}
static double output_value(const model* m, int k) {
  const double value = m->v[outputs[k].slot];
  return outputs[k].sign < 0 ? 0.0 - value : 0.0 + value; /* zeros without a sign */
}
int model_outputs(model* m, double t, const double* x, double* y) {
  if (!run_at(m, t, x)) return 1;
  for (int k = 0; k < MODEL_OUTPUTS; ++k) y[k] = output_value(m, k);
  return 0;
}
int model_events(model* m, double t, const double* x, double* g) {
  if (!run_at(m, t, x)) return 1;
/*@if relations*/
  for (int k = 0; k < MODEL_RELATIONS; ++k) g[k] = compute(m, &relations[k].b, t);
/*@else*/
  (void)g;
/*@end*/
  return 0;
}
int model_jacobian(model* m, double t, const double* x, double* entries) {
  if (!run_at(m, t, x)) return 1;
  for (int colour = 0; colour < MODEL_COLOURS; ++colour) {
    memset(m->d, 0, sizeof m->d);
    for (int j = 0; j < MODEL_STATES; ++j) m->d[model_state_slots[j]] = jacobian_colours[j] == colour;
    if (!run_tangent(m, t, 0)) return 1;
    for (int j = 0; j < MODEL_STATES; ++j) {
      if (jacobian_colours[j] != colour) continue;
      for (int k = model_jacobian_first[j]; k < model_jacobian_first[j + 1]; ++k)
        entries[k] = m->d[derivative_slots[model_jacobian_rows[k]]];
    }
  }
  return 0;
}
