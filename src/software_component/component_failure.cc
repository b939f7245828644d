// SPDX-License-Identifier: Apache-2.0
#include "software_component/component_failure.h"

#include <charconv>

#include "base/visible_text.h"

namespace cotree {

const char* CallName(ComponentCall call) {
  switch (call) {
    case ComponentCall::kLoad:
      return "load";
    case ComponentCall::kOutputs:
      return "outputs";
    case ComponentCall::kDerivatives:
      return "derivatives";
    case ComponentCall::kUpdate:
      return "update";
    case ComponentCall::kJacobian:
      return "jacobian";
    case ComponentCall::kSave:
      return "save";
    case ComponentCall::kRestore:
      return "restore";
    case ComponentCall::kClose:
      return "destroy";
  }
  return "?";
}

std::string ComponentFailure::Text() const {
  const auto plain = [](const std::string& name) { return VisibleText(name, LineEnds::kKept, kMostText); };
  std::string text = "software component `" + plain(instance) + "` (" + plain(library) + ", function `" +
                     plain(function) + "`): ";
  if (call != ComponentCall::kLoad) {
    text += std::string("`") + CallName(call) + "`";
    if (time) {
      char number[32];
      const auto end = std::to_chars(number, number + sizeof number, *time);
      text += " at t = " + std::string(number, end.ptr) + " s";
    }
    text += ": ";
  }
  text += reason;
  if (!said.empty()) text += "\nits last words:\n" + said;
  return text;
}

bool ComponentFailure::Alive() const {
  switch (kind) {
    case Kind::kNone:
    case Kind::kError:
    case Kind::kReject:
    case Kind::kNotFinite:
    case Kind::kImpure:
    case Kind::kException:
      return true;
    default:
      return false;
  }
}

}  // namespace cotree
