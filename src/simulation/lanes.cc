// SPDX-License-Identifier: Apache-2.0
#include "simulation/lanes.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/machine_clones.h"
#include "simulation/dormand_prince.h"

namespace cotree {
namespace lane_operations {

constexpr size_t kLanes = LaneBatch::kLanes, kVector = LaneBatch::kVector;

// Four lanes at a time: machines with other vectors take a half of them, or two.
typedef double Vector __attribute__((vector_size(32), aligned(8), may_alias));  // NOLINT: no `using` for it
inline const Vector& At(const double* p) {
  return *reinterpret_cast<const Vector*>(p);
}

template <size_t kTerms>
[[gnu::always_inline]] inline void CombineTerms(double* __restrict out, const double* __restrict y,
                                                const double* const* k, const double* c, const double* h,
                                                size_t n, size_t width) {
  for (size_t v = 0; v < width; v += 4) {
    Vector factor[kTerms];
    const double* of[kTerms];
    for (size_t j = 0; j < kTerms; ++j) {
      factor[j] = At(h + v) * c[j];
      of[j] = k[j];
    }
    for (size_t i = 0, at = v; i < n; ++i, at += kLanes) {
      Vector sum = factor[0] * At(of[0] + at);
      for (size_t j = 1; j < kTerms; ++j) sum = sum + factor[j] * At(of[j] + at);
      *reinterpret_cast<Vector*>(out + at) = At(y + at) + sum;
    }
  }
}
// y + sum of h c k, as vector_operations.h has it.
COTREE_CLONES void Combine(double* __restrict out, const double* __restrict y, const double* const* k,
                           const double* c, int count, const double* h, size_t n, size_t width) {
  switch (count) {
    case 1:
      return CombineTerms<1>(out, y, k, c, h, n, width);
    case 2:
      return CombineTerms<2>(out, y, k, c, h, n, width);
    case 3:
      return CombineTerms<3>(out, y, k, c, h, n, width);
    case 4:
      return CombineTerms<4>(out, y, k, c, h, n, width);
    default:
      return CombineTerms<5>(out, y, k, c, h, n, width);
  }
}

// Summed in the order of vector_operations.h.
COTREE_CLONES void Errors(double* __restrict out, const double* const* k, const double* factors,
                          const double* __restrict h, const double* __restrict y, const double* __restrict z,
                          const double* __restrict floor, const double* __restrict unit, size_t n,
                          size_t width) {
  for (size_t v = 0; v < width; v += kVector) {
    double part[8][kVector] = {}, c[6][kVector];
    for (size_t j = 0; j < 6; ++j) {
      for (size_t l = 0; l < kVector; ++l) c[j][l] = h[v + l] * factors[j];
    }
    for (size_t i = 0; i < n; ++i) {
      double* sum = part[i % 8];
      for (size_t l = 0; l < kVector; ++l) {
        const size_t at = i * kLanes + v + l;
        const double e = c[0][l] * k[0][at] + c[1][l] * k[1][at] + c[2][l] * k[2][at] + c[3][l] * k[3][at] +
                         c[4][l] * k[4][at] + c[5][l] * k[5][at];
        const double a = __builtin_fabs(y[at]), b = __builtin_fabs(z[at]), ab = a < b ? b : a;
        const double x = e / (unit[v + l] * (ab < floor[at] ? floor[at] : ab));
        sum[l] += x * x;
      }
    }
    for (size_t l = 0; l < kVector; ++l)
      out[v + l] = (((part[0][l] + part[4][l]) + (part[2][l] + part[6][l])) +
                    ((part[1][l] + part[5][l]) + (part[3][l] + part[7][l]))) /
                   static_cast<double>(n);
  }
}

}  // namespace lane_operations

namespace {

constexpr size_t kLanes = LaneBatch::kLanes, kVector = LaneBatch::kVector;

class Hash {
 public:
  void Add(uint64_t x) {
    h_ = (std::rotl(h_, 23) ^ x) * 0x517cc1b727220a95u;
    h_ ^= h_ >> 31;
  }
  uint64_t value() const { return h_ | 1; }

