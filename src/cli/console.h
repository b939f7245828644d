// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cotree {

/// The exit codes of design §7.
enum ExitCode : int {
  kExitOk = 0,
  kExitModel = 1,
  kExitUsage = 2,
  kExitBug = 3,
  kExitNumerical = 4,
  kExitForeign = 5,
  kExitInterrupted = 130
};

/** What output looks like: colours on a terminal, none in a pipe, none with NO_COLOR. */
class Console {
 public:
  Console();
  /// Without colours: for files.
  static Console Plain() { return Console(false); }
  bool colours_out() const { return colours_out_; }
  bool colours_err() const { return colours_err_; }
  std::string Bold(std::string_view text) const { return Paint(text, "1"); }
  std::string Dim(std::string_view text) const { return Paint(text, "2"); }
  std::string Green(std::string_view text) const { return Paint(text, "1;32"); }
  std::string Cyan(std::string_view text) const { return Paint(text, "36"); }

 private:
  explicit Console(bool colours) : colours_out_(colours), colours_err_(colours) {}
  std::string Paint(std::string_view text, const char* code) const;
  bool colours_out_ = false, colours_err_ = false;
};

}  // namespace cotree
