// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <atomic>
#include <csignal>

namespace cotree {
namespace {

std::atomic<bool> noted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes it");

void Note(int) {
  noted = true;
  std::signal(SIGINT, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  noted = false;
  before_ = std::signal(SIGINT, Note);
}

InterruptWatch::~InterruptWatch() {
  std::signal(SIGINT, before_);
}

bool InterruptWatch::interrupted() const {
  return noted;
}

}  // namespace cotree
