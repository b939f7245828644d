// SPDX-License-Identifier: Apache-2.0
#include "program/frontal_solver.h"

#include <algorithm>
#include <cmath>

#include "base/machine_clones.h"

namespace cotree {
namespace {

constexpr size_t kLanes = 8;  // numbers that are taken together, whatever the machine: twice four
typedef double Four __attribute__((vector_size(4 * sizeof(double))));
typedef double FourAnywhere __attribute__((vector_size(4 * sizeof(double)), aligned(8), may_alias));
inline const FourAnywhere& Load(const double* p) {
  return *reinterpret_cast<const FourAnywhere*>(p);
}
inline FourAnywhere& At(double* p) {
  return *reinterpret_cast<FourAnywhere*>(p);
}

constexpr uint32_t kPanel = 16;          // pivots whose effect on the rest is computed at once
constexpr double kSmallestPivot = 1e-3;  // of its column

constexpr size_t Padded(size_t n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

// c -= l u: `rows` a multiple of kLanes, `inner` in the order of summation. l, u, c by columns.
COTREE_CLONES void SubtractProduct(double* c, size_t c_stride, const double* l, size_t l_stride,
                                   const double* u, size_t u_stride, size_t rows, size_t columns,
                                   size_t inner) {
  for (size_t i = 0; i < rows; i += kLanes) {
    size_t j = 0;
    for (; j + 4 <= columns; j += 4) {
      double* c0 = c + i + j * c_stride;
      double *c1 = c0 + c_stride, *c2 = c1 + c_stride, *c3 = c2 + c_stride;
      Four low0 = Load(c0), low1 = Load(c1), low2 = Load(c2), low3 = Load(c3);
      Four high0 = Load(c0 + 4), high1 = Load(c1 + 4), high2 = Load(c2 + 4), high3 = Load(c3 + 4);
      const double* left = l + i;
      const double* right = u + j * u_stride;
      for (size_t p = 0; p < inner; ++p, left += l_stride, ++right) {
        const Four low = Load(left), high = Load(left + 4);
        const double u0 = right[0], u1 = right[u_stride], u2 = right[2 * u_stride], u3 = right[3 * u_stride];
        low0 -= low * u0, high0 -= high * u0;
        low1 -= low * u1, high1 -= high * u1;
        low2 -= low * u2, high2 -= high * u2;
        low3 -= low * u3, high3 -= high * u3;
      }
      At(c0) = low0, At(c0 + 4) = high0;
      At(c1) = low1, At(c1 + 4) = high1;
      At(c2) = low2, At(c2 + 4) = high2;
      At(c3) = low3, At(c3 + 4) = high3;
    }
    for (; j < columns; ++j) {
      double* c0 = c + i + j * c_stride;
      Four low = Load(c0), high = Load(c0 + 4);
      for (size_t p = 0; p < inner; ++p) {
        const double* left = l + i + p * l_stride;
        const double u0 = u[p + j * u_stride];
        low -= Load(left) * u0, high -= Load(left + 4) * u0;
      }
      At(c0) = low, At(c0 + 4) = high;
    }
  }
}

/* The first `pivots` of a front of `size` rows and columns are eliminated; its columns are `stride` apart and
padded with zeros. */
COTREE_CLONES bool EliminateFront(double* front, size_t stride, size_t size, size_t pivots) {
  for (size_t begin = 0; begin < pivots; begin += kPanel) {
    const size_t end = std::min(begin + kPanel, pivots);
    for (size_t k = begin; k < end; ++k) {
      double* __restrict column = front + k * stride;
      Four most = {};  // padding is zero
      for (size_t i = k + 1; i < size; i += 4) {
        const Four x = Load(column + i), sized = x < 0 ? -x : x;
        most = most < sized ? sized : most;
      }
      const double largest = std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
      const double pivot = column[k], inverse = 1 / pivot;
      if (!(__builtin_fabs(pivot) >= kSmallestPivot * largest) || !(__builtin_fabs(inverse) <= 1e300))
        return false;
      for (size_t i = k + 1; i < size; ++i) column[i] *= inverse;
      for (size_t j = k + 1; j < end; ++j) {
        double* __restrict other = front + j * stride;
        const double u = other[k];
        for (size_t i = k + 1; i < size; ++i) other[i] -= column[i] * u;
      }
    }
    // Rows of U beside the panel, then the rest.
    for (size_t j = end; j < size; ++j) {
      double* __restrict column = front + j * stride;
      for (size_t k = begin; k < end; ++k) {
        const double u = column[k];
        const double* __restrict l = front + k * stride;
        for (size_t i = k + 1; i < end; ++i) column[i] -= l[i] * u;
      }
    }
    SubtractProduct(front + end + end * stride, stride, front + end + begin * stride, stride,
                    front + begin + end * stride, stride, Padded(size - end), size - end, end - begin);
  }
  return true;
}

// out = sum over k of x[k] * column k.
COTREE_CLONES void Multiply(double* __restrict out, const double* __restrict columns,
                            const double* __restrict x, size_t padded, size_t count) {
  for (size_t i = 0; i < padded; ++i) out[i] = 0;
  size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const double *c0 = columns + k * padded, *c1 = c0 + padded, *c2 = c1 + padded, *c3 = c2 + padded;
    const double x0 = x[k], x1 = x[k + 1], x2 = x[k + 2], x3 = x[k + 3];
    for (size_t i = 0; i < padded; ++i) out[i] = out[i] + c0[i] * x0 + c1[i] * x1 + c2[i] * x2 + c3[i] * x3;
  }
  for (; k < count; ++k) {
    const double* c = columns + k * padded;
    for (size_t i = 0; i < padded; ++i) out[i] += c[i] * x[k];
  }
}
// x[k] -= row k times z.
COTREE_CLONES void SubtractRows(double* __restrict x, const double* __restrict rows,
                                const double* __restrict z, size_t padded, size_t count) {
  for (size_t k = 0; k < count; ++k) {
    const double* row = rows + k * padded;
    Four low = {}, high = {};
    for (size_t i = 0; i < padded; i += kLanes) {
      low += Load(row + i) * Load(z + i);
      high += Load(row + i + 4) * Load(z + i + 4);
    }
    low += high;
    x[k] -= (low[0] + low[2]) + (low[1] + low[3]);
  }
}

// Whether columns with the same rows, but for some zeros, are worth one front.
bool Join(size_t pivots, double entries, double zeros) {
  return pivots <= 4 || zeros < 0.05 * entries || (pivots <= 16 && zeros < 0.4 * entries) ||
         (pivots <= 48 && zeros < 0.15 * entries);
}

}  // namespace

size_t FrontalSolver::Stride(const Front& front) {
  return Padded(front.pivots + front.below) + kLanes;
}

FrontalSolver::FrontalSolver(const std::vector<int>& first, const std::vector<int>& rows, const int* order)
    : n_(first.size() - 1), order_(order, order + n_) {
  Order(first, rows);
  FindFronts(first, rows);
  PlaceEntries(first, rows);
}

// Children before parents.
void FrontalSolver::Order(const std::vector<int>& first, const std::vector<int>& rows) {
  const auto n = static_cast<int>(n_);
  place_.resize(n_);
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < n; ++k) place_[static_cast<size_t>(order_[static_cast<size_t>(k)])] = k;
    // The elimination tree of A + A' (Liu).
    std::vector<std::vector<int>> before(n_);
    for (int j = 0; j < n; ++j) {
      for (int e = first[static_cast<size_t>(j)]; e < first[static_cast<size_t>(j) + 1]; ++e) {
        const int a = place_[static_cast<size_t>(j)],
                  b = place_[static_cast<size_t>(rows[static_cast<size_t>(e)])];
        if (a != b) before[static_cast<size_t>(std::max(a, b))].push_back(std::min(a, b));
      }
    }
    parent_.assign(n_, -1);
    std::vector<int> ancestor(n_, -1);
    for (int k = 0; k < n; ++k) {
      for (int i : before[static_cast<size_t>(k)]) {
        while (i != -1 && i < k) {
          const int next = ancestor[static_cast<size_t>(i)];
          ancestor[static_cast<size_t>(i)] = k;
          if (next == -1) parent_[static_cast<size_t>(i)] = k;
          i = next;
        }
      }
    }
    if (pass == 1) break;
    std::vector<std::vector<int>> children(n_);
    std::vector<int> stack, post;
    for (int k = n; k-- > 0;) {
      if (parent_[static_cast<size_t>(k)] == -1)
        stack.push_back(k);
      else
        children[static_cast<size_t>(parent_[static_cast<size_t>(k)])].push_back(k);
    }
    while (!stack.empty()) {
      const int k = stack.back();
      std::vector<int>& below = children[static_cast<size_t>(k)];
      if (below.empty()) {
        post.push_back(k);
        stack.pop_back();
      } else {
        stack.push_back(below.back());
        below.pop_back();
      }
    }
    std::vector<int> order(n_);
    for (size_t k = 0; k < n_; ++k) order[k] = order_[static_cast<size_t>(post[k])];
    order_ = std::move(order);
  }
}

