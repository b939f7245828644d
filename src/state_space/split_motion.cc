// SPDX-License-Identifier: Apache-2.0
#include "state_space/split_motion.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "closed_form/fraction.h"

namespace cotree {
namespace {

using Share = FractionField::Share;

/* A coefficient up to a number: exponents with coefficients by the first one's. */
struct BaseParameter {
  std::vector<std::pair<std::vector<uint32_t>, double>> terms;
  friend bool operator<(const BaseParameter& a, const BaseParameter& b) { return a.terms < b.terms; }
};

BaseParameter Normed(std::vector<Monomial> terms, double* factor) {
  std::sort(terms.begin(), terms.end(),
            [](const Monomial& a, const Monomial& b) { return a.exponents > b.exponents; });
  *factor = terms[0].coefficient;
  BaseParameter out;
  for (const Monomial& m : terms) {
    // Equal but for rounding is equal.
    const double ratio = m.coefficient / *factor;
    out.terms.emplace_back(m.exponents, std::round(ratio * 1e12) / 1e12);
  }
  return out;
}

// A quotient of rounded coefficients that is an integer, or the inverse of one, but for rounding.
double Plain(double ratio) {
  for (const bool inverse : {false, true}) {
    const double x = inverse ? 1 / ratio : ratio, whole = std::round(x);
    if (whole != 0 && std::fabs(whole) <= 1000 && std::fabs(x - whole) <= 1e-13 * std::fabs(whole))
      return inverse ? 1 / whole : whole;
  }
  return ratio;
}

class Splitter {
 public:
  Splitter(ExprPool& pool, ReadableGroup& group, const MotionLetters& letters,
           const std::vector<Replacement>& numbers)
      : pool_(pool), group_(group), letters_(letters), numbers_(numbers), field_(pool, All(group), 1500) {}

  bool Run(size_t first_letter, std::vector<std::pair<SymbolId, ExprId>>* definitions) {
    const size_t n = group_.right.size();
    constexpr size_t kMostEntries = 150;
    if (n * n > kMostEntries) return false;
    std::vector<Polynomial> entries;  // M by rows, V, G, Q
    for (const auto& row : group_.matrix) {
      for (const ExprId entry : row) {
        if (!Take(entry, &entries)) return false;
      }
    }
    // What is no polynomial (a force with a root, a quotient) is a force: it stays on the right.
    std::vector<Polynomial> rights;
    std::vector<std::vector<ExprId>> others(n);
    for (size_t i = 0; i < n; ++i) {
      if (!TakeTerms(group_.right[i], &rights, &others[i])) return false;
    }
    std::vector<size_t> velocities, gravity;
    const auto collect = [&](const std::vector<ExprId>& symbols, std::vector<size_t>* out) {
      for (const ExprId symbol : symbols) {
        if (const auto generator = field_.GeneratorOf(symbol)) out->push_back(*generator);
      }
    };
    collect(letters_.velocities, &velocities);
    collect(letters_.gravity, &gravity);
    const auto has_gravity = [&](const std::vector<uint32_t>& e) {
      return std::any_of(gravity.begin(), gravity.end(), [&](size_t k) { return e[k] > 0; });
    };
    const auto is_quadratic = [&](const std::vector<uint32_t>& e) {
      uint32_t degree = 0;
      for (const size_t k : velocities) degree += e[k];
      return degree >= 2 && !has_gravity(e);
    };
    // The right side of a condition is one thing.
    const size_t moving = group_.freedoms == 0 ? n : group_.freedoms;
    const Polynomial zero(field_.ring());
    for (size_t i = 0; i < n; ++i)
      entries.push_back(i < moving ? -field_.PartOf(rights[i], is_quadratic) : zero);
    for (size_t i = 0; i < n; ++i)
      entries.push_back(i < moving ? -field_.PartOf(rights[i], has_gravity) : zero);
    for (size_t i = 0; i < n; ++i)
      entries.push_back(i < moving ? field_.PartOf(rights[i],
                                                   [&](const std::vector<uint32_t>& e) {
                                                     return !is_quadratic(e) && !has_gravity(e);
                                                   })
                                   : rights[i]);

    std::vector<ExprId> written;
    for (const Polynomial& entry : entries) written.push_back(Number(entry, field_.Shortest(entry)));
    std::vector<std::pair<SymbolId, ExprId>> letters;
    if (numbers_.empty()) {
      const std::vector<ExprId> grouped = WithBaseParameters(entries, first_letter, &letters);
      if (Cost(grouped, letters) < Cost(written, {})) written = grouped, *definitions = letters;
    }
    size_t at = 0;
    for (auto& row : group_.matrix) {
      for (ExprId& entry : row) entry = written[at++];
    }
    for (auto* part : {&group_.coriolis, &group_.gravity, &group_.right}) {
      part->clear();
      for (size_t i = 0; i < n; ++i) part->push_back(written[at++]);
    }
    for (size_t i = 0; i < n; ++i) {
      if (others[i].empty()) continue;
      const ExprId other = Substitute(pool_, Shorten(pool_, pool_.Sum(others[i])), numbers_);
      group_.right[i] = pool_.Add(group_.right[i], other);
    }
    const auto vanish = [&](std::vector<ExprId>& part) {
      if (std::all_of(part.begin(), part.end(), [&](ExprId e) { return pool_.IsZero(e); })) part.clear();
    };
    vanish(group_.coriolis);
    vanish(group_.gravity);
    return true;
  }

