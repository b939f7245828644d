// SPDX-License-Identifier: Apache-2.0
#include "program/compile_fused.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>
#include <unordered_map>

#include "compile/kernel_cache.h"
#include "compile/llvm_compiler.h"
#include "compile/machine_code.h"

namespace cotree {

using LoopFunction = void (*)(const double* const* operands, const uint32_t* const* places, uint64_t count,
                              const double* times, void* const* functions);
using StraightFunction = void (*)(const double* states, double* derivatives, double* work,
                                  const double* constants, double* scratch, const double* times,
                                  void* const* functions);

using RowsFunction = void (*)(const double* states, double* derivatives, double* work,
                              const double* constants, double* scratch, const double* times,
                              void* const* functions, const uint32_t* places, uint64_t count);

struct CompiledProgram::Call {
  LoopFunction loop = nullptr;
  StraightFunction straight = nullptr;
  RowsFunction rows = nullptr;
  uint32_t next = 0;  // the step behind it
};

namespace {

constexpr uint32_t kFewInstances = 4;  // are written one after the other
constexpr size_t kLongestPiece = 800;  // instructions of straight-line code in a function
constexpr size_t kShortPiece = 64;     // as long is what stands at the ends of arrays
constexpr uint32_t kAll = UINT32_MAX;  // instances from one on
constexpr const char* kVersion = "cotree kernels 1\n";

// ---- The table of functions that code is given: elementary ones by Op, for one and for all lanes, tables.

constexpr int kVectorFunctions = 64, kTableFunction = 128, kTables = 129, kFunctions = 130;

double TableValue(const std::vector<TableFunction>* tables, uint32_t table, double x, double y,
                  uint32_t orders) {
  return (*tables)[table].Value(x, y, orders / 16, orders % 16);
}

bool IsElementary(Op op) {
  return (op >= Op::kSin && op <= Op::kLog10) || op == Op::kPower || op == Op::kAtan2;
}

int Lanes() {
  switch (ThisMachine()) {
    case MachineLevel::kAvx512:
      return 8;
    case MachineLevel::kAvx2:
      return 4;
    default:
      return 2;
  }
}

struct FunctionTable {
  std::array<void*, kFunctions> at{};
  FunctionTable() {
    const int lanes = Lanes();
    const char* suffix = lanes == 8 ? "d8_u10avx512fnofma" : lanes == 4 ? "d4_u10avx" : "d2_u10sse2";
    for (int k = 0; k < kOpCount; ++k) {
      const Op op = static_cast<Op>(k);
      if (!IsElementary(op)) continue;
      const std::string name = op == Op::kPower ? "pow" : std::string(OpName(op));
      at[static_cast<size_t>(k)] = dlsym(RTLD_DEFAULT, ("Sleef_cinz_" + name + "d1_u10purec").c_str());
      at[static_cast<size_t>(kVectorFunctions + k)] =
          dlsym(RTLD_DEFAULT, ("Sleef_cinz_" + name + suffix).c_str());
    }
    at[kTableFunction] = reinterpret_cast<void*>(&TableValue);
  }
};
const FunctionTable& Functions() {
  static const FunctionTable table;
  return table;
}

// ---- Text

std::string Literal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%016llX",
                static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
  return text;
}
std::string Text(uint64_t x) {
  return std::to_string(x);
}

/** Writes instructions as IR, of one lane or of several. Names of values are given by whoever uses it. */
class Arithmetic {
 public:
  explicit Arithmetic(int lanes) : lanes_(lanes) {
    type_ = lanes == 1 ? "double" : "<" + Text(static_cast<uint64_t>(lanes)) + " x double>";
    bit_ = lanes == 1 ? "i1" : "<" + Text(static_cast<uint64_t>(lanes)) + " x i1>";
    suffix_ = lanes == 1 ? "f64" : "v" + Text(static_cast<uint64_t>(lanes)) + "f64";
  }
  const std::string& type() const { return type_; }
  const std::string& bit() const { return bit_; }
  int lanes() const { return lanes_; }
  std::string Constant(double value) const {
    if (lanes_ == 1) return Literal(value);
    std::string text = "<";
    for (int k = 0; k < lanes_; ++k) text += (k > 0 ? ", double " : "double ") + Literal(value);
    return text + ">";
  }

  /// `out` = the instruction, of operands that have names already. False: not possible.
  bool Write(const Instruction& i, const std::string& out, const std::string& a, const std::string& b,
             const std::string& c, std::string& text) {
    switch (i.code) {
      case CodeOp::kIntegerPower:
        Power(out, a, static_cast<int64_t>(i.number), text);
        return true;
      case CodeOp::kIf:
        text += "  " + out + ".c = fcmp une " + type_ + " " + a + ", " + Constant(0) + "\n";
        Select(out, out + ".c", b, c, text);
        return true;
      case CodeOp::kTable:
        Table(i, out, a, b, text);
        return true;
      case CodeOp::kUnary:
        return Unary(i.op, out, a, text);
      case CodeOp::kBinary:
        return Binary(i.op, out, a, b, text);
      default:
        return false;
    }
  }

