// SPDX-License-Identifier: Apache-2.0
// From text to bits: compiled kernels against the same arithmetic in C++, calls out of them, and objects that
// were damaged or that ask for too much.
#include "compile/machine_code.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <random>
#include <thread>

#include "compile/llvm_compiler.h"

// There in the builds with sanitizers only.
extern "C" void __lsan_disable() __attribute__((weak));
extern "C" void __lsan_enable() __attribute__((weak));

namespace cotree {
namespace {

class Compiled : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (!HasLlvm(&why)) GTEST_SKIP() << why;
  }
};

// y[k] = sqrt(|x*1.1 + x| / (x - 3.3)^2) * x - x*x for k = 0, width, 2 width, ... below n.
std::string KernelText(int width) {
  const std::string type = width == 1 ? "double" : "<" + std::to_string(width) + " x double>";
  const std::string suffix = width == 1 ? "f64" : "v" + std::to_string(width) + "f64";
  const auto constant = [&](const char* number) {
    return width == 1 ? std::string(number) : "splat (double " + std::string(number) + ")";
  };
  return "define void @kernel(ptr %x, ptr %y, i64 %n) nounwind {\n"
         "entry:\n  br label %loop\n"
         "loop:\n  %k = phi i64 [ 0, %entry ], [ %next, %loop ]\n"
         "  %from = getelementptr double, ptr %x, i64 %k\n"
         "  %a = load " +
         type +
         ", ptr %from, align 8\n"
         "  %b = fmul " +
         type + " %a, " + constant("0x3FF199999999999A") +
         "\n"
         "  %c = fadd " +
         type +
         " %b, %a\n"
         "  %d = call " +
         type + " @llvm.fabs." + suffix + "(" + type +
         " %c)\n"
         "  %e = fsub " +
         type + " %a, " + constant("0x400A666666666666") +
         "\n"
         "  %f = fmul " +
         type +
         " %e, %e\n"
         "  %g = fdiv " +
         type +
         " %d, %f\n"
         "  %h = call " +
         type + " @llvm.sqrt." + suffix + "(" + type +
         " %g)\n"
         "  %i = fmul " +
         type +
         " %h, %a\n"
         "  %j = fmul " +
         type +
         " %a, %a\n"
         "  %l = fsub " +
         type +
         " %i, %j\n"
         "  %to = getelementptr double, ptr %y, i64 %k\n"
         "  store " +
         type +
         " %l, ptr %to, align 8\n"
         "  %next = add i64 %k, " +
         std::to_string(width) +
         "\n"
         "  %more = icmp slt i64 %next, %n\n"
         "  br i1 %more, label %loop, label %done\n"
         "done:\n  ret void\n}\n"
         "declare " +
         type + " @llvm.fabs." + suffix + "(" + type +
         ")\n"
         "declare " +
         type + " @llvm.sqrt." + suffix + "(" + type + ")\n";
}
double Expected(double x) {
  const double c = x * 1.1 + x, e = x - 3.3;
  return std::sqrt(std::fabs(c) / (e * e)) * x - x * x;
}
double IfFused(double x) {
  const double c = std::fma(x, 1.1, x), e = x - 3.3;
  return std::fma(std::sqrt(std::fabs(c) / (e * e)), x, -(x * x));
}

std::unique_ptr<MachineCode> Make(const std::string& ir, const CompileOptions& options,
                                  const std::map<std::string, void*>& externals = {}) {
  std::string problem;
  const std::vector<char> object = CompileIr(ir, options, &problem);
  EXPECT_FALSE(object.empty()) << problem;
  auto code = MachineCode::Load(object, externals, &problem);
  EXPECT_NE(code, nullptr) << problem;
  return code;
}

template <typename Function>
Function* Call(const std::unique_ptr<MachineCode>& code, const char* name) {
  return code == nullptr ? nullptr : reinterpret_cast<Function*>(code->Find(name));
}

TEST_F(Compiled, HasTheBitsOfScalarArithmetic) {
  std::mt19937_64 random(1);
  std::vector<double> x = {0.0, -0.0, 1.0, 3.3, 1e-310, -1e300, INFINITY, 5e-324};
  std::uniform_real_distribution<double> uniform(-10, 10);
  while (x.size() < 4096) x.push_back(uniform(random));
  int fused_differs = 0;
  for (const double value : x) fused_differs += IfFused(value) != Expected(value) ? 1 : 0;
  ASSERT_GT(fused_differs, 100);  // a fused kernel would be found

  for (int machine = 0; machine <= static_cast<int>(ThisMachine()); ++machine) {
    for (int level = 0; level <= 2; ++level) {
      for (const int width : {1, 2, 4, 8}) {
        SCOPED_TRACE(testing::Message() << "machine " << machine << " level " << level << " width " << width);
        const auto code = Make(KernelText(width), {level, static_cast<MachineLevel>(machine)});
        auto* kernel = Call<void(const double*, double*, int64_t)>(code, "kernel");
        ASSERT_NE(kernel, nullptr);
        EXPECT_GT(code->code_size(), 0u);
        EXPECT_EQ(code->Find("kern"), nullptr);
        std::vector<double> y(x.size());
        kernel(x.data(), y.data(), static_cast<int64_t>(x.size()));
        size_t wrong = 0;
        for (size_t k = 0; k < x.size(); ++k) {
          const double expected = Expected(x[k]);
          if (std::isnan(expected) ? !std::isnan(y[k])
                                   : std::bit_cast<uint64_t>(y[k]) != std::bit_cast<uint64_t>(expected))
            ++wrong;
        }
        EXPECT_EQ(wrong, 0u);
      }
    }
  }
}

