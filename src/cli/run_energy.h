// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "document/document.h"
#include "pipeline/translate.h"
#include "simulation/simulate.h"

namespace cotree {

/** Power into the components and the energy they store over a run: from the power of each edge's domain and
the `energy` of each class; of bodies in space kinetic energy and, above the lowest that each comes to in the
run, potential energy. An island is a connected part of a domain's graph, the reference vertex left out:
its powers sum to zero at each time (Tellegen). Empty where a rate was not recorded. */
EnergyItem FindEnergy(const Translation& translation, const Trajectory& trajectory, size_t most_times);

}  // namespace cotree
