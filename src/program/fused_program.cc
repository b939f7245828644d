// SPDX-License-Identifier: Apache-2.0
#include "program/fused_program.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "base/words_hash.h"
#include "program/differentiate_code.h"
#include "program/run_fused.h"
#include "program/specialize_fused.h"

namespace cotree {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kDearTwice = 16;       // computing again for another reader may cost so much
constexpr uint32_t kMostFused = 300;      // cost of what is put into one kernel
constexpr uint32_t kFewReady = 4;         // fewer instances at a time are a chain
constexpr size_t kWorthVisiting = 50000;  // instructions: shorter code runs quicker in the order of readiness

uint32_t CostOf(const Instruction& i) {
  switch (i.code) {
    case CodeOp::kNumber:
    case CodeOp::kLoad:
    case CodeOp::kParameter:
    case CodeOp::kTime:
    case CodeOp::kSwitchTime:
      return 0;
    case CodeOp::kTable:
      return 30;
    case CodeOp::kUnary:
      return i.op == Op::kSqrt ? 5 : i.op >= Op::kAbs ? 1 : 20;
    case CodeOp::kBinary:
      return i.op == Op::kDivide ? 4 : i.op == Op::kPower || i.op == Op::kAtan2 ? 40 : 1;
    default:
      return 1;
  }
}

class Fuser {
 public:
  Fuser(const Program& program, bool whole) : p_(program), sorted_(*program.sorted), whole_(whole) {
    out_.program = &program;
  }

  FusedProgram Run(std::span<const uint32_t> wanted, const FusedProgram* like) {
    FindMakers();
    FindUses(wanted);
    ChooseKept();
    if (whole_ && (!out_.compact || !complete_)) {
      out_.complete = false;
      return std::move(out_);
    }
    for (uint32_t k = 0; k < wanted.size(); ++k) AddItem(wanted[k], k);
    if (!complete_) {
      out_.complete = false;
      return std::move(out_);
    }
    OrderStates(like);
    // With the states, derivatives are in their order.
    if (like == nullptr) {
      std::vector<uint32_t> rank(out_.states.size());
      for (uint32_t k = 0; k < rank.size(); ++k) rank[out_.states[k]] = k;
      for (Item& item : items_) {
        if (item.derivative != kNone) item.derivative = rank[item.derivative];
      }
    }
    Schedule();
    return std::move(out_);
  }

  /// Of a run that was made: its instances, for Jacobians.
  struct Instances {
    std::vector<std::vector<uint32_t>> state_of_leaf;  // by leaf, then instance; empty: no state
    std::vector<uint32_t> derivative;                  // by instance
  };
  std::vector<Instances> instances;

 private:
  enum class Maker : uint8_t { kLeaf, kState, kKernel, kSum, kBlock, kForeign };
  struct Item {
    uint32_t slot = 0, kernel = 0, first_leaf = 0, first_base = 0;
    uint32_t derivative = kNone;  // which one it is; none: kept in its place
  };

  void FindMakers() {
    maker_.assign(p_.slots, Maker::kLeaf);
    made_by_.assign(p_.slots, 0);
    instance_.assign(p_.slots, 0);
    state_.assign(p_.slots, kNone);
    for (const Step& step : p_.steps) {
      switch (step.kind) {
        case Step::Kind::kKernel: {
          const KernelRun& run = p_.runs[step.index];
          const auto results = static_cast<uint32_t>(p_.codes[run.code].results.size());
          for (uint32_t i = 0; i < run.count * results; ++i) {
            const uint32_t slot = p_.targets[run.first_target + i];
            maker_[slot] = Maker::kKernel;
            made_by_[slot] = step.index;
            instance_[slot] = i;
          }
          break;
        }
        case Step::Kind::kSums:
          for (uint32_t i = 0; i < step.count; ++i) {
            const uint32_t slot = p_.sums[step.index + i].target;
            maker_[slot] = Maker::kSum;
            made_by_[slot] = step.index + i;
          }
          break;
        case Step::Kind::kBlock:
          for (const uint32_t slot : p_.blocks[step.index].unknowns) {
            maker_[slot] = Maker::kBlock;
            made_by_[slot] = step.index;
          }
          break;
        case Step::Kind::kForeign:
          for (const uint32_t slot : p_.foreign[step.index].results) {
            maker_[slot] = Maker::kForeign;
            made_by_[slot] = step.index;
          }
          break;
      }
    }
    for (uint32_t k = 0; k < p_.state_slots.size(); ++k) {
      maker_[p_.state_slots[k]] = Maker::kState;
      state_[p_.state_slots[k]] = k;
    }
  }

