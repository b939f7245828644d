// SPDX-License-Identifier: Apache-2.0
// The wrong models of tests/diagnostics and what can be done to them without changing their mistake: other
// names, another order, one level further in.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cotree::test {

/** One message that a wrong model must give. */
struct Expectation {
  int code = 0;
  unsigned line = 0, column = 0;
  std::string text;                // must occur in the message
  std::string reordered_text;      // the same where the order decides which of two places is named
  std::vector<std::string> helps;  // must occur in its notes and helps
};

/** A file of tests/diagnostics. Its leading comments say what is expected:

    // expect: COT2111 13:17 `housng` is not a terminal of `motor`, a DCMotor
    // help: did you mean `housing`?
    // reordered: what the message says in another order, if that decides which of two places is named
    // mutations: renamed, nested: why it cannot be reordered

Exactly these messages must come, at these places, and no others. */
struct WrongModel {
  std::string name, text;
  std::vector<Expectation> expectations;
  std::set<std::string> mutations{"renamed", "reordered", "nested"};
  std::string trouble;  // what is wrong with the comments themselves
};

WrongModel ReadWrongModel(std::string name, std::string text);

/// New names for what the file itself declares: components, systems, experiments, functions, tables, domains,
/// models, instances. A name that it also gives to a terminal, parameter, variable or edge stays.
std::map<std::string, std::string> NewNames(std::string_view text);
/// Replaces whole words by the map.
std::string RenameWords(std::string_view text, const std::map<std::string, std::string>& names);

/// A mutated text, empty where the mutation finds nothing to change.
std::string Renamed(std::string_view text, const std::map<std::string, std::string>& names);
/// Declarations of the file and members of bodies from last to first. `package` stays first, models keep
/// their order (the first is the default), and equation sections stand last, since they take in what follows.
std::string Reordered(std::string_view text);
/// Every system becomes a component, used inside an outer system, of which its experiments then speak; in a
/// file without a system, every component that needs no arguments is used so. All that is added stands on the
/// first line, so places stay where they were.
std::string Nested(std::string_view text);
/// What Nested() puts in front of paths of experiments.
extern const std::string_view kNestedPrefix;

}  // namespace cotree::test
