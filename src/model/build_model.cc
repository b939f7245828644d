// SPDX-License-Identifier: Apache-2.0
#include "model/build_model.h"

#include <algorithm>

#include "language/lex.h"
#include "model/check_bounds.h"
#include "model/check_sizes.h"
#include "model/class_builder.h"

namespace cotree {

namespace messages = model_messages;

// Two declarations of one name in one file or package, whatever their kind, except package-wide words for
// different things.
void ModelBuilder::CheckDuplicates() {
  const auto space = [](NodeKind kind) {
    if (IsClassDeclaration(kind)) return 0;
    if (kind == NodeKind::kFunction || kind == NodeKind::kTable) return 1;
    if (kind == NodeKind::kQuantity || kind == NodeKind::kEnumeration) return 2;
    return 3 + static_cast<int>(kind);
  };
  std::map<std::tuple<uint32_t, uint32_t, int>, size_t> seen;
  for (size_t i = 0; i < declarations.size(); ++i) {
    const Declaration& d = declarations[DeclarationId(i)];
    if (declarations.IsLibrary(d.file)) continue;
    const auto [it, is_new] = seen.try_emplace({d.file.value, d.name.value, space(d.kind)}, i);
    if (is_new) continue;
    const std::string_view word = DeclarationWord(d.kind);
    const std::string_view what = word.substr(word.find(' ') + 1);
    diagnostics.Report(messages::kDuplicateDeclaration, d.name_span, {what, NameText(d.name)})
        .Also(declarations[DeclarationId(it->second)].name_span, "first declared here");
  }
}

void ModelBuilder::BuildAll() {
  CheckDuplicates();
  size_t own = 0;
  std::vector<DeclarationId> experiments;
  for (size_t i = 0; i < declarations.size(); ++i) {
    const DeclarationId id(i);
    const Declaration declaration = declarations[id];
    if (declarations.IsLibrary(declaration.file)) continue;
    ++own;
    switch (declaration.kind) {
      case NodeKind::kDomain:
        DomainNamed(declaration.name, declaration.file);
        break;
      case NodeKind::kQuantity:
        QuantityNamed(declaration.package, declaration.name, declaration.file);
        break;
      case NodeKind::kEnumeration:
        EnumerationNamed(NameId::None(), declaration.name, declaration.file);
        break;
      case NodeKind::kFunction:
        FunctionNamed(id);
        break;
      case NodeKind::kTable:
        TableNamed(id);
        break;
      case NodeKind::kExperiment:
        experiments.push_back(id);
        break;
      default: {
        const SyntaxTree& tree = declarations.TreeOf(id);
        // Every model of a class is checked; the first is the default.
        std::vector<NameId> models;
        std::vector<NodeId> model_nodes;
        for (const NodeId child : tree.Children(declaration.node)) {
          if (tree.kind(child) != NodeKind::kModel) continue;
          models.push_back(Intern(tree.Name(child)));
          model_nodes.push_back(child);
        }
        for (size_t m = 0; m < models.size(); ++m) {
          const auto first =
              static_cast<size_t>(std::find(models.begin(), models.end(), models[m]) - models.begin());
          if (first == m) continue;
          diagnostics
              .Report(messages::kDuplicateDeclaration, tree.NameSpan(model_nodes[m]),
                      {"model", NameText(models[m])})
              .Also(tree.NameSpan(model_nodes[first]), "first declared here");
        }
        if (models.empty()) models.push_back(NameId::None());
        for (const NameId name : models) {
          const ClassId built = BuildClass(id, name, Origin{});
          if (built.IsNone()) continue;
          (declaration.kind == NodeKind::kSystem ? model.systems : model.own_classes).push_back(built);
        }
      }
    }
  }
  for (const DeclarationId id : experiments) {
    if (auto experiment = BuildExperiment(id)) model.experiments.push_back(std::move(*experiment));
  }
  // What the file itself declares comes before what it imports.
  const auto own_first = [&](auto& list, auto origin_of) {
    std::stable_partition(list.begin(), list.end(), [&](const auto& one) {
      return model.tree(origin_of(one).tree).file == declarations.own_files()[0];
    });
  };
  own_first(model.systems, [&](ClassId id) { return model[id].origin; });
  own_first(model.experiments, [](const Experiment& experiment) { return experiment.origin; });
  if (own == 0 && !declarations.own_files().empty() && diagnostics.ok()) {
    diagnostics.Report(messages::kNothingHere, Span{declarations.own_files()[0], 0, 0});
  }
}

std::optional<Experiment> ModelBuilder::BuildExperiment(DeclarationId id, const ModelChoices& more) {
  const SyntaxTree& tree = declarations.TreeOf(id);
  const NodeId node = declarations[id].node;
  Experiment experiment{};
  experiment.name = declarations[id].name;
  experiment.origin = {declarations[id].tree, node};
  const NodeId path = tree.Child(node, NodeKind::kPath);
  if (path.IsNone()) return std::nullopt;
  const DeclarationId system = FindDeclaration(
      tree, path, [](NodeKind k) { return k == NodeKind::kSystem; }, messages::kUnknownSystem, "a system");
  if (system.IsNone()) return std::nullopt;
  ModelChoices choices;
  const auto choose = [&](ModelChoice choice) {
    std::erase_if(choices, [&](const ModelChoice& other) { return other.path == choice.path; });
    choices.push_back(std::move(choice));
  };
  for (const NodeId child : tree.Children(node)) {
    if (tree.kind(child) != NodeKind::kSet) continue;
    if (auto choice = ChoiceOf(tree, experiment.origin.tree, child)) choose(std::move(*choice));
  }
  for (const ModelChoice& choice : more) choose(choice);
  experiment.system = BuildClass(system, NameId::None(), Origin{}, choices);
  if (experiment.system.IsNone()) return std::nullopt;
  ClassBuilder builder(*this, declarations[id].tree);
  builder.Open(experiment.system);
  const auto quantity = [&](NodeId value_node, const Dimension& dimension, const char* unit,
                            const std::string& what) {
    Type type;
    type.declared = true;
    type.dimension = dimension;
    type.unit = unit;
    Value value = builder.LowerScalar(value_node);
    return value.ok && builder.Fit(value, value_node, type, {type.dimension, {}}, what) ? value.expr
                                                                                        : ExprId::None();
  };
  const auto want = [&](NodeId at, ExprId expr, bool (*fits)(double), const char* otherwise) {
    const auto number = EvaluateConstant(pool, expr, EvaluateParameters(model, model[experiment.system], {}));
    if (number && !fits(*number)) diagnostics.Report(messages::kBadSetting, tree.SpanOf(at), {otherwise});
  };
  const auto resolved = [](double x) { return x >= -1e15 && x <= 1e15; };  // 0.1 s and some 30 million years
  const Dimension time = Dimension::Of(0, 0, 1);
  for (const NodeId child : tree.Children(node)) {
    switch (tree.kind(child)) {
      case NodeKind::kSetting: {
        const std::string name(tree.Name(child));
        const NodeId value = tree[child].first_child;
        if (value.IsNone()) break;
        if (name == "stop") {
          experiment.settings.stop = quantity(value, time, "s", "`stop`");
          const ExprId stop = experiment.settings.stop;
          if (!stop.IsNone() && pool.IsNumber(stop) && pool.NumberValue(stop) <= 0) {
            diagnostics.Report(messages::kBadSetting, tree.SpanOf(value), {"`stop` must be positive"})
                .Help("an experiment begins at 0 s, or at `begin`");
          }
          want(value, stop, resolved, "`stop` cannot be resolved: numbers of that size are too far apart");
        } else if (name == "begin") {
          experiment.settings.begin = quantity(value, time, "s", "`begin`");
          want(value, experiment.settings.begin, resolved,
               "`begin` cannot be resolved: numbers of that size are too far apart");
        } else if (name == "interval") {
          experiment.settings.interval = quantity(value, time, "s", "`interval`");
          want(
              value, experiment.settings.interval, [](double x) { return x > 0; },
              "`interval` must be positive");
        } else if (name == "tolerance") {
          experiment.settings.tolerance = quantity(value, Dimension::One(), "1", "`tolerance`");
          want(
              value, experiment.settings.tolerance, [](double x) { return x >= 1e-13 && x <= 0.1; },
              "`tolerance` must lie between 1e-13 and 0.1");
        } else if (name == "initial") {
          experiment.settings.steady = tree.Text(value) == "steady";
          if (!experiment.settings.steady)
            diagnostics.Report(messages::kBadSetting, tree.SpanOf(value), {"`initial` can only be `steady`"});
        } else {
          auto& report = diagnostics.Report(messages::kUnknownSetting, tree.NameSpan(child), {name});
          const std::string_view near =
              Nearest(name, {"stop", "begin", "interval", "tolerance", "initial", "plot"});
          if (!near.empty()) report.Help("did you mean `" + std::string(near) + "`?");
        }
        break;
      }
      case NodeKind::kPlot:
        for (const NodeId item : tree.Children(child)) {
          const Value value = builder.Lower(item);
          if (!value.ok) continue;
          experiment.plots.push_back(value.expr);
          experiment.plot_texts.emplace_back(tree.Text(item));
        }
        break;
      case NodeKind::kSet:
        if (builder.IsLeftOut(child, more)) break;
        if (Setting setting; builder.SettingOf(child, setting)) experiment.sets.push_back(std::move(setting));
        break;
      case NodeKind::kStart:
        builder.StartOf(child, UINT32_MAX, experiment.starts);
        break;
      default:
        break;
    }
  }
  experiment.size_checks = std::move(builder.size_checks());
  // Where it sets something inside, the run compares starts with the sizes that are there then.
  if (std::any_of(experiment.sets.begin(), experiment.sets.end(),
                  [](const Setting& set) { return !set.steps.empty(); }))
    std::erase_if(experiment.size_checks,
                  [](const SizeCheck& check) { return check.kind == SizeCheck::Kind::kEqual; });
  return experiment;
}

std::shared_ptr<ModelBuilder> BuildModel(Model& model, Declarations& declarations, Diagnostics& diagnostics) {
  auto builder = std::make_shared<ModelBuilder>(model, diagnostics, declarations);
  builder->BuildAll();
  CheckSizes(model, diagnostics);
  CheckBounds(model, diagnostics);
  diagnostics.Sort();
  return builder;
}

std::optional<ClassId> BuildLibraryClass(Model& model, Declarations& declarations, Diagnostics& diagnostics,
                                         DeclarationId id, std::string_view model_name) {
  ModelBuilder builder(model, diagnostics, declarations);
  const NameId name = model_name.empty() ? NameId::None() : model.names.Intern(model_name);
  declarations.TreeOf(id);
  const ClassId built = builder.BuildClass(id, name, Origin{declarations[id].tree, declarations[id].node});
  return built.IsNone() ? std::nullopt : std::optional(built);
}

}  // namespace cotree