 private:
  void Plain(const char* op, const std::string& out, const std::string& a, const std::string& b,
             std::string& text) {
    text += "  " + out + " = " + op + " " + type_ + " " + a + ", " + b + "\n";
  }
  void Select(const std::string& out, const std::string& condition, const std::string& a,
              const std::string& b, std::string& text) {
    text += "  " + out + " = select " + bit_ + " " + condition + ", " + type_ + " " + a + ", " + type_ + " " +
            b + "\n";
  }
  void Compare(const char* op, const std::string& out, const std::string& a, const std::string& b,
               std::string& text) {
    text += "  " + out + ".c = fcmp " + op + " " + type_ + " " + a + ", " + b + "\n";
    Select(out, out + ".c", Constant(1), Constant(0), text);
  }
  void Intrinsic(const char* name, const std::string& out, const std::string& a, std::string& text) {
    text +=
        "  " + out + " = call " + type_ + " @llvm." + name + "." + suffix_ + "(" + type_ + " " + a + ")\n";
  }
  void Call(Op op, const std::string& out, const std::string& a, const std::string* b, std::string& text) {
    const int index = (lanes_ == 1 ? 0 : kVectorFunctions) + static_cast<int>(op);
    text += "  " + out + ".p = getelementptr ptr, ptr %functions, i64 " + std::to_string(index) + "\n";
    text += "  " + out + ".f = load ptr, ptr " + out + ".p\n";
    text += "  " + out + " = call " + type_ + " " + out + ".f(" + type_ + " " + a +
            (b != nullptr ? ", " + type_ + " " + *b : "") + ")\n";
  }
  // The chain of power_chain.h.
  void Power(const std::string& out, std::string x, int64_t n, std::string& text) {
    uint64_t rest = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
    int step = 0;
    const auto multiply = [&](const std::string& a, const std::string& b) {
      std::string name = out + ".m" + std::to_string(step++);
      Plain("fmul", name, a, b, text);
      return name;
    };
    if (rest == 0) {
      Plain("fadd", out, Constant(1), Constant(0), text);
      return;
    }
    while ((rest & 1) == 0) {
      x = multiply(x, x);
      rest >>= 1;
    }
    std::string result = x;
    for (rest >>= 1; rest != 0; rest >>= 1) {
      x = multiply(x, x);
      if ((rest & 1) != 0) result = multiply(result, x);
    }
    if (n < 0)
      Plain("fdiv", out, Constant(1), result, text);
    else
      Select(out, lanes_ == 1 ? "true" : AllTrue(), result, result, text);
  }
  std::string AllTrue() const {
    std::string text = "<";
    for (int k = 0; k < lanes_; ++k) text += k > 0 ? ", i1 true" : "i1 true";
    return text + ">";
  }
  // Lane by lane.
  void Table(const Instruction& i, const std::string& out, const std::string& a, const std::string& b,
             std::string& text) {
    text +=
        "  " + out + ".p = getelementptr ptr, ptr %functions, i64 " + std::to_string(kTableFunction) + "\n";
    text += "  " + out + ".f = load ptr, ptr " + out + ".p\n";
    text += "  " + out + ".q = getelementptr ptr, ptr %functions, i64 " + std::to_string(kTables) + "\n";
    text += "  " + out + ".t = load ptr, ptr " + out + ".q\n";
    const auto call = [&](const std::string& name, const std::string& x, const std::string& y) {
      text += "  " + name + " = call double " + out + ".f(ptr " + out + ".t, i32 " + Text(i.c) + ", double " +
              x + ", double " + y + ", i32 " + Text(static_cast<uint64_t>(i.number)) + ")\n";
    };
    if (lanes_ == 1) {
      call(out, a, b);
      return;
    }
    std::string so_far = "poison";
    for (int k = 0; k < lanes_; ++k) {
      const std::string n = std::to_string(k);
      text += "  " + out + ".x" + n + " = extractelement " + type_ + " " + a + ", i32 " + n + "\n";
      text += "  " + out + ".y" + n + " = extractelement " + type_ + " " + b + ", i32 " + n + "\n";
      call(out + ".v" + n, out + ".x" + n, out + ".y" + n);
      const std::string next = k + 1 == lanes_ ? out : out + ".w" + n;
      text += "  " + next + " = insertelement " + type_ + " " + so_far + ", double " + out + ".v" + n +
              ", i32 " + n + "\n";
      so_far = next;
    }
  }
  bool Unary(Op op, const std::string& out, const std::string& a, std::string& text) {
    switch (op) {
      case Op::kSqrt:
        Intrinsic("sqrt", out, a, text);
        return true;
      case Op::kAbs:
        Intrinsic("fabs", out, a, text);
        return true;
      case Op::kFloor:
        Intrinsic("floor", out, a, text);
        return true;
      case Op::kCeil:
        Intrinsic("ceil", out, a, text);
        return true;
      case Op::kSign:  // x > 0 ? 1 : x < 0 ? -1 : x
        text += "  " + out + ".n = fcmp olt " + type_ + " " + a + ", " + Constant(0) + "\n";
        Select(out + ".l", out + ".n", Constant(-1), a, text);
        text += "  " + out + ".g = fcmp ogt " + type_ + " " + a + ", " + Constant(0) + "\n";
        Select(out, out + ".g", Constant(1), out + ".l", text);
        return true;
      case Op::kNot:
        Compare("oeq", out, a, Constant(0), text);
        return true;
      default:
        if (!IsElementary(op)) return false;
        Call(op, out, a, nullptr, text);
        return true;
    }
  }
  bool Binary(Op op, const std::string& out, const std::string& a, const std::string& b, std::string& text) {
    switch (op) {
      case Op::kAdd:
        Plain("fadd", out, a, b, text);
        return true;
      case Op::kMultiply:
        Plain("fmul", out, a, b, text);
        return true;
      case Op::kDivide:
        Plain("fdiv", out, a, b, text);
        return true;
      case Op::kPower:
      case Op::kAtan2:
        Call(op, out, a, &b, text);
        return true;
      case Op::kMin:
      case Op::kMax: {  // min: a < b or a is no number ? a : b; max: a < b or b is no number ? b : a
        const std::string &first = op == Op::kMin ? a : b, &second = op == Op::kMin ? b : a;
        text += "  " + out + ".l = fcmp olt " + type_ + " " + a + ", " + b + "\n";
        text += "  " + out + ".u = fcmp uno " + type_ + " " + first + ", " + first + "\n";
        text += "  " + out + ".c = or " + bit_ + " " + out + ".l, " + out + ".u\n";
        Select(out, out + ".c", first, second, text);
        return true;
      }
      case Op::kMod:
        Plain("fdiv", out + ".q", a, b, text);
        Intrinsic("floor", out + ".f", out + ".q", text);
        Plain("fmul", out + ".m", b, out + ".f", text);
        Plain("fsub", out, a, out + ".m", text);
        return true;
      case Op::kLess:
        Compare("olt", out, a, b, text);
        return true;
      case Op::kLessEqual:
        Compare("ole", out, a, b, text);
        return true;
      case Op::kEqual:
        Compare("oeq", out, a, b, text);
        return true;
      case Op::kNotEqual:
        Compare("une", out, a, b, text);
        return true;
      case Op::kAnd:
      case Op::kOr:
        text += "  " + out + ".a = fcmp une " + type_ + " " + a + ", " + Constant(0) + "\n";
        text += "  " + out + ".b = fcmp une " + type_ + " " + b + ", " + Constant(0) + "\n";
        text += "  " + out + ".c = " + (op == Op::kAnd ? "and " : "or ") + bit_ + " " + out + ".a, " + out +
                ".b\n";
        Select(out, out + ".c", Constant(1), Constant(0), text);
        return true;
      default:
        return false;
    }
  }

