// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/group_values.h"

#include <algorithm>
#include <bit>

#include "normal_tree/modular.h"

namespace cotree {

namespace {

using namespace modular;  // NOLINT: the operations of the field

constexpr uint64_t kFirstPoint = 0x0B7E151628AED2A6u;  // any number below p that no model contains
constexpr double kWorkLimit = 4e9;  // multiplications for one choice of a large group and its neighbours

// The degree of every minor of F is at most this.
uint32_t DegreeBound(const GroupEquations& equations) {
  std::vector<uint32_t> by_row(equations.rows, 0), by_column(equations.columns(), 0);
  for (const auto& term : equations.terms) {
    by_row[term.row] = std::max(by_row[term.row], term.order);
    by_column[term.column] = std::max(by_column[term.column], term.order);
  }
  uint32_t rows = 0, columns = 0;
  for (const uint32_t order : by_row) rows += order;
  for (const uint32_t order : by_column) columns += order;
  return std::min(rows, columns);
}

uint64_t PowerOf(uint64_t s, uint32_t order) {
  uint64_t out = 1;
  for (uint32_t k = 0; k < order; ++k) out = Multiply(out, s);
  return out;
}

uint32_t MaskOf(const GroupValues::Choice& choice) {
  uint32_t mask = 0;
  for (const uint32_t v : choice) mask |= 1u << v;
  return mask;
}

// row -= factor * pivot_row, from column `first` on.
void SubtractRow(uint64_t* row, const uint64_t* pivot_row, uint64_t factor, size_t first, size_t width) {
  const uint64_t minus = Negate(factor);
  for (size_t c = first; c < width; ++c) row[c] = Add(row[c], Multiply(minus, pivot_row[c]));
}

}  // namespace

GroupValues::GroupValues(const GroupEquations& equations, uint32_t table_limit) : edges_(equations.edges) {
  const double k = edges_;
  const double work = (DegreeBound(equations) + 1.0) * k * k * (k + DegreeBound(equations));
  free_ = equations.rows != equations.edges + equations.internals || work > kWorkLimit;
  if (!free_) Evaluate(equations);
  edge_.reserve(edges_);
  wishes_.assign(2 * edges_, 0);
  if (edges_ == 0) return;
  if (!free_ && edges_ <= table_limit && !points_.empty()) Tabulate();
  if (free_ || !table_.empty() || !points_.empty()) best_ = FirstChoice();
  if (best_.empty()) {
    edge_.resize(edges_);
    return;
  }
  const std::vector<int64_t> none(2 * edges_, 0);
  best_ = Maximise(none, 1).inside;
  FindEdges();
}

void GroupValues::Evaluate(const GroupEquations& equations) {
  const uint32_t bound = DegreeBound(equations);
  for (uint32_t j = 0; j <= bound; ++j) {
    Point point;
    if (!EliminateInternals(equations, kFirstPoint + j, &point)) {
      points_.clear();
      return;
    }
    points_.push_back(std::move(point));
    inverses_.push_back(Invert(j + 1));
  }
}

// Gaussian elimination of the internal variables at one s: det F[P, internals] = factor * det matrix[P].
bool GroupValues::EliminateInternals(const GroupEquations& equations, uint64_t s, Point* point) const {
  const size_t rows = equations.rows, internals = equations.internals, pairs = 2 * size_t{edges_};
  const size_t width = internals + pairs;  // internal variables first
  std::vector<uint64_t> full(rows * width, 0);
  for (const auto& term : equations.terms) {
    const size_t column = term.column < pairs ? internals + term.column : term.column - pairs;
    uint64_t& entry = full[term.row * width + column];
    entry = Add(entry, Multiply(term.coefficient, PowerOf(s, term.order)));
  }
  for (size_t c = 0; c < internals; ++c) {
    size_t pivot = c;
    while (pivot < rows && full[pivot * width + c] == 0) ++pivot;
    if (pivot == rows) return false;
    if (pivot != c) {
      std::swap_ranges(&full[pivot * width], &full[pivot * width] + width, &full[c * width]);
      point->factor = Negate(point->factor);
    }
    const uint64_t* pivot_row = &full[c * width];
    point->factor = Multiply(point->factor, pivot_row[c]);
    const uint64_t inverse = Invert(pivot_row[c]);
    for (size_t r = c + 1; r < rows; ++r) {
      const uint64_t entry = full[r * width + c];
      if (entry != 0) SubtractRow(&full[r * width], pivot_row, Multiply(entry, inverse), c, width);
    }
  }
  point->matrix.reserve(edges_ * pairs);
  for (size_t r = internals; r < rows; ++r) {
    const uint64_t* row = &full[r * width];
    point->matrix.insert(point->matrix.end(), row + internals, row + width);
  }
  return true;
}

// The degree of the polynomial with these values at s, s + 1, ...: Newton's divided differences, in place.
int32_t GroupValues::Degree(std::span<uint64_t> values) const {
  for (size_t step = 1; step < values.size(); ++step) {
    for (size_t j = values.size() - 1; j >= step; --j)
      values[j] = Multiply(Subtract(values[j], values[j - 1]), inverses_[step - 1]);
  }
  for (size_t j = values.size(); j-- > 0;) {
    if (values[j] != 0) return static_cast<int32_t>(j);
  }
  return kNone;
}

// All minors at once, at each point: those of the first r rows by expansion along row r. A subset's number
// is greater than those of its parts, so ascending numbers are a valid order.
void GroupValues::Tabulate() {
  const uint32_t pairs = 2 * edges_, subsets = 1u << pairs;
  std::vector<uint32_t> choices;
  for (uint32_t set = 0; set < subsets; ++set) {
    if (static_cast<uint32_t>(std::popcount(set)) == edges_) choices.push_back(set);
  }
  const size_t count = points_.size();
  std::vector<uint64_t> minors(subsets), values(choices.size() * count);
  for (size_t j = 0; j < count; ++j) {
    minors[0] = points_[j].factor;
    for (uint32_t set = 1; set < subsets; ++set) {
      const auto size = static_cast<uint32_t>(std::popcount(set));
      if (size > edges_) continue;
      const uint64_t* row = &points_[j].matrix[(size - 1) * pairs];
      uint64_t sum = 0;
      bool minus = (size - 1) % 2 != 0;
      for (uint32_t rest = set; rest != 0; rest &= rest - 1, minus = !minus) {
        const auto column = static_cast<uint32_t>(std::countr_zero(rest));
        if (row[column] == 0) continue;
        const uint64_t term = Multiply(row[column], minors[set & ~(1u << column)]);
        sum = minus ? Subtract(sum, term) : Add(sum, term);
      }
      minors[set] = sum;
    }
    for (size_t c = 0; c < choices.size(); ++c) values[c * count + j] = minors[choices[c]];
  }
  table_.assign(subsets, kNone);
  for (size_t c = 0; c < choices.size(); ++c)
    table_[choices[c]] = Degree(std::span(values).subspan(c * count, count));
  points_.clear();
}

// Any choice: the pivot columns of the matrix at one point.
GroupValues::Choice GroupValues::FirstChoice() const {
  Choice out;
  if (free_) {
    for (uint32_t i = 0; i < edges_; ++i) out.push_back(2 * i + 1);
    return out;
  }
  if (!table_.empty()) {
    const auto at = std::find_if(table_.begin(), table_.end(), [](int32_t v) { return v != kNone; });
    if (at == table_.end()) return out;
    const auto mask = static_cast<uint32_t>(at - table_.begin());
    for (uint32_t v = 0; v < 2 * edges_; ++v) {
      if ((mask >> v) & 1) out.push_back(v);
    }
    return out;
  }
  std::vector<uint64_t> m = points_.front().matrix;
  const size_t width = 2 * size_t{edges_};
  size_t row = 0;
  for (uint32_t c = 0; c < width && row < edges_; ++c) {
    size_t pivot = row;
    while (pivot < edges_ && m[pivot * width + c] == 0) ++pivot;
    if (pivot == edges_) continue;
    std::swap_ranges(&m[pivot * width], &m[pivot * width] + width, m.begin() + static_cast<long>(row * width));
    const uint64_t inverse = Invert(m[row * width + c]);
    for (size_t r = row + 1; r < edges_; ++r)
      SubtractRow(&m[r * width], &m[row * width], Multiply(m[r * width + c], inverse), c, width);
    out.push_back(c);
    ++row;
  }
  if (row < edges_) out.clear();
  return out;
}

int32_t GroupValues::Value(const Choice& choice) {
  if (free_) return 0;
  if (!table_.empty()) return table_[MaskOf(choice)];
  return points_.empty() ? kNone : ExchangesOf(choice).value;
}

const GroupValues::Exchanges& GroupValues::ExchangesOf(const Choice& choice) {
  const auto [at, fresh] = known_.try_emplace(choice);
  Exchanges& out = at->second;
  if (!fresh) return out;
  out.inside = choice;
  out.place.assign(2 * edges_, UINT32_MAX);
  for (uint32_t i = 0; i < choice.size(); ++i) out.place[choice[i]] = i;
  for (uint32_t v = 0; v < 2 * edges_; ++v) {
    if (out.place[v] != UINT32_MAX) continue;
    out.place[v] = static_cast<uint32_t>(out.outside.size());
    out.outside.push_back(v);
  }
  out.values.assign(choice.size() * out.outside.size(), free_ ? 0 : kNone);
  if (free_)
    out.value = 0;
  else if (!table_.empty())
    FillFromTable(&out);
  else
    FillByElimination(&out);
  return out;
}

void GroupValues::FillFromTable(Exchanges* out) const {
  const uint32_t mask = MaskOf(out->inside);
  out->value = table_[mask];
  for (size_t u = 0; u < out->inside.size(); ++u) {
    for (size_t v = 0; v < out->outside.size(); ++v) {
      const uint32_t neighbour = (mask & ~(1u << out->inside[u])) | 1u << out->outside[v];
      out->values[u * out->outside.size() + v] = table_[neighbour];
    }
  }
}

// With M = matrix[P]^-1 matrix, det matrix[P - u + v] is det matrix[P] times the entry of M in the row of u and
// the column of v: one elimination a point gives all neighbours.
void GroupValues::FillByElimination(Exchanges* out) const {
  const size_t k = edges_, width = 2 * k, count = points_.size();
  std::vector<uint64_t> values(k * k * count, 0), own(count, 0), m;
  for (size_t j = 0; j < count; ++j) {
    m = points_[j].matrix;
    uint64_t determinant = points_[j].factor;
    for (size_t i = 0; i < k; ++i) {
      const size_t c = out->inside[i];
      size_t pivot = i;
      while (pivot < k && m[pivot * width + c] == 0) ++pivot;
      if (pivot == k) {
        determinant = 0;
        break;
      }
      if (pivot != i) {
        std::swap_ranges(&m[pivot * width], &m[pivot * width] + width, m.begin() + static_cast<long>(i * width));
        determinant = Negate(determinant);
      }
      determinant = Multiply(determinant, m[i * width + c]);
      const uint64_t inverse = Invert(m[i * width + c]);
      for (size_t q = 0; q < width; ++q) m[i * width + q] = Multiply(m[i * width + q], inverse);
      for (size_t r = 0; r < k; ++r) {
        if (r != i && m[r * width + c] != 0)
          SubtractRow(&m[r * width], &m[i * width], m[r * width + c], 0, width);
      }
    }
    own[j] = determinant;
    if (determinant == 0) continue;
    for (size_t u = 0; u < k; ++u) {
      for (size_t v = 0; v < k; ++v)
        values[(u * k + v) * count + j] = Multiply(determinant, m[u * width + out->outside[v]]);
    }
  }
  out->value = Degree(own);
  for (size_t n = 0; n < k * k; ++n) out->values[n] = Degree(std::span(values).subspan(n * count, count));
}

const GroupValues::Exchanges& GroupValues::Maximise(std::span<const int64_t> weights, int64_t degree_unit) {
  const Exchanges* now = &ExchangesOf(best_);
  while (true) {
    int64_t gain = 0;
    size_t best_u = 0, best_v = 0;
    for (size_t u = 0; u < now->inside.size(); ++u) {
      for (size_t v = 0; v < now->outside.size(); ++v) {
        if (now->At(u, v) == kNone) continue;
        const int64_t here = (int64_t{now->At(u, v)} - now->value) * degree_unit + weights[now->outside[v]] -
                             weights[now->inside[u]];
        if (here <= gain) continue;
        gain = here;
        best_u = u;
        best_v = v;
      }
    }
    if (gain == 0) return *now;
    Choice next = now->inside;
    next[best_u] = now->outside[best_v];
    std::sort(next.begin(), next.end());
    now = &ExchangesOf(next);
  }
}

void GroupValues::FindEdges() {
  constexpr int64_t kWanted = int64_t{1} << 32;
  std::vector<int64_t> weights(2 * edges_, 0);
  const auto has = [](const Exchanges& at, uint32_t v) {
    return std::binary_search(at.inside.begin(), at.inside.end(), v);
  };
  const auto prefer = [&](uint32_t v, int64_t weight, uint32_t w, int64_t other) -> const Exchanges& {
    weights[v] = weight;
    weights[w] = other;
    const Exchanges& at = Maximise(weights, 1);
    weights[v] = weights[w] = 0;
    return at;
  };
  const auto greatest = [&](uint32_t with, uint32_t without) {
    const Exchanges& at = prefer(with, kWanted, without, -kWanted);
    return has(at, with) && !has(at, without) ? at.value : kNone;
  };
  for (uint32_t i = 0; i < edges_; ++i) {
    const uint32_t x = 2 * i, y = 2 * i + 1;
    Edge edge;
    edge.across = greatest(x, y);
    edge.through = greatest(y, x);
    edge.always = has(prefer(x, -kWanted, y, 0), x);
    edge.never = !has(prefer(x, kWanted, y, 0), x);
    if (edge.across == kNone) wishes_[x] = -1;
    if (edge.through == kNone) wishes_[y] = -1;
    edge_.push_back(edge);
  }
}

void GroupValues::MarkSwitching() {
  for (size_t i = 0; i < edge_.size(); ++i) {
    if (edge_[i].across == kNone || edge_[i].through == kNone || edge_[i].across == edge_[i].through) continue;
    --wishes_[2 * i + (edge_[i].across > edge_[i].through ? 0 : 1)];
  }
}

}  // namespace cotree
