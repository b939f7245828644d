/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MODEL_NO_MAIN
/*@if states*/
static int slopes(simulation* s, double time, const double* y, double* out) {
  return model_derivatives(&s->m, time, y, out) == 0;
}
static double* moved(simulation* s, double h, const double* slope) {
  for (int k = 0; k < MODEL_STATES; ++k) s->moved[k] = s->begin[k] + h * slope[k];
  return s->moved;
}
/*@end*/
/* No step is longer. */
static double largest_step(const simulation* s) {
  double most = s->max_step > 0 ? s->max_step : (s->stop - s->start) / 100;
/*@if delays*/
  for (int k = 0; k < MODEL_DELAYS; ++k) most = s->m.lines[k].delay < most ? s->m.lines[k].delay : most;
/*@end*/
  return most;
}

/*@if states*/
/* ---- Steps that errors choose ----------------------------------------------------------------------------------------- */
/* How large a state must be for its errors to count: after what it was at most, and what others of its kind were. */
static void find_floors(simulation* s) {
  double together[5] = {0};
  for (int k = 0; k < MODEL_STATES; ++k) {
    const double size = 1e-2 * s->largest_state[k];
    s->floor_state[k] = size < s->least_state[k] ? s->least_state[k] : size;
    if (together[state_kinds[k]] < size) together[state_kinds[k]] = size;
  }
  together[0] = 1e-2; /* of 1 rad, whatever the number of turns */
  together[4] = 0;
  for (int k = 0; k < MODEL_STATES; ++k) {
    if (s->floor_state[k] < together[state_kinds[k]]) s->floor_state[k] = together[state_kinds[k]];
  }
}
static void take_sizes(simulation* s) {
  for (int k = 0; k < MODEL_STATES; ++k) {
    const double size = fabs(s->y[k]);
    if (!s->scaled) s->least_state[k] = size > 0 && size < 1 ? 1e-6 * size : 1e-6;
    if (s->largest_state[k] < size) s->largest_state[k] = size;
  }
  s->scaled = 1;
  find_floors(s);
}
/* The root mean square of errors, against what they may be. */
static double size_of(const simulation* s, const double* error, const double* y, const double* z, double unit) {
  double sum = 0;
  for (int k = 0; k < MODEL_STATES; ++k) {
    double size = fabs(y[k]) < fabs(z[k]) ? fabs(z[k]) : fabs(y[k]);
    if (size < s->floor_state[k]) size = s->floor_state[k];
    sum += error[k] / (unit * size) * (error[k] / (unit * size));
  }
  return sqrt(sum / MODEL_STATES);
}
/* Errors of single steps add up over a run: they are held to a part of the tolerance. */
static double unit_of(const simulation* s) { return 0.1 * s->rtol; }

/* Moves the states by about one part in a hundred of what counts. */
static double first_step(simulation* s, double order) {
  static const double none[MODEL_STATES + 1] = {0};
  const double unit = unit_of(s), span = s->stop - s->start;
  const double room = s->end - s->time < 1e-3 * span ? 1e-3 * span : s->end - s->time;
  const double size = size_of(s, s->y, s->y, none, unit), rate = size_of(s, s->slope, s->y, none, unit);
  double h = size < 1e-5 || rate < 1e-5 ? 1e-6 * room : 0.01 * size / rate;
  if (h < 1e-10 * span) h = 1e-10 * span;
  if (h < 1e-14 * fabs(s->time)) h = 1e-14 * fabs(s->time);
  if (room < h) h = room;
  for (int k = 0; k < MODEL_STATES; ++k) s->moved[k] = s->y[k] + h * s->slope[k];
  if (!slopes(s, s->time + h, s->moved, s->k2)) return h / 100;
  for (int k = 0; k < MODEL_STATES; ++k) s->k3[k] = s->k2[k] - s->slope[k];
  const double bend = size_of(s, s->k3, s->y, none, unit) / h, most = rate < bend ? bend : rate;
  double longer = most <= 1e-15 ? (1e-6 * room < 1e-3 * h ? 1e-3 * h : 1e-6 * room) : pow(0.01 / most, 1 / (order + 1));
  if (100 * h < longer) longer = 100 * h;
  return room < longer ? room : longer;
}

