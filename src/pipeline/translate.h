// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/build_graphs.h"
#include "program/certify_blocks.h"
#include "program/program.h"
#include "software_component/software_component.h"
#include "system_equations/start_values.h"

namespace cotree {

/** What a command does with foreign code. */
enum class ForeignAccess : uint8_t {
  kNone,   // nothing: it has the states that its class declares
  kKnown,  // it does not run: where its class declares no states, what is known of the library, else an error
  kRun,    // it runs, so there must be consent: where its class declares no states, the library is asked
};

struct TranslateOptions {
  /// Where ChooseSystem has not said which: by name; otherwise the experiment's, or the first of the file.
  std::string system;
  std::string experiment;                // by name; empty: none (its `set`s and `start`s count)
  std::vector<std::string> free_inputs;  // inputs or outputs that are cut from their drivers
  /// Inputs or outputs that follow data over time, the sum of these tables.
  std::vector<std::pair<std::string, std::vector<Table>>> measured;
  /// Inputs that are cut from what drives them and become unknowns: one for each motion that is prescribed
  /// (SystemChoice::motions).
  std::vector<std::string> freed;
  std::vector<std::string> outputs;  // rates that must be computed even where no equation needs them
  std::vector<uint32_t> chosen;      // of SystemChoice::alternatives: they count most, the last one more
  /// What the tree shall be chosen for where it is free: "currents", "voltages", "across", "through", or the
  /// variable of an edge ("R1.i").
  std::vector<std::string> prefer;
  Coordinates coordinates = Coordinates::kAsChosen;  // of what moves in space
  bool rates = false;                                // the same for all rates that have a name
  bool own_parameters = false;  // each component has its numbers for itself: they may be changed
  bool program = true;          // false: stop at the sorted equations
  MotionForm motion_form = MotionForm::kAutomatic;
  /// Constraints that may stop determining what is computed from them are kept (BT.9): for runs.
  bool keep_constraints = false;
  bool notes = false;  // report what is worth knowing, too (COT41xx notes)
  ForeignAccess foreign = ForeignAccess::kNone;
  ComponentOptions components;  // how foreign code is asked for its states
};

struct KnownElements;

/** A system translated, stage by stage: graph, tree, equations, order, program. With `ok` everything up to
the stage asked for is there; otherwise the diagnostics have errors. */
struct Translation {
  std::vector<SystemGraph> graphs;  // the one system
  const SystemGraph* graph = nullptr;
  const Experiment* experiment = nullptr;
  NormalTree tree;
  Mechanism mechanism;     // what moves in space; empty: nothing
  MotionEquations motion;  // its equations
  std::unique_ptr<EquationSystem> equations;
  std::shared_ptr<SortedSystem> sorted;
  std::unique_ptr<Program> program;
  std::vector<StartEntry> starts;           // of classes, composites and the experiment
  std::vector<std::string> unknown_inputs;  // of free_inputs, those that were not found
  std::vector<std::string> unknown_preferences;
  uint32_t cancellations = 0;      // orders lost to numbers that cancel
  BlockCertificates certificates;  // that the blocks can be solved, with `program`
  bool ok = false;
  bool foreign = false;                  // foreign code is why it is not: there is no consent, or it fails
  std::string foreign_problem;           // how it fails, beside the diagnostics
  std::shared_ptr<KnownElements> known;  // about its classes, for ChangeParameters
};

/// The parameter of a system that is meant by "motor.R"; nothing if there is none.
std::optional<SystemSetting> FindParameter(const Model& model, ClassId system, const std::string& path);

/// What the experiment plots, element by element; nothing without one.
std::vector<std::string> PlotNames(const Translation& translation);

/// Findings are added to `loaded.diagnostics`.
std::unique_ptr<Translation> Translate(LoadedModel& loaded, const TranslateOptions& options = {});
/// The same from a graph that was built and found right; it must live as long as the translation.
std::unique_ptr<Translation> TranslateGraph(LoadedModel& loaded, const SystemGraph& graph,
                                            const TranslateOptions& options = {});

/** Gives a translation of `loaded` the values of other alternatives (`options.chosen`, all else as it was
translated) without translating again: parameters are data of the program (design §3.9). Everything that a
translation decides by their numbers is looked at anew: structure, coefficients that are zero, equations that
cancel, which starts there are. True only if every decision is the same, and then the translation is, number
by number, what Translate would give. Otherwise it is left half changed: load and translate anew. */
bool ChangeParameters(LoadedModel& loaded, Translation& translation, const TranslateOptions& options);

}  // namespace cotree