void FrontalSolver::FindFronts(const std::vector<int>& first, const std::vector<int>& rows) {
  std::vector<std::vector<uint32_t>> rows_of(n_);  // of each column of L
  for (size_t j = 0; j < n_; ++j) {
    for (int e = first[j]; e < first[j + 1]; ++e) {
      const auto a = static_cast<uint32_t>(place_[j]),
                 b = static_cast<uint32_t>(place_[static_cast<size_t>(rows[static_cast<size_t>(e)])]);
      if (a != b) rows_of[std::min(a, b)].push_back(std::max(a, b));
    }
  }
  struct Group {
    uint32_t first, pivots;
    double nonzeros;
  };
  std::vector<Group> groups;
  for (uint32_t k = 0; k < n_; ++k) {
    std::vector<uint32_t>& mine = rows_of[k];
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    // What it leaves to its parent.
    if (parent_[k] >= 0) {
      std::vector<uint32_t>& above = rows_of[static_cast<size_t>(parent_[k])];
      above.insert(above.end(), mine.begin() + 1, mine.end());
    }
    Group group{k, 1, 1.0 + static_cast<double>(mine.size())};
    const auto below = static_cast<double>(mine.size());
    while (!groups.empty()) {
      const Group& last = groups.back();
      const int parent = parent_[group.first - 1];
      if (parent < static_cast<int>(group.first) || parent > static_cast<int>(k)) break;
      const double pivots = group.pivots + last.pivots;
      const double entries = pivots * (pivots + 1) / 2 + pivots * below;
      const double nonzeros = group.nonzeros + last.nonzeros;
      if (!Join(group.pivots + last.pivots, entries, entries - nonzeros)) break;
      group = {last.first, group.pivots + last.pivots, nonzeros};
      groups.pop_back();
    }
    groups.push_back(group);
  }
  size_t block = 0, panel = 0, largest = 0;
  for (const Group& group : groups) {
    Front front{};
    front.first = group.first;
    front.pivots = group.pivots;
    const std::vector<uint32_t>& below = rows_of[group.first + group.pivots - 1];
    front.below = static_cast<uint32_t>(below.size());
    front.padded = static_cast<uint32_t>(Padded(below.size()));
    front.rows = below_.size();
    below_.insert(below_.end(), below.begin(), below.end());
    front.block = block;
    front.panel = panel;
    block += size_t{front.pivots} * front.pivots;
    panel += size_t{front.pivots} * front.padded;
    const size_t size = front.pivots + front.below;
    largest = std::max(largest, size);
    fronts_.push_back(front);
  }
  pivots_.resize(block);
  lower_.resize(panel);
  upper_.resize(panel);
  front_.resize(largest * (Padded(largest) + kLanes));
  gathered_.resize(Padded(largest));
  scale_.resize(n_);
  x_.resize(n_);
}

