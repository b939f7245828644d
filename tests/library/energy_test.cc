// SPDX-License-Identifier: Apache-2.0
// The laws that hold for every class of the library at once: as many equations as unknowns, and `energy` and
// `loss` that account for the power into its edges. Decided by the product's own checks, which are tested by
// wrong components in tests/diagnostics.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "library/repository_library.h"
#include "product_support.h"
#include "system_graph/diagnose_graph.h"
#include "system_graph/element_table.h"
#include "system_graph/operating_points.h"

namespace cotree::test {
namespace {

TEST(LibraryEnergy, AccountsForThePowerOfEveryClass) {
  const auto loaded = LoadRepositoryLibrary();
  Model& model = loaded->model;
  std::vector<ElementClass> elements;
  ElementTable table(model, elements, 1000);
  std::vector<std::string> undecided;
  size_t classes = 0, declared = 0;
  for (size_t i = 0; i < loaded->declarations->size(); ++i) {
    const DeclarationId id(i);
    const Declaration declaration = (*loaded->declarations)[id];
    if (declaration.kind != NodeKind::kComponent && declaration.kind != NodeKind::kSoftware) continue;
    const SyntaxTree& tree = loaded->declarations->TreeOf(id);
    std::vector<std::string> models;
    for (const NodeId child : tree.Children((*loaded->declarations)[id].node)) {
      if (tree.kind(child) == NodeKind::kModel) models.emplace_back(tree.Name(child));
    }
    if (models.empty()) models.emplace_back();
    for (const std::string& name : models) {
      const auto built = BuildLibraryClass(model, *loaded->declarations, loaded->diagnostics, id, name);
      ASSERT_TRUE(built.has_value());
      // Sizes without a default are 3; nothing is zero.
      ParameterValues values = EvaluateParameters(model, model[*built], {});
      std::vector<double> key;
      for (const auto& entry : table.ParametersOf(*built).entries) {
        const auto at = values.find(model[*built].parameters[entry.parameter].symbol.value);
        key.push_back(!entry.by_value ? 1 : at == values.end() ? 3 : at->second);
      }
      const ElementClass element = elements[table.Find(*built, key).index()];
      ++classes;
      const std::string title = model.Text(model[*built].name) + (name.empty() ? "" : " as " + name);
      const size_t before = loaded->diagnostics.list().size();
      DiagnoseClasses(model, {element}, loaded->diagnostics);
      for (size_t k = before; k < loaded->diagnostics.list().size(); ++k)
        ADD_FAILURE() << title << "\n" << RenderText(loaded->diagnostics.list()[k], model.files, false);
      if (element.energy.IsNone() && element.loss.IsNone()) continue;
      ++declared;
      OperatingPoints points(model, element);
      int reached = 0;
      for (int k = 0; k < OperatingPoints::kPoints; ++k) reached += points.MoveTo(k) ? 1 : 0;
      if (reached < 4) undecided.push_back(title + " (" + std::to_string(reached) + " points)");
    }
  }
  std::string list;
  for (const std::string& title : undecided) list += "\n  " + title;
  EXPECT_TRUE(undecided.empty()) << "the law cannot be decided for" << list;
  EXPECT_GE(classes, 250u);
  std::printf("library: %zu classes and models, %zu declare energy or loss, %zu not decided\n", classes,
              declared, undecided.size());
}

}  // namespace
}  // namespace cotree::test