 private:
  uint64_t h_ = 0x9e3779b97f4a7c15u;
};

// A vector of a run into its lane, and out of it.
void Put(const double* __restrict from, double* __restrict lane, size_t n) {
  for (size_t i = 0; i < n; ++i) lane[i * kLanes] = from[i];
}
void Get(const double* __restrict lane, double* __restrict to, size_t n) {
  for (size_t i = 0; i < n; ++i) to[i] = lane[i * kLanes];
}

}  // namespace

uint64_t ShapeOf(const FusedProgram& p) {
  Hash hash;
  for (const uint64_t x : {p.runs.size(), p.constants.size(), p.work, p.scratch, p.states.size()})
    hash.Add(x);
  for (const FusedRun& run : p.runs) {
    hash.Add(uint64_t{run.kernel} << 32 | run.count);
    hash.Add(uint64_t{run.first_operand} << 32 | run.width);
  }
  for (const Operand& o : p.operands) {
    hash.Add(static_cast<uint64_t>(o.base) << 48 | static_cast<uint64_t>(o.kind) << 40 | o.at);
    hash.Add(o.offset);
  }
  for (const uint32_t x : p.places) hash.Add(x);
  for (const uint32_t x : p.states) hash.Add(x);
  for (const auto& [slot, place] : p.copies) hash.Add(uint64_t{slot} << 32 | place);
  for (const FusedKernel& kernel : p.kernels) {
    hash.Add(kernel.leaves);
    for (const uint32_t x : kernel.code.results) hash.Add(x);
    for (const Instruction& i : kernel.code.instructions) {
      hash.Add(static_cast<uint64_t>(i.code) << 40 | static_cast<uint64_t>(i.op) << 32 | i.a);
      hash.Add(uint64_t{i.b} << 32 | i.c);
      hash.Add(std::bit_cast<uint64_t>(i.number));
    }
  }
  return hash.value();
}

FusedProgram SpreadOverLanes(const FusedProgram& p, uint32_t lanes) {
  FusedProgram out;
  out.program = p.program;
  out.states = p.states;
  out.state_slots = p.state_slots;
  out.copies = p.copies;
  out.work = (p.work + 2) * lanes;
  out.scratch = p.scratch * lanes;
  out.constants.resize(p.constants.size() * lanes);
  struct Times {
    uint32_t time = UINT32_MAX, switch_time = UINT32_MAX;  // leaves
  };
  std::vector<Times> times;
  for (const FusedKernel& kernel : p.kernels) {
    FusedKernel own = kernel;
    Times at;
    for (Instruction& i : own.code.instructions) {
      if (i.code != CodeOp::kTime && i.code != CodeOp::kSwitchTime) continue;
      uint32_t& leaf = i.code == CodeOp::kTime ? at.time : at.switch_time;
      if (leaf == UINT32_MAX) leaf = own.leaves++;
      i = {CodeOp::kLoad, Op::kSymbol, leaf, 0, 0, 0};
    }
    own.code.locals = own.leaves;
    times.push_back(at);
    out.kernels.push_back(std::move(own));
  }
  const auto operand = [&](Operand::Base base, size_t place) {
    return Operand{base, Operand::Kind::kContiguous, static_cast<uint32_t>(place * lanes)};
  };
  for (const FusedStep& step : p.steps) {
    const FusedRun& run = p.runs[step.index];
    const FusedKernel& kernel = p.kernels[run.kernel];
    const size_t inputs = kernel.leaves + kernel.parameters, all = inputs + kernel.code.results.size();
    const Times at = times[run.kernel];
    for (uint32_t instance = 0; instance < run.count; ++instance) {
      out.steps.push_back({FusedStep::Kind::kRun, static_cast<uint32_t>(out.runs.size())});
      out.runs.push_back({run.kernel, lanes, static_cast<uint32_t>(out.operands.size()), false});
      for (size_t k = 0; k < all; ++k) {
        if (k == kernel.leaves) {
          for (uint32_t leaf = kernel.leaves; leaf < out.kernels[run.kernel].leaves; ++leaf)
            out.operands.push_back(operand(Operand::Base::kWork, leaf == at.time ? p.work : p.work + 1));
        }
        const Operand& own = p.operands[run.first_operand + k];
        out.operands.push_back(operand(own.base, p.PlaceOf(run, own, instance)));
      }
    }
  }
  return out;
}

bool PaysInLanes(const Program& program, Method method) {
  constexpr uint32_t kMany = 32;
  constexpr size_t kMost = 300000;  // instructions: there are as many models as lanes
  if (method != Method::kAutomatic && method != Method::kExplicit) return false;
  if (program.state_slots.empty()) return false;
  const FusedProgram fused = FuseDerivatives(program);
  size_t many = 0;
  for (const FusedRun& run : fused.runs)
    many += run.count > kMany ? run.count * fused.kernels[run.kernel].code.instructions.size() : 0;
  return fused.compact && fused.instructions() <= kMost && many <= fused.instructions() / 2;
}

uint64_t NextRunNumber() {
  static std::atomic<uint64_t> next{1};
  return next++;
}

/** A program in lanes, with the numbers that stand in them. */
struct LaneBatch::Kind {
  Kind(const LaneTry& of, ProgramTier tier)
      : shape(of.shape),
        n(of.program->states.size()),
        tiers(Spread(*of.program), TierFor(*of.program, tier)) {
    memory.resize(11 * n * kLanes);
    work.resize(tiers.program().work);
    scratch.resize(tiers.program().scratch);
  }
  // Long code takes longer to compile than a sweep.
  static ProgramTier TierFor(const FusedProgram& program, ProgramTier tier) {
    constexpr size_t kMost = 20000;  // instructions
    const bool long_code = program.code_bytes() > kMost * sizeof(Instruction);
    return tier == ProgramTier::kAutomatic && long_code ? ProgramTier::kInterpreter : tier;
  }
  // Outlives the runs: tables are the same in all of a model.
  FusedProgram Spread(const FusedProgram& program) {
    FusedProgram out = SpreadOverLanes(program, kLanes);
    own.tables = program.program->tables;
    out.program = &own;
    return out;
  }
  void Take(const LaneTry& lane, size_t l);
  void Evaluate(const double* states, double* derivatives, size_t width) {
    tiers.Begin(1);
    const FusedArrays arrays{
        states, derivatives, work.data(), scratch.data(), 0, 0, static_cast<uint32_t>(width)};
    for (size_t s = 0; s < tiers.program().steps.size();) s = tiers.Run(s, arrays);
  }
  double* times() { return work.data() + work.size() - 2 * kLanes; }
  double* switch_times() { return work.data() + work.size() - kLanes; }

