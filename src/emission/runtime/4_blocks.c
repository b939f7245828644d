/* SPDX-License-Identifier: Apache-2.0 */
/* ---- Implicit blocks: LU with partial pivoting, Newton's method, tears ---------------------------------------- */

/* Sums of entries in `lu`; rows are scaled by powers of two. 0: singular to working precision. */
static int lu_factor(int n, double* lu, double* scale, int* order) {
  double column[MODEL_UNKNOWNS] = {0};
  for (int r = 0; r < n; ++r) {
    scale[r] = 0;
    for (int c = 0; c < n; ++c) {
      if (scale[r] < fabs(lu[r * n + c])) scale[r] = fabs(lu[r * n + c]);
    }
    if (!(scale[r] > 0) || !isfinite(scale[r])) return 0;
    scale[r] = ldexp(1.0, -ilogb(scale[r]));
    for (int c = 0; c < n; ++c) {
      lu[r * n + c] *= scale[r];
      if (column[c] < fabs(lu[r * n + c])) column[c] = fabs(lu[r * n + c]);
    }
  }
  for (int k = 0; k < n; ++k) order[k] = k;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int r = k + 1; r < n; ++r) {
      if (fabs(lu[order[r] * n + k]) > fabs(lu[order[pivot] * n + k])) pivot = r;
    }
    const int swapped = order[k];
    order[k] = order[pivot];
    order[pivot] = swapped;
    const double value = lu[order[k] * n + k];
    const double relative = column[k] > 0 ? fabs(value) / column[k] : 0;
    if (!(relative > 1e-14)) return 0;
    for (int r = k + 1; r < n; ++r) {
      double* row = lu + order[r] * n;
      if (row[k] == 0) continue;
      const double factor = row[k] / value;
      row[k] = factor;
      for (int c = k + 1; c < n; ++c) row[c] -= factor * lu[order[k] * n + c];
    }
  }
  return 1;
}

static void lu_solve(int n, const double* lu, const double* scale, const int* order, double* right) {
  double y[MODEL_UNKNOWNS];
  for (int k = 0; k < n; ++k) {
    const double* row = lu + order[k] * n;
    double sum = right[order[k]] * scale[order[k]];
    for (int c = 0; c < k; ++c) sum -= row[c] * y[c];
    y[k] = sum;
  }
  for (int k = n; k-- > 0;) {
    const double* row = lu + order[k] * n;
    double sum = y[k];
    for (int c = k + 1; c < n; ++c) sum -= row[c] * right[c];
    right[k] = sum / row[k];
  }
}

/* The parts of m->work and m->order that belong to a block. */
static double* jacobian_of(model* m, const block* b) { return m->work + b->work; }
static double* residual_of(model* m, const block* b) { return m->work + b->work + b->entries; }
static double* old_of(model* m, const block* b) { return residual_of(m, b) + b->n; }
static double* scale_of(model* m, const block* b) { return old_of(m, b) + b->n; }
static double* lu_of(model* m, const block* b) { return scale_of(m, b) + b->n; }
static double* unknown(model* m, const block* b, int k) { return m->v + block_unknowns[b->unknowns + k]; }

static int block_factor(model* m, int index) {
  const block* b = blocks + index;
  const double* values = jacobian_of(m, b);
  double* lu = lu_of(m, b);
  for (int k = 0; k < b->n * b->n; ++k) lu[k] = 0;
  for (int r = 0; r < b->n; ++r) {
    const block_row* row = block_rows + b->rows + r;
    for (int k = 0; k < row->column_count; ++k) lu[r * b->n + block_columns[row->columns + k]] += *values++;
  }
  m->factored[index] = lu_factor(b->n, lu, scale_of(m, b), m->order + b->order);
  return m->factored[index];
}
static void block_solve(model* m, const block* b, double* right) {
  lu_solve(b->n, lu_of(m, b), scale_of(m, b), m->order + b->order, right);
}
/* The block's matrix as it was solved last, in factors. */
static int block_factors(model* m, int index) {
  if (m->stale[index]) block_factor(m, index);
  m->stale[index] = 0;
  return m->factored[index];
}

static void evaluate_row(model* m, const block_row* row, double* residual, double* partials) {
  if (row->code < 0) {
    double sum = -m->v[row->slot];
    for (int k = 0; k < row->entry_count; ++k)
      sum += block_entries[row->entries + k].sign * m->v[block_entries[row->entries + k].slot];
    *residual = sum;
    for (int k = 0; k < row->column_count; ++k) partials[k] = block_signs[row->columns + k];
    return;
  }
  double r[MODEL_RESULTS + 1];
  codes[row->code](m, m->p + row->parameters, locals + row->locals, r);
  *residual = r[0];
  for (int k = 0; k < row->column_count; ++k) partials[k] = r[k + 1];
}
static void evaluate_block(model* m, const block* b) {
  for (int r = 0; r < b->n; ++r) {
    const block_row* row = block_rows + b->rows + r;
    evaluate_row(m, row, residual_of(m, b) + r, jacobian_of(m, b) + row->first);
  }
}