 private:
  static std::vector<ExprId> All(const ReadableGroup& group) {
    std::vector<ExprId> out = group.right;
    for (const auto& row : group.matrix) out.insert(out.end(), row.begin(), row.end());
    return out;
  }
  bool Take(ExprId expr, std::vector<Polynomial>* out) {
    constexpr size_t kMostTerms = 300;
    const auto fraction = field_.Convert(expr);
    if (!fraction || !fraction->denominator.IsOne() || fraction->numerator.size() > kMostTerms) return false;
    out->push_back(fraction->numerator);
    return true;
  }
  // The polynomials of a sum, and its other terms.
  bool TakeTerms(ExprId expr, std::vector<Polynomial>* out, std::vector<ExprId>* others) {
    if (Take(expr, out)) return true;
    Polynomial sum(field_.ring());
    std::vector<std::pair<ExprId, bool>> open{{expr, false}};  // negated
    while (!open.empty()) {
      const auto [term, negated] = open.back();
      open.pop_back();
      if (pool_.op(term) == Op::kAdd) {
        for (const ExprId operand : pool_.operands(term)) open.emplace_back(operand, negated);
        continue;
      }
      if (const ExprId positive = pool_.Negate(term);
          pool_.IsNegative(term) && pool_.op(positive) == Op::kAdd) {
        open.emplace_back(positive, !negated);
        continue;
      }
      std::vector<Polynomial> one;
      if (Take(term, &one))
        sum = negated ? sum - one[0] : sum + one[0];
      else
        others->push_back(negated ? pool_.Negate(term) : term);
    }
    out->push_back(std::move(sum));
    constexpr size_t kMostOthers = 12;
    return others->size() <= kMostOthers;
  }
  // Letters that shall be numbers become so at the end.
  ExprId Number(const Polynomial& polynomial, ExprId written) {
    if (numbers_.empty()) return written;
    const auto value = field_.Evaluate({polynomial, Polynomial::Integer(field_.ring(), 1)}, numbers_);
    return Substitute(pool_, value ? field_.Shortest(*value) : written, numbers_);
  }
  uint64_t Cost(const std::vector<ExprId>& entries,
                const std::vector<std::pair<SymbolId, ExprId>>& letters) const {
    uint64_t cost = 0;
    for (const ExprId entry : entries) cost += CostOf(pool_, entry);
    for (const auto& [symbol, value] : letters) cost += CostOf(pool_, value) + 2;
    return cost;
  }

