// SPDX-License-Identifier: Apache-2.0
#include "normal_tree/group_values.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "normal_tree/modular.h"
#include "normal_tree/sparse_elimination.h"

namespace cotree {

namespace {

using namespace modular;  // NOLINT: the operations of the field

constexpr uint64_t kFirstPoint = 0x0B7E151628AED2A6u;  // any number below p that no model contains
constexpr double kWorkLimit = 2e8;                     // multiplications, about half a second

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

// About the multiplications for one choice and its neighbours. Internal variables are mostly tied to few
// others.
double WorkOf(const GroupEquations& equations, bool tabulated) {
  const double k = equations.edges, bound = DegreeBound(equations);
  const double points = bound + 1;
  const double elimination = 64 * static_cast<double>(equations.terms.size());
  return points * elimination + (tabulated ? 0 : points * k * k * (k + bound));
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

// row -= factor * pivot_row, in the columns given.
void SubtractRow(uint64_t* row, const uint64_t* pivot_row, uint64_t factor, std::span<const size_t> columns) {
  const uint64_t minus = Negate(factor);
  for (const size_t c : columns) row[c] = Add(row[c], Multiply(minus, pivot_row[c]));
}

void AddEqualColumns(SparseRows::Row* row) {
  std::sort(row->begin(), row->end());
  SparseRows::Row out;
  for (const auto& [column, value] : *row) {
    if (!out.empty() && out.back().first == column)
      out.back().second = Add(out.back().second, value);
    else
      out.emplace_back(column, value);
  }
  std::erase_if(out, [](const auto& entry) { return entry.second == 0; });
  *row = std::move(out);
}

void FindNonzero(const uint64_t* row, size_t width, std::vector<size_t>* columns) {
  columns->clear();
  for (size_t c = 0; c < width; ++c) {
    if (row[c] != 0) columns->push_back(c);
  }
}

}  // namespace

GroupValues::GroupValues(const GroupEquations& equations, uint32_t table_limit) : edges_(equations.edges) {
  free_ = equations.rows != equations.edges + equations.internals;
  by_rank_ = WorkOf(equations, edges_ <= table_limit) > kWorkLimit;
  std::vector<int32_t> orders(equations.columns(), 0);
  for (const auto& term : equations.terms)
    orders[term.column] = std::max(orders[term.column], static_cast<int32_t>(term.order));
  column_order_.assign(orders.begin(), orders.begin() + 2 * edges_);
  internal_order_ = std::accumulate(orders.begin() + 2 * edges_, orders.end(), 0);
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
  if (table_.empty())
    FindEdgesNearBest();
  else
    FindEdges();
  FindPaired();
}

void GroupValues::Evaluate(const GroupEquations& equations) {
  const uint32_t bound = by_rank_ ? 0 : DegreeBound(equations);
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

// At one s: det F[P, internals] = factor * det matrix[P].
bool GroupValues::EliminateInternals(const GroupEquations& equations, uint64_t s, Point* point) const {
  const uint32_t internals = equations.internals, pairs = 2 * edges_;
  SparseRows full;
  full.rows.resize(equations.rows);
  for (const auto& term : equations.terms) {  // internal variables first
    const uint32_t column = term.column < pairs ? internals + term.column : term.column - pairs;
    full.rows[term.row].emplace_back(column, Multiply(term.coefficient, PowerOf(s, term.order)));
  }
  for (SparseRows::Row& row : full.rows) AddEqualColumns(&row);
  const std::optional<Eliminated> eliminated = EliminateColumns(std::move(full), internals);
  if (!eliminated) return false;
  point->factor = eliminated->factor;
  point->matrix.assign(size_t{edges_} * pairs, 0);
  for (size_t r = 0; r < edges_; ++r) {
    for (const auto& [column, value] : eliminated->rest[r])
      point->matrix[r * pairs + column - internals] = value;
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

// `orders`: the sum of the highest orders of the columns chosen.
int32_t GroupValues::ValueBy(std::span<uint64_t> determinants, int32_t orders) const {
  if (!by_rank_) return Degree(determinants);
  return determinants.front() == 0 ? kNone : internal_order_ + orders;
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
  for (size_t c = 0; c < choices.size(); ++c) {
    int32_t orders = 0;
    for (uint32_t v = 0; v < pairs; ++v) orders += (choices[c] >> v) & 1 ? column_order_[v] : 0;
    table_[choices[c]] = ValueBy(std::span(values).subspan(c * count, count), orders);
  }
  points_.clear();
}

// Any choice: the pivot columns of the matrix at one point, those of high order first.
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
  std::vector<size_t> nonzero;
  std::vector<uint32_t> columns(width);
  std::iota(columns.begin(), columns.end(), 0u);
  std::stable_sort(columns.begin(), columns.end(),
                   [&](uint32_t a, uint32_t b) { return column_order_[a] > column_order_[b]; });
  size_t row = 0;
  for (const uint32_t c : columns) {
    if (row == edges_) break;
    size_t pivot = row;
    while (pivot < edges_ && m[pivot * width + c] == 0) ++pivot;
    if (pivot == edges_) continue;
    if (pivot != row) std::swap_ranges(&m[pivot * width], &m[pivot * width] + width, &m[row * width]);
    const uint64_t inverse = Invert(m[row * width + c]);
    FindNonzero(&m[row * width], width, &nonzero);
    for (size_t r = row + 1; r < edges_; ++r)
      SubtractRow(&m[r * width], &m[row * width], Multiply(m[r * width + c], inverse), nonzero);
    out.push_back(c);
    ++row;
  }
  if (row < edges_) out.clear();
  std::sort(out.begin(), out.end());
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

// With M = matrix[P]^-1 matrix, det matrix[P - u + v] is det matrix[P] times the entry of M in the row of u
// and the column of v: one elimination a point gives all neighbours.
void GroupValues::FillByElimination(Exchanges* out) const {
  const size_t k = edges_, width = 2 * k, count = points_.size();
  std::vector<uint64_t> values(k * k * count, 0), own(count, 0), m;
  std::vector<size_t> nonzero;
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
        std::swap_ranges(&m[pivot * width], &m[pivot * width] + width, &m[i * width]);
        determinant = Negate(determinant);
      }
      determinant = Multiply(determinant, m[i * width + c]);
      const uint64_t inverse = Invert(m[i * width + c]);
      FindNonzero(&m[i * width], width, &nonzero);
      for (const size_t q : nonzero) m[i * width + q] = Multiply(m[i * width + q], inverse);
      for (size_t r = 0; r < k; ++r) {
        if (r != i && m[r * width + c] != 0)
          SubtractRow(&m[r * width], &m[i * width], m[r * width + c], nonzero);
      }
    }
    own[j] = determinant;
    if (determinant == 0) continue;
    for (size_t u = 0; u < k; ++u) {
      for (size_t v = 0; v < k; ++v)
        values[(u * k + v) * count + j] = Multiply(determinant, m[u * width + out->outside[v]]);
    }
  }
  int32_t orders = 0;
  for (const uint32_t v : out->inside) orders += column_order_[v];
  out->value = ValueBy(own, orders);
  for (size_t u = 0; u < k; ++u) {
    for (size_t v = 0; v < k; ++v) {
      const size_t n = u * k + v;
      out->values[n] = ValueBy(std::span(values).subspan(n * count, count),
                               orders - column_order_[out->inside[u]] + column_order_[out->outside[v]]);
    }
  }
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
    edge.both = edge.always && has(prefer(y, -kWanted, x, 0), y);
    edge.neither = edge.never && !has(prefer(y, kWanted, x, 0), y);
    if (edge.across == kNone) wishes_[x] = -1;
    if (edge.through == kNone) wishes_[y] = -1;
    edge_.push_back(edge);
  }
}

// Of the choices with one variable of every edge, the first of the best; `best` where that is none of them.
void GroupValues::FindPaired() {
  int32_t value = kNone;
  for (uint32_t set = 0; !table_.empty() && set < 1u << edges_; ++set) {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < edges_; ++i) mask |= 1u << (2 * i + ((set >> i) & 1));
    if (table_[mask] <= value) continue;
    value = table_[mask];
    for (uint32_t i = 0; i < edges_; ++i) edge_[i].branch = ((set >> i) & 1) == 0;
  }
  if (value != kNone) return;
  for (uint32_t i = 0; i < edges_; ++i)
    edge_[i].branch = std::binary_search(best_.begin(), best_.end(), 2 * i);
}