  template <class F>
  void OverInputs(uint32_t slot, F&& f) const {
    if (maker_[slot] == Maker::kKernel) {
      const KernelRun& run = p_.runs[made_by_[slot]];
      const Code& code = p_.codes[run.code];
      const size_t i = instance_[slot] / code.results.size();
      for (uint32_t k = 0; k < code.locals; ++k) f(p_.locals[run.first_local + i * code.locals + k]);
    } else if (maker_[slot] == Maker::kSum) {
      const SumRow& row = p_.sums[made_by_[slot]];
      for (uint32_t k = 0; k < row.count; ++k) f(p_.sum_entries[row.first + k].slot);
    }
  }
  template <class F>
  void OverBlockInputs(const ImplicitBlock& block, F&& f) const {
    const EquationSystem& system = *sorted_.system;
    for (const BlockRow& row : block.rows) {
      if (row.foreign != kNone) {
        const Program::ForeignGroup& group = p_.foreign[row.foreign];
        for (size_t k = 0; k < group.arguments(); ++k) f(group.argument(k));
      } else if (row.code != kNone) {
        for (uint32_t k = 0; k < p_.codes[row.code].locals; ++k) f(p_.locals[row.first_local + k]);
      } else {
        f(sorted_.Slot({system.row_defined[row.row], row.times}));
        for (uint32_t k = system.row_first[row.row]; k < system.row_first[row.row + 1]; ++k) {
          const RowEntry& e = system.row_entries[k];
          f(sorted_.Slot({e.variable, e.order + row.times}));
        }
      }
    }
  }

  // What the wanted slots need, from the end of the program to its beginning; who is read how often.
  void FindUses(std::span<const uint32_t> wanted) {
    uses_.assign(p_.slots, 0);
    keep_.assign(p_.slots, 0);
    block_needed_.assign(p_.blocks.size(), 0);
    foreign_needed_.assign(p_.foreign.size(), 0);
    wanted_.assign(p_.slots, kNone);
    for (uint32_t k = 0; k < wanted.size(); ++k) {
      ++uses_[wanted[k]];
      if (wanted_[wanted[k]] == kNone) wanted_[wanted[k]] = k;
    }
    for (size_t s = p_.steps.size(); s-- > 0;) {
      const Step& step = p_.steps[s];
      const auto read = [&](uint32_t slot) { ++uses_[slot]; };
      const auto read_whole = [&](uint32_t slot) {
        ++uses_[slot];
        keep_[slot] = 1;
      };
      switch (step.kind) {
        case Step::Kind::kKernel: {
          const KernelRun& run = p_.runs[step.index];
          const auto results = static_cast<uint32_t>(p_.codes[run.code].results.size());
          for (uint32_t i = run.count * results; i-- > 0;) {
            const uint32_t slot = p_.targets[run.first_target + i];
            if (uses_[slot] > 0) OverInputs(slot, read);
          }
          break;
        }
        case Step::Kind::kSums:
          for (uint32_t i = step.count; i-- > 0;) {
            const uint32_t slot = p_.sums[step.index + i].target;
            if (uses_[slot] > 0) OverInputs(slot, read);
          }
          break;
        case Step::Kind::kBlock: {
          const ImplicitBlock& block = p_.blocks[step.index];
          for (const uint32_t slot : block.unknowns) {
            if (uses_[slot] > 0) block_needed_[step.index] = 1;
          }
          if (block_needed_[step.index] != 0) {
            OverBlockInputs(block, read_whole);
            out_.compact = false;
          }
          break;
        }
        case Step::Kind::kForeign: {
          const Program::ForeignGroup& group = p_.foreign[step.index];
          for (const uint32_t slot : group.results) {
            if (uses_[slot] > 0) foreign_needed_[step.index] = 1;
          }
          if (foreign_needed_[step.index] != 0) {
            for (size_t k = 0; k < group.arguments(); ++k) read_whole(group.argument(k));
            out_.compact = false;
          }
          break;
        }
      }
    }
  }

  // What is computed once and kept (PR.10a): where many read it and it is dear, a block does, or it is long.
  void ChooseKept() {
    code_cost_.resize(p_.codes.size());
    for (size_t c = 0; c < p_.codes.size(); ++c) {
      uint64_t cost = 0;
      for (const Instruction& i : p_.codes[c].instructions) cost += CostOf(i);
      code_cost_[c] = static_cast<uint32_t>(std::min<uint64_t>(cost, kNone / 4));
    }
    cost_.assign(p_.slots, 0);
    kept_.assign(p_.slots, 0);
    const auto choose = [&](uint32_t slot, uint64_t cost) {
      if (uses_[slot] == 0) return;
      OverInputs(slot, [&](uint32_t input) { cost += kept_[input] != 0 ? 0 : cost_[input]; });
      cost_[slot] = static_cast<uint32_t>(std::min<uint64_t>(cost, kNone / 4));
      if (whole_) {
        if (cost > 4 * kMostFused) complete_ = false;
        return;
      }
      const bool dear = cost * (uses_[slot] - 1) > kDearTwice || cost > kMostFused;
      if (keep_[slot] != 0 || dear) {
        kept_[slot] = 1;
        // A derivative that only kernels read stands among the derivatives.
        if (keep_[slot] != 0 || wanted_[slot] == kNone) AddItem(slot, kNone);
      }
    };
    for (const Step& step : p_.steps) {
      if (step.kind == Step::Kind::kKernel) {
        const KernelRun& run = p_.runs[step.index];
        const auto results = static_cast<uint32_t>(p_.codes[run.code].results.size());
        for (uint32_t i = 0; i < run.count * results; ++i)
          choose(p_.targets[run.first_target + i], code_cost_[run.code]);
      } else if (step.kind == Step::Kind::kSums) {
        for (uint32_t i = 0; i < step.count; ++i) {
          const SumRow& row = p_.sums[step.index + i];
          choose(row.target, row.count);
        }
      }
      if (!complete_) return;
    }
  }

