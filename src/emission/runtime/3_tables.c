/* SPDX-License-Identifier: Apache-2.0 */
/* ---- Tables of data ---------------------------------------------------------------------------------------- */
enum { TABLE_HOLD, TABLE_STRAIGHT, TABLE_ERROR };
typedef struct table {
  int rows, columns; /* columns: 0 for one argument */
  const double *x, *y, *z, *slopes;
  int steps, beyond;
} table;

/* How many of the knots are not above x. */
static int knots_to(const double* knots, int count, double x) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (x < knots[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}

static double table_piece(const table* f, int i, double x, int order) {
  const double h = f->x[i + 1] - f->x[i], a = f->z[i], b = f->z[i + 1];
  if (f->slopes == NULL) return order == 0 ? a + (x - f->x[i]) / h * (b - a) : order == 1 ? (b - a) / h : 0;
  const double t = (x - f->x[i]) / h, da = h * f->slopes[i], db = h * f->slopes[i + 1];
  const double c2 = 3 * (b - a) - 2 * da - db, c3 = 2 * (a - b) + da + db;
  switch (order) {
    case 0:
      return a + t * (da + t * (c2 + t * c3));
    case 1:
      return (da + t * (2 * c2 + t * 3 * c3)) / h;
    case 2:
      return (2 * c2 + 6 * t * c3) / (h * h);
    case 3:
      return 6 * c3 / (h * h * h);
    default:
      return 0;
  }
}

static double table_along(const table* f, double x, int order) {
  const int n = f->rows;
  if (n == 1) return order == 0 ? f->z[0] : 0;
  if (x < f->x[0] || x > f->x[n - 1]) {
    if (f->beyond == TABLE_ERROR) return NAN;
    const int low = x < f->x[0];
    const double end = low ? f->x[0] : f->x[n - 1], value = low ? f->z[0] : f->z[n - 1];
    if (f->beyond == TABLE_HOLD) return order == 0 ? value : 0;
    const double slope = table_piece(f, low ? 0 : n - 2, end, 1);
    return order == 0 ? value + slope * (x - end) : order == 1 ? slope : 0;
  }
  const int above = knots_to(f->x, n, x);
  if (f->steps) return order == 0 ? f->z[above - 1] : 0;
  int i = (above > 1 ? above : 1) - 1;
  if (i > n - 2) i = n - 2;
  return table_piece(f, i, x, order);
}

typedef struct weights {
  int first;
  double low, high;
} weights;
static weights table_weights(const table* f, const double* grid, int n, double at, int order, int* outside) {
  weights w = {0, 1, 0};
  if (n == 1) {
    if (order > 0) w.low = 0;
    return w;
  }
  const int beyond = at < grid[0] || at > grid[n - 1];
  if (beyond && f->beyond == TABLE_ERROR) *outside = 1;
  if (beyond && f->beyond == TABLE_HOLD) {
    const int low = at < grid[0];
    w.first = low ? 0 : n - 2;
    w.low = order > 0 ? 0 : low ? 1 : 0;
    w.high = order > 0 ? 0 : low ? 0 : 1;
    return w;
  }
  const int above = knots_to(grid, n, at);
  w.first = (above > 1 ? above : 1) - 1;
  if (w.first > n - 2) w.first = n - 2;
  const double h = grid[w.first + 1] - grid[w.first], t = (at - grid[w.first]) / h;
  w.low = order == 0 ? 1 - t : order == 1 ? -1 / h : 0;
  w.high = order == 0 ? t : order == 1 ? 1 / h : 0;
  return w;
}

static double table_corner(const table* f, int i, int j) {
  if (i > f->rows - 1) i = f->rows - 1;
  if (j > f->columns - 1) j = f->columns - 1;
  return f->z[i * f->columns + j];
}

/* The value, or its partial derivative of these orders. */
static double table_value(const table* f, double x, double y, int order_x, int order_y) {
  if (f->rows == 0 || x != x) return NAN;
  if (f->columns == 0) return order_y == 0 ? table_along(f, x, order_x) : 0;
  int outside = 0;
  const weights a = table_weights(f, f->x, f->rows, x, order_x, &outside);
  const weights b = table_weights(f, f->y, f->columns, y, order_y, &outside);
  if (outside) return NAN;
  return a.low * (b.low * table_corner(f, a.first, b.first) + b.high * table_corner(f, a.first, b.first + 1)) +
         a.high * (b.low * table_corner(f, a.first + 1, b.first) +
                   b.high * table_corner(f, a.first + 1, b.first + 1));
}
MAYBE_UNUSED static double table_tangent(const table* f, double x, double dx, double y, double dy, int order_x,
                                         int order_y) {
  double tangent = 0;
  if (dx != 0) tangent += table_value(f, x, y, order_x + 1, order_y) * dx;
  if (dy != 0) tangent += table_value(f, x, y, order_x, order_y + 1) * dy;
  return tangent;
}
