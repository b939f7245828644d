// SPDX-License-Identifier: Apache-2.0
#include "program/specialize_fused.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/words_hash.h"

namespace cotree {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kFewInstances = 4;
constexpr size_t kPiece = 1500;         // operations: longer ones are quicker, but take longer to compile
constexpr size_t kWorthRolling = 6000;  // operations: shorter code is quick, and compiles soon
constexpr uint32_t kRepeats = 3;        // so many equal visits are a class

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
      for (size_t k = s; k < end; ++k) {
        if (k > s && runs[old[k].index].home != runs[old[k - 1].index].home) ++visit_;
        Take(runs[old[k].index]);
      }
      Finish(steps);
      s = end;
    }
    p_.steps = std::move(steps);
    RemoveKernels();
  }

 private:
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
          const uint32_t place = p_.PlaceOf(run, operand, i);
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
            number[k] =
                values_.Number(p_.constants[p_.PlaceOf(run, operands[kernel.leaves + i.a], instance)]);
            continue;
          case CodeOp::kLoad: {
            const Operand& operand = operands[i.a];
            const uint64_t key = PlaceKey(operand.base, p_.PlaceOf(run, operand, instance));
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
        const uint64_t key = PlaceKey(target.base, p_.PlaceOf(run, target, instance));
        if (stored_.insert_or_assign(key, number[kernel.code.results[r]]).second)
          targets_.push_back({key, visit_});
      }
    }
    visit_of_.resize(values_.all.size(), visit_);
  }

  bool IsStored(uint64_t key) const {
    if (static_cast<Operand::Base>(key >> 32) != Operand::Base::kWork || !p_.compact) return true;
    const auto at = reader_.find(static_cast<uint32_t>(key));
    return at != reader_.end() && at->second != sequence_;
  }

  /** A value that has its place in an array. */
  struct Store {
    uint64_t key;
    uint32_t value, visit;
  };
  bool IsOperation(uint32_t v) const { return values_.all[v].i.code >= CodeOp::kIntegerPower; }
  // An elementary function of what is there from the beginning.
  bool IsEarly(uint32_t v) const {
    const Instruction& i = values_.all[v].i;
    return i.code == CodeOp::kUnary && values_.all[i.a].i.code == CodeOp::kLoad;
  }

  // The code of what was taken: in loops where visits repeat each other, or in pieces.
  void Finish(std::vector<FusedStep>& steps) {
    stores_.clear();
    for (const auto& [key, visit] : targets_) {
      if (IsStored(key)) stores_.push_back({key, stored_[key], visit});
    }
    // What is needed, in the order of making.
    const auto count = static_cast<uint32_t>(values_.all.size());
    needed_.assign(count, false);
    for (const Store& store : stores_) needed_[store.value] = true;
    for (uint32_t v = count; v-- > 0;) {
      if (needed_[v]) OverOperands(values_.all[v].i, [&](uint32_t r) { needed_[r] = true; });
    }
    if (!Roll(steps)) CutIntoPieces(steps);
    values_ = Values();
    stored_.clear();
    targets_.clear();
    visit_of_.clear();
    visit_ = 0;
  }

  // One stretch of operations after the other, in the order of making.
  void CutIntoPieces(std::vector<FusedStep>& steps) {
    const auto count = static_cast<uint32_t>(values_.all.size());
    // Elementary functions of what is there from the beginning come first: code may call them together.
    std::vector<uint32_t> order;
    for (const bool early : {true, false}) {
      for (uint32_t v = 0; v < count; ++v) {
        if (needed_[v] && IsOperation(v) && IsEarly(v) == early) order.push_back(v);
      }
    }
    group_of_.assign(count, 0);
    for (size_t k = 0; k < order.size(); ++k) group_of_[order[k]] = static_cast<uint32_t>(k / kPiece);
    MakeGroups(order, order.empty() ? 1 : static_cast<uint32_t>((order.size() - 1) / kPiece) + 1);
    for (const Group& group : groups_) {
      Piece piece = Build(group, false);
      if (!piece.targets.empty()) Append(std::move(piece), steps);
    }
  }

  // ---- Groups: operations that one kernel computes

  struct Group {
    std::vector<uint32_t> values;
    std::vector<Store> stores;
    uint32_t scratch = 0;  // where its own places in the scratch array begin
  };
  // Groups from group_of_; values that another group reads stand in the scratch array, those of a group
  // beside each other.
  void MakeGroups(const std::vector<uint32_t>& order, uint32_t count) {
    groups_.assign(count, {});
    for (const uint32_t v : order) groups_[group_of_[v]].values.push_back(v);
    for (const Store& store : stores_) {
      const bool made = IsOperation(store.value) && group_of_[store.value] != kNone;
      groups_[made                      ? group_of_[store.value]
              : group_of_visit_.empty() ? 0
                                        : group_of_visit_[store.visit]]
          .stores.push_back(store);
    }
    scratch_.resize(values_.all.size());
    for (const uint32_t v : order) scratch_[v] = kNone;
    std::vector<bool> crosses(values_.all.size(), false);
    for (const uint32_t v : order) {
      OverOperands(values_.all[v].i, [&](uint32_t r) {
        if (IsOperation(r) && group_of_[r] != group_of_[v]) crosses[r] = true;
      });
    }
    for (Group& group : groups_) {
      group.scratch = static_cast<uint32_t>(p_.scratch);
      for (const uint32_t v : group.values) {
        if (crosses[v]) scratch_[v] = static_cast<uint32_t>(p_.scratch++);
      }
    }
  }

  /** The code of a group with its operands: in rows, `places` are those of an instance. */
  struct Piece {
    FusedKernel kernel;
    std::vector<Operand> leaves, constants, targets;
    std::vector<double> numbers;  // of the constants
    std::vector<uint32_t> places;
    std::vector<uint32_t> Key() const {
      std::vector<uint32_t> key;
      for (const Instruction& i : kernel.code.instructions) {
        const uint64_t bits = Bits(i.number);
        key.insert(key.end(), {static_cast<uint32_t>(i.code) << 8 | static_cast<uint32_t>(i.op), i.a, i.b,
                               i.c, static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)});
      }
      key.insert(key.end(), kernel.code.results.begin(), kernel.code.results.end());
      for (const auto* list : {&leaves, &constants, &targets}) {
        for (const Operand& o : *list) key.insert(key.end(), {static_cast<uint32_t>(o.base), o.at, o.offset});
      }
      return key;
    }
  };

  Piece Build(const Group& group, bool rows) {
    Piece out;
    FusedKernel& kernel = out.kernel;
    std::unordered_map<uint32_t, uint32_t> register_of;
    std::unordered_map<uint64_t, uint32_t> entry_of;  // by array and first place: where it stands in the row
    const auto emit = [&](Instruction i) {
      kernel.code.instructions.push_back(i);
      return static_cast<uint32_t>(kernel.code.instructions.size() - 1);
    };
    // In rows: `first` is the place of the row, the operand stands behind it.
    const auto operand = [&](Operand::Base base, uint32_t place, uint32_t first) {
      if (!rows) return Operand{base, Operand::Kind::kContiguous, place, 0};
      const auto [at, fresh] =
          entry_of.try_emplace(PlaceKey(base, first), static_cast<uint32_t>(out.places.size()));
      if (fresh) out.places.push_back(first);
      return Operand{base, Operand::Kind::kIndexed, at->second, place - first};
    };
    const auto in_array = [&](uint64_t key) {
      const auto place = static_cast<uint32_t>(key);
      return operand(static_cast<Operand::Base>(key >> 32), place, place);
    };
    const auto in_scratch = [&](uint32_t v) {
      const uint32_t g = group_of_[v];
      return operand(Operand::Base::kScratch, scratch_[v], g == kNone ? scratch_[v] : groups_[g].scratch);
    };
    const auto read = [&](uint32_t v) -> uint32_t {
      const auto [at, fresh] = register_of.try_emplace(v, 0);
      if (!fresh) return at->second;
      const Values::Value& value = values_.all[v];
      Instruction i = value.i;
      if (IsOperation(v)) {  // of another group
        i = {CodeOp::kLoad, Op::kSymbol, static_cast<uint32_t>(out.leaves.size()), 0, 0, 0};
        out.leaves.push_back(in_scratch(v));
      } else if (i.code == CodeOp::kLoad) {
        i.a = static_cast<uint32_t>(out.leaves.size());
        out.leaves.push_back(in_array(value.key));
      } else if (i.code == CodeOp::kParameter) {
        i.a = static_cast<uint32_t>(out.numbers.size());
        out.numbers.push_back(i.number);
        i.number = 0;
      }
      return at->second = emit(i);
    };
    for (const uint32_t v : group.values) {
      Instruction i = values_.all[v].i;
      i.a = read(i.a);
      if (i.code == CodeOp::kBinary || i.code == CodeOp::kTable || i.code == CodeOp::kIf) i.b = read(i.b);
      if (i.code == CodeOp::kIf) i.c = read(i.c);
      register_of[v] = emit(i);
    }
    for (const uint32_t v : group.values) {
      if (scratch_[v] == kNone) continue;
      kernel.code.results.push_back(register_of[v]);
      out.targets.push_back(in_scratch(v));
    }
    for (const Store& store : group.stores) {
      kernel.code.results.push_back(read(store.value));
      out.targets.push_back(in_array(store.key));
    }
    // The constants of an instance stand beside each other.
    const auto first = static_cast<uint32_t>(p_.constants.size());
    for (uint32_t k = 0; k < out.numbers.size(); ++k)
      out.constants.push_back(operand(Operand::Base::kConstants, first + k, first));
    kernel.leaves = kernel.code.locals = static_cast<uint32_t>(out.leaves.size());
    kernel.parameters = static_cast<uint32_t>(out.numbers.size());
    return out;
  }

  uint32_t AddKernel(Piece& piece) {
    p_.kernels.push_back(std::move(piece.kernel));
    return static_cast<uint32_t>(p_.kernels.size() - 1);
  }
  void AddRun(FusedRun run, const Piece& piece, std::vector<FusedStep>& steps) {
    run.first_operand = static_cast<uint32_t>(p_.operands.size());
    for (const auto* list : {&piece.leaves, &piece.constants, &piece.targets})
      p_.operands.insert(p_.operands.end(), list->begin(), list->end());
    steps.push_back({FusedStep::Kind::kRun, static_cast<uint32_t>(p_.runs.size())});
    p_.runs.push_back(run);
  }
  // A run of one instance.
  void Append(Piece piece, std::vector<FusedStep>& steps) {
    p_.constants.insert(p_.constants.end(), piece.numbers.begin(), piece.numbers.end());
    FusedRun run;
    run.kernel = AddKernel(piece);
    run.count = 1;
    AddRun(run, piece, steps);
  }

  // ---- Loops

  // Visits whose code is the same but for numbers and places are instances of one kernel (PR.16). False: the
  // code is short, or hardly any of it repeats itself.
  bool Roll(std::vector<FusedStep>& steps) {
    const auto count = static_cast<uint32_t>(values_.all.size());
    std::vector<uint32_t> order;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> early;  // by function and array
    for (uint32_t v = 0; v < count; ++v) {
      if (!needed_[v] || !IsOperation(v)) continue;
      if (IsEarly(v)) {
        const Instruction& i = values_.all[v].i;
        early[{static_cast<uint32_t>(i.op), static_cast<uint32_t>(values_.all[i.a].key >> 32)}].push_back(v);
      } else {
        order.push_back(v);
      }
    }
    if (order.size() < kWorthRolling) return false;

    const size_t before = p_.scratch;
    group_of_.assign(count, kNone);
    scratch_.assign(count, kNone);
    for (const auto& [function, values] : early) {
      for (const uint32_t v : values) scratch_[v] = static_cast<uint32_t>(p_.scratch++);
    }
    const size_t behind_early = p_.scratch;
    // Each visit alone, to see which are alike.
    group_of_visit_.resize(visit_ + 1);
    std::iota(group_of_visit_.begin(), group_of_visit_.end(), 0u);
    GroupByVisit(order, visit_ + 1);
    const std::vector<bool> repeats = FindRepeats(order.size());
    if (repeats.empty()) {
      p_.scratch = before;
      group_of_visit_.clear();
      return false;
    }
    const std::vector<bool> loops = JoinVisits(repeats);
    p_.scratch = behind_early;
    GroupByVisit(order, static_cast<uint32_t>(loops.size()));
    group_of_visit_.clear();
    for (const auto& [function, values] : early) AddEarly(values, steps);
    AddGroups(loops, steps);
    return true;
  }

  void GroupByVisit(const std::vector<uint32_t>& order, uint32_t groups) {
    for (const uint32_t v : order) group_of_[v] = group_of_visit_[visit_of_[v]];
    MakeGroups(order, groups);
  }

  // The groups that are like enough others; none: they are less than half of all operations.
  std::vector<bool> FindRepeats(size_t operations) {
    std::unordered_map<std::vector<uint32_t>, std::vector<uint32_t>, WordsHash> alike;
    for (uint32_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].values.empty()) alike[Build(groups_[g], true).Key()].push_back(g);
    }
    std::vector<bool> repeats(groups_.size(), false);
    size_t rolled = 0;
    for (const auto& [key, list] : alike) {
      if (list.size() < kRepeats) continue;
      for (const uint32_t g : list) {
        repeats[g] = true;
        rolled += groups_[g].values.size();
      }
    }
    if (2 * rolled < operations) repeats.clear();
    return repeats;
  }

  // Visits that do not repeat themselves are put together, up to the length of a piece. Of each group:
  // whether it is part of a loop.
  std::vector<bool> JoinVisits(const std::vector<bool>& repeats) {
    std::vector<bool> loops;
    size_t length = 0;
    for (uint32_t g = 0; g < repeats.size(); ++g) {
      if (g == 0 || repeats[g] || repeats[g - 1] || length > kPiece) {
        loops.push_back(repeats[g]);
        length = 0;
      }
      length += groups_[g].values.size();
      group_of_visit_[g] = static_cast<uint32_t>(loops.size() - 1);
    }
    return loops;
  }

  // One run for groups of one kernel that follow each other, a row each; others are pieces.
  void AddGroups(const std::vector<bool>& loops, std::vector<FusedStep>& steps) {
    std::unordered_map<std::vector<uint32_t>, uint32_t, WordsHash> kernel_of;
    uint32_t last = kNone;  // the kernel of the last run, if it is a loop
    for (uint32_t g = 0; g < groups_.size(); ++g) {
      Piece piece = Build(groups_[g], loops[g]);
      if (piece.targets.empty()) continue;
      if (!loops[g]) {
        Append(std::move(piece), steps);
        last = kNone;
        continue;
      }
      p_.constants.insert(p_.constants.end(), piece.numbers.begin(), piece.numbers.end());
      const auto [at, fresh] = kernel_of.try_emplace(piece.Key(), static_cast<uint32_t>(p_.kernels.size()));
      if (fresh) AddKernel(piece);
      const auto first = static_cast<uint32_t>(p_.places.size());
      p_.places.insert(p_.places.end(), piece.places.begin(), piece.places.end());
      if (at->second == last) {  // one instance more
        ++p_.runs.back().count;
        continue;
      }
      last = at->second;
      FusedRun run;
      run.kernel = at->second;
      run.count = 1;
      run.sequential = run.rows = true;
      run.width = static_cast<uint32_t>(piece.places.size());
      run.first_place = first;
      for (auto* list : {&piece.leaves, &piece.constants, &piece.targets}) {
        for (Operand& o : *list) o.at += first;
      }
      AddRun(run, piece, steps);
    }
  }

  // The same elementary function of many values.
  void AddEarly(const std::vector<uint32_t>& values, std::vector<FusedStep>& steps) {
    Piece piece;
    piece.kernel.code.instructions = {{CodeOp::kLoad, Op::kSymbol, 0, 0, 0, 0},
                                      {CodeOp::kUnary, values_.all[values[0]].i.op, 0, 0, 0, 0}};
    piece.kernel.code.results = {1};
    piece.kernel.leaves = piece.kernel.code.locals = 1;
    const uint64_t base = values_.all[values_.all[values[0]].i.a].key >> 32;
    piece.leaves.push_back({static_cast<Operand::Base>(base), Operand::Kind::kIndexed,
                            static_cast<uint32_t>(p_.places.size()), 0});
    for (const uint32_t v : values)
      p_.places.push_back(static_cast<uint32_t>(values_.all[values_.all[v].i.a].key));
    piece.targets.push_back({Operand::Base::kScratch, Operand::Kind::kContiguous, scratch_[values[0]], 0});
    FusedRun run;
    run.kernel = AddKernel(piece);
    run.count = static_cast<uint32_t>(values.size());
    AddRun(run, piece, steps);
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
  Values values_;
  std::unordered_map<uint64_t, uint32_t> stored_;  // by place: the value that stands there
  std::vector<std::pair<uint64_t, uint32_t>>
      targets_;                     // places in the order of their first store, and visits
  std::vector<uint32_t> visit_of_;  // by value: runs of one home that follow each other are a visit
  uint32_t visit_ = 0;
  // While code is written: by value whether it is needed, its group (none: an early function), its place in
  // the scratch array.
  std::vector<Store> stores_;
  std::vector<bool> needed_;
  std::vector<uint32_t> group_of_, scratch_, group_of_visit_;
  std::vector<Group> groups_;
  std::unordered_map<uint32_t, uint32_t>
      reader_;             // by place of work: the only sequence that reads it; 0: others
  uint32_t sequence_ = 0;  // of straight-line code, counted as FindReaders does
};

}  // namespace

void SpecializeRuns(FusedProgram& program) {
  Specializer(program).Run();
}

}  // namespace cotree