  Operand::Base BaseOf(uint32_t slot) const {
    if (state_[slot] != kNone) return Operand::Base::kStates;
    const bool derivative = kept_[slot] != 0 && keep_[slot] == 0 && wanted_[slot] != kNone;
    return derivative ? Operand::Base::kDerivatives : Operand::Base::kWork;
  }

  // ---- One result: what it is made of, as a row of numbers that is the same for equal kernels.

  bool IsInner(uint32_t slot) const {
    return (maker_[slot] == Maker::kKernel || maker_[slot] == Maker::kSum) && kept_[slot] == 0;
  }
  void Visit(uint32_t slot, bool root) {
    const bool inner =
        IsInner(slot) || (root && (maker_[slot] == Maker::kKernel || maker_[slot] == Maker::kSum));
    if (stamp_[slot] == now_) {
      tokens_.insert(tokens_.end(), {1, number_[slot]});
      return;
    }
    stamp_[slot] = now_;
    if (!inner) {
      number_[slot] = static_cast<uint32_t>(leaves_.size()) - first_leaf_;
      tokens_.insert(tokens_.end(), {0, static_cast<uint32_t>(BaseOf(slot))});
      leaves_.push_back(slot);
      return;
    }
    if (maker_[slot] == Maker::kSum) {
      const SumRow& row = p_.sums[made_by_[slot]];
      tokens_.insert(tokens_.end(), {3, row.count});
      for (uint32_t k = 0; k < row.count; ++k) {
        const SumEntry& e = p_.sum_entries[row.first + k];
        tokens_.push_back(static_cast<uint32_t>(e.sign));
        Visit(e.slot, false);
      }
    } else {
      const KernelRun& run = p_.runs[made_by_[slot]];
      const Code& code = p_.codes[run.code];
      const auto results = static_cast<uint32_t>(code.results.size());
      const uint32_t i = instance_[slot] / results;
      tokens_.insert(tokens_.end(), {2, run.code, instance_[slot] % results});
      bases_.push_back(p_.bases[run.first_base + i]);
      for (uint32_t k = 0; k < code.locals; ++k)
        Visit(p_.locals[run.first_local + size_t{i} * code.locals + k], false);
    }
    number_[slot] = inners_++ | (1u << 31);
  }

