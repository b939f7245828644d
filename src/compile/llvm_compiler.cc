// SPDX-License-Identifier: Apache-2.0
#include "compile/llvm_compiler.h"

#include <dlfcn.h>

#include <csetjmp>
#include <string_view>
#include <type_traits>

namespace cotree {
namespace {

// LLVM's C interface, as far as it is used (llvm-c/*.h of LLVM 19). Every object is an opaque pointer.
using Ref = void*;
using Bool = int;
using DiagnosticHandler = void (*)(Ref info, void* context);
using FatalHandler = void (*)(const char* reason);

#define COTREE_LLVM_FUNCTIONS(X)                                                                         \
  X(LLVMInitializeX86TargetInfo, void())                                                                 \
  X(LLVMInitializeX86Target, void())                                                                     \
  X(LLVMInitializeX86TargetMC, void())                                                                   \
  X(LLVMInitializeX86AsmPrinter, void())                                                                 \
  X(LLVMInstallFatalErrorHandler, void(FatalHandler))                                                    \
  X(LLVMContextCreate, Ref())                                                                            \
  X(LLVMContextDispose, void(Ref context))                                                               \
  X(LLVMContextSetDiagnosticHandler, void(Ref context, DiagnosticHandler, void*))                        \
  X(LLVMGetDiagInfoDescription, char*(Ref info))                                                         \
  X(LLVMGetDiagInfoSeverity, int(Ref info))                                                              \
  X(LLVMDisposeMessage, void(char*))                                                                     \
  X(LLVMCreateMemoryBufferWithMemoryRange, Ref(const char*, size_t, const char* name, Bool null_at_end)) \
  X(LLVMGetBufferStart, const char*(Ref buffer))                                                         \
  X(LLVMGetBufferSize, size_t(Ref buffer))                                                               \
  X(LLVMDisposeMemoryBuffer, void(Ref buffer))                                                           \
  X(LLVMParseIRInContext, Bool(Ref context, Ref buffer, Ref* module, char** message))                    \
  X(LLVMVerifyModule, Bool(Ref module, int action, char** message))                                      \
  X(LLVMDisposeModule, void(Ref module))                                                                 \
  X(LLVMSetTarget, void(Ref module, const char* triple))                                                 \
  X(LLVMSetModuleDataLayout, void(Ref module, Ref layout))                                               \
  X(LLVMGetFirstFunction, Ref(Ref module))                                                               \
  X(LLVMGetNextFunction, Ref(Ref function))                                                              \
  X(LLVMGetValueName2, const char*(Ref value, size_t * length))                                          \
  X(LLVMGetFirstBasicBlock, Ref(Ref function))                                                           \
  X(LLVMGetNextBasicBlock, Ref(Ref block))                                                               \
  X(LLVMGetFirstInstruction, Ref(Ref block))                                                             \
  X(LLVMGetNextInstruction, Ref(Ref instruction))                                                        \
  X(LLVMCanValueUseFastMathFlags, Bool(Ref instruction))                                                 \
  X(LLVMGetFastMathFlags, unsigned(Ref instruction))                                                     \
  X(LLVMGetTargetFromTriple, Bool(const char* triple, Ref* target, char** message))                      \
  X(LLVMCreateTargetMachine, Ref(Ref target, const char* triple, const char* cpu, const char* features,  \
                                 int level, int relocation, int code_model))                             \
  X(LLVMCreateTargetDataLayout, Ref(Ref machine))                                                        \
  X(LLVMDisposeTargetData, void(Ref layout))                                                             \
  X(LLVMDisposeTargetMachine, void(Ref machine))                                                         \
  X(LLVMTargetMachineEmitToMemoryBuffer,                                                                 \
    Bool(Ref machine, Ref module, int file_type, char** message, Ref* buffer))                           \
  X(LLVMCreatePassBuilderOptions, Ref())                                                                 \
  X(LLVMDisposePassBuilderOptions, void(Ref options))                                                    \
  X(LLVMRunPasses, Ref(Ref module, const char* passes, Ref machine, Ref options))                        \
  X(LLVMGetErrorMessage, char*(Ref error))                                                               \
  X(LLVMDisposeErrorMessage, void(char*))

constexpr char kTriple[] = "x86_64-pc-linux-gnu";
constexpr int kSeverityError = 0, kReturnStatus = 2, kRelocationPic = 2, kCodeModelSmall = 3, kObjectFile = 1;

struct Llvm {
#define COTREE_DECLARE(name, type) std::add_pointer_t<type> name = nullptr;
  COTREE_LLVM_FUNCTIONS(COTREE_DECLARE)
#undef COTREE_DECLARE
  Ref target = nullptr;
  std::string problem;  // not empty: none of the above may be called
};

// Where a fatal error of LLVM returns to: it would end the process otherwise. What LLVM held then is lost.
struct Rescue {
  std::jmp_buf place;
  std::string reason;  // not empty: there was one
};
thread_local Rescue* current_rescue = nullptr;

void OnFatalError(const char* reason) {
  if (current_rescue == nullptr) return;  // not ours
  current_rescue->reason = std::string("LLVM gave up: ") + reason;
  std::longjmp(current_rescue->place, 1);
}

Llvm Load() {
  Llvm llvm;
  void* handle = nullptr;
  for (const char* name : {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"}) {
    handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (handle != nullptr) break;
  }
  if (handle == nullptr) {
    llvm.problem = "LLVM 19 (libLLVM.so.19.1) is not installed: apt-get install libllvm19";
    return llvm;
  }
  const char* missing = nullptr;
  const auto bind = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
#define COTREE_BIND(name, type) bind(llvm.name, #name);
  COTREE_LLVM_FUNCTIONS(COTREE_BIND)
#undef COTREE_BIND
  if (missing != nullptr) {
    llvm.problem = std::string("LLVM 19 (libLLVM.so.19.1) has no ") + missing + ": reinstall libllvm19";
    return llvm;
  }
  llvm.LLVMInitializeX86TargetInfo();
  llvm.LLVMInitializeX86Target();
  llvm.LLVMInitializeX86TargetMC();
  llvm.LLVMInitializeX86AsmPrinter();
  llvm.LLVMInstallFatalErrorHandler(OnFatalError);
  char* message = nullptr;
  if (llvm.LLVMGetTargetFromTriple(kTriple, &llvm.target, &message) != 0) {
    llvm.problem = std::string("LLVM 19 cannot compile for x86-64: ") + message;
    llvm.LLVMDisposeMessage(message);
  }
  return llvm;
}

const Llvm& Library() {
  static const Llvm llvm = Load();
  return llvm;
}

// One compilation; what it made goes with it.
class Compilation {
 public:
  Compilation(const Llvm& llvm, std::string* problem) : llvm_(llvm), problem_(*problem) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (buffer_ != nullptr) llvm_.LLVMDisposeMemoryBuffer(buffer_);
    if (machine_ != nullptr) llvm_.LLVMDisposeTargetMachine(machine_);
    if (module_ != nullptr) llvm_.LLVMDisposeModule(module_);
    if (context_ != nullptr) llvm_.LLVMContextDispose(context_);
  }

  // False: there is a problem.
  [[gnu::noinline]] bool Run(const std::string& ir, const CompileOptions& options) {
    context_ = llvm_.LLVMContextCreate();
    llvm_.LLVMContextSetDiagnosticHandler(context_, OnDiagnostic, this);
    return Parse(ir) && KeepsArithmetic() && MakeMachine(options) && (options.level < 2 || RunPasses()) &&
           Emit();
  }
  std::vector<char> Object() const {
    const char* start = llvm_.LLVMGetBufferStart(buffer_);
    return {start, start + llvm_.LLVMGetBufferSize(buffer_)};
  }
  // After a fatal error: LLVM's objects are in no state to be freed.
  void Abandon() { context_ = module_ = machine_ = buffer_ = nullptr; }

 private:
  static void OnDiagnostic(Ref info, void* self) {
    auto& compilation = *static_cast<Compilation*>(self);
    if (compilation.llvm_.LLVMGetDiagInfoSeverity(info) != kSeverityError) return;
    compilation.Fail(compilation.llvm_.LLVMGetDiagInfoDescription(info));
  }
  // Takes a message of LLVM's; the first one counts. False, for the callers to return.
  bool Fail(char* message) {
    if (problem_.empty())
      problem_ = message != nullptr && *message != '\0' ? message : "LLVM gives no reason";
    if (message != nullptr) llvm_.LLVMDisposeMessage(message);
    return false;
  }

  bool Parse(const std::string& ir) {
    Ref text = llvm_.LLVMCreateMemoryBufferWithMemoryRange(ir.c_str(), ir.size(), "kernel", 1);
    char* message = nullptr;
    if (llvm_.LLVMParseIRInContext(context_, text, &module_, &message) != 0) {  // it takes the text
      module_ = nullptr;
      return Fail(message);
    }
    if (llvm_.LLVMVerifyModule(module_, kReturnStatus, &message) != 0) return Fail(message);
    llvm_.LLVMDisposeMessage(message);
    return true;
  }
  bool KeepsArithmetic() {
    for (Ref f = llvm_.LLVMGetFirstFunction(module_); f != nullptr; f = llvm_.LLVMGetNextFunction(f)) {
      size_t length = 0;
      const char* start = llvm_.LLVMGetValueName2(f, &length);
      const std::string_view name(start, length);
      if (name.starts_with("llvm.fmuladd.")) {
        problem_ = std::string(name) + " leaves open how it rounds";
        return false;
      }
      for (Ref b = llvm_.LLVMGetFirstBasicBlock(f); b != nullptr; b = llvm_.LLVMGetNextBasicBlock(b)) {
        for (Ref i = llvm_.LLVMGetFirstInstruction(b); i != nullptr; i = llvm_.LLVMGetNextInstruction(i)) {
          if (llvm_.LLVMCanValueUseFastMathFlags(i) == 0 || llvm_.LLVMGetFastMathFlags(i) == 0) continue;
          problem_ = "fast-math flags in " + std::string(name) + " leave open how it rounds";
          return false;
        }
      }
    }
    return true;
  }
  bool MakeMachine(const CompileOptions& options) {
    // LLVM fuses only what allows it (KeepsArithmetic), and AVX-512 cannot be had without such instructions.
    const char* features = "";
    if (options.machine == MachineLevel::kAvx2) features = "+avx2,-fma";
    if (options.machine == MachineLevel::kAvx512)
      features = "+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl";
    machine_ = llvm_.LLVMCreateTargetMachine(llvm_.target, kTriple, "x86-64", features, options.level,
                                             kRelocationPic, kCodeModelSmall);
    if (machine_ == nullptr) return Fail(nullptr);
    llvm_.LLVMSetTarget(module_, kTriple);
    Ref layout = llvm_.LLVMCreateTargetDataLayout(machine_);
    llvm_.LLVMSetModuleDataLayout(module_, layout);
    llvm_.LLVMDisposeTargetData(layout);
    return true;
  }
  bool RunPasses() {
    Ref pass_options = llvm_.LLVMCreatePassBuilderOptions();
    Ref error = llvm_.LLVMRunPasses(module_, "default<O2>", machine_, pass_options);
    llvm_.LLVMDisposePassBuilderOptions(pass_options);
    if (error == nullptr) return problem_.empty();
    char* message = llvm_.LLVMGetErrorMessage(error);
    problem_ = message;
    llvm_.LLVMDisposeErrorMessage(message);
    return false;
  }
  bool Emit() {
    char* message = nullptr;
    if (llvm_.LLVMTargetMachineEmitToMemoryBuffer(machine_, module_, kObjectFile, &message, &buffer_) != 0) {
      buffer_ = nullptr;
      return Fail(message);
    }
    return problem_.empty();
  }

  const Llvm& llvm_;
  std::string& problem_;
  Ref context_ = nullptr, module_ = nullptr, machine_ = nullptr, buffer_ = nullptr;
};

// A function of its own: nothing in it can be lost by the jump.
[[gnu::noinline]] bool RunRescued(Compilation& compilation, const std::string& ir,
                                  const CompileOptions& options, Rescue& rescue) {
  current_rescue = &rescue;
  if (setjmp(rescue.place) != 0) {  // NOLINT(cert-err52-cpp)
    current_rescue = nullptr;
    compilation.Abandon();
    return false;
  }
  const bool done = compilation.Run(ir, options);
  current_rescue = nullptr;
  return done;
}

}  // namespace

MachineLevel ThisMachine() {
  if (!__builtin_cpu_supports("avx2")) return MachineLevel::kBase;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
  return avx512 ? MachineLevel::kAvx512 : MachineLevel::kAvx2;
}

bool HasLlvm(std::string* why) {
  *why = Library().problem;
  return why->empty();
}

std::vector<char> CompileIr(const std::string& ir, const CompileOptions& options, std::string* problem) {
  if (!HasLlvm(problem)) return {};
  Compilation compilation(Library(), problem);
  Rescue rescue;
  if (RunRescued(compilation, ir, options, rescue)) return compilation.Object();
  if (!rescue.reason.empty()) *problem = rescue.reason;
  return {};
}

}  // namespace cotree
