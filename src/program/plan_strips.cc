// SPDX-License-Identifier: Apache-2.0
#include "program/plan_strips.h"

#include <algorithm>

namespace cotree {
namespace {

constexpr int32_t kNowhere = -1;
constexpr uint32_t kFewInstances = 4;           // straight-line code
constexpr size_t kCache = 128 << 10;            // bytes that a strip should stay in
constexpr size_t kMostCache = 4 << 20;          // and those that it may take
constexpr int kMostSweeps = 8, kMostParts = 8;  // to find positions
constexpr uint32_t kMostLevels = 6;
constexpr size_t kMostPieces = 256;

class Planner {
 public:
  Planner(const FusedProgram& program, uint32_t stages, size_t bytes)
      : p_(program), stages_(stages), bytes_(bytes), n_(program.states.size()) {}

  StripPlan Plan() {
    StripPlan plan;
    if (!TakeSteps() || !FindPositions() || !FindLevels() || !ChooseWidth()) return plan;
    if (!FindPieces()) return plan;
    Write(plan.tasks);
    plan.width = static_cast<uint32_t>(width_);
    plan.reach = static_cast<uint32_t>(reach_);
    if (!Pays(plan.tasks)) plan.tasks.clear();
    return plan;
  }

 private:
  /* A run, or one result of straight-line code: what it reads and writes as nodes, which are states (with
  their derivatives) and then what is kept. */
  struct Unit {
    uint32_t step = 0, count = 0, level = 0;
    bool single = false;
    Operand target;
    std::vector<Operand> reads;
  };
  /* Instances of a unit, or states, whose positions rise or fall. */
  struct Piece {
    uint32_t first, end;
    bool rises;
  };

  uint32_t Node(const Operand& operand, uint32_t instance) const {
    return p_.PlaceOf(operand, instance) +
           (operand.base == Operand::Base::kWork ? static_cast<uint32_t>(n_) : 0u);
  }

  bool IsFew(size_t step) const {
    return step < p_.steps.size() && p_.runs[p_.steps[step].index].count <= kFewInstances;
  }

  bool TakeSteps() {
    if (!p_.compact || p_.scratch > 0) return false;
    is_written_.assign(n_ + p_.work, false);
    for (uint32_t s = 0; s < p_.steps.size(); ++s) {
      const FusedRun& run = p_.runs[p_.steps[s].index];
      const FusedKernel& kernel = p_.kernels[run.kernel];
      const Operand* operands = p_.operands.data() + run.first_operand;
      const Operand* targets = operands + kernel.leaves + kernel.parameters;
      for (uint32_t l = 0; l < kernel.leaves; ++l) {
        if (operands[l].base != Operand::Base::kStates && operands[l].base != Operand::Base::kWork)
          return false;
      }
      if (!IsFew(s)) {
        if (run.sequential || kernel.code.results.size() != 1 || targets->kind == Operand::Kind::kUniform)
          return false;
        Unit unit{s, run.count, 0, false, *targets, {operands, operands + kernel.leaves}};
        units_.push_back(std::move(unit));
      } else if (!TakeSingles(s, run, kernel, operands, targets)) {
        return false;
      }
    }
    size_t states = 0;
    for (const Unit& unit : units_) {
      for (uint32_t i = 0; i < unit.count; ++i) is_written_[Node(unit.target, i)] = true;
      if (unit.target.base == Operand::Base::kDerivatives) states += unit.count;
    }
    return states == n_;
  }

  // Straight-line code is run for each of its results again, into an array of its own: only then all that
  // the result depends on is there.
  bool TakeSingles(uint32_t s, const FusedRun& run, const FusedKernel& kernel, const Operand* operands,
                   const Operand* targets) {
    if (run.count != 1 || run.rows || (s > 0 && IsFew(s - 1)) || IsFew(s + 1)) return false;
    const std::vector<Instruction>& code = kernel.code.instructions;
    for (size_t r = 0; r < kernel.code.results.size(); ++r) {
      if (targets[r].base != Operand::Base::kDerivatives) return false;
      Unit unit{s, 1, 0, true, targets[r], {}};
      std::vector<bool> needed(code.size(), false);
      needed[kernel.code.results[r]] = true;
      for (size_t k = code.size(); k-- > 0;) {
        if (!needed[k]) continue;
        if (code[k].code == CodeOp::kLoad) unit.reads.push_back(operands[code[k].a]);
        OverOperands(code[k], [&](uint32_t o) { needed[o] = true; });
      }
      units_.push_back(std::move(unit));
    }
    return units_.size() < 4096;
  }