  void AddItem(uint32_t slot, uint32_t derivative) {
    if (stamp_.empty()) {
      stamp_.assign(p_.slots, 0);
      number_.assign(p_.slots, 0);
    }
    Item item;
    item.slot = slot;
    item.derivative = derivative;
    item.first_leaf = static_cast<uint32_t>(leaves_.size());
    item.first_base = static_cast<uint32_t>(bases_.size());
    ++now_;
    inners_ = 0;
    tokens_.clear();
    first_leaf_ = item.first_leaf;
    // A wanted derivative that stands elsewhere already is copied.
    const bool copy = derivative != kNone && keep_[slot] != 0 && kept_[slot] != 0;
    Visit(slot, !copy);
    const auto [at, fresh] = kernel_of_.try_emplace(tokens_, static_cast<uint32_t>(out_.kernels.size()));
    if (fresh) out_.kernels.push_back(MakeKernel(slot, !copy));
    item.kernel = at->second;
    items_.push_back(item);
    budget_ += out_.kernels[item.kernel].code.instructions.size();
    if (whole_ && budget_ > 400 * (p_.state_slots.size() + 100)) complete_ = false;
  }
  /** Writes the code of a kernel from its first instance. Eliminations bring zeros and ones with them, which
  are left out (PR.13a). */
  struct Writer {
    FusedKernel kernel;
    std::unordered_map<uint32_t, uint32_t> done;  // slot: register
    bool Is(uint32_t r, double number) const {
      const Instruction& i = kernel.code.instructions[r];
      return i.code == CodeOp::kNumber && i.number == number;
    }
    uint32_t Emit(Instruction i) {
      if (i.code == CodeOp::kBinary) {
        if (i.op == Op::kMultiply && (Is(i.a, 0) || Is(i.b, 1))) return i.a;
        if (i.op == Op::kMultiply && (Is(i.a, 1) || Is(i.b, 0))) return i.b;
        if (i.op == Op::kAdd && Is(i.a, 0)) return i.b;
        if (i.op == Op::kAdd && Is(i.b, 0)) return i.a;
        if (i.op == Op::kDivide && (Is(i.a, 0) || Is(i.b, 1))) return i.a;
      }
      kernel.code.instructions.push_back(i);
      return static_cast<uint32_t>(kernel.code.instructions.size() - 1);
    }
  };
  FusedKernel MakeKernel(uint32_t root, bool expand) {
    Writer w;
    uint32_t bases = 0;
    parameter_of_.emplace_back();
    const std::function<uint32_t(uint32_t, bool)> write = [&](uint32_t slot, bool top) -> uint32_t {
      if (const auto at = w.done.find(slot); at != w.done.end()) return at->second;
      uint32_t out = 0;
      if (!IsInner(slot) && !(top && (maker_[slot] == Maker::kKernel || maker_[slot] == Maker::kSum))) {
        out = w.Emit({CodeOp::kLoad, Op::kSymbol, w.kernel.leaves++, 0, 0, 0});
      } else if (maker_[slot] == Maker::kSum) {
        const SumRow& row = p_.sums[made_by_[slot]];
        out = kNone;
        for (uint32_t k = 0; k < row.count; ++k) {
          const SumEntry& e = p_.sum_entries[row.first + k];
          uint32_t term = write(e.slot, false);
          if (e.sign < 0) {
            const uint32_t minus = w.Emit({CodeOp::kNumber, Op::kNumber, 0, 0, 0, -1});
            term = w.Emit({CodeOp::kBinary, Op::kMultiply, minus, term, 0, 0});
          }
          out = out == kNone ? term : w.Emit({CodeOp::kBinary, Op::kAdd, out, term, 0, 0});
        }
        if (out == kNone) out = w.Emit({CodeOp::kNumber, Op::kNumber, 0, 0, 0, 0});
      } else {
        const KernelRun& run = p_.runs[made_by_[slot]];
        const Code& code = p_.codes[run.code];
        const auto results = static_cast<uint32_t>(code.results.size());
        const uint32_t i = instance_[slot] / results, base = bases++;
        std::vector<uint32_t> local(code.locals);
        for (uint32_t k = 0; k < code.locals; ++k)
          local[k] = write(p_.locals[run.first_local + size_t{i} * code.locals + k], false);
        std::vector<uint32_t> number(code.instructions.size());
        for (size_t k = 0; k < code.instructions.size(); ++k) {
          Instruction in = code.instructions[k];
          switch (in.code) {
            case CodeOp::kLoad:
              number[k] = local[in.a];
              continue;
            case CodeOp::kParameter:
              parameter_of_.back().push_back({base, in.a});
              in.a = w.kernel.parameters++;
              break;
            case CodeOp::kNumber:
            case CodeOp::kTime:
            case CodeOp::kSwitchTime:
              break;
            case CodeOp::kIf:
              in.c = number[in.c];
              [[fallthrough]];
            case CodeOp::kBinary:
            case CodeOp::kTable:
              in.b = number[in.b];
              [[fallthrough]];
            default:
              in.a = number[in.a];
          }
          number[k] = w.Emit(in);
        }
        out = number[code.results[instance_[slot] % results]];
      }
      w.done.emplace(slot, out);
      return out;
    };
    w.kernel.code.results = {write(root, expand)};
    w.kernel.code.locals = w.kernel.leaves;
    RemoveUnused(w.kernel.code);
    return std::move(w.kernel);
  }

  // ---- Order

  void OrderStates(const FusedProgram* like) {
    const auto n = static_cast<uint32_t>(p_.state_slots.size());
    if (like != nullptr) {
      out_.states = like->states;
    } else {
      out_.states.resize(n);
      std::iota(out_.states.begin(), out_.states.end(), 0u);
      if (out_.compact) {
        std::vector<uint32_t> kernel(n, 0);
        for (const Item& item : items_) {
          if (item.derivative != kNone) kernel[item.derivative] = item.kernel;
        }
        std::stable_sort(out_.states.begin(), out_.states.end(),
                         [&](uint32_t a, uint32_t b) { return kernel[a] < kernel[b]; });
      }
    }
    place_of_state_.resize(n);
    for (uint32_t k = 0; k < n; ++k) {
      place_of_state_[out_.states[k]] = k;
      out_.state_slots.push_back(p_.state_slots[out_.states[k]]);
    }
  }

