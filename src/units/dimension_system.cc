// SPDX-License-Identifier: Apache-2.0
#include "units/dimension_system.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace cotree {
namespace {

constexpr uint32_t kNothing = UINT32_MAX;

// A DimensionVector with room for the intermediate exponents of an elimination.
struct WideVector {
  std::array<WideRational, kBaseUnits> si{};
  std::vector<std::pair<GenericId, WideRational>> generics;  // ascending, no exponent 0

  WideVector() = default;
  explicit WideVector(const DimensionVector& v) {
    for (size_t i = 0; i < kBaseUnits; ++i) si[i] = Widen(v.si.exponents[i]);
    for (const auto& generic : v.generics) generics.emplace_back(generic.id, Widen(generic.exponent));
  }
  bool IsOne() const {
    return generics.empty() &&
           std::all_of(si.begin(), si.end(), [](const WideRational& e) { return e.IsZero(); });
  }
};

// sum += a * b; false if it does not fit.
bool AddProduct(WideRational& sum, const WideRational& a, const WideRational& b) {
  if (a.IsZero() || b.IsZero()) return true;
  const auto product = Multiply(a, b);
  const auto result = product ? Add(sum, *product) : std::nullopt;
  if (result) sum = *result;
  return result.has_value();
}

// target *= v^exponent; false if it does not fit.
bool MultiplyPower(WideVector& target, const WideVector& v, const WideRational& exponent) {
  for (size_t i = 0; i < kBaseUnits; ++i) {
    if (!AddProduct(target.si[i], v.si[i], exponent)) return false;
  }
  if (exponent.IsZero()) return true;
  for (const auto& [id, e] : v.generics) {
    auto at = std::lower_bound(target.generics.begin(), target.generics.end(), id,
                               [](const auto& entry, GenericId key) { return entry.first < key; });
    if (at == target.generics.end() || at->first != id)
      at = target.generics.insert(at, {id, WideRational(0)});
    if (!AddProduct(at->second, e, exponent)) return false;
    if (at->second.IsZero()) target.generics.erase(at);
  }
  return true;
}

std::optional<DimensionVector> Narrow(const WideVector& v) {
  DimensionVector result;
  for (size_t i = 0; i < kBaseUnits; ++i) {
    const auto e = Narrow(v.si[i]);
    if (!e) return std::nullopt;
    result.si.exponents[i] = *e;
  }
  for (const auto& [id, exponent] : v.generics) {
    const auto e = Narrow(exponent);
    if (!e) return std::nullopt;
    result.generics.push_back({id, *e});
  }
  return result;
}

struct WideTerm {
  uint32_t variable;
  WideRational exponent;
};

// constant * Π variable^exponent
struct Monomial {
  WideVector constant;
  std::vector<WideTerm> terms;
};

}  // namespace

/* The state of DM.4. Every variable is
    - a member of a class: variable = offset * parent^power along `parent`, up to the root;
    - a root, which is free, determined (`value`), or defined by a row: root = constant * Π others^c.
Always true: the graph "is defined by" is acyclic, because a root, when it is defined, is free and so are all
others in its row. Rows are brought up to date (their variables free again) only when they are used. */
class DimensionSystem::Elimination {
 public:
  uint32_t AddVariable() {
    const auto v = static_cast<uint32_t>(nodes_.size());
    COTREE_CHECK(v != kNothing);
    nodes_.push_back({v});
    return v;
  }
  size_t size() const { return nodes_.size(); }

  Outcome AddEquation(std::span<const Term> terms, const DimensionVector& constant, uint32_t tag);
  Outcome AddEqual(uint32_t a, uint32_t b, uint32_t tag);
  Outcome AddValue(uint32_t a, const DimensionVector& constant, uint32_t tag);
  Answer Find(uint32_t variable);
  std::optional<DimensionVector> FindValue(uint32_t variable);

 private:
  // How Reduce meets rows: they are known to be fresh; it refreshes them; or it may also exchange what they
  // define.
  enum class Mode : uint8_t { kRowsAreFresh, kRefresh, kExchange };

  struct Node {
    uint32_t parent;            // itself: a root
    uint32_t size = 1;          // members of the class, at the root
    uint32_t link = kNothing;   // into links_; none: equal to the parent
    uint32_t value = kNothing;  // into values_, at a determined root
    uint32_t row = kNothing;    // into rows_, at a defined root
    uint32_t tag = kNothing;    // of the equation that fixed or joined the class, at the root
    uint32_t rows_with = 0;     // at a root: rows on whose right side the class stands; never too small
  };
  struct Link {
    WideRational power = 1;
    WideVector offset;
  };
  struct Row {
    Monomial right;
    uint64_t fresh;  // `changes_` when all its variables were free
  };
  // variable = offset * root^power; `link` none: equal
  struct Place {
    uint32_t root;
    const Link* link;
  };