  template <class F>
  void OverReads(const Unit& unit, F&& f) const {  // f(target, node)
    for (const Operand& read : unit.reads) {
      for (uint32_t i = 0; i < unit.count; ++i) {
        const uint32_t node = Node(read, i);
        if (is_written_[node]) f(Node(unit.target, i), node);
      }
    }
  }

  // From the longest run on: who reads and who is read stand at the same place.
  bool FindPositions() {
    position_.assign(n_ + p_.work, kNowhere);
    for (int part = 0; part < kMostParts; ++part) {
      const Unit* longest = nullptr;
      for (const Unit& unit : units_) {
        if ((longest == nullptr || unit.count > longest->count) &&
            position_[Node(unit.target, 0)] == kNowhere)
          longest = &unit;
      }
      if (longest == nullptr) break;
      for (uint32_t i = 0; i < longest->count; ++i) {
        int32_t& position = position_[Node(longest->target, i)];
        if (position == kNowhere) position = static_cast<int32_t>(i);
      }
      bool changed = true;
      for (int sweep = 0; changed; ++sweep) {
        if (sweep == kMostSweeps) return false;
        changed = false;
        for (const Unit& unit : units_) {
          OverReads(unit, [&](uint32_t target, uint32_t node) {
            int32_t &a = position_[target], &b = position_[node];
            if ((a == kNowhere) == (b == kNowhere)) return;
            (a == kNowhere ? a : b) = a == kNowhere ? b : a;
            changed = true;
          });
        }
      }
    }
    for (size_t k = 0; k < position_.size(); ++k) {
      if (is_written_[k] && position_[k] == kNowhere) return false;
      last_ = std::max(last_, position_[k]);
    }
    for (const Unit& unit : units_) {
      OverReads(unit, [&](uint32_t target, uint32_t node) {
        reach_ = std::max(reach_, std::abs(position_[target] - position_[node]));
      });
    }
    return true;
  }

  // A run that reads what another one keeps elsewhere comes a phase later.
  bool FindLevels() {
    std::vector<uint8_t> level(p_.work, 0);
    for (Unit& unit : units_) {
      OverReads(unit, [&](uint32_t target, uint32_t node) {
        if (node < n_) return;
        const uint32_t least = level[node - n_] + (position_[target] == position_[node] ? 0u : 1u);
        unit.level = std::max(unit.level, least);
      });
      if (unit.level >= kMostLevels) return false;
      levels_ = std::max(levels_, unit.level + 1);
      if (unit.target.base != Operand::Base::kWork) continue;
      for (uint32_t i = 0; i < unit.count; ++i)
        level[p_.PlaceOf(unit.target, i)] = static_cast<uint8_t>(unit.level);
    }
    return true;
  }

  bool ChooseWidth() {
    const int64_t slant = int64_t{stages_} * (1 + levels_) * reach_;
    const double all = static_cast<double>(n_ * bytes_ + p_.work * sizeof(double) + p_.table_bytes());
    const double each = all / (last_ + 1.0);  // bytes at a position
    width_ = std::max({static_cast<int64_t>(static_cast<double>(kCache) / each) - slant, slant, int64_t{1}});
    const double most = static_cast<double>(width_ + slant) * each;
    return most <= kMostCache && 4 * most <= all;
  }