void FrontalSolver::PlaceEntries(const std::vector<int>& first, const std::vector<int>& rows) {
  std::vector<uint32_t> front_of(n_);
  for (uint32_t f = 0; f < fronts_.size(); ++f) {
    for (uint32_t k = 0; k < fronts_[f].pivots; ++k) front_of[fronts_[f].first + k] = f;
  }
  const auto within = [&](const Front& front, uint32_t place) {
    if (place < front.first + front.pivots) return place - front.first;
    const auto begin = below_.begin() + static_cast<std::ptrdiff_t>(front.rows);
    return front.pivots + static_cast<uint32_t>(std::lower_bound(begin, begin + front.below, place) - begin);
  };
  std::vector<std::pair<uint32_t, Entry>> all;
  all.reserve(rows.size());
  for (size_t j = 0; j < n_; ++j) {
    for (int e = first[j]; e < first[j + 1]; ++e) {
      const auto i = static_cast<size_t>(rows[static_cast<size_t>(e)]);
      const auto a = static_cast<uint32_t>(place_[i]), b = static_cast<uint32_t>(place_[j]);
      const uint32_t f = front_of[std::min(a, b)];
      const Front& front = fronts_[f];
      all.push_back({f,
                     {static_cast<uint32_t>(e), static_cast<uint32_t>(i),
                      static_cast<uint32_t>(within(front, a) + within(front, b) * Stride(front))}});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  size_t at = 0;
  for (uint32_t f = 0; f < fronts_.size(); ++f) {
    for (; at < all.size() && all[at].first == f; ++at) entries_.push_back(all[at].second);
    fronts_[f].entries_end = entries_.size();
  }
  // What a front leaves, and for whom.
  relative_.resize(below_.size());
  std::vector<std::vector<uint32_t>> children(fronts_.size());
  size_t top = 0, most = 0;
  for (uint32_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    front.children = child_.size();
    child_.insert(child_.end(), children[f].begin(), children[f].end());
    front.children_end = child_.size();
    for (const uint32_t c : children[f]) top = std::min(top, fronts_[c].update);
    front.update = top;
    top += size_t{front.below} * front.below;
    most = std::max(most, top);
    if (front.below == 0) continue;
    const uint32_t parent = front_of[below_[front.rows]];
    children[parent].push_back(f);
    for (size_t k = front.rows; k < front.rows + front.below; ++k)
      relative_[k] = within(fronts_[parent], below_[k]);
  }
  updates_.resize(most);
}

bool FrontalSolver::Factor(const double* values) {
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (const Entry& entry : entries_) {
    const double size = std::fabs(values[entry.value]);
    scale_[entry.row] = scale_[entry.row] < size ? size : scale_[entry.row];
  }
  for (double& x : scale_) {
    if (!(x > 0) || !(x <= 1e300)) return false;
    x = 1 / x;
  }
  size_t entry = 0;
  for (const Front& front : fronts_) {
    const size_t size = front.pivots + front.below, stride = Stride(front);
    double* at = front_.data();
    std::fill(at, at + size * stride, 0.0);
    for (; entry < front.entries_end; ++entry)
      at[entries_[entry].at] += values[entries_[entry].value] * scale_[entries_[entry].row];
    for (size_t c = front.children; c < front.children_end; ++c) {
      const Front& child = fronts_[child_[c]];
      const uint32_t* to = relative_.data() + child.rows;
      const double* update = updates_.data() + child.update;
      for (uint32_t j = 0; j < child.below; ++j, update += child.below) {
        double* column = at + to[j] * stride;
        for (uint32_t i = 0; i < child.below; ++i) column[to[i]] += update[i];
      }
    }
    if (!EliminateFront(at, stride, size, front.pivots)) return false;
    Keep(front);
  }
  return true;
}

// The factors of a front, and what it leaves to its parent.
void FrontalSolver::Keep(const Front& front) {
  const size_t stride = Stride(front), pivots = front.pivots;
  const double* at = front_.data();
  double* block = pivots_.data() + front.block;
  for (size_t k = 0; k < pivots; ++k) {
    std::copy_n(at + k * stride, pivots, block + k * pivots);
    std::copy_n(at + k * stride + pivots, front.below, lower_.data() + front.panel + k * front.padded);
  }
  double* upper = upper_.data() + front.panel;
  double* update = updates_.data() + front.update;
  for (size_t j = 0; j < front.below; ++j) {
    const double* column = at + (pivots + j) * stride;
    for (size_t k = 0; k < pivots; ++k) upper[k * front.padded + j] = column[k];
    std::copy_n(column + pivots, front.below, update + j * front.below);
  }
}

void FrontalSolver::Solve(double* right) {
  for (size_t k = 0; k < n_; ++k) {
    const auto row = static_cast<size_t>(order_[k]);
    x_[k] = right[row] * scale_[row];
  }
  double* beside = gathered_.data();
  for (const Front& front : fronts_) {
    const double* block = pivots_.data() + front.block;
    double* x = x_.data() + front.first;
    for (size_t k = 0; k < front.pivots; ++k, block += front.pivots) {
      for (size_t i = k + 1; i < front.pivots; ++i) x[i] -= block[i] * x[k];
    }
    if (front.below == 0) continue;
    Multiply(beside, lower_.data() + front.panel, x, front.padded, front.pivots);
    const uint32_t* below = below_.data() + front.rows;
    for (uint32_t i = 0; i < front.below; ++i) x_[below[i]] -= beside[i];
  }
  for (size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    double* x = x_.data() + front.first;
    if (front.below > 0) {
      const uint32_t* below = below_.data() + front.rows;
      for (uint32_t i = 0; i < front.below; ++i) beside[i] = x_[below[i]];
      std::fill(beside + front.below, beside + front.padded, 0.0);
      SubtractRows(x, upper_.data() + front.panel, beside, front.padded, front.pivots);
    }
    const double* block = pivots_.data() + front.block;
    for (size_t k = front.pivots; k-- > 0;) {
      const double* column = block + k * front.pivots;
      x[k] /= column[k];
      for (size_t i = 0; i < k; ++i) x[i] -= column[i] * x[k];
    }
  }
  for (size_t k = 0; k < n_; ++k) right[static_cast<size_t>(order_[k])] = x_[k];
}

}  // namespace cotree
