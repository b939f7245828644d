// SPDX-License-Identifier: Apache-2.0
#include "sweep/kept_figure.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace cotree {
namespace {

/* Recursive descent: a sum of products of factors. */
class Reader {
 public:
  Reader(std::string_view text, KeptFigure& out) : text_(text), out_(out) {}

  bool Read(std::string* problem) {
    const bool ok = Sum() && AtEnd();
    if (!ok && problem_.empty())
      problem_ = at_ < text_.size() ? fmt::format("`{}` is not understood", text_.substr(at_))
                                    : "something is missing at its end";
    if (!ok) *problem = problem_;
    return ok;
  }

 private:
  using Kind = KeptFigure::Token::Kind;

  void Blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool AtEnd() {
    Blanks();
    return at_ == text_.size();
  }
  bool Take(char c) {
    Blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void Add(Kind kind) { out_.tokens.push_back({kind}); }

  bool Sum() {
    if (!Product()) return false;
    while (true) {
      const Kind kind = Take('+') ? Kind::kAdd : Take('-') ? Kind::kSubtract : Kind::kNumber;
      if (kind == Kind::kNumber) return true;
      if (!Product()) return false;
      Add(kind);
    }
  }
  bool Product() {
    if (!Factor()) return false;
    while (true) {
      const Kind kind = Take('*') ? Kind::kMultiply : Take('/') ? Kind::kDivide : Kind::kNumber;
      if (kind == Kind::kNumber) return true;
      if (!Factor()) return false;
      Add(kind);
    }
  }
  bool Factor() {
    if (Take('-')) {
      if (!Factor()) return false;
      Add(Kind::kNegate);
      return true;
    }
    if (Take('(')) return Sum() && Take(')');
    Blanks();
    double number = 0;
    if (TakeNumber(&number)) {
      out_.tokens.push_back({Kind::kNumber, number});
      return true;
    }
    return TakeMeasure();
  }
  bool TakeNumber(double* number) {
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), *number);
    if (error != std::errc() || !std::isfinite(*number)) return false;
    at_ = static_cast<size_t>(end - text_.data());
    return true;
  }
  static bool IsNameCharacter(char c, bool inside) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '[' || c == ']' || (inside && (c == ',' || c == ' '));
  }
  // "rack.drive[3].w", "pid.x[1, 2]".
  std::string TakeName() {
    Blanks();
    const size_t first = at_;
    bool inside = false;
    while (at_ < text_.size() && IsNameCharacter(text_[at_], inside)) {
      inside = text_[at_] == '[' || (inside && text_[at_] != ']');
      ++at_;
    }
    return std::string(text_.substr(first, at_ - first));
  }
  bool TakeVariable(std::string name, std::string* out) {
    if (name == "der" && Take('(')) {
      std::string inner;
      if (!TakeVariable(TakeName(), &inner) || !Take(')')) return false;
      *out = "der(" + inner + ")";
      return true;
    }
    *out = std::move(name);
    return !out->empty();
  }
  bool TakeMeasure() {
    static constexpr std::pair<std::string_view, Measure::Kind> kFunctions[] = {
        {"final", Measure::Kind::kFinal},
        {"max", Measure::Kind::kMax},
        {"min", Measure::Kind::kMin},
        {"mean", Measure::Kind::kMean},
        {"rms", Measure::Kind::kRms}};
    Measure measure;
    std::string name = TakeName();
    const auto function = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                       [&](const auto& f) { return f.first == name; });
    Blanks();
    const bool call = at_ < text_.size() && text_[at_] == '(';
    if (call && function != std::end(kFunctions)) {
      ++at_;
      measure.kind = function->second;
      if (!TakeVariable(TakeName(), &measure.variable) || !Take(')')) return false;
    } else if (call && name != "der") {
      problem_ = fmt::format("there is no function `{}`; there are final, max, min, mean, rms", name);
      return false;
    } else {
      if (!TakeVariable(std::move(name), &measure.variable)) return false;
      if (Take('@') && !TakeTime(&measure)) return false;
    }
    out_.tokens.push_back({Kind::kMeasure, 0, out_.measures.size()});
    out_.measures.push_back(std::move(measure));
    return true;
  }
  bool TakeTime(Measure* measure) {
    measure->kind = Measure::Kind::kAt;
    Blanks();
    if (!TakeNumber(&measure->time)) {
      problem_ = "behind @ stands a time, as in load.w@2.5s";
      return false;
    }
    const std::string unit = TakeName();
    static constexpr std::pair<std::string_view, double> kUnits[] = {
        {"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}, {"h", 3600}};
    for (const auto& [name, factor] : kUnits) {
      if (unit != name) continue;
      measure->time *= factor;
      return true;
    }
    problem_ = fmt::format("`{}` is no unit of time; write load.w@2.5s or load.w@40ms", unit);
    return false;
  }

  std::string_view text_;
  KeptFigure& out_;
  size_t at_ = 0;
  std::string problem_;
};

}  // namespace

