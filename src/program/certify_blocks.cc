// SPDX-License-Identifier: Apache-2.0
#include "program/certify_blocks.h"

#include <algorithm>
#include <array>

#include "system_equations/loop_give.h"

namespace cotree {
namespace {

enum Salt : uint64_t {
  kSlot = 1,
  kParameter = 2,
  kTime = 3,
  kTable = 4,
  kForeign = 5,
  kUnary = 16,
  kBinary = 256
};

FieldElement Small(uint64_t value) {
  return {value % FieldElement::kPrime, true};
}
FieldElement Scrambled(uint64_t salt, uint64_t value) {
  const FieldElement part = Small(value);
  return FieldHash(salt, std::span(&part, 1));
}
FieldElement Scrambled(uint64_t salt, FieldElement a, FieldElement b) {
  const std::array<FieldElement, 2> parts{a, b};
  return FieldHash(salt, parts);
}

// As RunCode, in the field. The rational operations are exact; see evaluate_field.h for the rest.
// `zero_slot` holds zero.
void RunInField(const Code& code, const uint32_t* locals, uint32_t parameters, uint32_t zero_slot,
                std::vector<FieldElement>& r) {
  const FieldElement one = Small(1), zero = Small(0);
  for (size_t k = 0; k < code.instructions.size(); ++k) {
    const Instruction& i = code.instructions[k];
    switch (i.code) {
      case CodeOp::kNumber:
        r[k] = FieldOf(i.number);
        break;
      case CodeOp::kLoad:
        r[k] = locals[i.a] == zero_slot ? zero : Scrambled(kSlot, locals[i.a]);
        break;
      case CodeOp::kParameter:
        r[k] = Scrambled(kParameter, parameters + i.a);
        break;
      case CodeOp::kTime:
      case CodeOp::kSwitchTime:
        r[k] = Scrambled(kTime, 0);
        break;
      case CodeOp::kIntegerPower:
        r[k] = PowerChain<FieldElement>(r[i.a], static_cast<int64_t>(i.number), one);
        break;
      case CodeOp::kIf:
        r[k] = r[i.a] * r[i.b] + (one - r[i.a]) * r[i.c];
        break;
      case CodeOp::kTable:
        r[k] = Scrambled(kTable + 16 * i.c + static_cast<uint64_t>(i.number), r[i.a], r[i.b]);
        break;
      case CodeOp::kUnary:
        r[k] =
            i.op == Op::kNot ? one - r[i.a] : Scrambled(kUnary + static_cast<uint64_t>(i.op), r[i.a], zero);
        break;
      case CodeOp::kBinary:
        if (i.op == Op::kAdd) {
          r[k] = r[i.a] + r[i.b];
        } else if (i.op == Op::kMultiply || i.op == Op::kAnd) {
          r[k] = r[i.a] * r[i.b];
        } else if (i.op == Op::kDivide) {
          r[k] = r[i.a] / r[i.b];
        } else {
          r[k] = Scrambled(kBinary + static_cast<uint64_t>(i.op), r[i.a], r[i.b]);
        }
        break;
    }
  }
}

}  // namespace

std::vector<FieldElement> LeftNullVector(size_t n, std::vector<FieldElement> a) {
  // [A | I], columns eliminated: a row of zeros on the left has its combination on the right.
  std::vector<FieldElement> combination(n * n, FieldElement{});
  for (size_t r = 0; r < n; ++r) combination[r * n + r].value = 1;
  std::vector<uint8_t> used(n, 0);
  for (size_t c = 0; c < n; ++c) {
    size_t pivot = n;
    for (size_t r = 0; r < n && pivot == n; ++r) {
      if (used[r] == 0 && a[r * n + c].value != 0) pivot = r;
    }
    if (pivot == n) continue;
    used[pivot] = 1;
    for (size_t r = 0; r < n; ++r) {
      if (used[r] != 0 || a[r * n + c].value == 0) continue;
      const FieldElement factor = a[r * n + c] / a[pivot * n + c];
      for (size_t k = c; k < n; ++k) {
        if (a[pivot * n + k].value != 0) a[r * n + k] = a[r * n + k] - factor * a[pivot * n + k];
      }
      for (size_t k = 0; k < n; ++k) {
        if (combination[pivot * n + k].value != 0)
          combination[r * n + k] = combination[r * n + k] - factor * combination[pivot * n + k];
      }
    }
  }
  for (size_t r = 0; r < n; ++r) {
    if (used[r] == 0)
      return {combination.begin() + static_cast<std::ptrdiff_t>(r * n),
              combination.begin() + static_cast<std::ptrdiff_t>((r + 1) * n)};
  }
  return {};
}

BlockCertificates CertifyBlocks(const Program& program) {
  const SortedSystem& sorted = *program.sorted;
  BlockCertificates out;
  size_t longest = 1;
  for (const Code& code : program.codes) longest = std::max(longest, code.instructions.size());
  std::vector<FieldElement> registers(longest);
  const uint32_t give = GiveVariable(*sorted.system);
  const uint32_t give_slot = give == UINT32_MAX ? UINT32_MAX : sorted.Slot({give, 0});
  program.OverImplicit([&](const ImplicitBlock& block) {
    ++out.blocks;
    const size_t n = block.unknowns.size();
    if (n > BlockCertificates::kLargest) {
      ++out.too_large;
      return;
    }
    std::vector<FieldElement> matrix(n * n, FieldElement{});
    bool defined = true;
    for (size_t r = 0; r < n; ++r) {
      const BlockRow& row = block.rows[r];
      if (row.foreign != UINT32_MAX) {
        // Of its partial derivatives nothing is known.
        for (size_t k = 0; k < row.columns.size(); ++k) {
          FieldElement& entry = matrix[r * n + row.columns[k]];
          entry = entry +
                  (row.arguments[k] == UINT32_MAX
                       ? Small(1)
                       : Scrambled(kForeign, Scrambled(row.foreign, row.result), Small(row.arguments[k])));
        }
        continue;
      }
      if (row.code == UINT32_MAX) {
        for (size_t k = 0; k < row.columns.size(); ++k) {
          FieldElement& entry = matrix[r * n + row.columns[k]];
          entry = entry + FieldOf(row.signs[k]);
        }
        continue;
      }
      const Code& code = program.codes[row.code];
      RunInField(code, program.locals.data() + row.first_local, row.parameters, give_slot, registers);
      for (size_t k = 0; k < row.columns.size(); ++k) {
        FieldElement& entry = matrix[r * n + row.columns[k]];
        entry = entry + registers[code.results[k + 1]];
        defined = defined && entry.defined;
      }
    }
    if (!defined) return;  // a division by what is zero everywhere: the run says so
    const std::vector<FieldElement> null = LeftNullVector(n, std::move(matrix));
    if (null.empty()) {
      ++out.regular;
      return;
    }
    Cancellation found;
    found.block = block.block;
    const auto equations = sorted.Block(block.block);
    for (size_t r = 0; r < n; ++r) {
      if (null[r].value == 0) continue;
      const SortedEquation& e = sorted.equations[equations[r]];
      found.terms.push_back({e.equation, e.times, 1});
    }
    for (const uint32_t slot : block.unknowns) found.cancelled.push_back(sorted.OfSlot(slot));
    out.dependent.push_back(std::move(found));
  });
  return out;
}

}  // namespace cotree
