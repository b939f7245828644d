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

constexpr size_t kLanes = LaneBatch::kLanes;

COTREE_CLONES void Combine(double* __restrict out, const double* __restrict y, const double* const* k,
                           const double (*c)[kLanes], int count, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    double sum[kLanes];
    for (size_t l = 0; l < kLanes; ++l) sum[l] = c[0][l] * k[0][i * kLanes + l];
    for (int j = 1; j < count; ++j) {
      for (size_t l = 0; l < kLanes; ++l) sum[l] = sum[l] + c[j][l] * k[j][i * kLanes + l];
    }
    for (size_t l = 0; l < kLanes; ++l) out[i * kLanes + l] = y[i * kLanes + l] + sum[l];
  }
}

// Summed in the order of vector_operations.h.
COTREE_CLONES void Errors(double* __restrict out, const double* const* k, const double (*c)[kLanes],
                          const double* __restrict y, const double* __restrict z,
                          const double* __restrict floor, const double* __restrict unit, size_t n) {
  double part[8][kLanes] = {};
  for (size_t i = 0; i < n; ++i) {
    double* sum = part[i % 8];
    for (size_t l = 0; l < kLanes; ++l) {
      const size_t at = i * kLanes + l;
      const double e = c[0][l] * k[0][at] + c[1][l] * k[1][at] + c[2][l] * k[2][at] + c[3][l] * k[3][at] +
                       c[4][l] * k[4][at] + c[5][l] * k[5][at];
      const double a = __builtin_fabs(y[at]), b = __builtin_fabs(z[at]), ab = a < b ? b : a;
      const double x = e / (unit[l] * (ab < floor[at] ? floor[at] : ab));
      sum[l] += x * x;
    }
  }
  for (size_t l = 0; l < kLanes; ++l)
    out[l] = (((part[0][l] + part[4][l]) + (part[2][l] + part[6][l])) +
              ((part[1][l] + part[5][l]) + (part[3][l] + part[7][l]))) /
             static_cast<double>(n);
}

/* The instructions of one instance for all lanes; the value of instruction k stands at at[k]. */
COTREE_CLONES void Run(const Instruction* code, size_t count, double* __restrict r,
                       const double* const* inputs, uint32_t leaves, const double* time,
                       const double* switch_time, const std::vector<TableFunction>* tables,
                       const double** at) {
  for (size_t k = 0; k < count; ++k) {
    const Instruction& i = code[k];
    double* __restrict out = r + k * kLanes;
    at[k] = out;
    const bool reads = i.code >= CodeOp::kIntegerPower;
    const double *a = reads ? at[i.a] : nullptr,
                 *b = i.code == CodeOp::kBinary || i.code == CodeOp::kTable || i.code == CodeOp::kIf
                          ? at[i.b]
                          : nullptr,
                 *c = i.code == CodeOp::kIf ? at[i.c] : nullptr;
    switch (i.code) {
      case CodeOp::kNumber:
        for (size_t l = 0; l < kLanes; ++l) out[l] = i.number;
        break;
      case CodeOp::kLoad:
        at[k] = inputs[i.a];
        break;
      case CodeOp::kParameter:
        at[k] = inputs[leaves + i.a];
        break;
      case CodeOp::kTime:
        at[k] = time;
        break;
      case CodeOp::kSwitchTime:
        at[k] = switch_time;
        break;
      case CodeOp::kIntegerPower:
        for (size_t l = 0; l < kLanes; ++l)
          out[l] = PowerChain<double>(a[l], static_cast<int64_t>(i.number), 1.0);
        break;
      case CodeOp::kIf:
        for (size_t l = 0; l < kLanes; ++l) out[l] = a[l] != 0 ? b[l] : c[l];
        break;
      case CodeOp::kTable: {
        const auto orders = static_cast<uint32_t>(i.number);
        for (size_t l = 0; l < kLanes; ++l)
          out[l] = ApplyTable((*tables)[i.c], a[l], b[l], orders / 16, orders % 16);
        break;
      }
      case CodeOp::kUnary:
        if (i.op == Op::kSqrt) {
          for (size_t l = 0; l < kLanes; ++l) out[l] = __builtin_sqrt(a[l]);
        } else {
          for (size_t l = 0; l < kLanes; ++l) out[l] = ApplyUnary(i.op, a[l]);
        }
        break;
      case CodeOp::kBinary:
        switch (i.op) {
          case Op::kAdd:
            for (size_t l = 0; l < kLanes; ++l) out[l] = a[l] + b[l];
            break;
          case Op::kMultiply:
            for (size_t l = 0; l < kLanes; ++l) out[l] = a[l] * b[l];
            break;
          case Op::kDivide:
            for (size_t l = 0; l < kLanes; ++l) out[l] = a[l] / b[l];
            break;
          default:
            for (size_t l = 0; l < kLanes; ++l) out[l] = ApplyBinary(i.op, a[l], b[l]);
        }
        break;
    }
  }
}

}  // namespace lane_operations

namespace {

constexpr size_t kLanes = LaneBatch::kLanes;

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

}  // namespace