double KeptFigure::Value(std::span<const double> values) const {
  std::vector<double> stack;
  for (const Token& token : tokens) {
    switch (token.kind) {
      case Token::Kind::kNumber:
        stack.push_back(token.number);
        continue;
      case Token::Kind::kMeasure:
        stack.push_back(values[token.measure]);
        continue;
      case Token::Kind::kNegate:
        stack.back() = -stack.back();
        continue;
      default:
        break;
    }
    const double b = stack.back();
    stack.pop_back();
    double& a = stack.back();
    a = token.kind == Token::Kind::kAdd        ? a + b
        : token.kind == Token::Kind::kSubtract ? a - b
        : token.kind == Token::Kind::kMultiply ? a * b
                                               : a / b;
  }
  return stack.back();
}

std::optional<KeptFigure> ReadFigure(std::string_view text, std::string* problem) {
  KeptFigure out;
  out.text = text;
  std::string why;
  if (Reader(text, out).Read(&why)) return out;
  *problem = fmt::format("`{}` cannot be kept: {}", text, why);
  return std::nullopt;
}

void MeasureRecorder::Extreme(double value) {
  extreme_ = measure_.kind == Measure::Kind::kMax ? std::max(extreme_, value) : std::min(extreme_, value);
}

void MeasureRecorder::Row(double time, double value) {
  using Kind = Measure::Kind;
  if (!any_) {
    any_ = true;
    begin_ = time;
    extreme_ = value;
    if (measure_.kind == Kind::kAt && time == measure_.time) at_ = value;
  } else {
    const double width = time - time_, a = last_, b = stepwise_ ? last_ : value;
    switch (measure_.kind) {
      case Kind::kFinal:
        break;
      case Kind::kMax:
        extreme_ = std::max(extreme_, value);
        break;
      case Kind::kMin:
        extreme_ = std::min(extreme_, value);
        break;
      case Kind::kMean:
        integral_ += width * (a + b) / 2;
        break;
      case Kind::kRms:
        integral_ += width * (a * a + a * b + b * b) / 3;
        break;
      case Kind::kAt:
        if (time == measure_.time)
          at_ = value;
        else if (time_ < measure_.time && measure_.time < time)
          at_ = a + (b - a) * (measure_.time - time_) / width;
        break;
    }
  }
  time_ = time;
  last_ = value;
}

std::optional<double> MeasureRecorder::Value() const {
  switch (measure_.kind) {
    case Measure::Kind::kFinal:
      return last_;
    case Measure::Kind::kMax:
    case Measure::Kind::kMin:
      return extreme_;
    case Measure::Kind::kMean:
      return time_ > begin_ ? integral_ / (time_ - begin_) : last_;
    case Measure::Kind::kRms:
      return time_ > begin_ ? std::sqrt(integral_ / (time_ - begin_)) : std::fabs(last_);
    case Measure::Kind::kAt:
      return at_;
  }
  return std::nullopt;
}

}  // namespace cotree