static int block_fail(model* m, const block* b, const char* reason) {
  snprintf(m->problem, sizeof m->problem, "at %.9g s: %s, %s", m->time, reason, b->text);
  return 0;
}
static int block_singular(model* m, const block* b) {
  return block_fail(m, b, "the equations have no unique solution here");
}

/* Whether each residual is small against the terms that it is the sum of. */
MAYBE_UNUSED static int block_agrees(model* m, const block* b, double tolerance, double least) {
  for (int r = 0; r < b->n; ++r) {
    const block_row* row = block_rows + b->rows + r;
    const double* partials = jacobian_of(m, b) + row->first;
    double terms = least;
    for (int k = 0; k < row->column_count; ++k)
      terms += fabs(partials[k] * *unknown(m, b, block_columns[row->columns + k]));
    if (!(fabs(residual_of(m, b)[r]) <= tolerance * terms)) return 0;
  }
  return 1;
}

MAYBE_UNUSED static double block_norm(model* m, const block* b) {
  const double* residual = residual_of(m, b);
  double sum = 0;
  for (int r = 0; r < b->n; ++r) sum += residual[r] * residual[r];
  return sqrt(sum);
}

/*@if linear*/
static int solve_linear(model* m, int index) {
  const block* b = blocks + index;
  double* residual = residual_of(m, b);
  const int n = b->n;
  /* From zero: the result depends on nothing but states, inputs and time. */
  for (int k = 0; k < n; ++k) *unknown(m, b, k) = 0;
  evaluate_block(m, b);
  const int keep = b->kind == BLOCK_CONSTANT && m->constant_done[index];
  if (!keep && !block_factor(m, index)) return block_singular(m, b);
  m->constant_done[index] = 1;
  for (int r = 0; r < n; ++r) residual[r] = -residual[r];
  block_solve(m, b, residual);
  for (int k = 0; k < n; ++k) *unknown(m, b, k) = residual[k];
  /* One step of refinement. */
  evaluate_block(m, b);
  for (int r = 0; r < n; ++r) residual[r] = -residual[r];
  block_solve(m, b, residual);
  for (int k = 0; k < n; ++k) {
    if (isfinite(residual[k])) *unknown(m, b, k) += residual[k];
  }
  return 1;
}
/*@end*/

/*@if nonlinear*/
static int solve_nonlinear(model* m, int index) {
  const block* b = blocks + index;
  const int n = b->n;
  double *old = old_of(m, b), step[MODEL_UNKNOWNS];
  for (int k = 0; k < n; ++k) {
    if (!isfinite(*unknown(m, b, k))) *unknown(m, b, k) = 0;
  }
  evaluate_block(m, b);
  double size = block_norm(m, b);
  int aside = 0, leaps = 0;
  for (int iteration = 0; iteration < 60; ++iteration) {
    if (!block_factor(m, index)) {
      /* Step aside from a point where the matrix is singular. */
      if (++aside > 5) return block_singular(m, b);
      for (int k = 0; k < n; ++k) *unknown(m, b, k) += 1e-3 * (1 + (double)(k % 7)) * aside;
      evaluate_block(m, b);
      size = block_norm(m, b);
      continue;
    }
    for (int k = 0; k < n; ++k) step[k] = -residual_of(m, b)[k];
    block_solve(m, b, step);
    for (int k = 0; k < n; ++k) old[k] = *unknown(m, b, k);
    double damping = 1, change = 0;
    int leap = 0;
    for (int halving = 0;; ++halving) {
      change = 0;
      for (int k = 0; k < n; ++k) {
        *unknown(m, b, k) = old[k] + damping * step[k];
        const double relative = fabs(step[k]) / (fabs(*unknown(m, b, k)) + 1e-6);
        if (change < relative) change = relative;
      }
      evaluate_block(m, b);
      const double next = block_norm(m, b);
      if (isfinite(next) && (next <= size || change < 1e-9 || leap || halving >= 30)) {
        size = next;
        break;
      }
      if (halving >= 40) return block_fail(m, b, "the iteration left the range of numbers");
      damping /= 2;
      /* No part of a step of the last digits leads down: a kink, and the norm tells nothing of its other side. */
      leap = halving == 10 && change < 1e-2 && ++leaps <= 8;
      if (leap) damping = 1;
    }
    if (damping == 1 && change < 1e-12) {
      m->stale[index] = 1;
      return 1;
    }
    if (damping == 1 && change < 1e-7 && size == 0) return 1;
  }
  /* The last digits may not settle: accept what is as good as rounding allows. */
  double change = 0;
  for (int k = 0; k < n; ++k) {
    const double value = *unknown(m, b, k), relative = fabs(value - old[k]) / (fabs(value) + 1e-6);
    if (change < relative) change = relative;
  }
  if (change < 1e-8 && block_agrees(m, b, 1e-6, 1e-9)) return 1;
  return block_fail(m, b, "the iteration did not converge");
}
/*@end*/

