// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostics.h"
#include "model/declarations.h"
#include "model/model.h"

namespace cotree {

/** Text to checked model. `declarations` holds the library and the files given; every declaration of the
files is built and checked, and of the library what they use. All findings go to `diagnostics`; without errors
there, the Model keeps what it promises. */
void BuildModel(Model& model, Declarations& declarations, Diagnostics& diagnostics);

/// Builds a class of the library (or a file) alone, with the model of this name (empty: the first).
std::optional<ClassId> BuildLibraryClass(Model& model, Declarations& declarations, Diagnostics& diagnostics,
                                         DeclarationId id, std::string_view model_name);

}  // namespace cotree