  template <class F>
  static void Cut(uint32_t count, const F& position, std::vector<Piece>& pieces) {
    for (uint32_t first = 0; first < count;) {
      uint32_t end = first + 1;
      while (end < count && position(end) == position(first)) ++end;
      const bool rises = end == count || position(end) > position(first);
      for (; end < count; ++end) {
        if (rises ? position(end) < position(end - 1) : position(end) > position(end - 1)) break;
      }
      pieces.push_back({first, end, rises});
      first = end;
    }
  }
  // The part of a piece at positions from `low` to `high`, that not included.
  template <class F>
  static Piece Part(const Piece& piece, const F& position, int64_t low, int64_t high) {
    const auto find = [&](int64_t border) {
      uint32_t a = piece.first, b = piece.end;
      while (a < b) {
        const uint32_t middle = a + (b - a) / 2;
        if ((position(middle) < border) == piece.rises)
          a = middle + 1;
        else
          b = middle;
      }
      return a;
    };
    const uint32_t a = find(low), b = find(high);
    return {std::min(a, b), std::max(a, b), piece.rises};
  }

  auto PositionOf(const Unit& unit) const {
    return [this, &unit](uint32_t i) { return position_[Node(unit.target, i)]; };
  }
  auto PositionOfStates() const {
    return [this](uint32_t k) { return position_[k]; };
  }

  bool FindPieces() {
    Cut(static_cast<uint32_t>(n_), PositionOfStates(), states_);
    pieces_.resize(units_.size());
    size_t pieces = states_.size();
    for (size_t u = 0; u < units_.size(); ++u) {
      Cut(units_[u].count, PositionOf(units_[u]), pieces_[u]);
      pieces += pieces_[u].size();
    }
    return pieces <= kMostPieces;
  }

  void Write(std::vector<StripTask>& tasks) const {
    using Kind = StripTask::Kind;
    const uint32_t phases = stages_ * (1 + levels_);
    const auto add = [&](Kind kind, uint32_t stage, uint32_t step, const Piece& part) {
      if (part.end > part.first)
        tasks.push_back({kind, static_cast<uint8_t>(stage), step, part.first, part.end - part.first});
    };
    for (int64_t strip = 0; strip * width_ - int64_t{phases} * reach_ <= last_; ++strip) {
      for (uint32_t phase = 0; phase <= phases; ++phase) {
        const int64_t low = strip * width_ - int64_t{phase} * reach_, high = low + width_;
        const uint32_t within = phase % (1 + levels_), stage = phase / (1 + levels_) + 1;
        if (within == 0) {
          const bool end = phase == phases;
          for (const Piece& piece : states_)
            add(end ? Kind::kEnd : Kind::kCombine, end ? stages_ : stage, 0,
                Part(piece, PositionOfStates(), low, high));
          continue;
        }
        for (size_t u = 0; u < units_.size(); ++u) {
          const Unit& unit = units_[u];
          if (unit.level != within - 1) continue;
          for (const Piece& piece : pieces_[u]) {
            Piece part = Part(piece, PositionOf(unit), low, high);
            if (unit.single && part.end > part.first)
              part = {p_.PlaceOf(unit.target, 0), p_.PlaceOf(unit.target, 0) + 1, true};
            add(unit.single ? Kind::kSingle : Kind::kRun, stage, unit.step, part);
          }
        }
      }
      if (tasks.size() > kLargest) return;
    }
  }

  // Whether tasks are long enough.
  bool Pays(const std::vector<StripTask>& tasks) const {
    size_t again = 0;
    for (const StripTask& task : tasks) {
      if (task.kind == StripTask::Kind::kSingle)
        again += p_.kernels[p_.runs[p_.steps[task.step].index].kernel].code.instructions.size();
    }
    return tasks.size() <= kLargest && tasks.size() * 64 <= n_ * stages_ &&
           again * 40 <= p_.instructions() * stages_;
  }

  static constexpr size_t kLargest = 4 << 20;  // tasks
  const FusedProgram& p_;
  const uint32_t stages_;
  const size_t bytes_, n_;
  std::vector<Unit> units_;
  std::vector<bool> is_written_;   // by node
  std::vector<int32_t> position_;  // likewise
  std::vector<Piece> states_;
  std::vector<std::vector<Piece>> pieces_;  // by unit
  uint32_t levels_ = 1;
  int32_t last_ = 0, reach_ = 0;
  int64_t width_ = 0;
};

}  // namespace

StripPlan PlanStrips(const FusedProgram& program, uint32_t stages, size_t bytes) {
  return Planner(program, stages, bytes).Plan();
}

}  // namespace cotree