  void Schedule() {
    // Derivatives first in their own order: neighbours beside each other.
    std::vector<uint32_t> order(items_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return items_[a].derivative < items_[b].derivative; });
    std::vector<uint32_t> item_of_slot(p_.slots, kNone);
    for (const uint32_t k : order) {
      const Item& item = items_[k];
      const bool there = kept_[item.slot] != 0 && (item.derivative == kNone || keep_[item.slot] == 0);
      if (there && item_of_slot[item.slot] == kNone) item_of_slot[item.slot] = k;
    }
    // Nodes: items, then blocks, then groups of foreign code.
    const auto items = static_cast<uint32_t>(items_.size());
    const auto blocks = static_cast<uint32_t>(p_.blocks.size());
    const uint32_t nodes = items + blocks + static_cast<uint32_t>(p_.foreign.size());
    const auto node_of = [&](uint32_t slot) -> uint32_t {
      if (item_of_slot[slot] != kNone) return item_of_slot[slot];
      if (maker_[slot] == Maker::kBlock) return items + made_by_[slot];
      if (maker_[slot] == Maker::kForeign) return items + blocks + made_by_[slot];
      return kNone;
    };
    std::vector<std::pair<uint32_t, uint32_t>> edges;  // needed, by
    const auto need = [&](uint32_t slot, uint32_t by) {
      const uint32_t node = node_of(slot);
      if (node != kNone && node != by) edges.emplace_back(node, by);
    };
    for (uint32_t k = 0; k < items; ++k) {
      const uint32_t count = out_.kernels[items_[k].kernel].leaves;
      for (uint32_t l = 0; l < count; ++l) need(leaves_[items_[k].first_leaf + l], k);
    }
    for (uint32_t b = 0; b < blocks; ++b) {
      if (block_needed_[b] != 0) OverBlockInputs(p_.blocks[b], [&](uint32_t slot) { need(slot, items + b); });
    }
    for (uint32_t g = 0; g < p_.foreign.size(); ++g) {
      if (foreign_needed_[g] == 0) continue;
      for (size_t k = 0; k < p_.foreign[g].arguments(); ++k)
        need(p_.foreign[g].argument(k), items + blocks + g);
    }
    std::vector<uint32_t> first(nodes + 1, 0), waits(nodes, 0);
    for (const auto& [needed, by] : edges) {
      ++first[needed + 1];
      ++waits[by];
    }
    for (uint32_t k = 0; k < nodes; ++k) first[k + 1] += first[k];
    std::vector<uint32_t> successors(edges.size()), at(first.begin(), first.end() - 1);
    for (const auto& [needed, by] : edges) successors[at[needed]++] = by;

    TakeCopies();
    const auto kernels = static_cast<uint32_t>(out_.kernels.size());
    std::vector<std::vector<uint32_t>> ready(kernels);
    struct Waiting {
      enum class Kind : uint8_t { kKernel, kHome, kBlock, kForeign } kind;
      uint32_t index;
    };
    std::deque<Waiting> waiting;
    std::vector<bool> listed(kernels, false);
    // Kernels of few instances: all that is ready at one home before the next home is visited, so that what a
    // component needs stands together (PR.16).
    std::vector<uint32_t> instances_of(kernels, 0);
    for (const Item& item : items_) ++instances_of[item.kernel];
    std::unordered_map<uint32_t, std::deque<uint32_t>> at_home;
    size_t few = 0;  // instructions of such kernels
    for (uint32_t k = 0; k < kernels; ++k) {
      if (instances_of[k] <= kFewReady) few += instances_of[k] * out_.kernels[k].code.instructions.size();
    }
    const bool visits = !whole_ && few > kWorthVisiting;
    const auto is_few = [&](uint32_t kernel) { return visits && instances_of[kernel] <= kFewReady; };
    const auto make_ready = [&](uint32_t node) {
      if (node >= items + blocks) {
        const uint32_t group = node - items - blocks;
        if (foreign_needed_[group] != 0) waiting.push_back({Waiting::Kind::kForeign, group});
        return;
      }
      if (node >= items) {
        const uint32_t block = node - items;
        if (block_needed_[block] != 0) waiting.push_back({Waiting::Kind::kBlock, block});
        return;
      }
      const uint32_t kernel = items_[node].kernel;
      if (is_few(kernel)) {
        const uint32_t home = sorted_.system->HomeOfVariable(sorted_.OfSlot(items_[node].slot).variable);
        std::deque<uint32_t>& queue = at_home[home];
        if (queue.empty()) waiting.push_back({Waiting::Kind::kHome, home});
        queue.push_back(node);
        return;
      }
      ready[kernel].push_back(node);
      if (!listed[kernel]) {
        listed[kernel] = true;
        waiting.push_back({Waiting::Kind::kKernel, kernel});
      }
    };
    const auto finish = [&](uint32_t node) {
      for (uint32_t k = first[node]; k < first[node + 1]; ++k) {
        if (--waits[successors[k]] == 0) make_ready(successors[k]);
      }
    };
    for (const uint32_t k : order) {
      if (waits[k] == 0) make_ready(k);
    }
    for (uint32_t node = items; node < nodes; ++node) {
      if (waits[node] == 0) make_ready(node);
    }
    std::vector<uint32_t> batch;
    while (!waiting.empty()) {
      const auto [kind, next] = waiting.front();
      waiting.pop_front();
      switch (kind) {
        case Waiting::Kind::kHome: {
          std::deque<uint32_t>& queue = at_home[next];
          while (!queue.empty()) {  // grows on the way
            const uint32_t node = queue.front();
            batch.assign(1, node);
            AddRun(items_[node].kernel, batch, false);
            out_.runs.back().home = next;
            finish(node);
            queue.pop_front();
          }
          continue;
        }
        case Waiting::Kind::kBlock:
          out_.steps.push_back({FusedStep::Kind::kBlock, next});
          finish(items + next);
          continue;
        case Waiting::Kind::kForeign:
          out_.steps.push_back({FusedStep::Kind::kForeign, next});
          finish(items + blocks + next);
          continue;
        case Waiting::Kind::kKernel:
          break;
      }
      batch.clear();
      std::swap(batch, ready[next]);
      bool sequential = false;
      if (batch.size() < kFewReady) {
        for (size_t k = 0; k < batch.size(); ++k) {  // grows on the way: a chain
          finish(batch[k]);
          if (ready[next].empty() || ready[next].size() >= kFewReady) continue;
          sequential = true;
          batch.insert(batch.end(), ready[next].begin(), ready[next].end());
          ready[next].clear();
        }
      } else {
        for (const uint32_t k : batch) finish(k);
      }
      listed[next] = !ready[next].empty();
      if (listed[next]) waiting.push_back({Waiting::Kind::kKernel, next});
      AddRun(next, batch, sequential);
    }
  }