  int lanes_;
  std::string type_, bit_, suffix_;
};

std::string Declarations(int lanes) {
  std::string text;
  for (const int width : {1, lanes}) {
    const std::string n = std::to_string(width), type = width == 1 ? "double" : "<" + n + " x double>",
                      suffix = width == 1 ? "f64" : "v" + n + "f64";
    for (const char* name : {"sqrt", "fabs", "floor", "ceil"})
      text += std::string("declare ") + type + " @llvm." + name + "." + suffix + "(" + type + ")\n";
    if (width == 1) continue;
    text += "declare " + type + " @llvm.masked.gather." + suffix + ".v" + n + "p0(<" + n + " x ptr>, i32, <" +
            n + " x i1>, " + type + ")\n";
    text += "declare void @llvm.masked.scatter." + suffix + ".v" + n + "p0(" + type + ", <" + n +
            " x ptr>, i32, <" + n + " x i1>)\n";
  }
  return text;
}

// ---- Loops

/* The loop is there twice: for as many lanes as the machine has, and for the rest. What is the same for all
instances is computed once before. */
class LoopWriter {
 public:
  LoopWriter(const FusedProgram& program, const FusedRun& run)
      : kernel_(program.kernels[run.kernel]),
        code_(kernel_.code.instructions),
        operands_(program.operands.data() + run.first_operand),
        sequential_(run.sequential),
        one_(1),
        many_(Lanes()) {}

