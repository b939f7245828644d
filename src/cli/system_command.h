// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "base/json.h"
#include "cli/commands.h"
#include "pipeline/translate.h"
#include "simulation/initialize.h"

namespace cotree {

/** What a command says about a system: `text` (also SVG), or `json` where that is asked for. */
struct SystemOutput {
  std::string text;
  Json& json;
};

/** The frame of all commands about one translated system: reads the file, chooses the system, translates it,
prints findings, lets `say` speak, and writes what it said. `say` is called only for a system without errors
and returns the exit code. The JSON is {head, "system": what `say` made of it, or null}. */
int RunOnSystem(const SystemOptions& options, const char* schema, TranslateOptions translate,
                const Console& console,
                const std::function<int(Translation&, const Console&, SystemOutput*)>& say);

/// Which system such a command is about.
SystemRequest RequestOf(const SystemOptions& options);
/// All files a model was made of, the libraries of foreign code among them, whether they are loaded or not.
std::vector<InputFile> InputsOf(const std::string& file, const DiskReader& reader, const Model& model);

/// How foreign code is run.
ComponentOptions ForeignCodeOf(const ForeignOptions& options);
/// How a run of the system begins, with its experiment if one was chosen.
InitializeOptions BeginningOf(const Translation& translation);
/// The time that relations on the time see at a beginning: behind what switches there.
inline double JustBehind(double time) {
  return time + 1e-9 * std::max(1.0, std::fabs(time));
}

/// "system Positioner".
std::string SystemHeading(const Translation& translation, const Console& console);

/// The components to which things of a program belong, each once: "`a`, `b`".
std::string NamesOf(const Translation& translation, const std::set<uint32_t>& components);
template <class Bound>
std::string OwnersOf(const Translation& translation, const std::vector<Bound>& list) {
  std::set<uint32_t> components;
  for (const Bound& bound : list) components.insert(bound.component);
  return NamesOf(translation, components);
}

/// The variables that people named, all of them computed by the program. False, with a message, if one is not
/// there.
bool FindOutputs(const Translation& translation, const std::vector<std::string>& names,
                 std::vector<VariableRef>* outputs);

/// The same, with the message in `problem` instead of on the terminal.
bool FindOutputs(const Translation& translation, const std::vector<std::string>& names,
                 std::vector<VariableRef>* outputs, std::string* problem);

/// "there is no variable ...", with the nearest name, or what its component has.
std::string UnknownVariable(const Translation& translation, const std::string& name);

/// "there is no input or output ...", with the nearest name.
std::string UnknownInput(const Model& model, const Translation& translation, const std::string& name);

/// A text that stands in one place only: "; did you mean `x`?", or nothing.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace cotree
