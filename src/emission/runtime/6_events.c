/* SPDX-License-Identifier: Apache-2.0 */
/* ---- Events: conditions, samples, whens ------------------------------------------------------------------------------ */
MAYBE_UNUSED static int differs(double a, double b) { return a != b && !(isnan(a) && isnan(b)); }

/*@if relations*/
static double held_value(const relation* r, double x) {
  return r->kind == RELATION_LESS ? x < 0 : r->kind == RELATION_LESS_EQUAL ? x <= 0 : floor(x);
}
static int is_small(const model* m, int k, double x, double level) {
  const double a = 1e-9 * m->largest[k], b = 64 * m->noise[k];
  return fabs(x - level) <= (a < b ? b : a);
}
/* Whether a condition differs from what is held, at the present values. */
static int crossed(model* m, double time) {
  m->crossing_count = m->undefined = 0;
  for (int k = 0; k < MODEL_RELATIONS; ++k) {
    const relation* r = relations + k;
    const double x = compute(m, &r->b, time), held = m->v[r->slot];
    m->looked[k] = x;
    if (isfinite(x) && m->largest[k] < fabs(x)) m->largest[k] = fabs(x);
    if (isnan(x)) m->undefined = 1;
    if (isnan(x) || !differs(held_value(r, x), held)) continue;
    const double level = r->kind != RELATION_LEVEL ? 0 : x < held ? held : held + 1;
    if (m->blocked[k] && is_small(m, k, x, level)) continue;
    m->blocked[k] = 0;
    m->crossings[m->crossing_count].relation = k;
    m->crossings[m->crossing_count].value = x;
    m->crossings[m->crossing_count++].level = level;
  }
  return m->crossing_count > 0;
}
static int depends(model* m, const bound* b, int slot, double time) {
  m->v[slot] = 0;
  const double x = compute(m, b, time);
  m->v[slot] = 1;
  const double y = compute(m, b, time);
  m->v[slot] = 0;
  return differs(x, y);
}
/* Whether a condition compares something with no number, and something depends on its truth: there is no right one. */
static int find_undefined(model* m, double time) {
  if (!m->undefined) return 0;
  double* now = malloc(3 * sizeof m->v);
  if (now == NULL) abort();
  double* values = now + MODEL_SLOTS + 1;
  int found = 0;
  memcpy(now, m->v, sizeof m->v);
  for (int k = 0; k < MODEL_RELATIONS && !found; ++k) {
    if (!isnan(compute(m, &relations[k].b, time))) continue;
    for (int truth = 0; truth < 2 && !found; ++truth) {
      memcpy(m->v, now, sizeof m->v);
      m->v[relations[k].slot] = truth;
      found = !run(m, time);
      m->v[relations[k].slot] = 0;
      if (truth == 0) memcpy(values, m->v, sizeof m->v);
    }
    for (int i = 0; i < MODEL_SLOTS && !found; ++i) found = differs(m->v[i], values[i]);
    for (int i = 0; i < MODEL_RELATIONS && !found; ++i) found = depends(m, &relations[i].b, relations[k].slot, time);
/*@if whens*/
    for (int w = 0; w < MODEL_WHENS && !found; ++w) found = depends(m, &whens[w].b, relations[k].slot, time);
/*@end*/
/*@if assertions*/
    for (int i = 0; i < MODEL_ASSERTIONS && !found; ++i)
      found = depends(m, &assertions[i].b, relations[k].slot, time);
/*@end*/
    memcpy(m->v, now, sizeof m->v);
    if (found)
      snprintf(m->problem, sizeof m->problem,
               "at %.9g s: a condition of `%s` is neither true nor false: it compares something that is no number", time,
               relation_owners[k]);
  }
  free(now);
  return found;
}
static int update_relations(model* m, double time, int one_only) {
  if (!crossed(m, time)) return 0;
  for (int k = 0; k < m->crossing_count; ++k) {
    const crossing* c = m->crossings + k;
    const relation* r = relations + c->relation;
    m->v[r->slot] = held_value(r, c->value);
    if (m->updated_count == m->updated_room) {
      m->updated_room = 2 * m->updated_room + 16;
      m->updated = realloc(m->updated, (size_t)m->updated_room * sizeof(crossing));
      if (m->updated == NULL) abort();
    }
    m->updated[m->updated_count++] = *c;
    if (one_only) break;
  }
  return 1;
}
/* By how much conditions change with the last digits of states and time. */
static void measure_noise(model* m, double time) {
  const double last_digits = 2.842170943040401e-14; /* 2^-45 */
  double* values = malloc(sizeof m->v);
  double* x = malloc((size_t)(m->updated_count + 1) * sizeof(double));
  if (values == NULL || x == NULL) abort();
  memcpy(values, m->v, sizeof m->v);
  if (run(m, time)) {
    for (int k = 0; k < m->updated_count; ++k) x[k] = compute(m, &relations[m->updated[k].relation].b, time);
    for (int turn = 0; turn < 2; ++turn) {
      const double digits = turn == 0 ? last_digits : -last_digits;
      for (int k = 0; k < MODEL_STATES; ++k) m->v[model_state_slots[k]] *= 1 + (k % 2 == 0 ? digits : -digits / 3);
      const double moved = time * (1 + digits);
      if (run(m, moved)) {
        for (int k = 0; k < m->updated_count; ++k) {
          const int of = m->updated[k].relation;
          const double change = fabs(compute(m, &relations[of].b, moved) - x[k]);
          if (isfinite(change) && m->noise[of] < change) m->noise[of] = change;
        }
      }
      memcpy(m->v, values, sizeof m->v);
    }
  }
  free(values);
  free(x);
}
/* Conditions that are zero but for rounding keep their values until they differ clearly. */
static void block_undecided(model* m, double time) {
  measure_noise(m, time);
  for (int k = 0; k < m->updated_count; ++k) {
    const crossing* c = m->updated + k;
    if (is_small(m, c->relation, c->value, c->level)) m->blocked[c->relation] = 1;
  }
}
/*@end*/

