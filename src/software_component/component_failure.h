// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cotree {

/** The functions of a software component, as messages and frames name them. */
enum class ComponentCall : uint16_t {
  kLoad = 1,
  kOutputs = 2,
  kDerivatives = 3,
  kUpdate = 4,
  kJacobian = 5,
  kSave = 6,
  kRestore = 7,
  kClose = 8,
};
const char* CallName(ComponentCall call);

/** Why a call of a software component failed, for people and for the integrator. Foreign code failing is exit
code 5 (design §7), not a bug of ours. */
struct ComponentFailure {
  static constexpr size_t kMostText = 1024;  // bytes of what foreign code says that are shown

  enum class Kind : uint32_t {
    kNone = 0,
    kLoad = 1,         // no such file, not loadable, function missing, interface too new, wrong parameters
    kDescription = 2,  // what it says of itself contradicts itself
    kError = 3,        // returned an error
    kReject = 4,       // no value at this trial point: a shorter step may help; the component goes on
    kNotFinite = 5,    // NaN, infinite, or not set
    kSize = 6,         // wrote beyond its vector
    kException = 7,
    kMemory = 8,
    kCrash = 9,  // by a signal
    kExit = 10,
    kTime = 11,         // no answer in time, or too slow in sum
    kImpure = 12,       // results or discrete state changed by a call that must be pure
    kProtocol = 13,     // the helper process cannot be started or does not speak our language
    kInterrupted = 14,  // by the user, in the middle of a call
  };

  Kind kind = Kind::kNone;
  ComponentCall call = ComponentCall::kLoad;
  std::optional<double> time;  // t of the call, if it has one
  std::string reason;          // "crashed by signal SIGSEGV"
  std::string instance, library, function;
  std::string said;  // the last lines that the component wrote to stdout and stderr

  /// One line (more if the component said something), naming instance, library, call, time and reason.
  std::string Text() const;
  /// Whether the component may still be called.
  bool Alive() const;
};

}  // namespace cotree