double Twice(double x) {
  return 2 * x;
}
double Half(double x) {
  return x / 2;
}

constexpr char kCalls[] = R"(
@own = internal constant [3 x ptr] [ptr @twice, ptr @half, ptr @square]
@scale = internal global double 4.0
declare double @twice(double) nounwind
declare double @half(double) nounwind
define internal double @square(double %x) nounwind {
  %y = fmul double %x, %x
  ret double %y
}
define double @direct(double %x) nounwind {
  %a = call double @twice(double %x)
  %b = call double @square(double %a)
  ret double %b
}
define double @by_table(ptr %table, i64 %k, double %x) nounwind {
  %place = getelementptr ptr, ptr %table, i64 %k
  %f = load ptr, ptr %place
  %a = call double %f(double %x)
  ret double %a
}
define double @by_own_table(i64 %k, double %x) nounwind {
  %place = getelementptr ptr, ptr @own, i64 %k
  %f = load ptr, ptr %place
  %a = call double %f(double %x)
  ret double %a
}
define double @rescale(double %by) nounwind {
  %old = load double, ptr @scale
  %new = fmul double %old, %by
  store double %new, ptr @scale
  ret double %new
}
define void @clear(ptr %x, i64 %bytes) nounwind {
  call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 %bytes, i1 false)
  ret void
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
)";
const std::map<std::string, void*>& Externals() {
  static const std::map<std::string, void*> externals = {{"twice", reinterpret_cast<void*>(&Twice)},
                                                         {"half", reinterpret_cast<void*>(&Half)}};
  return externals;
}

TEST_F(Compiled, CallsOut) {
  for (int level = 0; level <= 2; ++level) {
    SCOPED_TRACE(level);
    const auto code = Make(kCalls, {level, MachineLevel::kBase}, Externals());
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(Call<double(double)>(code, "direct")(3), 36);
    double (*const table[])(double) = {Half, Twice};
    EXPECT_EQ((Call<double(const void*, int64_t, double)>(code, "by_table")(table, 1, 3)), 6);
    auto* by_own_table = Call<double(int64_t, double)>(code, "by_own_table");
    EXPECT_EQ(by_own_table(0, 3), 6);
    EXPECT_EQ(by_own_table(1, 3), 1.5);
    EXPECT_EQ(by_own_table(2, 3), 9);
    auto* rescale = Call<double(double)>(code, "rescale");
    rescale(2);
    EXPECT_EQ(rescale(2), 16);
    std::vector<double> x(1000, 1.0);
    Call<void(double*, int64_t)>(code, "clear")(x.data(), 999 * 8);
    EXPECT_EQ(x[998], 0);
    EXPECT_EQ(x[999], 1);
    EXPECT_EQ(code->Find("square"), nullptr);  // internal
    EXPECT_EQ(code->Find("twice"), nullptr);   // not of the object
  }
}

TEST_F(Compiled, NothingIsWritableAndExecutable) {
  const auto code = Make(kCalls, {}, Externals());
  std::ifstream maps("/proc/self/maps");
  const auto address = reinterpret_cast<uintptr_t>(code->Find("direct"));
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    size_t end = 0;
    const uintptr_t from = std::stoull(line, &end, 16), to = std::stoull(line.substr(end + 1), nullptr, 16);
    if (address < from || address >= to) continue;
    found = true;
    EXPECT_NE(line.find(" r-xp "), std::string::npos) << line;
  }
  EXPECT_TRUE(found);
}

TEST_F(Compiled, SaysWhatIsMissing) {
  std::string problem;
  const std::vector<char> object = CompileIr(kCalls, {}, &problem);
  EXPECT_EQ(MachineCode::Load(object, {{"half", reinterpret_cast<void*>(&Half)}}, &problem), nullptr);
  EXPECT_EQ(problem, "'twice' is not defined");
  // A variable elsewhere would need a table of addresses.
  const std::vector<char> far = CompileIr(
      "@elsewhere = external global double\n"
      "define double @f() nounwind {\n  %x = load double, ptr @elsewhere\n  ret double %x\n}\n",
      {}, &problem);
  EXPECT_EQ(MachineCode::Load(far, {}, &problem), nullptr);
  EXPECT_NE(problem.find("'elsewhere' is not supported"), std::string::npos) << problem;
}