/*@if tears*/
static double* schur_of(model* m, const block* b) { return lu_of(m, b) + b->n * b->n; }
static double* sensitivity_of(model* m, const block* b) { return schur_of(m, b) + b->tears * b->tears; }
static double* small_scale_of(model* m, const block* b) { return sensitivity_of(m, b) + b->n * b->tears; }

static int sweep_row(model* m, const block* b, int r) {
  const block_row* row = block_rows + b->rows + r;
  evaluate_row(m, row, residual_of(m, b) + r, jacobian_of(m, b) + row->first);
  return isfinite(residual_of(m, b)[r]);
}
/* The unknowns that follow from the tears, one after another, then the residuals that are left. */
static int sweep_block(model* m, const block* b) {
  for (int i = 0; i < b->inner_count; ++i) {
    const block_inner* inner = block_inners + b->inner + i;
    double* value = unknown(m, b, inner->column);
    *value = 0;
    if (!sweep_row(m, b, inner->row)) return 0;
    *value = -residual_of(m, b)[inner->row] /
             jacobian_of(m, b)[block_rows[b->rows + inner->row].first + inner->entry];
    if (!isfinite(*value)) return 0;
  }
  for (int i = 0; i < b->tears; ++i) {
    if (!sweep_row(m, b, block_rests[b->rest + i])) return 0;
  }
  return 1;
}

static void add_sensitivity(model* m, const block* b, int r, int without, double* sum) {
  const block_row* row = block_rows + b->rows + r;
  const double* partials = jacobian_of(m, b) + row->first;
  for (int k = 0; k < row->column_count; ++k) {
    const int column = block_columns[row->columns + k];
    if (column == without || partials[k] == 0) continue;
    const double* other = sensitivity_of(m, b) + column * b->tears;
    for (int j = 0; j < b->tears; ++j) sum[j] += partials[k] * other[j];
  }
}

/* Newton's step of the tears, by a Schur complement of the block's matrix. */
static int step_of_tears(model* m, const block* b, double* step) {
  const int tears = b->tears;
  double *of = sensitivity_of(m, b), *schur = schur_of(m, b);
  for (int j = 0; j < tears; ++j) {
    double* own = of + block_tears[b->tear + j] * tears;
    for (int i = 0; i < tears; ++i) own[i] = 0;
    own[j] = 1;
  }
  for (int i = 0; i < b->inner_count; ++i) {
    const block_inner* inner = block_inners + b->inner + i;
    double* own = of + inner->column * tears;
    for (int j = 0; j < tears; ++j) own[j] = 0;
    add_sensitivity(m, b, inner->row, inner->column, own);
    const double pivot = -jacobian_of(m, b)[block_rows[b->rows + inner->row].first + inner->entry];
    for (int j = 0; j < tears; ++j) own[j] /= pivot;
  }
  for (int i = 0; i < tears * tears; ++i) schur[i] = 0;
  for (int i = 0; i < tears; ++i) add_sensitivity(m, b, block_rests[b->rest + i], -1, schur + i * tears);
  for (int i = 0; i < tears * tears; ++i) schur[i] = 0.0 + schur[i]; /* as it is summed into the matrix */
  double* scale = small_scale_of(m, b);
  int* order = m->order + b->order + b->n;
  if (!lu_factor(tears, schur, scale, order)) return 0;
  for (int i = 0; i < tears; ++i) step[i] = -residual_of(m, b)[block_rests[b->rest + i]];
  lu_solve(tears, schur, scale, order, step);
  for (int i = 0; i < tears; ++i) {
    if (!isfinite(step[i])) return 0;
  }
  return 1;
}

static double rest_norm(model* m, const block* b) {
  double sum = 0;
  for (int i = 0; i < b->tears; ++i) {
    const double r = residual_of(m, b)[block_rests[b->rest + i]];
    sum += r * r;
  }
  return sqrt(sum);
}

