// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"

namespace cotree {

/// Whether this declaration is `state none`: foreign code that has no continuous states.
bool IsStateNone(const SyntaxTree& tree, NodeId node);

/// Whether a class of foreign code says which continuous states it has: by `state x : ...`, or `state none`.
/// Otherwise its library knows.
bool DeclaresStates(const Model& model, const ComponentClass& cls);

}  // namespace cotree
