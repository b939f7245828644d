// SPDX-License-Identifier: Apache-2.0
#include "program/eliminate_block.h"

#include <algorithm>
#include <cmath>

#include "expr/jacobian.h"
#include "program/program_builder.h"

namespace cotree {
namespace {

constexpr double kLeastPivot = 1e-8;        // of the terms that it is the sum of
constexpr double kLargestResidual = 1e-13;  // of the terms of its row

/* The elimination in numbers, as the explicit steps do it: to see whether it is good at these. */
class Trial {
 public:
  Trial(const ImplicitBlock& block, std::span<const double> entries)
      : block_(block), entries_(entries), n_(block.unknowns.size()), m_(block.tearing.tears.size()) {
    for (const BlockRow& row : block.rows) {
      first_.push_back(size_);
      size_ += row.columns.size();
    }
  }

  std::vector<uint32_t> Run() {
    if (!FactorSchur()) return {};
    for (uint32_t sample = 0; sample < 4; ++sample) {
      if (!Solves(sample)) return {};
    }
    return pivots_;
  }

 private:
  template <class F>
  void OverRow(uint32_t r, F&& f) const {
    const std::vector<uint32_t>& columns = block_.rows[r].columns;
    for (size_t k = 0; k < columns.size(); ++k) f(columns[k], entries_[first_[r] + k]);
  }
  // What the inner rows make of the tears, with `right` on their right sides.
  void Sweep(const double* right, std::vector<double>& x) const {
    for (const Tearing::Inner& inner : block_.tearing.inner) {
      double sum = right == nullptr ? 0 : -right[inner.row];
      OverRow(inner.row, [&](uint32_t c, double a) { sum += c == inner.column ? 0 : a * x[c]; });
      x[inner.column] = -sum / entries_[first_[inner.row] + inner.entry];
    }
  }

  // The Schur complement, its rows in the order of partial pivoting, in factors.
  bool FactorSchur() {
    const std::vector<uint32_t>& rows = block_.tearing.rows;
    schur_.assign(m_ * m_, 0);
    std::vector<double> scale(m_, 0), x(n_);
    for (size_t j = 0; j < m_; ++j) {
      std::fill(x.begin(), x.end(), 0.0);
      x[block_.tearing.tears[j]] = 1;
      Sweep(nullptr, x);
      for (size_t i = 0; i < m_; ++i) {
        double terms = 0;
        OverRow(rows[i], [&](uint32_t c, double a) {
          schur_[i * m_ + j] += a * x[c];
          terms += std::fabs(a * x[c]);
        });
        scale[i] = std::max(scale[i], terms);
      }
    }
    pivots_ = rows;
    for (size_t k = 0; k < m_; ++k) {
      const auto size = [&](size_t i) { return std::fabs(schur_[i * m_ + k]) / scale[i]; };
      size_t pivot = k;
      for (size_t i = k + 1; i < m_; ++i) {
        if (size(i) > size(pivot)) pivot = i;
      }
      if (!(size(pivot) > kLeastPivot) || !std::isfinite(scale[pivot])) return false;
      std::swap(pivots_[k], pivots_[pivot]);
      std::swap(scale[k], scale[pivot]);
      for (size_t j = 0; j < m_; ++j) std::swap(schur_[k * m_ + j], schur_[pivot * m_ + j]);
      for (size_t i = k + 1; i < m_; ++i) {
        const double factor = schur_[i * m_ + k] /= schur_[k * m_ + k];
        for (size_t j = k + 1; j < m_; ++j) schur_[i * m_ + j] -= factor * schur_[k * m_ + j];
      }
    }
    return true;
  }