/* 0: the tears lead nowhere here, or their solution leaves a residual in the whole block. */
static int solve_by_tears(model* m, int index) {
  const block* b = blocks + index;
  const int n = b->n, linear = b->kind == BLOCK_LINEAR;
  double begin[MODEL_UNKNOWNS], step[MODEL_UNKNOWNS], *old = old_of(m, b);
  for (int k = 0; k < n; ++k) begin[k] = *unknown(m, b, k);
  for (int j = 0; j < b->tears; ++j) {
    double* value = unknown(m, b, block_tears[b->tear + j]);
    if (linear || !isfinite(*value)) *value = 0;
  }
  int converged = linear;
  if (!sweep_block(m, b)) goto give_up;
  double size = rest_norm(m, b);
  for (int iteration = 0; iteration < (linear ? 1 : 30); ++iteration) {
    if (!step_of_tears(m, b, step)) goto give_up;
    for (int k = 0; k < n; ++k) old[k] = *unknown(m, b, k);
    double damping = 1, change = 0;
    for (int halving = 0;; ++halving) {
      for (int j = 0; j < b->tears; ++j) {
        const int column = block_tears[b->tear + j];
        *unknown(m, b, column) = old[column] + damping * step[j];
      }
      const double next = sweep_block(m, b) ? rest_norm(m, b) : INFINITY;
      change = 0;
      for (int j = 0; j < b->tears; ++j) {
        const double relative =
            fabs(damping * step[j]) / (fabs(*unknown(m, b, block_tears[b->tear + j])) + 1e-6);
        if (change < relative) change = relative;
      }
      if (next <= size || linear || (isfinite(next) && change < 1e-9)) {
        size = next;
        break;
      }
      if (halving >= 30) goto give_up;
      damping /= 2;
    }
    change = 0;
    for (int k = 0; k < n; ++k) {
      const double value = *unknown(m, b, k), relative = fabs(value - old[k]) / (fabs(value) + 1e-6);
      if (change < relative) change = relative;
    }
    converged = converged || (damping == 1 && change < 1e-12) || size == 0;
    if (converged) break;
  }
  if (!converged) goto give_up;
  /* What counts is the whole block. */
  evaluate_block(m, b);
  if (!block_agrees(m, b, 1e-12, 1e-288)) return 0;
  m->stale[index] = 1;
  return 1;
give_up:
  for (int k = 0; k < n; ++k) *unknown(m, b, k) = begin[k];
  return 0;
}
/*@end*/

static int solve_block(model* m, int index) {
/*@if tears*/
  if (blocks[index].tears > 0 && m->refused[index] < 8) {
    if (solve_by_tears(m, index)) {
      m->refused[index] = 0;
      return 1;
    }
    ++m->refused[index];
  }
/*@end*/
  m->stale[index] = 0;
/*@if linear*/
  if (blocks[index].kind != BLOCK_NONLINEAR) return solve_linear(m, index);
/*@end*/
/*@if nonlinear*/
  return solve_nonlinear(m, index);
/*@else*/
  return 0;
/*@end*/
}

static int tangent_block(model* m, int index) {
  const block* b = blocks + index;
  double right[MODEL_UNKNOWNS], r[MODEL_RESULTS + 1];
  for (int k = 0; k < b->n; ++k) m->d[block_unknowns[b->unknowns + k]] = 0;
  for (int i = 0; i < b->n; ++i) {
    const block_row* row = block_rows + b->rows + i;
    if (row->code < 0) {
      double sum = -m->d[row->slot];
      for (int k = 0; k < row->entry_count; ++k)
        sum += block_entries[row->entries + k].sign * m->d[block_entries[row->entries + k].slot];
      right[i] = -sum;
      continue;
    }
    tangents[row->code](m, m->p + row->parameters, locals + row->locals, r);
    right[i] = -r[0];
  }
  if (!block_factors(m, index)) return block_singular(m, b);
  block_solve(m, b, right);
  for (int k = 0; k < b->n; ++k) m->d[block_unknowns[b->unknowns + k]] = right[k];
  return 1;
}

/*@if determinants*/
/* The determinant of the matrix with which a block was solved last. */
typedef struct determinant {
  int sign; /* 0: singular */
  double log;
} determinant;
MAYBE_UNUSED static determinant find_determinant(model* m, int index) {
  const block* b = blocks + index;
  determinant out = {0, 0};
  if (!block_factors(m, index)) return out;
  const double *lu = lu_of(m, b), *scale = scale_of(m, b);
  const int* order = m->order + b->order;
  char seen[MODEL_UNKNOWNS] = {0};
  out.sign = 1;
  for (int k = 0; k < b->n; ++k) {
    const double pivot = lu[order[k] * b->n + k];
    out.sign *= pivot > 0 ? 1 : pivot < 0 ? -1 : 0;
    out.log += log(fabs(pivot));
    out.log -= log(scale[k]);
  }
  for (int start = 0; start < b->n; ++start) {
    int length = 0;
    for (int at = start; !seen[at]; at = order[at]) {
      seen[at] = 1;
      ++length;
    }
    if (length > 0 && length % 2 == 0) out.sign = -out.sign;
  }
  return out;
}
/*@end*/