  std::vector<ExprId> WithBaseParameters(const std::vector<Polynomial>& entries, size_t first_letter,
                                         std::vector<std::pair<SymbolId, ExprId>>* letters) {
    std::vector<std::vector<Share>> shares;
    std::map<BaseParameter, size_t> uses;
    double factor = 0;
    for (const Polynomial& entry : entries) {
      shares.push_back(entry.IsZero() ? std::vector<Share>{} : field_.ByWhatVaries(entry));
      for (const Share& share : shares.back()) ++uses[Normed(share.coefficient, &factor)];
    }
    // Letters first, then sums of them.
    struct Letter {
      BaseParameter base;
      ExprId symbol;
    };
    std::vector<Letter> made;
    for (const std::vector<Share>& sum : shares) {
      for (const Share& share : sum) {
        const BaseParameter base = Normed(share.coefficient, &factor);
        const bool known = std::any_of(made.begin(), made.end(),
                                       [&](const Letter& l) { return l.base.terms == base.terms; });
        if (uses[base] < 2 || known) continue;
        std::vector<Monomial> own = share.coefficient;
        for (Monomial& m : own) m.coefficient = Plain(m.coefficient / factor);
        const ExprId value = field_.Shortest(own);
        if (SizeOf(pool_, value).operations < 2) continue;
        const SymbolId symbol = pool_.DeclareSymbol(
            "~p_" + std::to_string(first_letter + letters->size() + 1), SymbolKind::kParameter);
        letters->emplace_back(symbol, value);
        made.push_back({base, pool_.Symbol(symbol)});
      }
    }
    // A sum that holds all terms of a longer letter is that letter and a rest.
    std::stable_sort(made.begin(), made.end(), [](const Letter& a, const Letter& b) {
      return a.base.terms.size() > b.base.terms.size();
    });
    std::vector<ExprId> out;
    for (const std::vector<Share>& sum : shares) {
      std::vector<ExprId> summands;
      for (const Share& share : sum) {
        std::vector<Monomial> rest = share.coefficient;
        std::vector<ExprId> coefficient;
        for (const Letter& letter : made) {
          const bool whole = letter.base.terms.size() == share.coefficient.size();
          if (letter.base.terms.size() < 2 && !whole) continue;
          if (const auto times = TakeOut(letter.base, &rest))
            coefficient.push_back(pool_.Multiply(pool_.Number(Plain(*times)), letter.symbol));
          if (rest.empty()) break;
        }
        if (!rest.empty()) coefficient.push_back(field_.Shortest(rest));
        summands.push_back(pool_.Multiply(pool_.Sum(coefficient), share.key));
      }
      out.push_back(Shorten(pool_, pool_.Sum(summands)));
    }
    return out;
  }

  // How many times all terms of a base parameter stand in the sum; they are taken out of it. None: they do
  // not.
  static std::optional<double> TakeOut(const BaseParameter& base, std::vector<Monomial>* sum) {
    std::optional<double> times;
    std::vector<size_t> found;
    for (const auto& [exponents, ratio] : base.terms) {
      const auto at =
          std::find_if(sum->begin(), sum->end(), [&](const Monomial& m) { return m.exponents == exponents; });
      if (at == sum->end()) return std::nullopt;
      const double own = at->coefficient / ratio;
      if (times && std::fabs(own - *times) > 1e-11 * std::fabs(own)) return std::nullopt;
      times = own;
      found.push_back(static_cast<size_t>(at - sum->begin()));
    }
    std::sort(found.rbegin(), found.rend());
    for (const size_t k : found) sum->erase(sum->begin() + static_cast<ptrdiff_t>(k));
    return times;
  }

  ExprPool& pool_;
  ReadableGroup& group_;
  const MotionLetters& letters_;
  const std::vector<Replacement>& numbers_;
  FractionField field_;
};

}  // namespace

bool SplitMotion(ExprPool& pool, ReadableGroup& group, const MotionLetters& letters,
                 const std::vector<Replacement>& numbers, size_t first_letter,
                 std::vector<std::pair<SymbolId, ExprId>>* definitions) {
  return Splitter(pool, group, letters, numbers).Run(first_letter, definitions);
}

}  // namespace cotree