  // Sizes of the unknowns that make the terms of each row alike: powers of two, rows and columns in turn.
  std::vector<double> FindSizes() const {
    std::vector<double> row(n_, 1), column(n_, 1), largest(n_);
    for (int turn = 0; turn < 3; ++turn) {
      for (uint32_t r = 0; r < n_; ++r) {
        double most = 0;
        OverRow(r, [&](uint32_t c, double a) { most = std::max(most, std::fabs(a * column[c])); });
        if (most > 0) row[r] = std::ldexp(1.0, -std::ilogb(most));
      }
      std::fill(largest.begin(), largest.end(), 0.0);
      for (uint32_t r = 0; r < n_; ++r)
        OverRow(r, [&](uint32_t c, double a) { largest[c] = std::max(largest[c], std::fabs(a * row[r])); });
      for (size_t c = 0; c < n_; ++c) {
        if (largest[c] > 0) column[c] = std::ldexp(1.0, -std::ilogb(largest[c]));
      }
    }
    return column;
  }

  // Whether the solution for some right side leaves no residual.
  bool Solves(uint32_t sample) const {
    std::vector<double> x = FindSizes(), right(n_, 0);
    uint32_t random = 12345 + sample;
    for (double& value : x) {
      random = random * 1664525u + 1013904223u;
      value *= (random >> 31 != 0 ? 1 : -1) * (0.5 + (random >> 8 & 0xffff) / 65536.0);
    }
    for (uint32_t r = 0; r < n_; ++r) OverRow(r, [&](uint32_t c, double a) { right[r] += a * x[c]; });
    std::fill(x.begin(), x.end(), 0.0);
    Sweep(right.data(), x);
    std::vector<double> t(m_);
    for (size_t i = 0; i < m_; ++i) {
      t[i] = right[pivots_[i]];
      OverRow(pivots_[i], [&](uint32_t c, double a) { t[i] -= a * x[c]; });
      for (size_t j = 0; j < i; ++j) t[i] -= schur_[i * m_ + j] * t[j];
    }
    for (size_t i = m_; i-- > 0;) {
      for (size_t j = i + 1; j < m_; ++j) t[i] -= schur_[i * m_ + j] * t[j];
      t[i] /= schur_[i * m_ + i];
    }
    for (size_t i = 0; i < m_; ++i) x[block_.tearing.tears[i]] = t[i];
    Sweep(right.data(), x);
    for (uint32_t r = 0; r < n_; ++r) {
      double off = -right[r], terms = 0;
      OverRow(r, [&](uint32_t c, double a) {
        off += a * x[c];
        terms += std::fabs(a * x[c]);
      });
      if (!(std::fabs(off) <= kLargestResidual * terms)) return false;
    }
    return true;
  }

