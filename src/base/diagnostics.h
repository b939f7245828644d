// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace cotree {

enum class Severity : uint8_t { kNote, kWarning, kError };

/** One row of a stage's table of messages (`diagnostics.def`).

Codes are `COT` + stage digit + three digits and are never reused. In `message` and `help`, {0}, {1}, ...
stand for the arguments of the report. An empty `help` means that the remedy, if any, is given at the place of
the report. */
struct DiagnosticInfo {
  int code;
  Severity severity;
  const char* name;
  const char* message;
  const char* help;
};

/** A finding, as the user will see it: what, where, why, and what to do. */
struct Diagnostic {
  const DiagnosticInfo* info;
  std::string message;
  Span where;
  std::string label;  // stands behind the caret
  struct Place {
    Span where;
    std::string label;
  };
  std::vector<Place> others;       // further places, in order
  std::vector<std::string> notes;  // reasons, one line each
  std::vector<std::string> helps;  // remedies, one line each

  Diagnostic& Label(std::string text) { return label = std::move(text), *this; }
  Diagnostic& Also(Span span, std::string text) { return others.push_back({span, std::move(text)}), *this; }
  Diagnostic& Note(std::string text) { return notes.push_back(std::move(text)), *this; }
  Diagnostic& Help(std::string text) { return helps.push_back(std::move(text)), *this; }
};

/** Collects findings. At most `kMost` are kept, so that a broken megabyte does not fill the memory; the rest
 * are counted. */
class Diagnostics {
 public:
  static constexpr size_t kMost = 500;

  Diagnostic& Report(const DiagnosticInfo& info, Span where,
                     std::initializer_list<std::string_view> arguments = {});

  const std::deque<Diagnostic>& list() const { return list_; }
  size_t errors() const { return errors_; }
  size_t warnings() const { return warnings_; }
  size_t left_out() const { return left_out_; }
  /// Whether further findings are only counted, so that looking for suggestions would be in vain.
  bool full() const { return list_.size() >= kMost; }
  bool ok() const { return errors_ == 0; }
  /// Sorts by file and place, stably, and drops exact repetitions, so that the list does not depend on the
  /// order of the checks.
  void Sort();

 private:
  std::deque<Diagnostic> list_;  // a deque: Report hands out references
  Diagnostic overflow_{};
  size_t errors_ = 0, warnings_ = 0, left_out_ = 0;
};

/// Replaces {0}, {1}, ... by the arguments.
std::string FormatMessage(std::string_view pattern, std::initializer_list<std::string_view> arguments);
std::string CodeText(const DiagnosticInfo& info);

/// The form of docs/manual/messages.md: message, place, source line, caret, reasons, remedies.
std::string RenderText(const Diagnostic& diagnostic, const SourceFiles& files, bool colours);

/** The candidate nearest to `word` by edit distance, or empty if none is near enough to be meant.
Ties go to the candidate that is first in the alphabet. */
std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// What helps where `word` names nothing: "did you mean `x`?"; or, with `list` ("it has"), the first dozen of
/// what there is: "it has a, b, c". Empty: nothing helps.
std::string Suggestion(std::string_view word, const std::vector<std::string_view>& candidates,
                       std::string_view list = {});

}  // namespace cotree
