// SPDX-License-Identifier: Apache-2.0
#include "program/specialize_fused.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace cotree {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kFewInstances = 4;
constexpr size_t kPiece = 1500;  // operations: longer ones are quicker, but take longer to compile

uint64_t Bits(double x) {
  return std::bit_cast<uint64_t>(x);
}
uint64_t PlaceKey(Operand::Base base, uint32_t place) {
  return static_cast<uint64_t>(base) << 32 | place;
}

/** Values that are numbered: equal ones are one. */
class Values {
 public:
  struct Value {
    Instruction i;  // registers are numbers of values; kLoad: `key` tells from where; kParameter: number
    uint64_t key = 0;
  };
  std::vector<Value> all;

  /// A number known now: 0, 1 and -1 are part of the code, others are data.
  uint32_t Number(double x) {
    const bool plain = x == 1 || x == -1 || x == 0;
    if (x == 0) x = 0;  // no sign
    Value v{{plain ? CodeOp::kNumber : CodeOp::kParameter, Op::kNumber, 0, 0, 0, x}, 0};
    return Find(v, Hash(static_cast<uint64_t>(v.i.code), Bits(x), 0, 0));
  }
  uint32_t Load(uint64_t key) {
    return Find({{CodeOp::kLoad, Op::kSymbol, 0, 0, 0, 0}, key}, Hash(1, key, 7, 0));
  }
  bool IsKnown(uint32_t v) const {
    return all[v].i.code == CodeOp::kNumber || all[v].i.code == CodeOp::kParameter;
  }
  bool Is(uint32_t v, double x) const { return IsKnown(v) && all[v].i.number == x; }

  uint32_t Make(Instruction i) {
    switch (i.code) {
      case CodeOp::kTime:
      case CodeOp::kSwitchTime:
        return Find({i, 0}, Hash(static_cast<uint64_t>(i.code), 0, 0, 0));
      case CodeOp::kIntegerPower:
        if (i.number == 1) return i.a;
        if (IsKnown(i.a))
          return Number(PowerChain<double>(all[i.a].i.number, static_cast<int64_t>(i.number), 1.0));
        return Find({i, 0}, Hash(5, i.a, Bits(i.number), 0));
      case CodeOp::kIf:
        if (IsKnown(i.a)) return all[i.a].i.number != 0 ? i.b : i.c;
        if (i.b == i.c) return i.b;
        return Find({i, 0}, Hash(6, i.a, i.b, i.c));
      case CodeOp::kTable:
        return Find({i, 0}, Hash(7 + 16 * uint64_t{i.c}, i.a, i.b, Bits(i.number)));
      case CodeOp::kUnary:
        if (IsKnown(i.a)) return Number(ApplyUnary(i.op, all[i.a].i.number));
        return Find({i, 0}, Hash(8, static_cast<uint64_t>(i.op), i.a, 0));
      default:
        return Binary(i);
    }
  }