void GroupValues::FindEdgesNearBest() {
  const Exchanges& at = ExchangesOf(best_);
  const auto inside = [&](uint32_t v) { return std::binary_search(best_.begin(), best_.end(), v); };
  for (uint32_t i = 0; i < edges_; ++i) {
    const uint32_t x = 2 * i, y = 2 * i + 1;
    Edge edge;
    if (inside(x) != inside(y)) {
      (inside(x) ? edge.across : edge.through) = at.value;
      if (inside(x))
        edge.through = at.At(at.place[x], at.place[y]);
      else
        edge.across = at.At(at.place[y], at.place[x]);
    }
    const auto stays = [&](uint32_t v) {
      bool moves = false;
      for (size_t k = 0; k < edges_; ++k)
        moves = moves || (inside(v) ? at.At(at.place[v], k) : at.At(k, at.place[v])) != kNone;
      return !moves;
    };
    edge.always = inside(x) && stays(x);
    edge.never = !inside(x) && stays(x);
    edge.both = edge.always && inside(y) && stays(y);
    edge.neither = edge.never && !inside(y) && stays(y);
    edge_.push_back(edge);
  }
}

void GroupValues::MarkNonlinear(const std::vector<uint32_t>& columns) {
  for (const uint32_t column : columns) {
    if (column < wishes_.size()) --wishes_[column];
  }
}

void GroupValues::MarkSwitching() {
  for (size_t i = 0; i < edge_.size(); ++i) {
    if (edge_[i].across == kNone || edge_[i].through == kNone || edge_[i].across == edge_[i].through)
      continue;
    --wishes_[2 * i + (edge_[i].across > edge_[i].through ? 0 : 1)];
  }
}

}  // namespace cotree