  std::string Write() {
    FindUniform();
    const size_t inputs = kernel_.leaves + kernel_.parameters, all = inputs + kernel_.code.results.size();
    std::string entry;
    for (size_t k = 0; k < all; ++k) {
      const std::string n = Text(k);
      entry += "  %oa" + n + " = getelementptr ptr, ptr %operands, i64 " + n + "\n  %o" + n +
               " = load ptr, ptr %oa" + n + "\n";
      if (operands_[k].kind != Operand::Kind::kIndexed) continue;
      entry += "  %xa" + n + " = getelementptr ptr, ptr %places, i64 " + n + "\n  %x" + n +
               " = load ptr, ptr %xa" + n + "\n";
    }
    entry +=
        "  %time = load double, ptr %times\n  %sta = getelementptr double, ptr %times, i64 1\n"
        "  %switch = load double, ptr %sta\n";
    for (uint32_t k = 0; k < code_.size(); ++k) {
      if (uniform_[k]) ok_ = ok_ && Instruct(k, one_, "%u", "", entry);
    }
    std::string vector, scalar;
    for (uint32_t k = 0; k < code_.size(); ++k) {
      if (uniform_[k]) continue;
      if (!sequential_) ok_ = ok_ && Instruct(k, many_, "%v", "%i", vector);
      ok_ = ok_ && Instruct(k, one_, "%t", "%j", scalar);
    }
    for (size_t r = 0; r < kernel_.code.results.size(); ++r) {
      if (!sequential_) Store(r, many_, "%i", vector);
      Store(r, one_, "%j", scalar);
    }
    if (!ok_) return {};
    const std::string lanes = std::to_string(many_.lanes());
    std::string text = "; a loop over instances\n" + Declarations(many_.lanes());
    text +=
        "define void @kernel(ptr %operands, ptr %places, i64 %count, ptr %times, ptr %functions) nounwind "
        "{\nentry:\n";
    text += entry + splats_;
    text += sequential_ ? "  %main = add i64 0, 0\n" : "  %main = and i64 %count, -" + lanes + "\n";
    text += "  %some = icmp ugt i64 %main, 0\n  br i1 %some, label %loop, label %middle\n";
    text += "loop:\n  %i = phi i64 [ 0, %entry ], [ %inext, %loop ]\n" + vector;
    text += "  %inext = add i64 %i, " + lanes +
            "\n  %imore = icmp ult i64 %inext, %main\n  br i1 %imore, label %loop, label %middle\n";
    text += "middle:\n  %left = icmp ult i64 %main, %count\n  br i1 %left, label %rest, label %end\n";
    text += "rest:\n  %j = phi i64 [ %main, %middle ], [ %jnext, %rest ]\n" + scalar;
    text +=
        "  %jnext = add i64 %j, 1\n  %jmore = icmp ult i64 %jnext, %count\n  br i1 %jmore, label %rest, "
        "label %end\n";
    return text + "end:\n  ret void\n}\n";
  }

