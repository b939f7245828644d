// SPDX-License-Identifier: Apache-2.0
// The vector functions of SLEEF that round like its scalar ones ("cinz"): the same bits, so that compiled
// code may compute several at a time.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "compile/llvm_compiler.h"
#include "compile/machine_code.h"

namespace cotree {
namespace {

using V2 = double __attribute__((vector_size(16)));
using V4 = double __attribute__((vector_size(32)));
using V8 = double __attribute__((vector_size(64)));

using Numbers = std::vector<double>;

// z = f(x, y) in vectors; y is null for functions of one argument. The attribute: vectors of this width are
// passed in registers that the rest of the program may not use.
#define COTREE_APPLY(name, Vector, width, target_name)                                               \
  __attribute__((target(target_name))) void name(void* function, const Numbers& x, const Numbers* y, \
                                                 Numbers& z) {                                       \
    for (size_t k = 0; k + (width) <= x.size(); k += (width)) {                                      \
      Vector a, b, c;                                                                                \
      std::memcpy(&a, &x[k], sizeof a);                                                              \
      if (y == nullptr) {                                                                            \
        c = reinterpret_cast<Vector (*)(Vector)>(function)(a);                                       \
      } else {                                                                                       \
        std::memcpy(&b, &(*y)[k], sizeof b);                                                         \
        c = reinterpret_cast<Vector (*)(Vector, Vector)>(function)(a, b);                            \
      }                                                                                              \
      std::memcpy(&z[k], &c, sizeof c);                                                              \
    }                                                                                                \
  }
COTREE_APPLY(Apply1, double, 1, "sse2")
COTREE_APPLY(Apply2, V2, 2, "sse2")
COTREE_APPLY(Apply4, V4, 4, "avx")
COTREE_APPLY(Apply8, V8, 8, "avx512f")
#undef COTREE_APPLY

struct Form {
  const char* ending;
  MachineLevel needs;
  void (*apply)(void*, const Numbers&, const Numbers*, Numbers&);
};
constexpr Form kForms[] = {{"d1_u10purec", MachineLevel::kBase, Apply1},
                           {"d2_u10sse2", MachineLevel::kBase, Apply2},
                           {"d4_u10avx", MachineLevel::kAvx2, Apply4},
                           {"d8_u10avx512fnofma", MachineLevel::kAvx512, Apply8}};

struct Function {
  const char* name;
  bool two;
  double low, high;  // where most arguments are
};
constexpr Function kFunctions[] = {
    {"sin", false, -20, 20},  {"cos", false, -20, 20},  {"tan", false, -20, 20},  {"asin", false, -1, 1},
    {"acos", false, -1, 1},   {"atan", false, -20, 20}, {"sinh", false, -20, 20}, {"cosh", false, -20, 20},
    {"tanh", false, -20, 20}, {"exp", false, -50, 50},  {"log", false, 0, 100},   {"log10", false, 0, 100},
    {"pow", true, 0, 20},     {"atan2", true, -20, 20}};

// Three quarters in the range, one quarter any bits, and the special ones: alone and in pairs.
void Arguments(const Function& function, Numbers& x, Numbers& y) {
  constexpr size_t kCount = 1'000'000;
  const double special[] = {0.0,  -0.0,  1.0,    -1.0,  0.5,    2.0,      -3.0,      1e-310, -5e-324,
                            1e15, 1e300, -1e300, 709.8, -745.2, INFINITY, -INFINITY, NAN};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(function.low, function.high);
  for (const double a : special) {
    for (const double b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  while (x.size() < kCount) {
    const bool any = random() % 4 == 0;
    x.push_back(any ? std::bit_cast<double>(random()) : uniform(random));
    y.push_back(any ? std::bit_cast<double>(random()) : uniform(random));
  }
}

void* Sleef(const std::string& name) {
  static void* const library = dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : dlsym(library, ("Sleef_cinz_" + name).c_str());
}

bool Same(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

TEST(Sleef, VectorsHaveTheBitsOfScalars) {
  for (const Function& function : kFunctions) {
    Numbers x, y;
    Arguments(function, x, y);
    Numbers expected;
    for (const Form& form : kForms) {
      if (form.needs > ThisMachine()) continue;
      const std::string name = std::string(function.name) + form.ending;
      SCOPED_TRACE(name);
      void* address = Sleef(name);
      ASSERT_NE(address, nullptr);
      Numbers z(x.size());
      form.apply(address, x, function.two ? &y : nullptr, z);
      if (expected.empty()) {
        expected = std::move(z);
        continue;
      }
      size_t wrong = 0;
      for (size_t k = 0; k < z.size(); ++k) {
        if (Same(z[k], expected[k])) continue;
        if (wrong++ < 3) ADD_FAILURE() << x[k] << ", " << y[k] << ": " << z[k] << " != " << expected[k];
      }
      EXPECT_EQ(wrong, 0u);
    }
  }
}

// The same from compiled code, as an external: each width that this machine has.
TEST(Sleef, FromCompiledCode) {
  std::string problem;
  if (!HasLlvm(&problem)) GTEST_SKIP() << problem;
  Numbers x, y;
  Arguments(kFunctions[0], x, y);
  x.resize(8000);
  for (const Form& form : kForms) {
    if (form.needs > ThisMachine()) continue;
    const std::string width(1, form.ending[1]), type = "<" + width + " x double>";
    const std::string name = "Sleef_cinz_sin" + std::string(form.ending);
    SCOPED_TRACE(name);
    const std::string element = width == "1" ? "double" : type;
    const std::vector<char> object = CompileIr(
        "declare " + element + " @" + name + "(" + element + ") nounwind\n" +
            "define void @kernel(ptr %x, ptr %y, i64 %n) nounwind {\nentry:\n  br label %loop\nloop:\n"
            "  %k = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
            "  %from = getelementptr double, ptr %x, i64 %k\n"
            "  %a = load " +
            element +
            ", ptr %from, align 8\n"
            "  %b = call " +
            element + " @" + name + "(" + element +
            " %a)\n"
            "  %c = fadd " +
            element +
            " %a, %b\n"
            "  %to = getelementptr double, ptr %y, i64 %k\n"
            "  store " +
            element +
            " %c, ptr %to, align 8\n"
            "  %next = add i64 %k, " +
            width +
            "\n"
            "  %more = icmp slt i64 %next, %n\n"
            "  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}\n",
        {1, form.needs}, &problem);
    ASSERT_FALSE(object.empty()) << problem;
    const auto code = MachineCode::Load(object, {{name, Sleef("sin" + std::string(form.ending))}}, &problem);
    ASSERT_NE(code, nullptr) << problem;
    Numbers z(x.size());
    reinterpret_cast<void (*)(const double*, double*, size_t)>(code->Find("kernel"))(x.data(), z.data(),
                                                                                     x.size());
    const auto scalar = reinterpret_cast<double (*)(double)>(Sleef("sind1_u10purec"));
    size_t wrong = 0;
    for (size_t k = 0; k < x.size(); ++k) wrong += Same(z[k], x[k] + scalar(x[k])) ? 0u : 1u;
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace cotree
