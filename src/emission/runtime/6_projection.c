/* SPDX-License-Identifier: Apache-2.0 */
/* ---- Loops of mechanisms: what must stay zero is made so after each step ------------------------------------------------ */

/* L D L^T of J J^T, rows and columns in the order of gap_order. */
static void factor_gaps(model* m) {
  double y[MODEL_GAPS];
  int pattern[MODEL_GAPS], tags[MODEL_GAPS], count[MODEL_GAPS];
  for (int k = 0; k < MODEL_GAPS; ++k) {
    y[k] = 0;
    int top = MODEL_GAPS;
    tags[k] = k;
    count[k] = 0;
    for (int e = gap_square_first[k]; e < gap_square_first[k + 1]; ++e) {
      int i = gap_square[e].row, length = 0;
      y[i] += m->square[gap_square[e].from];
      for (; tags[i] != k; i = gap_parents[i]) {
        pattern[length++] = i;
        tags[i] = k;
      }
      while (length > 0) pattern[--top] = pattern[--length];
    }
    double d = y[k];
    y[k] = 0;
    for (; top < MODEL_GAPS; ++top) {
      const int i = pattern[top];
      const double yi = y[i], l = yi / m->pivots[i];
      const int end = gap_factor_first[i] + count[i];
      y[i] = 0;
      for (int p = gap_factor_first[i]; p < end; ++p) y[m->factor_rows[p]] -= m->factors[p] * yi;
      d -= l * yi;
      m->factor_rows[end] = k;
      m->factors[end] = l;
      ++count[i];
    }
    m->pivots[k] = d;
  }
}
static void solve_gaps(const model* m, const double* right, double* out) {
  double x[MODEL_GAPS];
  for (int i = 0; i < MODEL_GAPS; ++i) x[gap_order[i]] = right[i];
  for (int i = 0; i < MODEL_GAPS; ++i) {
    if (x[i] == 0) continue;
    for (int p = gap_factor_first[i]; p < gap_factor_first[i + 1]; ++p) x[m->factor_rows[p]] -= x[i] * m->factors[p];
  }
  for (int i = 0; i < MODEL_GAPS; ++i) x[i] = 1 / m->pivots[i] * x[i];
  for (int i = MODEL_GAPS; i-- > 0;) {
    double rest = x[i];
    for (int p = gap_factor_first[i]; p < gap_factor_first[i + 1]; ++p) rest -= m->factors[p] * x[m->factor_rows[p]];
    x[i] = rest;
  }
  for (int i = 0; i < MODEL_GAPS; ++i) out[i] = x[gap_order[i]];
}

/*@if kept*/
/* Of kept constraints a change counts by the size of its state, no less than a thousandth of the largest beside
   it, and rows have length 1. */
static void scale_gaps(model* m) {
  double largest[MODEL_GAPS] = {0}, length[MODEL_GAPS] = {0};
  for (int j = 0; j < MODEL_STATES; ++j) {
    const double size = fabs(m->v[model_state_slots[j]]);
    for (int e = gap_first[j]; e < gap_first[j + 1]; ++e) {
      const int i = gap_rows[e];
      if (gap_kept[i] && largest[i] < size) largest[i] = size;
    }
  }
  for (int j = 0; j < MODEL_STATES; ++j) {
    const double size = fabs(m->v[model_state_slots[j]]);
    double scale = 0;
    for (int e = gap_first[j]; e < gap_first[j + 1]; ++e) {
      const int i = gap_rows[e];
      if (!gap_kept[i]) continue;
      if (scale < size) scale = size;
      if (scale < 1e-3 * largest[i]) scale = 1e-3 * largest[i];
    }
    m->column_scale[j] = scale > 0 ? scale : 1;
  }
  for (int j = 0; j < MODEL_STATES; ++j) {
    for (int e = gap_first[j]; e < gap_first[j + 1]; ++e) {
      if (!gap_kept[gap_rows[e]]) continue;
      const double own = m->gaps[e] * m->column_scale[j];
      length[gap_rows[e]] += own * own;
    }
  }
  for (int i = 0; i < MODEL_GAPS; ++i) m->row_scale[i] = length[i] > 0 ? 1 / sqrt(length[i]) : 1;
  for (int j = 0; j < MODEL_STATES; ++j) {
    for (int e = gap_first[j]; e < gap_first[j + 1]; ++e)
      m->gaps[e] = m->gaps[e] * m->column_scale[j] * m->row_scale[gap_rows[e]];
  }
}
/*@end*/