uint64_t ShapeOf(const FusedProgram& p) {
  Hash hash;
  for (const uint64_t x : {p.runs.size(), p.constants.size(), p.work, p.scratch, p.states.size()})
    hash.Add(x);
  for (const FusedRun& run : p.runs) {
    hash.Add(uint64_t{run.kernel} << 32 | run.count);
    hash.Add(uint64_t{run.first_operand} << 32 | run.width);
  }
  for (const Operand& o : p.operands)
    hash.Add(static_cast<uint64_t>(o.base) << 48 | static_cast<uint64_t>(o.kind) << 40 | o.at),
        hash.Add(o.offset);
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

uint64_t NextRunNumber() {
  static std::atomic<uint64_t> next{1};
  return next++;
}

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
    if (count > 1) Compute(group, count);
  }
}

void LaneBatch::Compute(LaneTry* const* lanes, size_t count) {
  const FusedProgram& p = *lanes[0]->program;
  const size_t n = p.states.size(), row = n * kLanes;
  memory_.resize(11 * row);
  double *y = memory_.data(), *next = y + row, *stage = next + row, *floor = stage + row, *k[7];
  for (int s = 0; s < 7; ++s) k[s] = floor + static_cast<size_t>(s + 1) * row;
  if (constants_.size() != p.constants.size() * kLanes) {
    constants_.resize(p.constants.size() * kLanes);
    std::fill(in_lane_, in_lane_ + kLanes, 0);
  }
  work_.resize((p.work + 1) * kLanes);
  scratch_.resize((p.scratch + 1) * kLanes);
  switch_times_.resize(kLanes);
  double time[kLanes], h[kLanes], end[kLanes], unit[kLanes], at[kLanes], squares[kLanes];
  for (size_t l = 0; l < kLanes; ++l) {
    const LaneTry& lane = *lanes[l < count ? l : 0];  // lanes without a run repeat the first
    time[l] = lane.time;
    h[l] = lane.h;
    end[l] = lane.end;
    unit[l] = lane.unit;
    switch_times_[l] = lane.switch_time;
    for (size_t i = 0; i < n; ++i) {
      y[i * kLanes + l] = lane.y[i];
      k[0][i * kLanes + l] = lane.k[0][i];
      floor[i * kLanes + l] = lane.floor[i];
    }
    if (in_lane_[l] != lane.run) {
      in_lane_[l] = lane.run;
      for (size_t i = 0; i < p.constants.size(); ++i) constants_[i * kLanes + l] = lane.program->constants[i];
    }
    for (const auto& [slot, place] : p.copies) work_[place * kLanes + l] = lane.copies[slot];
  }
  namespace dp = dormand_prince;
  double c[6][kLanes];
  const double* of[6];
  for (int s = 1; s < dp::kStages; ++s) {
    const bool final = s == dp::kStages - 1;
    const int terms = final ? 5 : s;
    for (int j = 0; j < terms; ++j) {
      of[j] = k[final && j > 0 ? j + 1 : j];
      for (size_t l = 0; l < kLanes; ++l) c[j][l] = h[l] * dp::kStage[s][j];
    }
    double* to = final ? next : stage;
    lane_operations::Combine(to, y, of, c, terms, n);
    for (size_t l = 0; l < kLanes; ++l) at[l] = s >= 5 ? end[l] : time[l] + dp::kTime[s] * h[l];
    Evaluate(p, to, k[s], at);
  }
  for (int j = 0; j < 6; ++j) {
    of[j] = k[j > 0 ? j + 1 : j];
    for (size_t l = 0; l < kLanes; ++l) c[j][l] = h[l] * dp::kError[j];
  }
  lane_operations::Errors(squares, of, c, y, next, floor, unit, n);
  for (size_t l = 0; l < count; ++l) {
    LaneTry& lane = *lanes[l];
    for (size_t i = 0; i < n; ++i) {
      lane.next[i] = next[i * kLanes + l];
      lane.stage[i] = stage[i * kLanes + l];
      for (int s = 2; s < 7; ++s) lane.k[s][i] = k[s][i * kLanes + l];
    }
    lane.square = squares[l];
    lane.done = true;
  }
}

void LaneBatch::Evaluate(const FusedProgram& p, const double* states, double* derivatives,
                         const double* time) {
  double* bases[] = {const_cast<double*>(states), derivatives, work_.data(), constants_.data(),
                     scratch_.data()};
  std::vector<const double*>& inputs = inputs_;
  for (const FusedStep& step : p.steps) {
    const FusedRun& run = p.runs[step.index];
    const FusedKernel& kernel = p.kernels[run.kernel];
    const Operand* operands = p.operands.data() + run.first_operand;
    const size_t reads = kernel.leaves + kernel.parameters;
    registers_.resize(std::max(registers_.size(), kernel.code.instructions.size() * kLanes));
    inputs.resize(std::max(inputs.size(), reads));
    at_.resize(std::max(at_.size(), kernel.code.instructions.size()));
    const auto place = [&](const Operand& operand, uint32_t instance) -> double* {
      return bases[static_cast<size_t>(operand.base)] + size_t{p.PlaceOf(run, operand, instance)} * kLanes;
    };
    for (uint32_t instance = 0; instance < run.count; ++instance) {
      for (size_t j = 0; j < reads; ++j) inputs[j] = place(operands[j], instance);
      lane_operations::Run(kernel.code.instructions.data(), kernel.code.instructions.size(),
                           registers_.data(), inputs.data(), kernel.leaves, time, switch_times_.data(),
                           &p.program->tables, at_.data());
      for (size_t j = 0; j < kernel.code.results.size(); ++j)
        std::memcpy(place(operands[reads + j], instance), at_[kernel.code.results[j]],
                    kLanes * sizeof(double));
    }
  }
}

}  // namespace cotree
