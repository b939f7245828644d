// SPDX-License-Identifier: Apache-2.0
#include "language/parse.h"
#include "model/check_sizes.h"
#include "model/class_builder.h"
#include "model/describe_model.h"

namespace cotree {

namespace messages = model_messages;

namespace {

/* Sets a flag back at the end of its scope. */
class Without {
 public:
  explicit Without(bool& flag) : flag_(flag) { flag_ = false; }
  ~Without() { flag_ = true; }
  Without(const Without&) = delete;
  Without& operator=(const Without&) = delete;

 private:
  bool& flag_;
};

// Dimensions of an array that a selection leaves.
size_t RankOf(const Selection& elements) {
  size_t rank = 0;
  for (const auto& subscript : elements) rank += subscript && subscript->to.IsNone() ? 0u : 1u;
  return rank;
}

std::string WithoutBlanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
  }
  return out;
}

}  // namespace

bool ClassBuilder::SettingOf(NodeId node, Setting& out) {
  const NodeId target = (*tree_)[node].first_child;
  const NodeId value_node = target.IsNone() ? NodeId::None() : (*tree_)[target].next_sibling;
  if (value_node.IsNone() || tree_->kind(value_node) == NodeKind::kName) return false;
  const Without sizes(sizes_count_);
  const Resolved resolved = ResolvePath(target);
  Value value = Lower(value_node);
  if (!resolved.ok) return false;
  const std::string what = "`" + TextOf(target) + "`";
  const ComponentClass* cls = cls_;
  Chain chain;
  size_t outer = 0;  // dimensions of the instances on the way
  const auto select = [&](NodeId segment, const Shape& shape, Selection& elements, Shape& of) {
    PathDimensions dims;
    const bool ok = TakeSegment(segment, shape, chain, dims, false);
    elements = std::move(dims.subscripts);
    of = shape;
    return ok;
  };
  for (const NodeId segment : tree_->Children(target)) {
    const auto member = cls->members.Find(builder_.Intern(tree_->Name(segment)));
    if (!member) break;
    if (member->kind == MemberKind::kParameter) {
      out.parameter = member->index;
      if (!select(segment, cls->parameters[member->index].shape, out.elements, out.shape)) return false;
      continue;
    }
    if (member->kind != MemberKind::kInstance) break;
    const Instance& instance = cls->instances[member->index];
    if (instance.class_id.IsNone()) return false;
    Setting::Step& step = out.steps.emplace_back();
    step.instance = member->index;
    const Shape shape = instance.shape == UINT32_MAX ? Shape{} : cls->shapes[instance.shape];
    if (!select(segment, shape, step.elements, step.shape)) return false;
    outer += RankOf(step.elements);
    chain.push_back(&instance);
    cls = &builder_.model[instance.class_id];
  }
  if (resolved.parameter == nullptr) {
    auto& report = Report(messages::kBadSetting, target, {what + " is not a parameter, so it cannot be set"});
    if (resolved.kind == Resolved::Kind::kInstance) {
      std::string all;
      for (const Parameter& p : cls->parameters)
        all += (all.empty() ? "" : ", ") + TextOf(target) + "." + builder_.NameText(p.name);
      if (!all.empty()) report.Help("its parameters are " + all);
    } else {
      report.Help("`start " + TextOf(target) + " = ...` gives a variable its start value");
    }
    return false;
  }
  if (resolved.parameter->is_final) {
    Report(messages::kBadSetting, target, {what + " is final, so it cannot be set"})
        .Also(builder_.model.SpanOf(resolved.parameter->origin), "declared here");
    return false;
  }
  if (!value.ok) return false;
  Type type = resolved.type;
  const bool generic = !type.dimension.generics.empty();
  if (generic && !chain.empty())
    type.unit = UnitOfInstance(type, *cls, builder_.model, OwnerOf(chain, chain.size() - 1), *chain.back());
  // As in the text: what takes its dimension from its surroundings takes a plain number.
  const bool plain = generic && value.bare && type.base == BaseType::kReal;
  if (!plain && !Fit(value, value_node, type, resolved.value.dim, what)) return false;
  const size_t given = value.shape.size(), own = RankOf(out.elements);
  if (given != 0 && given != own && given != own + outer) {
    Report(messages::kArrayWanted, value_node,
           {TextOf(value_node), std::to_string(own + outer), std::to_string(given)});
    return false;
  }
  out.path = WithoutBlanks(tree_->Text(target));
  out.value = value.expr;
  out.value_shape = value.shape;
  out.origin = At(node);
  return true;
}