 private:
  uint32_t Binary(Instruction i) {
    if (IsKnown(i.a) && IsKnown(i.b)) {
      const double a = all[i.a].i.number, b = all[i.b].i.number;
      switch (i.op) {
        case Op::kAdd:
          return Number(a + b);
        case Op::kMultiply:
          return Number(a * b);
        case Op::kDivide:
          return Number(a / b);
        default:
          return Number(ApplyBinary(i.op, a, b));
      }
    }
    if (i.op == Op::kAdd || i.op == Op::kMultiply) {
      if (i.a > i.b) std::swap(i.a, i.b);
    }
    switch (i.op) {
      case Op::kAdd:
        if (Is(i.a, 0)) return i.b;
        if (Is(i.b, 0)) return i.a;
        break;
      case Op::kMultiply:
        if (Is(i.a, 0) || Is(i.b, 0)) return Number(0);
        if (Is(i.a, 1)) return i.b;
        if (Is(i.b, 1)) return i.a;
        for (const auto& [x, y] : {std::pair(i.a, i.b), std::pair(i.b, i.a)}) {
          if (Is(x, -1) && IsNegation(y)) return NegatedBy(y);
        }
        break;
      case Op::kDivide:
        if (Is(i.a, 0)) return Number(0);
        if (Is(i.b, 1)) return i.a;
        break;
      default:
        break;
    }
    return Find({i, 0}, Hash(9, static_cast<uint64_t>(i.op), i.a, i.b));
  }
  bool IsNegation(uint32_t v) const {
    const Instruction& i = all[v].i;
    return i.code == CodeOp::kBinary && i.op == Op::kMultiply && (Is(i.a, -1) || Is(i.b, -1));
  }
  uint32_t NegatedBy(uint32_t v) const {
    const Instruction& i = all[v].i;
    return Is(i.a, -1) ? i.b : i.a;
  }
  static uint64_t Hash(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (const uint64_t x : {a, b, c, d}) {
      h = (std::rotl(h, 23) ^ x) * 0x517cc1b727220a95u;
      h ^= h >> 32;
    }
    return h;
  }
  static bool Same(const Value& x, const Value& y) {
    return x.i.code == y.i.code && x.i.op == y.i.op && x.i.a == y.i.a && x.i.b == y.i.b && x.i.c == y.i.c &&
           Bits(x.i.number) == Bits(y.i.number) && x.key == y.key;
  }
  uint32_t Find(const Value& value, uint64_t hash) {
    auto [first, last] = by_hash_.equal_range(hash);
    for (; first != last; ++first) {
      if (Same(all[first->second], value)) return first->second;
    }
    all.push_back(value);
    by_hash_.emplace(hash, static_cast<uint32_t>(all.size() - 1));
    return static_cast<uint32_t>(all.size() - 1);
  }
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

class Specializer {
 public:
  explicit Specializer(FusedProgram& program) : p_(program) {}

  void Run() {
    std::vector<FusedStep> steps;
    const std::vector<FusedStep> old = std::move(p_.steps);
    const std::vector<FusedRun> runs = std::move(p_.runs);
    p_.runs.clear();
    FindReaders(old, runs);
    for (size_t s = 0; s < old.size();) {
      size_t end = s;
      while (end < old.size() && old[end].kind == FusedStep::Kind::kRun &&
             runs[old[end].index].count <= kFewInstances)
        ++end;
      if (end == s) {
        steps.push_back(old[s]);
        if (old[s].kind == FusedStep::Kind::kRun) {
          steps.back().index = static_cast<uint32_t>(p_.runs.size());
          p_.runs.push_back(runs[old[s].index]);
        }
        ++s;
        continue;
      }
      ++sequence_;
      for (size_t k = s; k < end; ++k) Take(runs[old[k].index]);
      Finish(steps);
      s = end;
    }
    p_.steps = std::move(steps);
    RemoveKernels();
  }

 private:
  uint32_t PlaceOf(const Operand& operand, uint32_t instance) const {
    return operand.kind == Operand::Kind::kUniform      ? operand.at
           : operand.kind == Operand::Kind::kContiguous ? operand.at + instance
                                                        : p_.places[operand.at + instance];
  }
  // Places of `work` that others than straight-line code read, or code of another sequence.
  void FindReaders(const std::vector<FusedStep>& steps, const std::vector<FusedRun>& runs) {
    uint32_t sequence = 0;
    bool inside = false;
    for (const FusedStep& step : steps) {
      const bool few = step.kind == FusedStep::Kind::kRun && runs[step.index].count <= kFewInstances;
      if (few && !inside) ++sequence;
      inside = few;
      if (step.kind != FusedStep::Kind::kRun) continue;
      const FusedRun& run = runs[step.index];
      const FusedKernel& kernel = p_.kernels[run.kernel];
      for (uint32_t k = 0; k < kernel.leaves; ++k) {
        const Operand& operand = p_.operands[run.first_operand + k];
        if (operand.base != Operand::Base::kWork) continue;
        for (uint32_t i = 0; i < run.count; ++i) {
          const uint32_t place = PlaceOf(operand, i);
          const auto [at, fresh] = reader_.try_emplace(place, few ? sequence : 0);
          if (!fresh && at->second != (few ? sequence : 0)) at->second = 0;
        }
      }
    }
  }

