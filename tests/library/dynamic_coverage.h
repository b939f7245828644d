// SPDX-License-Identifier: Apache-2.0
// Which classes of the library have no dynamic test, and why.
#pragma once

#include <array>
#include <string_view>

namespace cotree::test {

/** A class, or one model of it, that no dynamic test runs. */
struct WithoutDynamicTest {
  std::string_view name;  // "electrical.IdealDiode", or "hydraulic.CheckValve as switching"
  std::string_view reason;
};

inline constexpr std::array kWithoutDynamicTest = {
    WithoutDynamicTest{"electrical.IdealDiode", "events: later issue"},
    WithoutDynamicTest{"electrical.NoiseCurrentSource", "events: later issue"},
    WithoutDynamicTest{"electrical.NoiseVoltageSource", "events: later issue"},
    WithoutDynamicTest{"electrical.PwmBridge as bipolar", "events: later issue"},
    WithoutDynamicTest{"electrical.PwmBridge as unipolar", "events: later issue"},
    WithoutDynamicTest{"hydraulic.CheckValve as switching", "events: later issue"},
};

}  // namespace cotree::test