/* Explicit: Dormand and Prince, order 5 with an interpolation of order 4. From s->begin; the error of the step. */
static double try_explicit(simulation* s, double h, double end) {
  static const double times[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  static const double a[7][6] = {{0},
                                 {1.0 / 5},
                                 {3.0 / 40, 9.0 / 40},
                                 {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                 {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                 {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                 {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static const double e[7] = {71.0 / 57600,      0,           -71.0 / 16695, 71.0 / 1920,
                              -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  for (int i = 1; i < 7; ++i) {
    double* at = i == 6 ? s->y : s->stage;
    for (int k = 0; k < MODEL_STATES; ++k) {
      double sum = 0;
      for (int j = 0; j < i; ++j) sum += a[i][j] * s->k[j][k];
      at[k] = s->begin[k] + h * sum;
    }
    if (!slopes(s, i >= 5 ? end : s->before + times[i] * h, at, s->k[i])) return INFINITY;
  }
  for (int k = 0; k < MODEL_STATES; ++k) {
    double sum = 0;
    for (int j = 0; j < 7; ++j) sum += e[j] * s->k[j][k];
    s->weights[k] = h * sum;
  }
  return size_of(s, s->weights, s->begin, s->y, unit_of(s));
}

/* Implicit: Rosenbrock's method RODAS (Hairer, Wanner, Solving Ordinary Differential Equations II, IV.7), order 4. */
/* The factors of 1/(gamma h) - J; 0: it has none. */
static int factor_step(simulation* s, double diagonal) {
  const int n = MODEL_STATES;
  double* w = s->matrix;
  for (int k = 0; k < n * n; ++k) w[k] = 0;
  for (int j = 0; j < n; ++j) {
    for (int k = model_jacobian_first[j]; k < model_jacobian_first[j + 1]; ++k)
      w[model_jacobian_rows[k] * n + j] = -s->jacobian[k];
    w[j * n + j] += diagonal;
  }
  for (int p = 0; p < n; ++p) {
    int best = p;
    for (int i = p + 1; i < n; ++i) best = fabs(w[best * n + p]) < fabs(w[i * n + p]) ? i : best;
    if (!(fabs(w[best * n + p]) > 0) || !isfinite(w[best * n + p])) return 0;
    s->pivots[p] = best;
    for (int j = 0; best != p && j < n; ++j) {
      const double x = w[p * n + j];
      w[p * n + j] = w[best * n + j];
      w[best * n + j] = x;
    }
    for (int i = p + 1; i < n; ++i) {
      if (w[i * n + p] == 0) continue;
      const double factor = w[i * n + p] /= w[p * n + p];
      for (int j = p + 1; j < n; ++j) w[i * n + j] -= factor * w[p * n + j];
    }
  }
  return 1;
}
static void solve_step(const simulation* s, double* x) {
  const int n = MODEL_STATES;
  for (int p = 0; p < n; ++p) {
    const double y = x[s->pivots[p]];
    x[s->pivots[p]] = x[p];
    x[p] = y;
  }
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < i; ++j) x[i] -= s->matrix[i * n + j] * x[j];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) x[i] -= s->matrix[i * n + j] * x[j];
    x[i] /= s->matrix[i * n + i];
  }
}
/* What implicit steps need at s->begin: the Jacobian and, in s->stage, how the slopes change with time alone. */
static int find_jacobian(simulation* s, double h) {
  model* m = &s->m;
  if (s->matrix == NULL) {
    s->matrix = malloc(((size_t)MODEL_STATES * MODEL_STATES + 1) * sizeof(double));
    s->jacobian = malloc((MODEL_JACOBIAN + 1) * sizeof(double));
    if (s->matrix == NULL || s->jacobian == NULL) abort();
  }
  if (model_jacobian(m, s->before, s->begin, s->jacobian) != 0) return 0;
/*@if delays*/
  if (!slopes(s, s->before + 1e-4 * h, s->begin, s->stage)) return 0;
  for (int k = 0; k < MODEL_STATES; ++k) s->stage[k] = (s->stage[k] - s->begin_slope[k]) / (1e-4 * h);
/*@else*/
  (void)h;
  memset(m->d, 0, sizeof m->d);
  if (!run_tangent(m, s->before, 1)) return 0;
  for (int k = 0; k < MODEL_STATES; ++k) s->stage[k] = m->d[derivative_slots[k]];
/*@end*/
  for (int k = 0; k < MODEL_STATES; ++k) {
    if (!isfinite(s->stage[k])) s->stage[k] = 0;
  }
  return 1;
}
static double try_implicit(simulation* s, double h, double end) {
  static const double times[6] = {0, 0.386, 0.21, 0.63, 1, 1}, of_time[6] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
  static const double a[6][5] = {{0},
                                 {1.544},
                                 {0.9466785280815826, 0.2557011698983284},
                                 {3.314825187068521, 2.896124015972201, 0.9986419139977817},
                                 {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
                                 {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
  static const double c[6][5] = {
      {0},
      {-5.6688},
      {-2.430093356833875, -0.2063599157091915},
      {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
      {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
      {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}};
  if (!factor_step(s, 1 / (0.25 * h))) return INFINITY;
  for (int i = 0; i < 6; ++i) {
    double* u = s->k[i];
    for (int k = 0; k < MODEL_STATES; ++k) {
      double sum = s->begin[k];
      for (int j = 0; j < i; ++j) sum += a[i][j] * s->k[j][k];
      s->y[k] = sum;
    }
    if (i == 0) memcpy(u, s->begin_slope, sizeof s->begin_slope);
    else if (!slopes(s, i >= 4 ? end : s->before + times[i] * h, s->y, u)) return INFINITY;
    for (int k = 0; k < MODEL_STATES; ++k) {
      double sum = 0;
      for (int j = 0; j < i; ++j) sum += c[i][j] * s->k[j][k];
      u[k] += sum / h + of_time[i] * h * s->stage[k];
    }
    solve_step(s, u);
  }
  for (int k = 0; k < MODEL_STATES; ++k) s->y[k] += s->k[5][k];
  return size_of(s, s->k[5], s->begin, s->y, unit_of(s));
}

/* The states within the last step, at a share of it. */
static void adaptive_states(const simulation* s, double share, double h, double* states) {
  static const double dense[7] = {-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799,
                                  -10690763975.0 / 1880347072, 701980252875.0 / 199316789632,
                                  -1453857185.0 / 822651844, 69997945.0 / 29380423};
  static const double third[5] = {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
                                  1.025137723295662},
                      fourth[5] = {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
                                   -6.594389125716872};
  const double rest = 1 - share;
  for (int k = 0; k < MODEL_STATES; ++k) {
    double x = 0, y = 0;
    if (s->implicit_step) {
      for (int j = 0; j < 5; ++j) {
        x += third[j] * s->k[j][k];
        y += fourth[j] * s->k[j][k];
      }
      states[k] = s->begin[k] * rest + share * (s->y[k] + rest * (x + share * y));
      continue;
    }
    const double change = s->y[k] - s->begin[k];
    x = h * s->k[0][k] - change;
    y = change - h * s->k[6][k] - x;
    double z = 0;
    for (int j = 0; j < 7; ++j) z += dense[j] * s->k[j][k];
    states[k] = s->begin[k] + share * (change + rest * (x + share * (y + rest * h * z)));
  }
}

/* The rate of the fastest mode that the last two stages saw. */
static double fastest_rate(simulation* s) {
  for (int k = 0; k < MODEL_STATES; ++k) {
    s->k2[k] = s->k[6][k] - s->k[5][k];
    s->k3[k] = s->y[k] - s->stage[k];
  }
  const double slopes = size_of(s, s->k2, s->y, s->y, 1), places = size_of(s, s->k3, s->y, s->y, 1);
  return places > 0 ? slopes / places : 0;
}
/* Explicit steps give way to implicit ones where stability, not accuracy, limits them, */
static void look_for_stiffness(simulation* s, double h) {
  if (s->longest < h) s->longest = h;
  if (++s->since < 40) return;
  const double reach = s->longest * fastest_rate(s);
  s->votes = reach > 2.5 && s->longest < 0.2 * largest_step(s) ? s->votes + 1 : 0;
  s->since = 0;
  s->longest = 0;
  if (s->votes >= 2) s->stiff = 1;
}

/* and where events follow each other within what a stiff mode takes to settle: their errors make the next one. */
static void look_at_events(simulation* s, double time) {
  if (s->stiff) return;
  const double rate = s->time > s->before ? fastest_rate(s) : 0, gap = time - s->restarted, most = largest_step(s);
  s->restarted = time;
  s->fastest = rate < 0.1 * s->fastest ? 0.1 * s->fastest : rate;
  s->hurried = gap * 1e3 < most && s->fastest * most > 1e3 ? s->hurried + 1 : 0;
  if (s->hurried >= 20) s->stiff = 1;
}
static int adaptive_step(simulation* s, double* time) {
  int without_values = 0, fresh = 1;
  memcpy(s->begin, s->y, sizeof s->y);
  memcpy(s->begin_slope, s->slope, sizeof s->slope);
  s->before = s->time;
  if (s->next_step == 0) s->next_step = first_step(s, s->stiff ? 4 : 5);
  for (int tries = 0; tries < 100; ++tries) {
    const double most = largest_step(s), rest = s->end - s->before;
    if (most < s->next_step) s->next_step = most;
    double h = s->next_step;
    const int last = h >= rest * (1 - 1e-10);
    if (last) h = rest;
    else if (2 * h > rest) h = rest / 2;
    const double end = last ? s->end : s->before + h;
    if (!(end > s->before)) break;
    double error = INFINITY;
    if (!s->stiff) {
      memcpy(s->k[0], s->begin_slope, sizeof s->begin_slope);
      error = try_explicit(s, h, end);
    } else if (!fresh || find_jacobian(s, h)) {
      fresh = 0;
      error = try_implicit(s, h, end);
    }
    s->implicit_step = s->stiff;
    if (error <= 1) {
      const double order = s->stiff ? 4 : 5, safe = error < 1e-10 ? 1e-10 : error;
      double factor = 0.9 * pow(safe, -0.7 / order) * pow(s->last_error, 0.4 / order);
      const double highest = s->rejected ? 1 : s->stiff ? 5 : 10;
      factor = factor < 0.2 ? 0.2 : highest < factor ? highest : factor;
      s->last_error = safe < 1e-4 ? 1e-4 : safe;
      s->rejected = 0;
      if (!(h < s->next_step) || s->next_step < h * factor) s->next_step = h * factor;
/*@if projection*/
      if (model_project(&s->m, end, s->y) != 0) return 0;
/*@end*/
      if (!slopes(s, end, s->y, s->slope)) return 0;
      if (!s->stiff) {
        memcpy(s->k[6], s->slope, sizeof s->slope);
        look_for_stiffness(s, h);
      }
      for (int k = 0; k < MODEL_STATES; ++k) {
        if (s->largest_state[k] < fabs(s->y[k])) s->largest_state[k] = fabs(s->y[k]);
      }
      find_floors(s);
      *time = s->time = end;
      return 1;
    }
    s->rejected = 1;
    if (!isfinite(error) && ++without_values > 10) {
      if (s->stiff) break;
      s->stiff = 1; /* these may get through */
      without_values = 0;
    }
    const double shorter = isfinite(error) ? 0.9 * pow(error, s->stiff ? -0.25 : -0.2) : 0.25;
    s->next_step = h * (shorter < 0.1 ? 0.1 : shorter);
  }
  memcpy(s->y, s->begin, sizeof s->y);
  double fastest = 0;
  int worst = 0;
  for (int k = 0; k < MODEL_STATES; ++k) {
    const double rate = fabs(s->begin_slope[k]) / (fabs(s->y[k]) < s->floor_state[k] ? s->floor_state[k] : fabs(s->y[k]));
    if (!(rate > fastest)) continue;
    fastest = rate;
    worst = k;
  }
  snprintf(s->m.problem, sizeof s->m.problem, "at %.9g s: the steps become too small; %s grows fastest: it is %.4g",
           s->before, model_state_names[worst], s->y[worst]);
  return 0;
}
/*@end*/
static int method_restart(simulation* s, double time, double end) {
/*@if states*/
  if (s->method == METHOD_AUTO) look_at_events(s, time);
/*@end*/
  s->time = s->before = time;
  s->end = end;
  s->next_step = 0;
  s->last_error = 1e-4;
/*@if states*/
  for (int k = 0; k < MODEL_STATES; ++k) s->y[k] = s->begin[k] = s->m.v[model_state_slots[k]];
  if (s->method == METHOD_AUTO) take_sizes(s);
  return slopes(s, time, s->y, s->slope);
/*@else*/
  return 1;
/*@end*/
}
/*@if states*/
static int fixed_step(simulation* s, double* time) {
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

/*@end*/
static int method_step(simulation* s, double* time) {
/*@if states*/
  const int done = s->method == METHOD_AUTO ? adaptive_step(s, time) : fixed_step(s, time);
  s->unsound = done && without_value(&s->m) >= 0;
  return done;
/*@else*/
  const double most = largest_step(s);
  s->time = s->time + most < s->end ? s->time + most : s->end;
  *time = s->time;
  return 1;
/*@end*/
}

/* The states of a time within the last step, and all that follows from them. */
static int move_to(simulation* s, double time) {
  double* states = s->moved;
  const double h = s->time - s->before;
  memcpy(states, s->y, sizeof s->y);
/*@if states*/
  if (time < s->time && h > 0 && s->method == METHOD_AUTO) {
    adaptive_states(s, (time - s->before) / h, h, states);
  } else if (time < s->time && h > 0) {
    const double at = (time - s->before) / h, a = at * at * (3 - 2 * at), b = at * (1 - at) * (1 - at),
                 c = at * at * (at - 1);
    for (int k = 0; k < MODEL_STATES; ++k)
      states[k] = s->begin[k] + a * (s->y[k] - s->begin[k]) + h * (b * s->begin_slope[k] + c * s->slope[k]);
  }
/*@else*/
  (void)h;
/*@end*/
  return run_at(&s->m, time, states);
}
/* Right before something happens. What rounding takes beyond a guard belongs to the moment of switching: then a little
   earlier, by no more than times are known. */
static double unit_of_time(double time, double start, double stop);
static int move_to_still(simulation* s, double still) {
  const double unit = unit_of_time(still, s->start, s->stop);
  for (double back = 0; back <= 2e-12 * unit; back = 4 * back < 1e-16 * unit ? 1e-16 * unit : 4 * back) {
    const double time = still - back < s->before ? s->before : still - back;
    if (move_to(s, time) && without_value(&s->m) < 0) return 1;
  }
  return 0;
}
/* A row within a step, or right before something happens: what a condition guards has no value any more behind its
   crossing. */
static int record_before(simulation* s, double time) {
  if (without_value(&s->m) >= 0 && s->still < time) move_to_still(s, s->still);
  return record(s, time);
}
static int record_at(simulation* s, double time) { return move_to(s, time) && record_before(s, time); }
/* After a step, or the part of it before an event. */
static int check_step(simulation* s, double time, int before_event) {
  if (!s->unsound) return 1;
  if (!move_to(s, time)) return 0;
  return without_value(&s->m) < 0 || (before_event && move_to_still(s, time)) || fail_without_value(s, time);
}

#endif