  std::optional<Place> Locate(uint32_t variable);
  bool Reduce(Monomial& monomial, Mode mode);
  bool Substitute(Monomial& monomial);
  bool Refresh(uint32_t start);
  bool TryExchange(uint32_t root, const Monomial& monomial);
  void Count(const Row& row, int by);
  void Join(uint32_t child, uint32_t parent, uint32_t tag);
  void Fix(uint32_t root, DimensionVector value, uint32_t tag);
  Outcome AddGeneral(std::span<const Term> terms, const DimensionVector& constant, uint32_t tag);
  Outcome Contradict(std::span<const Term> terms, const DimensionVector& implied,
                     const DimensionVector& stated);

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<DimensionVector> values_;
  std::vector<Row> rows_;
  uint64_t changes_ = 1;        // counts what can make a variable of a row no longer free
  std::vector<uint32_t> path_;  // scratch of Locate
  std::vector<uint32_t>
      position_;  // scratch of Substitute: 1 + index into the new terms, by variable; all 0 between calls
};

// Path halving does not do for weighted links; this is full compression with a list for a stack.
std::optional<DimensionSystem::Elimination::Place> DimensionSystem::Elimination::Locate(uint32_t variable) {
  uint32_t root = variable;
  path_.clear();
  while (nodes_[root].parent != root) {
    path_.push_back(root);
    root = nodes_[root].parent;
  }
  if (path_.empty()) return Place{root, nullptr};
  // From the top down: each node is joined to the root directly. The topmost already is.
  for (size_t i = path_.size() - 1; i-- > 0;) {
    Node& node = nodes_[path_[i]];
    const Node& above = nodes_[path_[i + 1]];
    if (above.link != kNothing) {
      // node = o1 * above^p1, above = o2 * root^p2  =>  node = o1 * o2^p1 * root^(p1*p2)
      Link composed;
      if (node.link != kNothing) composed = links_[node.link];
      const auto power = Multiply(composed.power, links_[above.link].power);
      if (!power || !MultiplyPower(composed.offset, links_[above.link].offset, composed.power))
        return std::nullopt;
      composed.power = *power;
      if (node.link == kNothing) {
        node.link = static_cast<uint32_t>(links_.size());
        links_.emplace_back();
      }
      links_[node.link] = std::move(composed);
    }
    node.parent = root;
  }
  const uint32_t link = nodes_[variable].link;
  return Place{root, link == kNothing ? nullptr : &links_[link]};
}

void DimensionSystem::Elimination::Count(const Row& row, int by) {
  for (const WideTerm& term : row.right.terms) {
    const auto place = Locate(term.variable);
    if (place) nodes_[place->root].rows_with += static_cast<uint32_t>(by);
  }
}

// Puts roots for members and values for determined roots; gathers equal variables. Rows are left alone.
bool DimensionSystem::Elimination::Substitute(Monomial& monomial) {
  if (position_.size() < nodes_.size()) position_.resize(nodes_.size(), 0);
  std::vector<WideTerm> gathered;
  bool fits = true;
  for (const WideTerm& term : monomial.terms) {
    const auto place = Locate(term.variable);
    auto exponent = std::optional(term.exponent);
    if (place && place->link != nullptr) {
      fits = fits && MultiplyPower(monomial.constant, place->link->offset, term.exponent);
      exponent = Multiply(term.exponent, place->link->power);
    }
    fits = fits && place && exponent;
    if (!fits) break;
    const Node& root = nodes_[place->root];
    if (root.value != kNothing) {
      fits = MultiplyPower(monomial.constant, WideVector(values_[root.value]), *exponent);
      if (!fits) break;
      continue;
    }
    uint32_t& position = position_[place->root];
    if (position == 0) {
      gathered.push_back({place->root, *exponent});
      position = static_cast<uint32_t>(gathered.size());
    } else {
      const auto sum = Add(gathered[position - 1].exponent, *exponent);
      fits = sum.has_value();
      if (!fits) break;
      gathered[position - 1].exponent = *sum;
    }
  }
  for (const WideTerm& term : gathered) position_[term.variable] = 0;
  if (!fits) return false;
  std::erase_if(gathered, [](const WideTerm& term) { return term.exponent.IsZero(); });
  monomial.terms = std::move(gathered);
  return true;
}