static int fill_gaps(model* m, double time) {
  char seen[MODEL_GAPS * MODEL_GAPS] = {0};
  for (int k = 0; k < MODEL_GAPS; ++k) m->rounding[k] = 1;
  for (int colour = 0; colour < MODEL_GAP_COLOURS; ++colour) {
    memset(m->d, 0, sizeof m->d);
    for (int j = 0; j < MODEL_STATES; ++j) m->d[model_state_slots[j]] = gap_colours[j] == colour;
    if (!run_tangent(m, time, 0)) return 0;
    for (int j = 0; j < MODEL_STATES; ++j) {
      if (gap_colours[j] != colour) continue;
      for (int e = gap_first[j]; e < gap_first[j + 1]; ++e) {
        m->gaps[e] = m->d[gap_slots[gap_rows[e]]];
        m->rounding[gap_rows[e]] += fabs(m->gaps[e] * m->v[model_state_slots[j]]);
      }
    }
  }
  for (int k = 0; k < MODEL_GAPS; ++k) m->rounding[k] *= 1e-13;
/*@if kept*/
  scale_gaps(m);
/*@end*/
  for (int k = 0; k < MODEL_GAPS * MODEL_GAPS; ++k) m->square[k] = 0;
  for (int j = 0; j < MODEL_STATES; ++j) {
    for (int a = gap_first[j]; a < gap_first[j + 1]; ++a) {
      for (int b = gap_first[j]; b <= a; ++b) {
        const int at = gap_rows[a] * MODEL_GAPS + gap_rows[b];
        m->square[at] = seen[at] ? m->square[at] + m->gaps[a] * m->gaps[b] : m->gaps[a] * m->gaps[b];
        seen[at] = 1;
      }
    }
  }
  /* Rows that depend on others in this position share what is to be put right. */
  double largest = 0;
  for (int k = 0; k < MODEL_GAPS; ++k) {
    if (largest < m->square[k * MODEL_GAPS + k]) largest = m->square[k * MODEL_GAPS + k];
  }
  for (int k = 0; k < MODEL_GAPS; ++k) m->square[k * MODEL_GAPS + k] += 1e-8 * largest;
  factor_gaps(m);
  m->known = m->rounded = 1;
  return 1;
}

static double gap_size(const model* m) {
  double size = 0;
  for (int k = 0; k < MODEL_GAPS; ++k) {
    const double own = fabs(m->v[gap_slots[k]]) / m->rounding[k];
    if (size < own) size = own;
  }
  return size;
}

/* Whether the loops are closed to a millionth of their size, with other parameters than those that were emitted. */
static int loops_close(model* m, double time) {
  const int closed = fill_gaps(m, time) && gap_size(m) < 1e7;
  m->known = m->rounded = 0;
  return closed;
}

/* Near a position in which the conditions of a loop depend on each other they may give way by next to nothing. */
static void watch_gaps(model* m) {
/*@if give*/
  double least = 1;
  for (int k = 0; k < MODEL_WATCHED; ++k) {
    const determinant now = find_determinant(m, watched_blocks[k]);
    if (now.sign == 0 || !isfinite(now.log)) continue;
    if (m->widest[k] < now.log) m->widest[k] = now.log;
    const double root = exp((now.log - m->widest[k]) / 2);
    if (root < least) least = root;
  }
  const double rest = 1 - least / 0.02, near = 0.0 < rest ? rest : 0.0;
  m->v[give_slot] = 1e-7 * near * near;
/*@else*/
  (void)m;
/*@end*/
}

int model_project(model* m, double t, double* x) {
  double before[MODEL_STATES + 1], off[MODEL_GAPS], change[MODEL_STATES + 1], size = 0, first = 0;
  int fresh = 0;
  for (int k = 0; k < MODEL_STATES; ++k) before[k] = x[k];
  for (int round = 0; round < 10; ++round) {
    if (!run_at(m, t, x)) return 1;
    if (!m->rounded && !fill_gaps(m, t)) return 1;
    const double now = gap_size(m);
    if (round == 0) first = now;
    if (!(now > 1) || (round > 0 && fresh && now > 0.5 * size)) break;
    if (round > 0 && now > 0.05 * size) m->known = 0;
    size = now;
    fresh = !m->known;
    if (!m->known && !fill_gaps(m, t)) return 1;
    for (int k = 0; k < MODEL_GAPS; ++k) off[k] = m->v[gap_slots[k]];
/*@if kept*/
    for (int k = 0; k < MODEL_GAPS; ++k) off[k] = m->v[gap_slots[k]] * m->row_scale[k];
/*@end*/
    solve_gaps(m, off, off);
    int finite = 1;
    for (int j = 0; j < MODEL_STATES; ++j) {
      double total = 0;
      for (int e = gap_first[j]; e < gap_first[j + 1]; ++e) total += m->gaps[e] * off[gap_rows[e]];
      change[j] = 0.0 + total;
      finite = finite && isfinite(change[j]);
    }
    if (!finite) break;
/*@if kept*/
    for (int j = 0; j < MODEL_STATES; ++j) change[j] = change[j] * m->column_scale[j];
/*@end*/
    for (int j = 0; j < MODEL_STATES; ++j) x[j] -= change[j];
  }
  if (!(gap_size(m) <= (first < 1.0 ? 1.0 : first))) { /* it led away */
    m->known = 0;
    for (int k = 0; k < MODEL_STATES; ++k) x[k] = before[k];
    return run_at(m, t, x) ? 0 : 1;
  }
  watch_gaps(m);
  return 0;
}