static int take_pre(model* m) {
  int changed = 0;
  for (int k = 0; k < MODEL_PRES; ++k) {
    changed = changed || differs(m->v[pres[k].slot], m->v[pres[k].of]);
    m->v[pres[k].slot] = m->v[pres[k].of];
  }
  return changed;
}

/* Clocks that tick at this time: those within rounding of each other tick together. */
static void set_ticks(model* m, double time, int tick) {
  for (int k = 0; k < MODEL_CLOCKS; ++k) {
    const clock_* c = clocks + k;
    const int now = tick && c->start + m->clock_next[k] * c->period <= time + 1e-9 * c->period + 1e-12 * fabs(time);
    m->v[c->slot] = now ? 1 : 0;
    if (now) ++m->clock_next[k];
  }
}
MAYBE_UNUSED static double next_tick(const model* m, double after) {
  double next = INFINITY;
  for (int k = 0; k < MODEL_CLOCKS; ++k) {
    const clock_* c = clocks + k;
    const double tick = c->start + m->clock_next[k] * c->period;
    const double own = tick <= after + 1e-9 * c->period ? c->start + (m->clock_next[k] + 1) * c->period : tick;
    if (own < next) next = own;
  }
  return next;
}

/*@if whens*/
/* Adds the whens whose condition became true to those of this round. */
static int find_active(model* m, double time, int* active, int before) {
  int count = before, taken = 0;
  for (int w = 0; w < MODEL_WHENS; ++w) {
    if (!whens[w].is_else) taken = 0;
    for (int k = 0; k < before; ++k) taken = taken || active[k] == w;
    const int condition = compute(m, &whens[w].b, time) != 0;
    if (condition && !m->conditions[w] && !taken) {
      active[count++] = w;
      taken = 1;
    }
    m->conditions[w] = condition;
  }
  return count;
}
/*@if actions*/
/* All that acts in a round holds together: repeated until nothing changes. */
static int sweep_actions(model* m, double time, const int* active, int count) {
  for (int turn = 0; turn < 200; ++turn) {
    int any = 0;
    for (int i = 0; i < count; ++i) {
      const when* w = whens + active[i];
      for (int k = 0; k < w->count; ++k) {
        const action* a = actions + w->first + k;
        if (a->reinit) continue;
        const double value = compute(m, &a->b, time);
        if (!differs(value, m->v[a->target])) continue;
        m->v[a->target] = value;
        any = 1;
      }
    }
    if (!any) return 1;
    if (!run(m, time)) return 0;
  }
  snprintf(m->problem, sizeof m->problem, "at %.9g s: what whens set depends on itself, and does not settle", time);
  return 0;
}
/*@end*/