 private:
  const Operand& OperandOf(const Instruction& i) const {
    return operands_[i.code == CodeOp::kLoad ? i.a : kernel_.leaves + i.a];
  }
  void FindUniform() {
    uniform_.resize(code_.size());
    for (size_t k = 0; k < code_.size(); ++k) {
      const Instruction& i = code_[k];
      switch (i.code) {
        case CodeOp::kNumber:
        case CodeOp::kTime:
        case CodeOp::kSwitchTime:
          uniform_[k] = true;
          break;
        case CodeOp::kLoad:
        case CodeOp::kParameter:
          uniform_[k] = OperandOf(i).kind == Operand::Kind::kUniform;
          break;
        case CodeOp::kIf:
          uniform_[k] = uniform_[i.a] && uniform_[i.b] && uniform_[i.c];
          break;
        case CodeOp::kBinary:
        case CodeOp::kTable:
          uniform_[k] = uniform_[i.a] && uniform_[i.b];
          break;
        default:
          uniform_[k] = uniform_[i.a];
      }
    }
  }
  // The name of a value for some lanes.
  std::string Ref(uint32_t r, const Arithmetic& lanes) {
    const Instruction& i = code_[r];
    if (i.code == CodeOp::kNumber) return lanes.Constant(i.number);
    if (!uniform_[r]) return (lanes.lanes() == 1 ? "%t" : "%v") + Text(r);
    const std::string own = i.code == CodeOp::kTime         ? "%time"
                            : i.code == CodeOp::kSwitchTime ? "%switch"
                                                            : "%u" + Text(r);
    if (lanes.lanes() == 1) return own;
    const std::string name = "%s" + Text(r);
    if (splat_.size() <= r) splat_.resize(r + 1, false);
    if (!splat_[r]) {
      splat_[r] = true;
      splats_ += "  " + name + ".a = insertelement " + lanes.type() + " poison, double " + own +
                 ", i32 0\n  " + name + " = shufflevector " + lanes.type() + " " + name + ".a, " +
                 lanes.type() + " poison, <" + std::to_string(lanes.lanes()) + " x i32> zeroinitializer\n";
    }
    return name;
  }
  std::string True(const Arithmetic& lanes) const {
    std::string text = "<";
    for (int k = 0; k < lanes.lanes(); ++k) text += k > 0 ? ", i1 true" : "i1 true";
    return text + ">";
  }
  // The places of an operand, as pointers.
  std::string Pointers(size_t operand, const std::string& name, const Arithmetic& lanes,
                       const std::string& at, std::string& text) {
    const std::string n = Text(operand), w = std::to_string(lanes.lanes());
    if (operands_[operand].kind != Operand::Kind::kIndexed) {
      text += "  " + name + ".p = getelementptr double, ptr %o" + n + ", i64 " + at + "\n";
      return name + ".p";
    }
    text += "  " + name + ".i = getelementptr i32, ptr %x" + n + ", i64 " + at + "\n";
    const std::string narrow = lanes.lanes() == 1 ? "i32" : "<" + w + " x i32>",
                      wide = lanes.lanes() == 1 ? "i64" : "<" + w + " x i64>";
    text += "  " + name + ".n = load " + narrow + ", ptr " + name + ".i, align 4\n";
    text += "  " + name + ".w = zext " + narrow + " " + name + ".n to " + wide + "\n";
    text += "  " + name + ".p = getelementptr double, ptr %o" + n + ", " + wide + " " + name + ".w\n";
    return name + ".p";
  }
  bool Instruct(uint32_t k, Arithmetic& lanes, const std::string& prefix, const std::string& at,
                std::string& text) {
    const Instruction& i = code_[k];
    const std::string out = prefix + Text(k);
    switch (i.code) {
      case CodeOp::kNumber:
      case CodeOp::kTime:
      case CodeOp::kSwitchTime:
        return true;
      case CodeOp::kLoad:
      case CodeOp::kParameter: {
        const size_t operand = i.code == CodeOp::kLoad ? i.a : kernel_.leaves + i.a;
        if (operands_[operand].kind == Operand::Kind::kUniform) {
          text += "  " + out + " = load double, ptr %o" + Text(operand) + "\n";
          return true;
        }
        const std::string from = Pointers(operand, out, lanes, at, text), w = std::to_string(lanes.lanes());
        if (lanes.lanes() == 1 || operands_[operand].kind == Operand::Kind::kContiguous) {
          text += "  " + out + " = load " + lanes.type() + ", ptr " + from + ", align 8\n";
        } else {
          text += "  " + out + " = call " + lanes.type() + " @llvm.masked.gather.v" + w + "f64.v" + w +
                  "p0(<" + w + " x ptr> " + from + ", i32 8, " + lanes.bit() + " " + True(lanes) + ", " +
                  lanes.type() + " poison)\n";
        }
        return true;
      }
      default: {
        const std::string a = Ref(i.a, lanes);
        const bool two = i.code == CodeOp::kBinary || i.code == CodeOp::kTable || i.code == CodeOp::kIf;
        const std::string b = two ? Ref(i.b, lanes) : std::string();
        const std::string c = i.code == CodeOp::kIf ? Ref(i.c, lanes) : std::string();
        return lanes.Write(i, out, a, b, c, text);
      }
    }
  }
  void Store(size_t result, const Arithmetic& lanes, const std::string& at, std::string& text) {
    const size_t operand = kernel_.leaves + kernel_.parameters + result;
    const std::string value = Ref(kernel_.code.results[result], lanes), w = std::to_string(lanes.lanes());
    const std::string name = (lanes.lanes() == 1 ? "%zt" : "%zv") + Text(result);
    const std::string to = Pointers(operand, name, lanes, at, text);
    if (lanes.lanes() == 1 || operands_[operand].kind != Operand::Kind::kIndexed)
      text += "  store " + lanes.type() + " " + value + ", ptr " + to + ", align 8\n";
    else
      text += "  call void @llvm.masked.scatter.v" + w + "f64.v" + w + "p0(" + lanes.type() + " " + value +
              ", <" + w + " x ptr> " + to + ", i32 8, " + lanes.bit() + " " + True(lanes) + ")\n";
  }

  const FusedKernel& kernel_;
  const std::vector<Instruction>& code_;
  const Operand* operands_;
  bool sequential_, ok_ = true;
  Arithmetic one_, many_;
  std::vector<bool> uniform_, splat_;
  std::string splats_;
};

// ---- Straight-line code

/* Instances one after the other; what was read or written before is not read again. Or, of runs in rows, the
body of a loop over the rows. */
class StraightWriter {
 public:
  explicit StraightWriter(const FusedProgram& program) : program_(program) {}