  void Take(const FusedRun& run) {
    const FusedKernel& kernel = p_.kernels[run.kernel];
    const Operand* operands = p_.operands.data() + run.first_operand;
    const uint32_t inputs = kernel.leaves + kernel.parameters;
    std::vector<uint32_t> number(kernel.code.instructions.size());
    for (uint32_t instance = 0; instance < run.count; ++instance) {
      for (size_t k = 0; k < number.size(); ++k) {
        Instruction i = kernel.code.instructions[k];
        switch (i.code) {
          case CodeOp::kNumber:
            number[k] = values_.Number(i.number);
            continue;
          case CodeOp::kParameter:
            number[k] = values_.Number(p_.constants[PlaceOf(operands[kernel.leaves + i.a], instance)]);
            continue;
          case CodeOp::kLoad: {
            const Operand& operand = operands[i.a];
            const uint64_t key = PlaceKey(operand.base, PlaceOf(operand, instance));
            const auto at = stored_.find(key);
            number[k] = at != stored_.end() ? at->second : values_.Load(key);
            continue;
          }
          default:
            break;
        }
        if (i.code >= CodeOp::kIntegerPower) {
          i.a = number[i.a];
          if (i.code == CodeOp::kBinary || i.code == CodeOp::kTable || i.code == CodeOp::kIf)
            i.b = number[i.b];
          if (i.code == CodeOp::kIf) i.c = number[i.c];
        }
        number[k] = values_.Make(i);
      }
      for (size_t r = 0; r < kernel.code.results.size(); ++r) {
        const Operand& target = operands[inputs + r];
        const uint64_t key = PlaceKey(target.base, PlaceOf(target, instance));
        if (stored_.insert_or_assign(key, number[kernel.code.results[r]]).second) targets_.push_back(key);
      }
    }
  }

  bool IsStored(uint64_t key) const {
    if (static_cast<Operand::Base>(key >> 32) != Operand::Base::kWork || !p_.compact) return true;
    const auto at = reader_.find(static_cast<uint32_t>(key));
    return at != reader_.end() && at->second != sequence_;
  }

  // The code of what was taken, in pieces.
  void Finish(std::vector<FusedStep>& steps) {
    std::vector<std::pair<uint64_t, uint32_t>> stores;  // place, value
    for (const uint64_t key : targets_) {
      if (IsStored(key)) stores.emplace_back(key, stored_[key]);
    }
    // What is needed, in the order of making.
    const auto count = static_cast<uint32_t>(values_.all.size());
    std::vector<bool> needed(count, false);
    for (const auto& [key, value] : stores) needed[value] = true;
    for (uint32_t v = count; v-- > 0;) {
      if (needed[v]) OverOperands(values_.all[v].i, [&](uint32_t r) { needed[r] = true; });
    }
    // Elementary functions of what is there from the beginning come first: code may call them together.
    std::vector<uint32_t> order;
    for (const bool early : {true, false}) {
      for (uint32_t v = 0; v < count; ++v) {
        const Instruction& i = values_.all[v].i;
        if (!needed[v] || i.code < CodeOp::kIntegerPower) continue;
        if ((i.code == CodeOp::kUnary && values_.all[i.a].i.code == CodeOp::kLoad) == early)
          order.push_back(v);
      }
    }
    std::vector<uint32_t> piece_of(count, 0);
    uint32_t piece = 0;
    size_t length = 0;
    for (const uint32_t v : order) {
      piece_of[v] = piece;
      if (++length >= kPiece) {
        ++piece;
        length = 0;
      }
    }
    // Values that a later piece reads stand in the scratch array.
    std::vector<uint32_t> scratch(count, kNone);
    for (uint32_t v = 0; v < count; ++v) {
      if (!needed[v]) continue;
      OverOperands(values_.all[v].i, [&](uint32_t r) {
        if (values_.all[r].i.code >= CodeOp::kIntegerPower && piece_of[r] != piece_of[v] &&
            scratch[r] == kNone)
          scratch[r] = static_cast<uint32_t>(p_.scratch++);
      });
    }
    std::vector<std::vector<uint32_t>> in_piece(piece + 1);
    for (const uint32_t v : order) in_piece[piece_of[v]].push_back(v);
    std::vector<std::vector<std::pair<uint64_t, uint32_t>>> stores_of(piece + 1);
    for (const auto& store : stores) stores_of[piece_of[store.second]].push_back(store);
    for (uint32_t k = 0; k <= piece; ++k) AddPiece(in_piece[k], stores_of[k], scratch, steps);
    values_ = Values();
    stored_.clear();
    targets_.clear();
  }