// What LLVM says arrives in `problem`, and nowhere else.
TEST_F(Compiled, RefusesText) {
  const auto problem_of = [](const std::string& ir, const CompileOptions& options = {}) {
    std::string problem;
    EXPECT_TRUE(CompileIr(ir, options, &problem).empty());
    EXPECT_FALSE(problem.empty());
    return problem;
  };
  testing::internal::CaptureStderr();
  EXPECT_NE(problem_of("define void @f( {").find("expected type"), std::string::npos);
  EXPECT_NE(
      problem_of("define double @f(double %x) {\n  %y = fadd contract double %x, %x\n  ret double %y\n}\n")
          .find("fast-math flags in f"),
      std::string::npos);
  EXPECT_NE(problem_of("declare double @llvm.fmuladd.f64(double, double, double)\n").find("llvm.fmuladd.f64"),
            std::string::npos);
  // Not well-formed: a value that is used before it is there.
  EXPECT_NE(problem_of("define double @f(double %x) {\n  %y = fadd double %z, %x\n"
                       "  %z = fadd double %x, %x\n  ret double %y\n}\n")
                .find("dominate"),
            std::string::npos);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// An instruction that the machine does not have ends a process, as LLVM would have it.
TEST_F(Compiled, SurvivesFatalErrors) {
  const std::string fatal =
      "define <8 x double> @f(<8 x double> %x) nounwind {\n"
      "  %y = call <8 x double> @llvm.x86.avx512.sqrt.pd.512(<8 x double> %x, i32 4)\n"
      "  ret <8 x double> %y\n}\n"
      "declare <8 x double> @llvm.x86.avx512.sqrt.pd.512(<8 x double>, i32)\n";
  std::string problem;
  testing::internal::CaptureStderr();
  if (__lsan_disable != nullptr) __lsan_disable();  // what LLVM held is lost
  EXPECT_TRUE(CompileIr(fatal, {}, &problem).empty());
  if (__lsan_enable != nullptr) __lsan_enable();
  EXPECT_NE(problem.find("LLVM gave up"), std::string::npos) << problem;
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(Make(KernelText(4), {}), nullptr);  // as good as before
}

TEST_F(Compiled, InSeveralThreads) {
  std::string problem;
  const std::vector<char> expected = CompileIr(KernelText(4), {}, &problem);
  std::vector<int> same(4);
  std::vector<std::thread> threads;
  threads.reserve(same.size());
  for (int& count : same) {
    threads.emplace_back([&] {
      std::string own;
      for (int k = 0; k < 10; ++k) count += CompileIr(KernelText(4), {}, &own) == expected ? 1 : 0;
      count += CompileIr("nothing", {}, &own).empty() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, std::vector<int>(4, 11));
}

TEST_F(Compiled, DamagedObjectsAreNoHarm) {
  std::string problem;
  const std::vector<char> object = CompileIr(kCalls, {}, &problem);
  ASSERT_NE(MachineCode::Load(object, Externals(), &problem), nullptr) << problem;
  for (size_t size = 0; size < object.size(); ++size) {
    const std::vector<char> part(object.begin(), object.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(MachineCode::Load(part, Externals(), &problem), nullptr) << size;
    EXPECT_FALSE(problem.empty());
  }
  size_t refused = 0;
  for (size_t place = 0; place < object.size(); ++place) {
    for (const int flip : {0x01, 0x04, 0x10, 0x80, 0xFF}) {
      std::vector<char> changed = object;
      changed[place] = static_cast<char>(changed[place] ^ flip);
      refused += MachineCode::Load(changed, Externals(), &problem) == nullptr ? 1u : 0u;
    }
  }
  EXPECT_GT(refused, 1000u);
  // Several at a time.
  std::mt19937_64 random(2);
  for (int k = 0; k < 20000; ++k) {
    std::vector<char> changed = object;
    for (int n = 0; n < 8; ++n) changed[random() % changed.size()] = static_cast<char>(random());
    MachineCode::Load(changed, Externals(), &problem);
  }
}

TEST(MachineCode, RefusesWhatIsNoObject) {
  std::string problem;
  EXPECT_EQ(MachineCode::Load({}, {}, &problem), nullptr);
  EXPECT_NE(problem.find("damaged"), std::string::npos);
  const std::vector<char> zeros(1000);
  EXPECT_EQ(MachineCode::Load(zeros, {}, &problem), nullptr);
}

}  // namespace
}  // namespace cotree
