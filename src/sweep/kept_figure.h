// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cotree {

/** One number taken from the rows of a run. */
struct Measure {
  enum class Kind : uint8_t { kFinal, kMax, kMin, kMean, kRms, kAt } kind = Kind::kFinal;
  std::string variable;  // as the user wrote it: "load.w", "der(pid.x)"
  double time = 0;       // of kAt
};

/** What is kept of a run: measures joined by + - * / and brackets, "max(load.w) - load.w@2s". */
struct KeptFigure {
  struct Token {
    enum class Kind : uint8_t { kNumber, kMeasure, kAdd, kSubtract, kMultiply, kDivide, kNegate } kind;
    double number = 0;   // of kNumber
    size_t measure = 0;  // of kMeasure
  };
  std::string text;  // as it was written
  std::vector<Measure> measures;
  std::vector<Token> tokens;  // operands before their operation

  /// The figure from the values of its measures.
  double Value(std::span<const double> values) const;
};

/** Reads a figure: a variable (its value at the end), final(x), max(x), min(x), mean(x), rms(x), x@T,
numbers,
+ - * / and brackets. Nothing, and the reason in `problem`, otherwise. */
std::optional<KeptFigure> ReadFigure(std::string_view text, std::string* problem);

/** Computes a measure while the rows of a run go by. Between rows a variable runs straight, or (`stepwise`)
holds its value; mean and rms are integrals over that, divided by the time of the run. At an event x@T is what
is behind it. */
class MeasureRecorder {
 public:
  MeasureRecorder(const Measure& measure, bool stepwise) : measure_(measure), stepwise_(stepwise) {}
  void Row(double time, double value);
  /// A value between rows, larger or smaller than both.
  void Extreme(double value);
  bool wants_extremes() const {
    return measure_.kind == Measure::Kind::kMax || measure_.kind == Measure::Kind::kMin;
  }
  /// Nothing if the run ended before the time of x@T.
  std::optional<double> Value() const;

 private:
  Measure measure_;
  bool stepwise_, any_ = false;
  double begin_ = 0, time_ = 0, last_ = 0;
  double extreme_ = 0, integral_ = 0;
  std::optional<double> at_;
};

}  // namespace cotree