  const ImplicitBlock& block_;
  std::span<const double> entries_;
  size_t n_, m_, size_ = 0;
  std::vector<size_t> first_;  // by row, in `entries_`
  std::vector<double> schur_;
  std::vector<uint32_t> pivots_;
};

}  // namespace

std::vector<double> ConstantEntries(const Program& program, const ImplicitBlock& block) {
  std::vector<double> out;
  for (const BlockRow& row : block.rows) {
    if (row.code == UINT32_MAX) {
      out.insert(out.end(), row.signs.begin(), row.signs.end());
      continue;
    }
    const std::vector<double> at = AtParameters(program, row.code, row.parameters);
    out.insert(out.end(), at.begin() + 1, at.end());
  }
  return out;
}

std::vector<uint32_t> FindPivots(const ImplicitBlock& block, std::span<const double> entries) {
  const size_t tears = block.tearing.tears.size();
  if (block.kind != BlockKind::kLinearConstant || block.unknowns.size() > kLargestEliminated || tears == 0 ||
      tears > kMostEliminatedTears)
    return {};
  return Trial(block, entries).Run();
}

bool KeepsPivots(const Program& program) {
  bool same = true;
  program.OverImplicit([&](const ImplicitBlock& block) {
    if (same && block.kind == BlockKind::kLinearConstant)
      same = FindPivots(block, ConstantEntries(program, block)) == block.pivots;
  });
  return same;
}

namespace {

/* t from S t = -r, without pivoting. Locals: S by rows, then r. */
Code TearCode(uint32_t m) {
  Code code;
  code.locals = m * m + m;
  const auto emit = [&](Instruction i) {
    code.instructions.push_back(i);
    return static_cast<uint32_t>(code.instructions.size() - 1);
  };
  const auto load = [&](uint32_t local) { return emit({CodeOp::kLoad, Op::kSymbol, local, 0, 0, 0}); };
  const auto binary = [&](Op op, uint32_t a, uint32_t b) { return emit({CodeOp::kBinary, op, a, b, 0, 0}); };
  const uint32_t minus = emit({CodeOp::kNumber, Op::kNumber, 0, 0, 0, -1});
  const auto less = [&](uint32_t from, uint32_t a, uint32_t b) {
    return binary(Op::kAdd, from, binary(Op::kMultiply, minus, binary(Op::kMultiply, a, b)));
  };
  std::vector<std::vector<uint32_t>> s(m);
  std::vector<uint32_t> t;
  for (uint32_t i = 0; i < m; ++i) {
    for (uint32_t j = 0; j < m; ++j) s[i].push_back(load(i * m + j));
    t.push_back(binary(Op::kMultiply, minus, load(m * m + i)));
  }
  for (uint32_t k = 0; k < m; ++k) {
    for (uint32_t i = k + 1; i < m; ++i) {
      const uint32_t factor = binary(Op::kDivide, s[i][k], s[k][k]);
      for (uint32_t j = k + 1; j < m; ++j) s[i][j] = less(s[i][j], factor, s[k][j]);
      t[i] = less(t[i], factor, t[k]);
    }
  }
  for (uint32_t k = m; k-- > 0;) {
    for (uint32_t j = k + 1; j < m; ++j) t[k] = less(t[k], s[k][j], t[j]);
    t[k] = binary(Op::kDivide, t[k], s[k][k]);
  }
  code.results = t;
  return code;
}

Code NumberCode(double value) {
  Code code;
  code.instructions.push_back({CodeOp::kNumber, Op::kNumber, 0, 0, 0, value});
  code.results = {0};
  return code;
}

}  // namespace

/* A row of the block in some arithmetic of the elimination. */
struct ProgramBuilder::EliminatedRow {
  const Part* part = nullptr;  // none: a topological row
  uint32_t equation = 0;       // sorted
  uint32_t local = 0, times = 0;
  uint32_t unknown = UINT32_MAX;  // slot that it is solved for; none: what it leaves
  ScalarUse own;                  // likewise, of a part
  std::vector<ScalarUse> uses;    // unknowns of the block, of a part
  Form* form = nullptr;           // solved for its own
};

/* One sweep through the block: where its unknowns stand. `alone`: only they count. */
struct ProgramBuilder::Sweep {
  std::unordered_map<uint32_t, uint32_t> to;
  bool alone = false;
  uint32_t At(uint32_t slot) const {
    const auto at = to.find(slot);
    return at != to.end() ? at->second : alone ? UINT32_MAX : slot;
  }
};

void ProgramBuilder::Append(uint32_t block, Unit unit) {
  unit.block = block;
  if (chain_ == UINT32_MAX) {
    units_[block] = unit;
    chain_ = block;
    return;
  }
  units_[chain_].next = static_cast<uint32_t>(units_.size());
  chain_ = units_[chain_].next;
  units_.push_back(unit);
}

void ProgramBuilder::AppendKernel(uint32_t block, uint32_t code, uint32_t parameters,
                                  const std::vector<uint32_t>& locals, const std::vector<uint32_t>& targets) {
  Append(block, {Step::Kind::kKernel, code + 1, static_cast<uint32_t>(instances_.size())});
  instances_.push_back(
      {static_cast<uint32_t>(locals_.size()), static_cast<uint32_t>(targets_.size()), parameters});
  locals_.insert(locals_.end(), locals.begin(), locals.end());
  targets_.insert(targets_.end(), targets.begin(), targets.end());
}

void ProgramBuilder::AppendRow(uint32_t block, const EliminatedRow& row, const Sweep& sweep,
                               uint32_t target) {
  if (row.part == nullptr) {
    SumRow sum = MakeSum(row.equation, row.unknown);
    auto last = out_->sum_entries.begin() + sum.first;
    for (auto at = last; at != out_->sum_entries.end(); ++at) {
      const uint32_t slot = sweep.At(at->slot);
      if (slot != UINT32_MAX && slot != zero_slot_) *last++ = {slot, at->sign};
    }
    out_->sum_entries.erase(last, out_->sum_entries.end());
    sum.count = static_cast<uint32_t>(out_->sum_entries.size()) - sum.first;
    sum.target = target;
    Append(block, {Step::Kind::kSums, 0, static_cast<uint32_t>(sums_.size())});
    sums_.push_back(sum);
    return;
  }
  const BoundCode& code =
      row.form != nullptr && !sweep.alone ? row.form->code : CombinedForm(row, sweep.alone);
  std::vector<uint32_t> locals;
  for (const ScalarUse& use : code.locals) locals.push_back(sweep.At(SlotOf(*row.part, use)));
  AppendKernel(block, code.code, system_.parameters.first[row.part->component], locals, {target});
}

// What a row of a class leaves; or, of the unknowns alone, what it makes of them.
const BoundCode& ProgramBuilder::CombinedForm(const EliminatedRow& row, bool alone) {
  const uint32_t scalar = row.part->scalar;
  const bool solved = row.unknown != UINT32_MAX;
  const auto key_of = [](const ScalarUse& use) { return (uint64_t{use.variable} << 8) | use.order; };
  std::vector<uint64_t> key{scalar, row.local, row.times, alone ? 1u : 0u,
                            solved ? key_of(row.own) : UINT64_MAX};
  for (const ScalarUse& use : row.uses) key.push_back(key_of(use));
  const auto [at, fresh] = combined_forms_.try_emplace(key);
  if (!fresh) return at->second;
  const ExprId residual = sorted_->derived->Get(scalar, row.local, row.times).residual;
  ExprId value = residual;
  if (alone) {
    std::vector<ExprId> terms;
    ExprId pivot = pool_.One();
    for (const ScalarUse& use : row.uses) {
      const SymbolId symbol = pool_.SymbolOfOrder(system_.scalars[scalar].variables[use.variable].symbol,
                                                  static_cast<int>(use.order));
      const ExprId partial = Differentiate(pool_, residual, symbol);
      if (solved && key_of(use) == key_of(row.own)) {
        pivot = pool_.Negate(partial);
      } else {
        terms.push_back(pool_.Multiply(partial, pool_.Symbol(symbol)));
      }
    }
    value = pool_.Divide(pool_.Sum(terms), pivot);
  }
  at->second = MakeCode(scalar, std::span(&value, 1), EventsOf(scalar, row.local));
  return at->second;
}

// The steps that solve a block with pivots; false: some row cannot be solved for what it decides.
bool ProgramBuilder::AddEliminated(std::span<const uint32_t> equations, const ImplicitBlock& block) {
  const Tearing& tearing = block.tearing;
  std::vector<EliminatedRow> rows(equations.size());
  for (uint32_t r = 0; r < rows.size(); ++r) {
    EliminatedRow& row = rows[r];
    const SortedEquation& e = sorted_->equations[equations[r]];
    row.equation = equations[r];
    if (system_.IsRow(e.equation)) continue;
    const EquationSystem::Source source = system_.SourceOf(e.equation);
    row.part = source.part;
    row.local = source.local;
    row.times = e.times;
    for (const ScalarUse& use : sorted_->derived->Get(row.part->scalar, row.local, row.times).uses) {
      const VariableRef ref = system_.Resolve(*row.part, use.variable);
      if (ref.variable == UINT32_MAX) continue;
      const uint32_t slot = sorted_->Slot({ref.variable, ref.order + use.order});
      if (std::count(block.unknowns.begin(), block.unknowns.end(), slot) > 0) row.uses.push_back(use);
    }
  }
  for (const Tearing::Inner& inner : tearing.inner) {
    EliminatedRow& row = rows[inner.row];
    row.unknown = block.unknowns[inner.column];
    if (row.part == nullptr) continue;
    row.own = row.uses[inner.entry];
    row.form = &SolvedForm(row.part->scalar, row.local, row.times, row.own);
    if (!row.form->solved || !Passes(*row.form, system_.parameters.first[row.part->component])) return false;
  }
  // Inner unknowns that the rows of the tears are reached by.
  std::vector<bool> needed(block.unknowns.size(), false);
  const auto need = [&](uint32_t r) {
    for (const uint32_t c : block.rows[r].columns) needed[c] = true;
  };
  for (const uint32_t r : tearing.rows) need(r);
  for (size_t k = tearing.inner.size(); k-- > 0;) {
    if (needed[tearing.inner[k].column]) need(tearing.inner[k].row);
  }
  if (zero_slot_ == UINT32_MAX) {
    zero_slot_ = held_.Reserve();
    one_slot_ = held_.Reserve();
  }
  chain_ = UINT32_MAX;
  const auto m = static_cast<uint32_t>(tearing.tears.size());
  std::vector<uint32_t> locals(m * m + m), targets;
  const auto run = [&](Sweep& sweep, auto&& place_of_residual) {
    for (const Tearing::Inner& inner : tearing.inner) {
      if (!needed[inner.column]) continue;
      const uint32_t slot = sweep.to[block.unknowns[inner.column]] = held_.Reserve();
      AppendRow(block.block, rows[inner.row], sweep, slot);
    }
    for (uint32_t i = 0; i < m; ++i) {
      locals[place_of_residual(i)] = held_.Reserve();
      AppendRow(block.block, rows[block.pivots[i]], sweep, locals[place_of_residual(i)]);
    }
  };
  for (uint32_t j = 0; j < m; ++j) {
    Sweep sweep{{}, true};
    for (uint32_t k = 0; k < m; ++k)
      sweep.to[block.unknowns[tearing.tears[k]]] = k == j ? one_slot_ : zero_slot_;
    run(sweep, [&](uint32_t i) { return i * m + j; });
  }
  Sweep sweep;
  for (const uint32_t tear : tearing.tears) sweep.to[block.unknowns[tear]] = zero_slot_;
  run(sweep, [&](uint32_t i) { return m * m + i; });
  tear_codes_.resize(kMostEliminatedTears, UINT32_MAX);
  if (tear_codes_[m - 1] == UINT32_MAX) tear_codes_[m - 1] = AddCode(TearCode(m));
  for (const uint32_t tear : tearing.tears) targets.push_back(block.unknowns[tear]);
  AppendKernel(block.block, tear_codes_[m - 1], 0, locals, targets);
  for (const Tearing::Inner& inner : tearing.inner)
    AppendRow(block.block, rows[inner.row], {}, block.unknowns[inner.column]);
  return true;
}

// The numbers that eliminations begin with, before everything else.
void ProgramBuilder::EmitNumbers() {
  if (zero_slot_ == UINT32_MAX) return;
  for (const auto& [slot, value] : {std::pair(zero_slot_, 0.0), std::pair(one_slot_, 1.0)}) {
    Program& p = *out_;
    p.steps.push_back({Step::Kind::kKernel, static_cast<uint32_t>(p.runs.size()), 0});
    p.runs.push_back({AddCode(NumberCode(value)), static_cast<uint32_t>(p.locals.size()),
                      static_cast<uint32_t>(p.targets.size()), static_cast<uint32_t>(p.bases.size()), 1});
    p.targets.push_back(slot);
    p.bases.push_back(0);
  }
}

}  // namespace cotree