// Brings a row up to date: all variables on its right side are free roots then. Depth first, with a list for
// a stack.
bool DimensionSystem::Elimination::Refresh(uint32_t start) {
  std::vector<uint32_t> stack{start};
  while (!stack.empty()) {
    const uint32_t index = stack.back();
    if (rows_[index].fresh == changes_) {
      stack.pop_back();
      continue;
    }
    const size_t before = stack.size();
    for (const WideTerm& term : rows_[index].right.terms) {
      const auto place = Locate(term.variable);
      if (!place) return false;
      const uint32_t row = nodes_[place->root].row;
      if (row != kNothing && rows_[row].fresh != changes_) stack.push_back(row);
    }
    if (stack.size() > before) continue;
    Monomial right = rows_[index].right;
    if (!Reduce(right, Mode::kRowsAreFresh)) return false;
    Count(rows_[index], -1);
    rows_[index].right = std::move(right);
    rows_[index].fresh = changes_;
    Count(rows_[index], +1);
    stack.pop_back();
  }
  return true;
}

// Frees a defined root by defining another variable of its row instead, one that stands in no other row and
// not in `monomial`: no fill-in.
bool DimensionSystem::Elimination::TryExchange(uint32_t root, const Monomial& monomial) {
  const uint32_t index = nodes_[root].row;
  Row& row = rows_[index];
  const WideTerm* chosen = nullptr;
  for (const WideTerm& term : row.right.terms) {
    if (nodes_[term.variable].rows_with > 1 || (chosen != nullptr && term.variable < chosen->variable))
      continue;
    const auto same = [&](const WideTerm& other) { return other.variable == term.variable; };
    if (std::none_of(monomial.terms.begin(), monomial.terms.end(), same)) chosen = &term;
  }
  if (chosen == nullptr) return false;
  // root = constant * chosen^c * others  =>  chosen = constant^(-1/c) * root^(1/c) * others^(-1/c)
  const uint32_t other = chosen->variable;
  const auto inverse = Divide(WideRational(1), chosen->exponent);
  if (!inverse) return false;
  Monomial right;
  if (!MultiplyPower(right.constant, row.right.constant, -*inverse)) return false;
  right.terms.push_back({root, *inverse});
  for (const WideTerm& term : row.right.terms) {
    if (term.variable == other) continue;
    const auto exponent = Multiply(term.exponent, -*inverse);
    if (!exponent) return false;
    right.terms.push_back({term.variable, *exponent});
  }
  Count(row, -1);
  row.right = std::move(right);
  nodes_[root].row = kNothing;
  nodes_[other].row = index;
  nodes_[other].tag = nodes_[root].tag;
  Count(row, +1);
  return true;  // No other row holds `other`, so all fresh rows stay so.
}

// Expresses a monomial by free roots alone.
bool DimensionSystem::Elimination::Reduce(Monomial& monomial, Mode mode) {
  if (!Substitute(monomial)) return false;
  const auto defined = [&](const WideTerm& term) { return nodes_[term.variable].row != kNothing; };
  if (std::none_of(monomial.terms.begin(), monomial.terms.end(), defined)) return true;
  if (mode != Mode::kRowsAreFresh) {
    for (const WideTerm& term : monomial.terms) {
      if (!defined(term)) continue;
      if (!Refresh(nodes_[term.variable].row)) return false;
      if (mode == Mode::kExchange) TryExchange(term.variable, monomial);
    }
  }
  std::vector<WideTerm> terms;
  for (const WideTerm& term : monomial.terms) {
    if (!defined(term)) {
      terms.push_back(term);
      continue;
    }
    const Row& row = rows_[nodes_[term.variable].row];
    if (!MultiplyPower(monomial.constant, row.right.constant, term.exponent)) return false;
    for (const WideTerm& inner : row.right.terms) {
      const auto exponent = Multiply(inner.exponent, term.exponent);
      if (!exponent) return false;
      terms.push_back({inner.variable, *exponent});
    }
  }
  monomial.terms = std::move(terms);
  return Substitute(monomial);
}

void DimensionSystem::Elimination::Join(uint32_t child, uint32_t parent, uint32_t tag) {
  Node& below = nodes_[child];
  Node& above = nodes_[parent];
  below.parent = parent;
  above.size += below.size;
  above.rows_with += below.rows_with;
  if (below.value != kNothing) {
    above.value = below.value;
    above.tag = below.tag;
  } else if (above.value == kNothing) {
    above.tag = tag;
  }
  ++changes_;
}

void DimensionSystem::Elimination::Fix(uint32_t root, DimensionVector value, uint32_t tag) {
  nodes_[root].value = static_cast<uint32_t>(values_.size());
  nodes_[root].tag = tag;
  values_.push_back(std::move(value));
  ++changes_;
}

