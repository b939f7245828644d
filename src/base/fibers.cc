// SPDX-License-Identifier: Apache-2.0
#include "base/fibers.h"

#include <sys/mman.h>

#include <utility>

#include "base/check.h"

#ifdef __x86_64__
/* Puts what a call must preserve on the stack, leaves its place in *own, and returns on the other stack. */
extern "C" void cotree_switch_stack(void** own, void* other);
asm(R"(
.text
.globl cotree_switch_stack
.hidden cotree_switch_stack
.type cotree_switch_stack, @function
cotree_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cotree_switch_stack, . - cotree_switch_stack
)");
#else
#include <ucontext.h>
#endif

namespace cotree {
namespace {

constexpr size_t kStack = size_t{1} << 20;  // of which only what is touched becomes memory
constexpr size_t kGuard = 4096;

thread_local Fibers* running = nullptr;

}  // namespace

struct Fibers::Fiber {
  const std::function<void()>* task = nullptr;
  size_t number = 0;
  bool ended = false;
  void* memory = nullptr;
  ~Fiber() {
    if (memory != nullptr) munmap(memory, kStack);
  }
#ifdef __x86_64__
  void* stack = nullptr;  // where it stands
  void Prepare(void (*enter)()) {
    void** top = reinterpret_cast<void**>(static_cast<char*>(memory) + kStack) - 2;
    *top = reinterpret_cast<void*>(enter);
    stack = top - 6;  // registers, all 0
  }
  static void Switch(Fiber& from, Fiber& to) {
    cotree_switch_stack(&from.stack, to.stack);
  }
#else
  ucontext_t context;
  void Prepare(void (*enter)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = memory;
    context.uc_stack.ss_size = kStack;
    context.uc_link = nullptr;
    makecontext(&context, enter, 0);
  }
  static void Switch(Fiber& from, Fiber& to) {
    swapcontext(&from.context, &to.context);
  }
#endif
};

Fibers::Fibers() : main_(std::make_unique<Fiber>()) {}
Fibers::~Fibers() = default;

void Fibers::Enter() {
  Fibers& fibers = *running;
  (*fibers.now_->task)();
  fibers.now_->ended = true;
  fibers.Yield();
}

// The first of the fibers from k on that has not ended; else who calls them together.
Fibers::Fiber* Fibers::NextFrom(size_t k) const {
  for (; k < fibers_.size(); ++k) {
    if (!fibers_[k]->ended) return fibers_[k].get();
  }
  return main_.get();
}

void Fibers::Yield() {
  Fiber& own = *now_;
  now_ = NextFrom(own.number + 1);
  Fiber::Switch(own, *now_);
}

void Fibers::Run(const std::vector<std::function<void()>>& tasks, const std::function<void()>& together) {
  fibers_.clear();
  for (const std::function<void()>& task : tasks) {
    auto fiber = std::make_unique<Fiber>();
    fiber->task = &task;
    fiber->number = fibers_.size();
    fiber->memory =
        mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    COTREE_CHECK(fiber->memory != MAP_FAILED);
    mprotect(fiber->memory, kGuard, PROT_NONE);  // who runs over the end falls at once
    fiber->Prepare(&Enter);
    fibers_.push_back(std::move(fiber));
  }
  Fibers* const before = std::exchange(running, this);
  while ((now_ = NextFrom(0)) != main_.get()) {
    Fiber::Switch(*main_, *now_);
    if (NextFrom(0) != main_.get()) together();
  }
  running = before;
}

}  // namespace cotree