  // Values that are not computed here stand first in `work`.
  void TakeCopies() {
    place_.assign(p_.slots, kNone);
    if (!out_.compact) {
      out_.work = p_.slots;
      return;
    }
    for (const uint32_t slot : leaves_) {
      if (BaseOf(slot) != Operand::Base::kWork || kept_[slot] != 0 || place_[slot] != kNone) continue;
      place_[slot] = static_cast<uint32_t>(out_.work++);
      out_.copies.emplace_back(slot, place_[slot]);
    }
  }

  // One operand of all instances of a run, from their places.
  Operand MakeOperand(Operand::Base base, const std::vector<uint32_t>& places) {
    Operand out{base, Operand::Kind::kUniform, places[0]};
    const bool uniform =
        std::all_of(places.begin(), places.end(), [&](uint32_t x) { return x == places[0]; });
    if (uniform) return out;
    out.kind = Operand::Kind::kContiguous;
    for (uint32_t k = 0; k < places.size(); ++k) {
      if (places[k] == places[0] + k) continue;
      out.kind = Operand::Kind::kIndexed;
      out.at = static_cast<uint32_t>(out_.places.size());
      out_.places.insert(out_.places.end(), places.begin(), places.end());
      break;
    }
    return out;
  }

  void AddRun(uint32_t number, const std::vector<uint32_t>& batch, bool sequential) {
    const FusedKernel& kernel = out_.kernels[number];
    FusedRun run{number, static_cast<uint32_t>(batch.size()), static_cast<uint32_t>(out_.operands.size()),
                 sequential};
    for (const uint32_t k : batch) {
      if (items_[k].derivative == kNone && out_.compact)
        place_[items_[k].slot] = static_cast<uint32_t>(out_.work++);
    }
    std::vector<uint32_t> places(batch.size());
    Instances of;
    for (uint32_t l = 0; l < kernel.leaves; ++l) {
      const Operand::Base base = BaseOf(leaves_[items_[batch[0]].first_leaf + l]);
      for (size_t k = 0; k < batch.size(); ++k) {
        const uint32_t slot = leaves_[items_[batch[k]].first_leaf + l];
        places[k] = base == Operand::Base::kStates        ? place_of_state_[state_[slot]]
                    : base == Operand::Base::kDerivatives ? DerivativeOf(slot)
                    : out_.compact                        ? place_[slot]
                                                          : slot;
      }
      out_.operands.push_back(MakeOperand(base, places));
      if (whole_)
        of.state_of_leaf.push_back(base == Operand::Base::kStates ? places : std::vector<uint32_t>{});
    }
    const LargeVector<double>& parameters = sorted_.system->parameters.values;
    std::vector<double> values(batch.size());
    for (uint32_t p = 0; p < kernel.parameters; ++p) {
      const auto [base, offset] = parameter_of_[number][p];
      for (size_t k = 0; k < batch.size(); ++k)
        values[k] = parameters[bases_[items_[batch[k]].first_base + base] + offset];
      const bool uniform = std::all_of(values.begin(), values.end(), [&](double x) {
        return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(values[0]);
      });
      const auto at = static_cast<uint32_t>(out_.constants.size());
      out_.operands.push_back(
          {Operand::Base::kConstants, uniform ? Operand::Kind::kUniform : Operand::Kind::kContiguous, at});
      out_.constants.insert(out_.constants.end(), values.begin(),
                            uniform ? values.begin() + 1 : values.end());
    }
    // All targets of a run are of one kind, or it is two runs.
    const bool derivatives = items_[batch[0]].derivative != kNone;
    std::vector<uint32_t> rest;
    for (size_t k = 0; k < batch.size(); ++k) {
      const Item& item = items_[batch[k]];
      if ((item.derivative != kNone) != derivatives) {
        rest.push_back(batch[k]);
        continue;
      }
      places[k] = derivatives ? item.derivative : out_.compact ? place_[item.slot] : item.slot;
      if (whole_) of.derivative.push_back(item.derivative);
    }
    if (!rest.empty()) {  // undo, and one after the other
      out_.operands.resize(run.first_operand);
      std::vector<uint32_t> same;
      for (const uint32_t k : batch) {
        if ((items_[k].derivative != kNone) == derivatives) same.push_back(k);
      }
      if (sequential) {
        for (const uint32_t k : batch) AddRun(number, {k}, false);
      } else {
        AddRun(number, same, false);
        AddRun(number, rest, false);
      }
      return;
    }
    out_.operands.push_back(
        MakeOperand(derivatives ? Operand::Base::kDerivatives : Operand::Base::kWork, places));
    if (out_.operands.back().kind == Operand::Kind::kUniform)
      out_.operands.back().kind = Operand::Kind::kContiguous;
    out_.steps.push_back({FusedStep::Kind::kRun, static_cast<uint32_t>(out_.runs.size())});
    out_.runs.push_back(run);
    if (whole_) instances.push_back(std::move(of));
  }
  uint32_t DerivativeOf(uint32_t slot) {
    if (derivative_of_.empty()) {
      derivative_of_.assign(p_.slots, kNone);
      for (const Item& item : items_) {
        if (item.derivative != kNone) derivative_of_[item.slot] = item.derivative;
      }
    }
    return derivative_of_[slot];
  }