  /// A loop over the rows of such runs; empty: not possible.
  std::string Rows(const FusedRun& run) {
    rows_ = true;
    FusedRun one = run;
    one.count = 1;
    if (!Add(one)) return {};
    std::string text = "; a loop over rows\n" + Declarations(Lanes()) + "define void @kernel(" + kArguments +
                       ", ptr %rows, i64 %count) nounwind {\nentry:\n" + kTimes +
                       "  br label %loop\nloop:\n" +
                       "  %row = phi ptr [ %rows, %entry ], [ %row.next, %loop ]\n" +
                       "  %left = phi i64 [ %count, %entry ], [ %left.next, %loop ]\n" + body_;
    text += "  %row.next = getelementptr i32, ptr %row, i64 " + Text(run.width) +
            "\n  %left.next = sub i64 %left, 1\n  %more = icmp ne i64 %left.next, 0\n"
            "  br i1 %more, label %loop, label %end\nend:\n  ret void\n}\n";
    return text;
  }

  bool Add(const FusedRun& run) {
    const FusedKernel& kernel = program_.kernels[run.kernel];
    const Operand* operands = program_.operands.data() + run.first_operand;
    const uint32_t inputs = kernel.leaves + kernel.parameters;
    run_ = &run;
    std::vector<std::string> names(kernel.code.instructions.size());
    for (uint32_t instance = 0; instance < run.count; ++instance) {
      names.assign(names.size(), "");
      CallTogether(kernel, operands, instance, names);
      for (uint32_t k = 0; k < names.size(); ++k) {
        if (!names[k].empty()) continue;
        const Instruction& i = kernel.code.instructions[k];
        switch (i.code) {
          case CodeOp::kNumber:
            names[k] = Literal(i.number);
            break;
          case CodeOp::kTime:
            names[k] = "%time";
            break;
          case CodeOp::kSwitchTime:
            names[k] = "%switch";
            break;
          case CodeOp::kLoad:
            names[k] = Load(operands[i.a], instance);
            break;
          case CodeOp::kParameter:
            names[k] = Load(operands[kernel.leaves + i.a], instance);
            break;
          default: {
            names[k] = "%r" + Text(next_++);
            if (Subtract(kernel.code.instructions, names, i, k)) break;
            const bool two = i.code == CodeOp::kBinary || i.code == CodeOp::kTable || i.code == CodeOp::kIf;
            if (!one_.Write(i, names[k], names[i.a], two ? names[i.b] : std::string(),
                            i.code == CodeOp::kIf ? names[i.c] : std::string(), body_))
              return false;
          }
        }
      }
      for (size_t r = 0; r < kernel.code.results.size(); ++r)
        Store(operands[inputs + r], instance, names[kernel.code.results[r]]);
    }
    return true;
  }
  // The same elementary function of several values that are there from the beginning: in lanes.
  void CallTogether(const FusedKernel& kernel, const Operand* operands, uint32_t instance,
                    std::vector<std::string>& names) {
    const std::vector<Instruction>& code = kernel.code.instructions;
    std::map<Op, std::vector<uint32_t>> calls;
    for (uint32_t k = 0; k < code.size(); ++k) {
      if (code[k].code == CodeOp::kUnary && IsElementary(code[k].op) && code[code[k].a].code == CodeOp::kLoad)
        calls[code[k].op].push_back(k);
    }
    const auto lanes = static_cast<size_t>(many_.lanes());
    for (const auto& [op, list] : calls) {
      for (size_t first = 0; first < list.size(); first += lanes) {
        const size_t count = std::min(lanes, list.size() - first);
        if (count < 2) break;
        std::string vector = many_.Constant(0);
        for (size_t k = 0; k < count; ++k) {
          const std::string& x = Load(operands[code[code[list[first + k]].a].a], instance);
          const std::string next = "%g" + Text(next_++);
          body_ += "  " + next + " = insertelement " + many_.type() + " " + vector + ", double " + x +
                   ", i32 " + Text(k) + "\n";
          vector = next;
        }
        const std::string result = "%g" + Text(next_++);
        many_.Write({CodeOp::kUnary, op, 0, 0, 0, 0}, result, vector, {}, {}, body_);
        for (size_t k = 0; k < count; ++k) {
          names[list[first + k]] = "%g" + Text(next_++);
          body_ += "  " + names[list[first + k]] + " = extractelement " + many_.type() + " " + result +
                   ", i32 " + Text(k) + "\n";
        }
      }
    }
  }
  // a + (-1)*b is a - b, bit for bit.
  bool Subtract(const std::vector<Instruction>& code, const std::vector<std::string>& names,
                const Instruction& i, uint32_t k) {
    if (i.code != CodeOp::kBinary || i.op != Op::kAdd) return false;
    for (const auto& [a, b] : {std::pair(i.a, i.b), std::pair(i.b, i.a)}) {
      const Instruction& product = code[b];
      if (product.code != CodeOp::kBinary || product.op != Op::kMultiply) continue;
      for (const auto& [minus, x] : {std::pair(product.a, product.b), std::pair(product.b, product.a)}) {
        if (code[minus].code != CodeOp::kNumber || code[minus].number != -1) continue;
        body_ += "  " + names[k] + " = fsub double " + names[a] + ", " + names[x] + "\n";
        return true;
      }
    }
    return false;
  }
  std::string Finish() {
    return "; straight-line code\n" + Declarations(Lanes()) + "define void @kernel(" + kArguments +
           ") nounwind {\n" + kTimes + body_ + "  ret void\n}\n";
  }