/*@if reinits*/
static int state_at(int slot) {
  for (int k = 0; k < MODEL_STATES; ++k) {
    if (model_state_slots[k] == slot) return k;
  }
  return -1;
}
/* The least x with G x = right, G row by row (count by MODEL_STATES). */
static int least_correction(const double* rows, double* right, int count, double* x) {
  const int n = MODEL_STATES;
  double* a = calloc((size_t)(count * count), sizeof(double));
  double* diagonal = malloc((size_t)count * sizeof(double));
  int* pivots = malloc((size_t)count * sizeof(int));
  int found = 0;
  if (a == NULL || diagonal == NULL || pivots == NULL) abort();
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      for (int j = 0; j < n; ++j) a[i * count + k] += rows[i * n + j] * rows[k * n + j];
    }
    diagonal[i] = a[i * count + i];
  }
  for (int p = 0; p < count; ++p) {
    if (!(a[p * count + p] > 1e-12 * diagonal[p])) continue;
    pivots[found++] = p;
    for (int i = 0; i < count; ++i) {
      if (i == p) continue;
      const double factor = a[i * count + p] / a[p * count + p];
      for (int k = 0; k < count; ++k) a[i * count + k] -= factor * a[p * count + k];
      right[i] -= factor * right[p];
    }
  }
  for (int j = 0; j < n; ++j) x[j] = 0;
  for (int f = 0; f < found; ++f) {
    const int p = pivots[f];
    for (int j = 0; j < n; ++j) x[j] += rows[p * n + j] * (right[p] / a[p * count + p]);
  }
  free(a);
  free(diagonal);
  free(pivots);
  return found > 0;
}
/*@if projection*/
static int gap_reads(int gap, int state) {
  for (int e = gap_first[state]; e < gap_first[state + 1]; ++e) {
    if (gap_rows[e] == gap) return 1;
  }
  return 0;
}
/* A rate is met by what only it reads, not by positions. */
static int gap_is_moved_by(int gap, int state) {
  return gap_reads(gap, state) && (gap_below[gap] == MODEL_GAPS || !gap_reads(gap_below[gap], state));
}
/*@end*/
/* States jump. A variable that is no state jumps by the least change of states that brings it there. */
static int reinit(model* m, double time, const int* active, int count) {
  int targets[MODEL_ACTIONS + 1], others[MODEL_ACTIONS + MODEL_GAPS + 1], total = 0, other_count = 0;
  double values[MODEL_ACTIONS + MODEL_GAPS + 1], wanted[MODEL_ACTIONS + MODEL_GAPS + 1], change[MODEL_STATES + 1];
  char set[MODEL_STATES + 1] = {0};
  for (int i = 0; i < count; ++i) {
    const when* w = whens + active[i];
    for (int k = 0; k < w->count; ++k) {
      const action* a = actions + w->first + k;
      if (!a->reinit) continue;
      targets[total] = a->target;
      values[total++] = compute(m, &a->b, time);
    }
  }
  if (total == 0) return 0;
  for (int k = 0; k < total; ++k) {
    const int state = state_at(targets[k]);
    if (state < 0) {
      others[other_count] = targets[k];
      wanted[other_count++] = values[k];
      continue;
    }
    m->v[targets[k]] = values[k];
    set[state] = 1;
  }
/*@if projection*/
  /* Constraints hold behind the jump, too: by what did not jump. */
  const int jumping = other_count;
  for (int k = 0; k < MODEL_GAPS; ++k) {
    others[other_count] = gap_slots[k];
    wanted[other_count++] = 0;
  }
/*@end*/
  double* gradient = calloc((size_t)(other_count * MODEL_STATES + 1), sizeof(double));
  if (gradient == NULL) abort();
  for (int iteration = 0; iteration < 8 && other_count > 0; ++iteration) {
    if (!run(m, time)) break;
    double largest = 0;
    for (int i = 0; i < other_count; ++i) {
      values[i] = wanted[i] - m->v[others[i]];
      if (largest < fabs(values[i])) largest = fabs(values[i]);
    }
    if (largest == 0) break;
    for (int k = 0; k < other_count * MODEL_STATES; ++k) gradient[k] = 0;
    for (int j = 0; j < MODEL_STATES; ++j) {
      if (set[j]) continue;
      memset(m->d, 0, sizeof m->d);
      m->d[model_state_slots[j]] = 1;
      if (!run_tangent(m, time, 0)) break;
      for (int i = 0; i < other_count; ++i) {
/*@if projection*/
        if (i >= jumping && !gap_is_moved_by(i - jumping, j)) continue;
/*@end*/
        gradient[i * MODEL_STATES + j] = m->d[others[i]];
      }
    }
    const int moves = least_correction(gradient, values, other_count, change);
    for (int j = 0; j < MODEL_STATES; ++j) m->v[model_state_slots[j]] += change[j];
    if (!moves) break;
  }
  free(gradient);
  return 1;
}
/*@end*/
/*@end*/