DimensionSystem::Outcome DimensionSystem::Elimination::Contradict(std::span<const Term> terms,
                                                                  const DimensionVector& implied,
                                                                  const DimensionVector& stated) {
  Outcome outcome{Status::kContradiction, implied, stated, {}};
  for (const Term& term : terms) {
    const auto place = Locate(term.variable.value);
    if (!place || nodes_[place->root].tag == kNothing) continue;
    const auto same = [&](const Cause& cause) { return cause.variable == term.variable; };
    if (std::any_of(outcome.causes.begin(), outcome.causes.end(), same)) continue;
    outcome.causes.push_back({term.variable, nodes_[place->root].tag});
  }
  return outcome;
}

DimensionSystem::Outcome DimensionSystem::Elimination::AddEqual(uint32_t a, uint32_t b, uint32_t tag) {
  const Term terms[] = {{DimVarId(a), 1}, {DimVarId(b), -1}};
  const auto place_a = Locate(a);
  const bool plain_a = place_a && place_a->link == nullptr && nodes_[place_a->root].row == kNothing;
  const auto place_b = Locate(b);
  const bool plain_b = place_b && place_b->link == nullptr && nodes_[place_b->root].row == kNothing;
  if (!plain_a || !plain_b) return AddGeneral(terms, DimensionVector(), tag);
  uint32_t child = place_a->root, parent = place_b->root;
  if (child == parent) return {Status::kImplied, {}, {}, {}};
  if (nodes_[child].value != kNothing && nodes_[parent].value != kNothing) {
    if (values_[nodes_[child].value] == values_[nodes_[parent].value]) return {Status::kImplied, {}, {}, {}};
    return AddGeneral(terms, DimensionVector(), tag);
  }
  if (nodes_[child].size > nodes_[parent].size) std::swap(child, parent);
  Join(child, parent, tag);
  return {};
}

DimensionSystem::Outcome DimensionSystem::Elimination::AddValue(uint32_t a, const DimensionVector& constant,
                                                                uint32_t tag) {
  const auto place = Locate(a);
  if (place && place->link == nullptr && nodes_[place->root].row == kNothing) {
    const uint32_t value = nodes_[place->root].value;
    if (value == kNothing) return Fix(place->root, constant, tag), Outcome{};
    if (values_[value] == constant) return {Status::kImplied, {}, {}, {}};
  }
  const Term terms[] = {{DimVarId(a), 1}};
  return AddGeneral(terms, constant, tag);
}

DimensionSystem::Outcome DimensionSystem::Elimination::AddEquation(std::span<const Term> terms,
                                                                   const DimensionVector& constant,
                                                                   uint32_t tag) {
  const auto is = [&](size_t i, int exponent) {
    return terms[i].exponent == Rational(static_cast<int16_t>(exponent));
  };
  if (terms.size() == 1 && is(0, 1)) return AddValue(terms[0].variable.value, constant, tag);
  if (terms.size() == 2 && is(0, 1) && is(1, -1) && constant.IsOne()) {
    return AddEqual(terms[0].variable.value, terms[1].variable.value, tag);
  }
  return AddGeneral(terms, constant, tag);
}

