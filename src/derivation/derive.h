// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "document/document.h"
#include "pipeline/translate.h"
#include "state_space/state_space.h"

namespace cotree {

/** How a system becomes its equations, step by step, as one would teach it: components and terminal graphs,
system graph, classes, normal tree, causal terminal equations, cut-sets and circuits, substitution, state
space, ordered blocks, evaluation. Each step with a sentence of reason. */

/// Whether the steps can be printed one by one; otherwise DeriveByClass tells them class by class.
bool IsSmallEnoughToDerive(const Translation& translation);

/// `space`: of the same translation. `picture`: of the graph, SVG; may be empty.
std::vector<DocumentSection> DeriveSteps(Translation& translation, const StateSpace& space,
                                         const std::string& picture, Document* document);
/// The same with counts, for a system of any size: linear in it.
std::vector<DocumentSection> DeriveByClass(Translation& translation, Document* document);

/// The incidence pattern of the sorted equations, as they were written and in their order.
std::vector<DocumentItem> DescribePattern(const Translation& translation);
/// Components with classes and domains, for the head of a document.
std::vector<DocumentComponent> DescribeComponents(const Translation& translation);

}  // namespace cotree