/* Round after round, until one changes nothing. `force`: conditions that rounding leaves undecided keep their
   values. */
static int settle(model* m, double time, int samples, int terminal, int force) {
  double before[MODEL_HELD + 1];
  m->changed = m->undecided = m->fired = 0;
  m->updated_count = 0;
  take_pre(m);
  for (int k = 0; k < MODEL_HELD; ++k) before[k] = m->v[held_slots[k]];
  set_ticks(m, time, samples);
  for (int k = 0; k < MODEL_TERMINALS; ++k) m->v[terminal_slots[k]] = terminal ? 1 : 0;
  int over = 0;
  for (int round = 0; round < 32 && !over; ++round) {
    for (int inner = 0;; ++inner) {
      if (!run(m, time)) return 0;
/*@if relations*/
      /* Conditions that hang on each other: if all at once do not settle, one by one. */
      if (!update_relations(m, time, inner >= 8)) break;
      if (inner >= 12 && force) block_undecided(m, time);
      if (inner >= 8 + 32 + 2 * MODEL_RELATIONS) {
        snprintf(m->problem, sizeof m->problem, "at %.9g s: conditions switch back and forth without end", time);
        m->undecided = round == 0;
        return 0;
      }
/*@else*/
      (void)force;
      break;
/*@end*/
    }
    int count = 0;
/*@if whens*/
    int active[MODEL_WHENS + 1];
    /* What those set may make others true: they act in the same round, while pre(x) is what it was before. */
    for (int turn = 0; turn < 32; ++turn) {
      const int found = find_active(m, time, active, count);
      if (found == count) break;
      count = found;
/*@if actions*/
      if (!sweep_actions(m, time, active, count)) return 0;
/*@end*/
    }
    m->fired += count;
/*@if reinits*/
    if (reinit(m, time, active, count)) {
      m->changed = 1;
      memset(m->blocked, 0, sizeof m->blocked); /* behind a jump all conditions are looked at anew */
    }
/*@end*/
    for (int i = 0; i < count; ++i) {
      if (whens[active[i]].stops != NULL) m->stopped = whens[active[i]].stops;
    }
/*@end*/
    const int pre = take_pre(m);
    over = count == 0 && !pre;
  }
  if (!over) {
    snprintf(m->problem, sizeof m->problem, "at %.9g s: chattering: give a condition a hysteresis", time);
    return 0;
  }
  for (int k = 0; k < MODEL_INTEGERS; ++k) {
    if (fabs(m->v[integer_slots[k]]) < 9007199254740992.0) continue;
    snprintf(m->problem, sizeof m->problem,
             "at %.9g s: %s is not below 2^53: integers are not counted exactly there", time, integer_names[k]);
    return 0;
  }
/*@if relations*/
  if (find_undefined(m, time)) return 0;
/*@end*/
  set_ticks(m, time, 0);
  for (int k = 0; k < MODEL_INITIALS; ++k) m->v[initial_slots[k]] = 0;
  for (int k = 0; k < MODEL_TERMINALS; ++k) m->v[terminal_slots[k]] = 0;
/*@if whens*/
  for (int w = 0; w < MODEL_WHENS; ++w) m->conditions[w] = compute(m, &whens[w].b, time) != 0;
/*@end*/
  for (int k = 0; k < MODEL_HELD; ++k) m->changed = differs(m->v[held_slots[k]], before[k]) || m->changed;
  return 1;
}
int model_event(model* m, double t, int tick) { return settle(m, t, tick, 0, 1) ? 0 : 1; }
