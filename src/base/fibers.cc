// SPDX-License-Identifier: Apache-2.0
#include "base/fibers.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <csetjmp>

#include "base/check.h"

namespace cotree {
namespace {

constexpr size_t kStack = size_t{1} << 20;  // of which only what is touched becomes memory

// What a stack that is entered for the first time begins with.
thread_local std::function<void()>* entering = nullptr;

}  // namespace

struct Fibers::Place {
  jmp_buf at;
  ucontext_t context;
};

struct Fibers::Fiber {
  const std::function<void()>* task = nullptr;
  void* stack = nullptr;
  bool started = false, ended = false;
  jmp_buf at;
  ~Fiber() {
    if (stack != nullptr) munmap(stack, kStack);
  }
};

Fibers::Fibers() : main_(std::make_unique<Place>()) {}
Fibers::~Fibers() = default;

void Fibers::Enter() {
  std::function<void()> run = std::move(*entering);
  run();
}

// A stack is entered by makecontext once; from then on by jumps, which leave the signals of the thread alone.
void Fibers::Resume(Fiber& fiber) {
  now_ = &fiber;
  if (_setjmp(main_->at) == 0) {
    if (fiber.started) _longjmp(fiber.at, 1);
    fiber.started = true;
    std::function<void()> body = [this, own = &fiber] {
      (*own->task)();
      own->ended = true;
      _longjmp(main_->at, 1);
    };
    entering = &body;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber.stack;
    context.uc_stack.ss_size = kStack;
    context.uc_link = nullptr;
    makecontext(&context, &Fibers::Enter, 0);
    swapcontext(&main_->context, &context);
  }
  now_ = nullptr;
}

void Fibers::Yield() {
  Fiber& own = *now_;
  if (_setjmp(own.at) == 0) _longjmp(main_->at, 1);
}

void Fibers::Run(const std::vector<std::function<void()>>& tasks, const std::function<void()>& together) {
  fibers_.clear();
  for (const std::function<void()>& task : tasks) {
    auto fiber = std::make_unique<Fiber>();
    fiber->task = &task;
    fiber->stack =
        mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    COTREE_CHECK(fiber->stack != MAP_FAILED);
    fibers_.push_back(std::move(fiber));
  }
  while (true) {
    bool left = false;
    for (const auto& fiber : fibers_) {
      if (fiber->ended) continue;
      Resume(*fiber);
      left = left || !fiber->ended;
    }
    if (!left) return;
    together();
  }
}

}  // namespace cotree
