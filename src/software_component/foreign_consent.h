// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cotree {

/** The user's consent to foreign code beyond one command: $XDG_CONFIG_HOME/cotree/foreign, or
~/.config/cotree/foreign. Each line begins with the SHA-256 of a library, as `sha256sum` prints it; what
follows behind a blank is for people. Empty lines and those that begin with # say nothing. */
std::string ConsentFile();

/// Whether the file names this hash. A file that belongs to, or can be written by, someone else says nothing.
bool HasConsent(const std::string& sha256);

/// How to consent, in words: the option, and the line to add.
std::string HowToConsent(const std::string& library, const std::string& sha256);

/** What a library said of itself when it last ran with consent: the names of an instance's states, by the
library's hash, the function and the parameters ($XDG_CACHE_HOME/cotree/foreign, or ~/.cache/cotree/foreign).
So commands that run nothing know them. */
struct KnownStates {
  std::string sha256, function;
  std::vector<std::pair<std::string, double>> parameters;

  /// False: not known.
  bool Read(std::vector<std::string>* states) const;
  /// For next time; what cannot be written is forgotten.
  void Write(const std::vector<std::string>& states) const;
  /// Where they are; empty: nowhere.
  std::string Path() const;
};

}  // namespace cotree
