// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/translate.h"

namespace cotree {

/** The positions in which a mechanism with loops begins: near the starts that are proposed, those that are
fixed kept. They become starts of the translation, from which the initial equations go on. Where places of
bodies are coordinates, positions are found in coordinates of joints (`joint_motion`), so that every choice
begins alike. False, with a report: some loop cannot be closed. */
bool AssembleMechanism(LoadedModel& loaded, Translation& translation, const JointMotion* joint_motion);

}  // namespace cotree