// DM.4: the equation is brought to Π free^c * constant = 1, and then tells something about one of them.
DimensionSystem::Outcome DimensionSystem::Elimination::AddGeneral(std::span<const Term> terms,
                                                                  const DimensionVector& constant,
                                                                  uint32_t tag) {
  Outcome too_large{Status::kTooLarge, {}, {}, {}};
  const WideVector stated(constant);
  Monomial rest;
  if (!MultiplyPower(rest.constant, stated, -1)) return too_large;
  for (const Term& term : terms) rest.terms.push_back({term.variable.value, Widen(term.exponent)});
  if (!Reduce(rest, Mode::kExchange)) return too_large;
  if (rest.terms.empty()) {
    if (rest.constant.IsOne()) return {Status::kImplied, {}, {}, {}};
    WideVector implied = rest.constant;
    const auto narrow = MultiplyPower(implied, stated, 1) ? Narrow(implied) : std::nullopt;
    return narrow ? Contradict(terms, *narrow, constant) : too_large;
  }

  // The pivot: the variable that stands in the fewest rows, then of the smallest class, then the latest.
  const auto better = [&](const WideTerm& a, const WideTerm& b) {
    const Node &x = nodes_[a.variable], &y = nodes_[b.variable];
    if (x.rows_with != y.rows_with && rest.terms.size() > 2) return x.rows_with < y.rows_with;
    if (x.size != y.size) return x.size < y.size;
    return a.variable > b.variable;
  };
  const WideTerm pivot = *std::min_element(rest.terms.begin(), rest.terms.end(), better);
  const auto inverse = Divide(WideRational(-1), pivot.exponent);
  Monomial right;
  if (!inverse || !MultiplyPower(right.constant, rest.constant, *inverse)) return too_large;
  for (const WideTerm& term : rest.terms) {
    if (term.variable == pivot.variable) continue;
    const auto exponent = Multiply(term.exponent, *inverse);
    if (!exponent) return too_large;
    right.terms.push_back({term.variable, *exponent});
  }

  if (right.terms.empty()) {
    auto value = Narrow(right.constant);
    if (!value) return too_large;
    Fix(pivot.variable, std::move(*value), tag);
  } else if (right.terms.size() == 1) {
    if (right.terms[0].exponent != WideRational(1) || !right.constant.IsOne()) {
      nodes_[pivot.variable].link = static_cast<uint32_t>(links_.size());
      links_.push_back({right.terms[0].exponent, std::move(right.constant)});
    }
    Join(pivot.variable, right.terms[0].variable, tag);
  } else {
    nodes_[pivot.variable].row = static_cast<uint32_t>(rows_.size());
    nodes_[pivot.variable].tag = tag;
    rows_.push_back({std::move(right), ++changes_});
    Count(rows_.back(), +1);
  }
  return {};
}

DimensionSystem::Answer DimensionSystem::Elimination::Find(uint32_t variable) {
  Answer answer;
  Monomial monomial;
  monomial.terms.push_back({variable, 1});
  auto value = Reduce(monomial, Mode::kRefresh) ? Narrow(monomial.constant) : std::nullopt;
  answer.too_large = !value;
  if (value) answer.value = std::move(*value);
  for (const WideTerm& term : monomial.terms) {
    const auto exponent = cotree::Narrow(term.exponent);
    answer.too_large = answer.too_large || !exponent;
    if (!answer.too_large) answer.free.push_back({DimVarId(term.variable), *exponent});
  }
  std::sort(answer.free.begin(), answer.free.end(),
            [](const Term& a, const Term& b) { return a.variable < b.variable; });
  const auto place = Locate(variable);
  if (place && nodes_[place->root].tag != kNothing) answer.tag = nodes_[place->root].tag;
  return answer;
}

std::optional<DimensionVector> DimensionSystem::Elimination::FindValue(uint32_t variable) {
  const auto place = Locate(variable);
  if (place && place->link == nullptr && nodes_[place->root].row == kNothing) {
    const uint32_t value = nodes_[place->root].value;
    return value == kNothing ? std::nullopt : std::optional(values_[value]);
  }
  Answer answer = Find(variable);
  return answer.determined() ? std::optional(std::move(answer.value)) : std::nullopt;
}

DimensionSystem::DimensionSystem() : elimination_(std::make_unique<Elimination>()) {}
DimensionSystem::~DimensionSystem() = default;
DimensionSystem::DimensionSystem(DimensionSystem&&) noexcept = default;
DimensionSystem& DimensionSystem::operator=(DimensionSystem&&) noexcept = default;

DimVarId DimensionSystem::AddVariable() {
  return DimVarId(elimination_->AddVariable());
}
size_t DimensionSystem::size() const {
  return elimination_->size();
}

DimensionSystem::Outcome DimensionSystem::AddEquation(std::span<const Term> terms,
                                                      const DimensionVector& constant, uint32_t tag) {
  for (const Term& term : terms) COTREE_CHECK(term.variable.index() < size());
  return elimination_->AddEquation(terms, constant, tag);
}
DimensionSystem::Outcome DimensionSystem::AddEqual(DimVarId a, DimVarId b, uint32_t tag) {
  COTREE_CHECK(a.index() < size() && b.index() < size());
  return elimination_->AddEqual(a.value, b.value, tag);
}
DimensionSystem::Outcome DimensionSystem::AddValue(DimVarId a, const DimensionVector& constant,
                                                   uint32_t tag) {
  COTREE_CHECK(a.index() < size());
  return elimination_->AddValue(a.value, constant, tag);
}
DimensionSystem::Answer DimensionSystem::Find(DimVarId variable) {
  COTREE_CHECK(variable.index() < size());
  return elimination_->Find(variable.value);
}
std::optional<DimensionVector> DimensionSystem::FindValue(DimVarId variable) {
  COTREE_CHECK(variable.index() < size());
  return elimination_->FindValue(variable.value);
}

}  // namespace cotree