  void AddPiece(const std::vector<uint32_t>& own, const std::vector<std::pair<uint64_t, uint32_t>>& stores,
                const std::vector<uint32_t>& scratch, std::vector<FusedStep>& steps) {
    FusedKernel kernel;
    std::vector<Operand> leaves, constants, targets;
    std::unordered_map<uint32_t, uint32_t> register_of;
    const auto emit = [&](Instruction i) {
      kernel.code.instructions.push_back(i);
      return static_cast<uint32_t>(kernel.code.instructions.size() - 1);
    };
    const auto operand = [](uint64_t key) {
      return Operand{static_cast<Operand::Base>(key >> 32), Operand::Kind::kContiguous,
                     static_cast<uint32_t>(key)};
    };
    const auto read = [&](uint32_t v) -> uint32_t {
      const auto [at, fresh] = register_of.try_emplace(v, 0);
      if (!fresh) return at->second;
      const Values::Value& value = values_.all[v];
      Instruction i = value.i;
      if (i.code >= CodeOp::kIntegerPower) {  // of an earlier piece
        i = {CodeOp::kLoad, Op::kSymbol, static_cast<uint32_t>(leaves.size()), 0, 0, 0};
        leaves.push_back(operand(PlaceKey(Operand::Base::kScratch, scratch[v])));
      } else if (i.code == CodeOp::kLoad) {
        i.a = static_cast<uint32_t>(leaves.size());
        leaves.push_back(operand(value.key));
      } else if (i.code == CodeOp::kParameter) {
        i.a = static_cast<uint32_t>(constants.size());
        constants.push_back(
            operand(PlaceKey(Operand::Base::kConstants, static_cast<uint32_t>(p_.constants.size()))));
        p_.constants.push_back(i.number);
        i.number = 0;
      }
      return at->second = emit(i);
    };
    for (const uint32_t v : own) {
      Instruction i = values_.all[v].i;
      i.a = read(i.a);
      if (i.code == CodeOp::kBinary || i.code == CodeOp::kTable || i.code == CodeOp::kIf) i.b = read(i.b);
      if (i.code == CodeOp::kIf) i.c = read(i.c);
      register_of[v] = emit(i);
    }
    for (const uint32_t v : own) {
      if (scratch[v] == kNone) continue;
      kernel.code.results.push_back(register_of[v]);
      targets.push_back(operand(PlaceKey(Operand::Base::kScratch, scratch[v])));
    }
    for (const auto& [key, v] : stores) {
      kernel.code.results.push_back(read(v));
      targets.push_back(operand(key));
    }
    if (targets.empty()) return;
    kernel.leaves = kernel.code.locals = static_cast<uint32_t>(leaves.size());
    kernel.parameters = static_cast<uint32_t>(constants.size());
    FusedRun run{static_cast<uint32_t>(p_.kernels.size()), 1, static_cast<uint32_t>(p_.operands.size()),
                 false};
    for (const auto* list : {&leaves, &constants, &targets})
      p_.operands.insert(p_.operands.end(), list->begin(), list->end());
    p_.kernels.push_back(std::move(kernel));
    steps.push_back({FusedStep::Kind::kRun, static_cast<uint32_t>(p_.runs.size())});
    p_.runs.push_back(run);
  }

  // Kernels that no run uses any more.
  void RemoveKernels() {
    std::vector<uint32_t> number(p_.kernels.size(), kNone);
    std::vector<FusedKernel> kept;
    for (FusedRun& run : p_.runs) {
      if (number[run.kernel] == kNone) {
        number[run.kernel] = static_cast<uint32_t>(kept.size());
        kept.push_back(std::move(p_.kernels[run.kernel]));
      }
      run.kernel = number[run.kernel];
    }
    p_.kernels = std::move(kept);
  }

  FusedProgram& p_;
  uint32_t sequence_ = 0;  // of straight-line code, counted as FindReaders does
  Values values_;
  std::unordered_map<uint64_t, uint32_t> stored_;  // by place: the value that stands there
  std::vector<uint64_t> targets_;                  // places in the order of their first store
  std::unordered_map<uint32_t, uint32_t>
      reader_;  // by place of work: the only sequence that reads it; 0: others
};

}  // namespace

void SpecializeRuns(FusedProgram& program) {
  Specializer(program).Run();
}

}  // namespace cotree
