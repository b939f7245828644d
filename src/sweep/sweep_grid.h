// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** A number with its unit as users write it, "0.1 ohm". */
struct WrittenQuantity {
  double number = 0;
  std::string digits;  // the number as it was written
  std::string unit;    // empty: none
};
/// Nothing for what is no number with or without a unit behind it: `true`, `2*pi`.
std::optional<WrittenQuantity> ReadQuantity(std::string_view text);

/** A parameter that is varied, with its values. These are texts, what `--set` would be given: so a run of a
sweep is the run with that setting, to the last bit. */
struct SweepAxis {
  std::string name;                 // "motor.R"
  std::string unit;                 // of all values; empty: none, or not the same for all
  std::vector<std::string> values;  // without the unit
  std::vector<double> numbers;      // the same as numbers; empty if one of them is none
  bool log = false;                 // evenly spaced in the logarithm

  /// "motor.R = 0.1 ohm".
  std::string Setting(size_t k) const;
  /// "motor.R [ohm]".
  std::string Label() const;
};

/** Reads "motor.R=0.1 ohm:0.5 ohm:5" (from, to, how many; with ":log" evenly spaced in the logarithm) or
"mode=1,2,5" (a list of any values). Numbers between the ends have up to 15 digits. Nothing, and the reason
with a remedy in `problem`, if it is neither. */
std::optional<SweepAxis> ReadAxis(std::string_view text, bool log, std::string* problem);

/** All combinations of the values of the axes; the last axis runs fastest. */
class SweepGrid {
 public:
  static constexpr size_t kMost = 10'000'000;
  explicit SweepGrid(std::vector<SweepAxis> axes) : axes_(std::move(axes)) {}

  const std::vector<SweepAxis>& axes() const { return axes_; }
  /// kMost + 1 where there are more than kMost.
  size_t size() const;
  /// By axis: which of its values.
  std::vector<size_t> At(size_t point) const;
  /// "motor.R = 0.1 ohm, pid.kp = 2".
  std::string Text(size_t point) const;

 private:
  std::vector<SweepAxis> axes_;
};

}  // namespace cotree
