// SPDX-License-Identifier: Apache-2.0
#include "base/stages.h"

namespace cotree {
namespace {

thread_local const StageListener::Ended* listener = nullptr;

}  // namespace

StageListener::StageListener(Ended ended) : ended_(std::move(ended)), before_(listener) {
  listener = &ended_;
}

StageListener::~StageListener() {
  listener = before_;
}

void EndStage(std::string_view stage) {
  if (listener != nullptr) (*listener)(stage);
}

}  // namespace cotree
