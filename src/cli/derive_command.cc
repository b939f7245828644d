// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <filesystem>

#include "base/json.h"
#include "cli/draw_tree.h"
#include "cli/readable_equations.h"
#include "cli/write_form.h"
#include "derivation/derive.h"
#include "derivation/describe_state_space.h"
#include "document/write_document.h"

namespace cotree {

int RunDerive(const EquationsOptions& options, const Console& console) {
  TranslateOptions translate;
  translate.free_inputs = options.inputs;
  translate.outputs = options.outputs;
  translate.prefer = options.prefer;
  const auto say = [&](Translation& t, const Console& colours, SystemOutput* out) -> int {
    const Model& model = *t.equations->model;
    Document document;
    document.digits = options.digits;
    document.title = model.Text(model[t.graph->system].name);
    document.description = model[t.graph->system].documentation;
    document.file = std::filesystem::path(options.file).filename().string();
    document.pool = &model.expressions;
    if (IsSmallEnoughToDerive(t)) {
      StateSpace space;
      const int exit = FindReadable(options, t, &space);
      if (exit != kExitOk) return exit;
      SetOwners(t.equations->model->expressions, space, &document);
      document.components = DescribeComponents(t);
      std::string picture;
      if (options.format == "html" || options.format == "mathml" || options.format == "json")
        picture = DrawTree(t).svg;
      document.sections = DeriveSteps(t, space, picture, &document);
    } else {
      document.sections = DeriveByClass(t, &document);
    }
    if (options.format == "text") out->text = SystemHeading(t, colours) + "\n\n";
    if (options.format == "json") {
      out->json = WriteJson(document);
      return kExitOk;
    }
    return WriteForm(document, options.format, colours, &out->text) ? kExitOk : kExitForeign;
  };
  return RunOnSystem(options, "cotree.derivation/1", translate, console, say);
}

}  // namespace cotree