 private:
  static constexpr const char* kArguments =
      "ptr %states, ptr %derivatives, ptr %work, ptr %constants, ptr %scratch, ptr %times, ptr %functions";
  static constexpr const char* kTimes =
      "  %time = load double, ptr %times\n  %sta = getelementptr double, ptr %times, i64 1\n"
      "  %switch = load double, ptr %sta\n";
  static constexpr const char* kBases[] = {"%states", "%derivatives", "%work", "%constants", "%scratch"};
  // Where an operand stands: its array, and its place there or (rows) its place of the row and the offset.
  using Place = std::array<uint32_t, 3>;
  Place PlaceOf(const Operand& operand, uint32_t instance) const {
    const auto base = static_cast<uint32_t>(operand.base);
    return rows_ ? Place{base, operand.at - run_->first_place, operand.offset}
                 : Place{base, program_.PlaceOf(*run_, operand, instance), 0};
  }
  std::string Pointer(const Place& place) {
    const std::string name = "%p" + Text(next_++);
    std::string base = kBases[place[0]];
    if (rows_) {
      std::string& known = row_base_[{place[0], place[1]}];
      if (known.empty()) {
        known = "%b" + Text(next_++);
        body_ += "  " + known + ".a = getelementptr i32, ptr %row, i64 " + Text(place[1]) + "\n  " + known +
                 ".n = load i32, ptr " + known + ".a\n  " + known + ".w = zext i32 " + known +
                 ".n to i64\n  " + known + " = getelementptr double, ptr " + base + ", i64 " + known + ".w\n";
      }
      base = known;
    }
    body_ +=
        "  " + name + " = getelementptr double, ptr " + base + ", i64 " + Text(place[rows_ ? 2 : 1]) + "\n";
    return name;
  }
  const std::string& Load(const Operand& operand, uint32_t instance) {
    const Place place = PlaceOf(operand, instance);
    std::string& known = known_[place];
    if (known.empty()) {
      const std::string from = Pointer(place);
      known = "%l" + Text(next_++);
      body_ += "  " + known + " = load double, ptr " + from + "\n";
    }
    return known;
  }
  void Store(const Operand& operand, uint32_t instance, const std::string& value) {
    const Place place = PlaceOf(operand, instance);
    known_[place] = value;
    const std::string to = Pointer(place);
    body_ += "  store double " + value + ", ptr " + to + "\n";
  }

  const FusedProgram& program_;
  Arithmetic one_{1}, many_{Lanes()};
  std::string body_;
  std::map<Place, std::string> known_;
  std::map<std::pair<uint32_t, uint32_t>, std::string> row_base_;  // pointers to places of the row
  const FusedRun* run_ = nullptr;
  bool rows_ = false;
  uint64_t next_ = 0;
};

/* Texts to functions, each text once. */
class Maker {
 public:
  explicit Maker(CompiledProgram::Search search) : search_(search) {}
  void* Make(const std::string& ir, std::vector<std::unique_ptr<MachineCode>>& codes, bool* from_cache,
             std::string* problem) {
    const auto [at, fresh] = made_.try_emplace(ir, nullptr);
    if (!fresh) return at->second;
    CompileOptions options;
    options.machine = ThisMachine();
    const std::string key = kVersion + std::to_string(Lanes()) + "\n" + ir;
    std::vector<char> object = cache_.Find(key);
    if (object.empty()) {
      if (search_ == CompiledProgram::Search::kCacheOnly) return nullptr;
      *from_cache = false;
      object = CompileIr(ir, options, problem);
      if (object.empty()) return nullptr;
      cache_.Store(key, object);
    }
    static const std::map<std::string, void*> kExternals = {
        {"floor", reinterpret_cast<void*>(static_cast<double (*)(double)>(&std::floor))},
        {"ceil", reinterpret_cast<void*>(static_cast<double (*)(double)>(&std::ceil))}};
    auto code = MachineCode::Load(object, kExternals, problem);
    if (code == nullptr) return nullptr;
    at->second = code->Find("kernel");
    codes.push_back(std::move(code));
    return at->second;
  }

 private:
  CompiledProgram::Search search_;
  KernelCache cache_;
  std::unordered_map<std::string, void*> made_;
};

}  // namespace

std::string LoopIr(const FusedProgram& program, const FusedRun& run) {
  return LoopWriter(program, run).Write();
}

CompiledProgram::~CompiledProgram() = default;