  const Program& p_;
  const SortedSystem& sorted_;
  bool whole_;            // nothing is kept: from states to results
  bool complete_ = true;  // whether that is not too long
  FusedProgram out_;
  LargeVector<Maker> maker_;
  LargeVector<uint32_t> made_by_, instance_, state_, wanted_;  // by slot
  LargeVector<uint32_t> uses_, cost_;
  LargeVector<uint8_t> keep_, kept_;  // must be in its place for a block; is computed once
  std::vector<uint8_t> block_needed_, foreign_needed_;
  std::vector<uint32_t> code_cost_;
  LargeVector<uint32_t> stamp_, number_, place_, derivative_of_;
  std::vector<uint32_t> place_of_state_;
  uint32_t now_ = 0, inners_ = 0, first_leaf_ = 0;
  size_t budget_ = 0;
  std::vector<uint32_t> tokens_;
  LargeVector<uint32_t> leaves_, bases_;
  std::vector<Item> items_;
  std::unordered_map<std::vector<uint32_t>, uint32_t, WordsHash> kernel_of_;
  std::vector<std::vector<std::pair<uint32_t, uint32_t>>> parameter_of_;  // by kernel: base, offset
};

}  // namespace

size_t FusedProgram::instructions() const {
  size_t sum = 0;
  for (const FusedRun& run : runs) sum += run.count * kernels[run.kernel].code.instructions.size();
  return sum;
}
size_t FusedProgram::code_bytes() const {
  size_t sum = 0;
  for (const FusedKernel& kernel : kernels) sum += kernel.code.instructions.size() * sizeof(Instruction);
  return sum;
}
size_t FusedProgram::table_bytes() const {
  return places.size() * sizeof(uint32_t) + constants.size() * sizeof(double) +
         (states.size() + state_slots.size()) * sizeof(uint32_t);
}

FusedProgram FuseDerivatives(const Program& program) {
  FusedProgram out = Fuser(program, false).Run(program.derivative_slots, nullptr);
  SpecializeRuns(out);
  return out;
}

FusedProgram FuseSlots(const Program& program, std::span<const uint32_t> slots, const FusedProgram& like) {
  FusedProgram out = Fuser(program, false).Run(slots, &like);
  SpecializeRuns(out);
  return out;
}

namespace {

/* Some of the runs of a whole program, differentiated by some of their leaves, with what they read. */
class JacobianRuns {
 public:
  explicit JacobianRuns(const FusedProgram& whole) : whole_(whole) {
    program.program = whole.program;
    program.states = whole.states;
    program.state_slots = whole.state_slots;
    program.copies = whole.copies;
    program.work = whole.work;
    program.scratch = whole.scratch;
    program.compact = whole.compact;
  }
  FusedProgram program;

  /// `place`: of a leaf and an instance, the entry.
  template <class F>
  void Add(FusedRun run, const std::vector<uint32_t>& by, F&& place) {
    if (by.empty()) return;
    const FusedKernel& kernel = whole_.kernels[run.kernel];
    const auto [at, fresh] =
        kernel_of_.try_emplace(run.kernel, static_cast<uint32_t>(program.kernels.size()));
    if (fresh)
      program.kernels.push_back({DifferentiateCode(kernel.code, by), kernel.leaves, kernel.parameters});
    const Operand* operands = whole_.operands.data() + run.first_operand;
    run.kernel = at->second;
    run.sequential = false;
    run.first_operand = static_cast<uint32_t>(program.operands.size());
    std::vector<bool> read(kernel.leaves + kernel.parameters, false);
    for (const Instruction& i : program.kernels[run.kernel].code.instructions) {
      if (i.code == CodeOp::kLoad) read[i.a] = true;
      if (i.code == CodeOp::kParameter) read[kernel.leaves + i.a] = true;
    }
    for (uint32_t k = 0; k < read.size(); ++k) {
      Operand operand = operands[k];
      if (!read[k]) operand.kind = Operand::Kind::kUniform;
      const uint32_t count = operand.kind == Operand::Kind::kUniform ? 1 : run.count;
      if (operand.kind == Operand::Kind::kIndexed)
        operand.at = Append(program.places, whole_.places.begin() + operand.at, count);
      else if (operand.base == Operand::Base::kConstants)
        operand.at = Append(program.constants, whole_.constants.begin() + operand.at, count);
      program.operands.push_back(operand);
    }
    for (const uint32_t leaf : by) {
      program.operands.push_back({Operand::Base::kDerivatives, Operand::Kind::kIndexed,
                                  static_cast<uint32_t>(program.places.size())});
      for (uint32_t k = 0; k < run.count; ++k) program.places.push_back(place(leaf, k));
    }
    program.steps.push_back({FusedStep::Kind::kRun, static_cast<uint32_t>(program.runs.size())});
    program.runs.push_back(run);
  }

