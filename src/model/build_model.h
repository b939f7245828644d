// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/diagnostics.h"
#include "model/declarations.h"
#include "model/model.h"

namespace cotree {

class ModelBuilder;

/** Text to checked model. `declarations` holds the library and the files given; every declaration of the
files is built and checked, and of the library what they use. All findings go to `diagnostics`; without errors
there, the Model keeps what it promises. The builder is for ResolveOptions; it refers to all three. */
std::shared_ptr<ModelBuilder> BuildModel(Model& model, Declarations& declarations, Diagnostics& diagnostics);

/** What options say of a system: "motor.R = 0.3 ohm", "motor as ideal", "hinge.phi = 1 rad/s*time". */
struct OptionTexts {
  std::vector<std::string> settings;      // --set
  std::vector<std::string> alternatives;  // --vary: values of which each run takes some
  std::vector<std::string> motions;       // --motion
};

/** The same in terms of the system. */
struct ResolvedOptions {
  ClassId system;  // with the models that were chosen
  std::vector<Setting> settings, alternatives;
  std::vector<Motion> motions;
  bool malformed = false;  // some text is not of this form; `diagnostics` has errors
};

/// Options as data: parsed, their names, types and units checked against a system of the model, with errors
/// that show the option. A choice of models makes another class of the system: it takes the place of the
/// first one in the model, and the experiment (its number; none for nullopt) is built anew for it.
ResolvedOptions ResolveOptions(ModelBuilder& builder, ClassId system, std::optional<size_t> experiment,
                               const OptionTexts& texts);

/// Builds a class of the library (or a file) alone, with the model of this name (empty: the first).
std::optional<ClassId> BuildLibraryClass(Model& model, Declarations& declarations, Diagnostics& diagnostics,
                                         DeclarationId id, std::string_view model_name);

}  // namespace cotree