  const uint64_t shape;
  const size_t n;
  Program own;  // tables only
  TieredProgram tiers;
  uint64_t in_lane[kLanes] = {};  // runs whose constants stand in the lanes
  std::vector<double> memory, work, scratch;
};

LaneBatch::LaneBatch(Fibers& fibers, ProgramTier tier) : fibers_(fibers), tier_(tier) {}
LaneBatch::~LaneBatch() = default;

bool LaneBatch::Try(LaneTry& request) {
  request.done = false;
  waiting_.push_back(&request);
  fibers_.Yield();
  return request.done;
}

void LaneBatch::Together() {
  std::vector<LaneTry*>& all = all_;
  all.swap(waiting_);
  waiting_.clear();
  // Those that are alike, as many as there are lanes.
  while (all.size() > 1) {
    LaneTry* group[kLanes];
    size_t count = 0;
    const uint64_t shape = all[0]->shape;
    size_t kept = 0;
    for (LaneTry* request : all) {
      if (count < kLanes && request->shape == shape)
        group[count++] = request;
      else
        all[kept++] = request;
    }
    all.resize(kept);
    if (count == 1) continue;
    Compute(group, count);
    computed += count;
  }
}

// Constants of the run, where others stand in its lane, and what it holds.
void LaneBatch::Kind::Take(const LaneTry& lane, size_t l) {
  if (in_lane[l] != lane.run) {
    in_lane[l] = lane.run;
    LargeVector<double>& constants = tiers.constants();
    for (size_t i = 0; i < lane.program->constants.size(); ++i)
      constants[i * kLanes + l] = lane.program->constants[i];
  }
  for (const auto& [slot, place] : lane.program->copies) work[place * kLanes + l] = lane.copies[slot];
  switch_times()[l] = lane.switch_time;
}

void LaneBatch::Compute(LaneTry* const* lanes, size_t count) {
  constexpr size_t kMostKinds = 8;
  auto found = std::find_if(kinds_.begin(), kinds_.end(),
                            [&](const auto& kind) { return kind->shape == lanes[0]->shape; });
  if (found == kinds_.end()) {
    if (kinds_.size() == kMostKinds) kinds_.pop_back();
    found = kinds_.insert(kinds_.end(), std::make_unique<Kind>(*lanes[0], tier_));
  }
  std::rotate(kinds_.begin(), found, found + 1);
  Kind& kind = *kinds_.front();
  const size_t n = kind.n, row = n * kLanes, width = (count + kVector - 1) / kVector * kVector;
  double *y = kind.memory.data(), *next = y + row, *stage = next + row, *floor = stage + row, *k[7];
  for (int s = 0; s < 7; ++s) k[s] = floor + static_cast<size_t>(s + 1) * row;
  double time[kLanes], h[kLanes], end[kLanes], unit[kLanes], squares[kLanes];
  for (size_t l = 0; l < width; ++l) {
    const LaneTry& lane = *lanes[l < count ? l : 0];  // lanes without a run repeat the first
    time[l] = lane.time;
    h[l] = lane.h;
    end[l] = lane.end;
    unit[l] = lane.unit;
    Put(lane.y, y + l, n);
    Put(lane.k[0], k[0] + l, n);
    Put(lane.floor, floor + l, n);
    kind.Take(lane, l);
  }
  namespace dp = dormand_prince;
  const double* of[6];
  for (int s = 1; s < dp::kStages; ++s) {
    const bool final = s == dp::kStages - 1;
    const int terms = final ? 5 : s;
    for (int j = 0; j < terms; ++j) of[j] = k[final && j > 0 ? j + 1 : j];
    double* to = final ? next : stage;
    lane_operations::Combine(to, y, of, dp::kStage[s], terms, h, n, width);
    for (size_t l = 0; l < width; ++l) kind.times()[l] = s >= 5 ? end[l] : time[l] + dp::kTime[s] * h[l];
    kind.Evaluate(to, k[s], width);
  }
  for (int j = 0; j < 6; ++j) of[j] = k[j > 0 ? j + 1 : j];
  lane_operations::Errors(squares, of, dp::kError, h, y, next, floor, unit, n, width);
  for (size_t l = 0; l < count; ++l) {
    LaneTry& lane = *lanes[l];
    Get(next + l, lane.next, n);
    Get(stage + l, lane.stage, n);
    for (int s = 2; s < 7; ++s) Get(k[s] + l, lane.k[s], n);
    lane.square = squares[l];
    lane.done = true;
  }
}

}  // namespace cotree