 private:
  template <class T, class From>
  static uint32_t Append(T& to, From from, uint32_t count) {
    const auto at = static_cast<uint32_t>(to.size());
    to.insert(to.end(), from, from + count);
    return at;
  }
  const FusedProgram& whole_;
  std::unordered_map<uint32_t, uint32_t> kernel_of_;  // by kernel of the whole
};

// By result: whether it depends on more than parameters.
std::vector<bool> ResultsThatMove(const Code& code) {
  std::vector<bool> moves(code.instructions.size(), false), out;
  for (size_t k = 0; k < moves.size(); ++k) {
    const Instruction& i = code.instructions[k];
    moves[k] = i.code == CodeOp::kLoad || i.code == CodeOp::kTime || i.code == CodeOp::kSwitchTime;
    OverOperands(i, [&](uint32_t r) { moves[k] = moves[k] || moves[r]; });
  }
  for (const uint32_t r : code.results) out.push_back(moves[r]);
  return out;
}

}  // namespace

FusedJacobian FuseJacobian(const Program& program, const FusedProgram& derivatives) {
  FusedJacobian out;
  const auto n = static_cast<uint32_t>(derivatives.states.size());
  std::vector<uint32_t> slots;  // in the order of `derivatives`
  for (const uint32_t k : derivatives.states) slots.push_back(program.derivative_slots[k]);
  Fuser fuser(program, true);
  FusedProgram whole = fuser.Run(slots, &derivatives);
  if (!whole.complete) {
    out.program = std::move(whole);
    return out;
  }
  // Which entries there are: by column, then row; the diagonal always.
  std::vector<uint64_t> entries;
  for (uint32_t k = 0; k < n; ++k) entries.push_back(uint64_t{k} << 32 | k);
  for (const auto& of : fuser.instances) {
    for (const auto& states : of.state_of_leaf) {
      for (size_t k = 0; k < states.size(); ++k)
        entries.push_back(uint64_t{states[k]} << 32 | of.derivative[k]);
    }
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  out.first.assign(n + 1, 0);
  out.rows.reserve(entries.size());
  for (const uint64_t e : entries) {
    ++out.first[(e >> 32) + 1];
    out.rows.push_back(static_cast<int>(e & UINT32_MAX));
  }
  for (uint32_t k = 0; k < n; ++k) out.first[k + 1] += out.first[k];
  const auto entry = [&](uint32_t column, uint32_t row) {
    const auto begin = out.rows.begin() + out.first[column], end = out.rows.begin() + out.first[column + 1];
    return static_cast<uint32_t>(std::lower_bound(begin, end, static_cast<int>(row)) - out.rows.begin());
  };
  // The same runs with the derivatives of their kernels: what parameters alone decide, and what changes.
  JacobianRuns constant(whole), varying(whole);
  for (size_t r = 0; r < whole.runs.size(); ++r) {
    const auto& of = fuser.instances[r];
    const Code& code = whole.kernels[whole.runs[r].kernel].code;
    std::vector<uint32_t> by;
    for (uint32_t l = 0; l < whole.kernels[whole.runs[r].kernel].leaves; ++l) {
      if (!of.state_of_leaf[l].empty()) by.push_back(l);
    }
    const std::vector<bool> moves = ResultsThatMove(DifferentiateCode(code, by));
    for (JacobianRuns* part : {&constant, &varying}) {
      std::vector<uint32_t> own;
      for (size_t k = 0; k < by.size(); ++k) {
        if (moves[k] == (part == &varying)) own.push_back(by[k]);
      }
      part->Add(whole.runs[r], own, [&](uint32_t leaf, uint32_t k) {
        return entry(of.state_of_leaf[leaf][k], of.derivative[k]);
      });
    }
  }
  out.values.assign(out.rows.size(), 0);
  FusedInterpreter interpreter(constant.program);
  for (const FusedRun& run : constant.program.runs)
    interpreter.Run(run, {nullptr, out.values.data(), nullptr, nullptr, 0, 0});
  out.program = std::move(varying.program);
  return out;
}

}  // namespace cotree