std::unique_ptr<CompiledProgram> CompiledProgram::Make(const FusedProgram& program, Search search,
                                                       std::string* problem) {
  std::unique_ptr<CompiledProgram> out(new CompiledProgram);
  out->program_ = &program;
  out->functions_.assign(Functions().at.begin(), Functions().at.end());
  out->functions_[kTables] = const_cast<std::vector<TableFunction>*>(&program.program->tables);
  out->calls_.resize(program.steps.size());
  Maker maker(search);
  const bool loops = std::any_of(program.runs.begin(), program.runs.end(),
                                 [](const FusedRun& run) { return run.count > kFewInstances; });
  std::unordered_map<uint32_t, void*> rows_of;  // by kernel
  for (size_t s = 0; s < program.steps.size();) {
    if (program.steps[s].kind != FusedStep::Kind::kRun) {
      ++s;
      continue;
    }
    FusedRun run = program.runs[program.steps[s].index];
    Call& call = out->calls_[s];
    void* function = nullptr;
    // The ends of an array are a loop of one: places are data, so the text is the same for every size.
    const bool end = loops && !run.rows && run.count == 1 &&
                     program.kernels[run.kernel].code.instructions.size() <= kShortPiece;
    run.sequential = run.sequential || end;
    if (run.rows) {
      void*& made = rows_of[run.kernel];
      if (made == nullptr) {
        const std::string ir = StraightWriter(program).Rows(run);
        if (!ir.empty()) made = maker.Make(ir, out->codes_, &out->from_cache_, problem);
      }
      function = made;
      call.rows = reinterpret_cast<RowsFunction>(function);
      call.next = static_cast<uint32_t>(++s);
    } else if (run.count > kFewInstances || end) {
      const std::string ir = LoopIr(program, run);
      if (!ir.empty()) function = maker.Make(ir, out->codes_, &out->from_cache_, problem);
      call.loop = reinterpret_cast<LoopFunction>(function);
      call.next = static_cast<uint32_t>(++s);
    } else {
      StraightWriter writer(program);
      size_t length = 0;
      bool ok = true;
      for (; s < program.steps.size() && length < kLongestPiece &&
             program.steps[s].kind == FusedStep::Kind::kRun;
           ++s) {
        const FusedRun& next = program.runs[program.steps[s].index];
        if (next.count > kFewInstances || next.rows) break;
        ok = ok && writer.Add(next);
        length += next.count * program.kernels[next.kernel].code.instructions.size();
      }
      if (ok) function = maker.Make(writer.Finish(), out->codes_, &out->from_cache_, problem);
      call.straight = reinterpret_cast<StraightFunction>(function);
      call.next = static_cast<uint32_t>(s);
    }
    if (function == nullptr) return nullptr;
  }
  return out;
}

size_t CompiledProgram::code_bytes() const {
  size_t sum = 0;
  for (const auto& code : codes_) sum += code->code_size();
  return sum;
}

size_t CompiledProgram::Run(size_t step, const FusedArrays& arrays) const {
  return Run(step, arrays, 0, arrays.count != 0 ? arrays.count : kAll);
}

size_t CompiledProgram::Run(size_t step, const FusedArrays& arrays, uint32_t first,
                            uint32_t instances) const {
  const Call& call = calls_[step];
  const double times[] = {arrays.time, arrays.switch_time};
  if (call.straight != nullptr) {
    call.straight(arrays.states, arrays.derivatives, arrays.work, program_->constants.data(), arrays.scratch,
                  times, functions_.data());
    return call.next;
  }
  const FusedRun& run = program_->runs[program_->steps[step].index];
  if (call.rows != nullptr) {
    call.rows(arrays.states, arrays.derivatives, arrays.work, program_->constants.data(), arrays.scratch,
              times, functions_.data(), program_->places.data() + run.first_place, run.count);
    return call.next;
  }
  const FusedKernel& kernel = program_->kernels[run.kernel];
  const size_t count = kernel.leaves + kernel.parameters + kernel.code.results.size();
  constexpr size_t kMost = 64;
  const double* own_operands[kMost];
  const uint32_t* own_places[kMost];
  const double** operands = own_operands;
  const uint32_t** places = own_places;
  if (count > kMost) {
    thread_local std::vector<const double*> more_operands;
    thread_local std::vector<const uint32_t*> more_places;
    more_operands.resize(std::max(more_operands.size(), count));
    more_places.resize(more_operands.size());
    operands = more_operands.data();
    places = more_places.data();
  }
  const double* bases[] = {arrays.states, arrays.derivatives, arrays.work, program_->constants.data(),
                           arrays.scratch};
  for (size_t k = 0; k < count; ++k) {
    const Operand& operand = program_->operands[run.first_operand + k];
    const bool indexed = operand.kind == Operand::Kind::kIndexed;
    const bool contiguous = operand.kind == Operand::Kind::kContiguous;
    operands[k] =
        bases[static_cast<size_t>(operand.base)] + (indexed ? 0 : operand.at) + (contiguous ? first : 0);
    places[k] = indexed ? program_->places.data() + operand.at + first : nullptr;
  }
  call.loop(operands, places, instances == kAll ? run.count - first : instances, times, functions_.data());
  return call.next;
}

}  // namespace cotree