bool ClassBuilder::MotionOf(NodeId node, Motion& out) {
  const NodeId target = (*tree_)[node].first_child;
  const NodeId value_node = target.IsNone() ? NodeId::None() : (*tree_)[target].next_sibling;
  if (value_node.IsNone()) return false;
  if (tree_->kind(value_node) == NodeKind::kName) {
    Report(messages::kBadSetting, node, {"a motion is `variable = expression of time`"});
    return false;
  }
  const Resolved resolved = ResolvePath(target);
  Value value = LowerScalar(value_node);
  if (!resolved.ok || !value.ok) return false;
  if (resolved.kind != Resolved::Kind::kValue || resolved.parameter != nullptr ||
      !resolved.value.shape.empty()) {
    Report(messages::kBadSetting, target,
           {"`" + TextOf(target) + "` is not a single variable, so its motion cannot be prescribed"});
    return false;
  }
  if (!Fit(value, value_node, resolved.type, resolved.value.dim, "`" + TextOf(target) + "`")) return false;
  out.variable = WithoutBlanks(tree_->Text(target));
  out.value = value.expr;
  out.origin = At(node);
  return true;
}

std::optional<ModelChoice> ModelBuilder::ChoiceOf(const SyntaxTree& tree, TreeId tree_id, NodeId node) {
  const NodeId path = tree[node].first_child;
  const NodeId chosen = path.IsNone() ? NodeId::None() : tree[path].next_sibling;
  if (chosen.IsNone() || tree.kind(chosen) != NodeKind::kName) return std::nullopt;
  ModelChoice out;
  for (const NodeId segment : tree.Children(path)) {
    if (!tree[segment].first_child.IsNone()) {
      diagnostics
          .Report(messages::kBadSetting, tree.SpanOf(segment),
                  {"the elements of an array have one model, so it cannot be chosen for some of them"})
          .Help("leave the index away, or declare the odd one out as an instance of its own");
      return std::nullopt;
    }
    out.path.push_back(Intern(tree.Name(segment)));
  }
  out.model = Intern(tree.Name(chosen));
  out.origin = {tree_id, node};
  return out;
}

ClassId ModelBuilder::Variant(ClassId of, const ModelChoices& choices) {
  for (const auto& [key, id] : built_) {
    if (id == of) return BuildClass(DeclarationId(key[0]), NameId(key[1]), Origin{}, choices);
  }
  return of;
}

ResolvedOptions ModelBuilder::ResolveOptions(ClassId system, std::optional<size_t> experiment,
                                             const OptionTexts& texts) {
  ResolvedOptions out;
  const FileId beside = model.tree(model[system].origin.tree).file;
  const auto parse = [&](const char* option, const std::vector<std::string>& list) {
    std::vector<TreeId> trees;
    for (const std::string& text : list) {
      const size_t before = diagnostics.errors();
      trees.push_back(declarations.AddOption(option, text, beside, ParseSettingText));
      out.malformed = out.malformed || diagnostics.errors() > before;
    }
    return trees;
  };
  const std::vector<TreeId> settings = parse("--set", texts.settings),
                            alternatives = parse("--vary", texts.alternatives),
                            motions = parse("--motion", texts.motions);
  out.system = experiment ? model.experiments[*experiment].system : system;
  if (out.malformed) return out;
  ModelChoices choices;
  for (const TreeId id : settings) {
    auto choice = ChoiceOf(model.tree(id), id, model.tree(id).root);
    if (!choice) continue;
    std::erase_if(choices, [&](const ModelChoice& other) { return other.path == choice->path; });
    choices.push_back(std::move(*choice));
  }
  if (!choices.empty() && experiment) {
    const Origin origin = model.experiments[*experiment].origin;
    for (uint32_t i = 0; i < declarations.size(); ++i) {
      const Declaration& d = declarations[DeclarationId(i)];
      if (d.kind != NodeKind::kExperiment || d.tree != origin.tree || d.node != origin.node) continue;
      if (auto built = BuildExperiment(DeclarationId(i), choices)) {
        out.system = built->system;
        model.experiments[*experiment] = std::move(*built);
      }
      break;
    }
  } else if (!choices.empty()) {
    out.system = Variant(system, choices);
  }
  if (out.system.IsNone()) return out;
  for (ClassId& id : model.systems) {
    const ComponentClass &other = model[id], &own = model[out.system];
    if (other.origin.tree == own.origin.tree && other.origin.node == own.origin.node &&
        other.model == own.model)
      id = out.system;
  }
  if (!choices.empty()) CheckSizes(model, diagnostics);
  const auto over = [&](const std::vector<TreeId>& trees, auto f) {
    for (const TreeId id : trees) {
      ClassBuilder builder(*this, id);
      builder.Open(out.system);
      f(builder, model.tree(id).root);
    }
  };
  const auto resolve = [&](std::vector<Setting>& list) {
    return [&](ClassBuilder& builder, NodeId node) {
      if (Setting setting; builder.SettingOf(node, setting)) list.push_back(std::move(setting));
    };
  };
  over(settings, resolve(out.settings));
  over(alternatives, resolve(out.alternatives));
  over(motions, [&](ClassBuilder& builder, NodeId node) {
    if (Motion motion; builder.MotionOf(node, motion)) out.motions.push_back(std::move(motion));
    CheckSizes(model, out.system, {}, builder.size_checks(), builder.tree_id(), diagnostics);
  });
  return out;
}

ResolvedOptions ResolveOptions(ModelBuilder& builder, ClassId system, std::optional<size_t> experiment,
                               const OptionTexts& texts) {
  return builder.ResolveOptions(system, experiment, texts);
}

}  // namespace cotree
