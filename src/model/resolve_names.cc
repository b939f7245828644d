// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/class_builder.h"
#include "model/model_builder.h"

namespace cotree {

namespace messages = model_messages;

bool IsClassDeclaration(NodeKind kind) {
  return kind == NodeKind::kComponent || kind == NodeKind::kSoftware || kind == NodeKind::kSystem;
}

namespace {

std::string_view DeclarationWord(NodeKind kind) {
  switch (kind) {
    case NodeKind::kDomain:
      return "a domain";
    case NodeKind::kQuantity:
      return "a quantity";
    case NodeKind::kEnumeration:
      return "an enumeration";
    case NodeKind::kFunction:
      return "a function";
    case NodeKind::kTable:
      return "a table";
    case NodeKind::kComponent:
      return "a component";
    case NodeKind::kSoftware:
      return "a software component";
    case NodeKind::kSystem:
      return "a system";
    case NodeKind::kExperiment:
      return "an experiment";
    default:
      return "something else";
  }
}

bool AnyDeclaration(NodeKind) {
  return true;
}

}  // namespace

TreeId ModelBuilder::TreeIdOf(DeclarationId id) {
  declarations.TreeOf(id);
  return declarations[id].tree;
}

// Finds what a path of one or two names means; reports unknown, ambiguous and wrong kinds. None on error.
DeclarationId ModelBuilder::FindDeclaration(const SyntaxTree& tree, NodeId path,
                                            Declarations::KindTest wanted, const DiagnosticInfo& unknown,
                                            std::string_view what) {
  std::vector<NameId> names;
  for (const NodeId segment : tree.Children(path)) names.push_back(Intern(tree.Name(segment)));
  if (names.empty()) return DeclarationId::None();
  const NameId package = names.size() > 1 ? names[names.size() - 2] : NameId::None();
  const NameId name = names.back();
  if (names.size() <= 2) {
    const auto lookup = declarations.Find(package, name, tree.file, wanted);
    if (lookup.found.size() == 1) return lookup.found[0];
    if (lookup.found.size() > 1) {
      // Two declarations of one name in one file are reported as duplicates; elsewhere the user must choose.
      const bool same_file = std::all_of(lookup.found.begin(), lookup.found.end(), [&](DeclarationId id) {
        return declarations[id].file == declarations[lookup.found[0]].file;
      });
      if (same_file) return lookup.found[0];
      std::vector<std::string> found;  // in order of their names, whatever the order of the imports
      for (const DeclarationId id : lookup.found) {
        const Declaration& d = declarations[id];
        found.push_back(d.package.IsNone() ? model.files[d.file].path()
                                           : NameText(d.package) + "." + NameText(d.name));
      }
      std::sort(found.begin(), found.end());
      const std::string first = found[0];
      std::string places;
      for (const std::string& place : found) places += (places.empty() ? "" : ", ") + place;
      auto& report =
          diagnostics.Report(messages::kAmbiguousName, tree.SpanOf(path), {NameText(name), places});
      const bool packaged = !declarations[lookup.found[0]].package.IsNone();
      if (packaged)
        report.Help("say which: write `" + first + "`");
      else
        report.Help(
            "import one of the files only, or begin one of them with `package name` and write `name." +
            NameText(name) + "`");
      return DeclarationId::None();
    }
  }
  const auto other = declarations.Find(package, name, tree.file, AnyDeclaration);
  if (names.size() <= 2 && !other.found.empty()) {
    auto& report = diagnostics.Report(messages::kNotAClass, tree.SpanOf(path),
                                      {tree.Text(path), DeclarationWord(declarations[other.found[0]].kind)});
    report.message = "`" + std::string(tree.Text(path)) + "` is " +
                     std::string(DeclarationWord(declarations[other.found[0]].kind)) + ", not " +
                     std::string(what);
    if (declarations[other.found[0]].kind == NodeKind::kDomain)
      report.Help("a terminal is declared with `terminal` in front: `terminal p : " +
                  std::string(tree.Text(path)) + "`");
    if (declarations[other.found[0]].kind == NodeKind::kQuantity)
      report.Help("a parameter is declared with `parameter` in front, a variable with `variable`");
    return DeclarationId::None();
  }
  auto& report = diagnostics.Report(unknown, tree.SpanOf(path), {tree.Text(path)});
  if (diagnostics.full()) return DeclarationId::None();
  const std::vector<std::string_view> candidates = declarations.Names(wanted);
  const std::string_view near = Nearest(model.names.Text(name), candidates);
  if (!near.empty()) {
    report.Help("did you mean `" + std::string(near) + "`?");
  } else {
    // A name that contains the word, or is contained in it: `VSource` for VoltageSource would be a guess too
    // far.
    for (const std::string_view candidate : candidates) {
      if (model.names.Text(name).size() >= 4 &&
          candidate.find(model.names.Text(name)) != std::string_view::npos) {
        report.Help("did you mean `" + std::string(candidate) + "`?");
        break;
      }
    }
    if (report.helps.empty())
      report.Help("`cotree library` lists what exists; `import \"file.cot\"` adds your own");
  }
  return DeclarationId::None();
}

ClassId ModelBuilder::ResolveClass(const SyntaxTree& tree, TreeId tree_id, NodeId class_use,
                                   const ModelChoices& choices) {
  const NodeId path = tree.Child(class_use, NodeKind::kPath);
  if (path.IsNone()) return ClassId::None();
  const NodeId model_node = tree.Child(class_use, NodeKind::kName);
  const bool bare = tree[tree[path].first_child].next_sibling.IsNone();
  uint64_t key = 0;
  if (bare && model_node.IsNone() && choices.empty()) {
    key = (uint64_t{tree.file.value} << 32) | Intern(tree.Name(tree[path].first_child)).value;
    const auto cached = class_cache_.find(key);
    if (cached != class_cache_.end()) return cached->second;
  }
  const DeclarationId id =
      FindDeclaration(tree, path, IsClassDeclaration, messages::kUnknownClass, "a component");
  if (id.IsNone()) return ClassId::None();
  NameId model_name;
  Origin user{tree_id, model_node.IsNone() ? path : model_node};
  if (!model_node.IsNone()) model_name = Intern(tree.Name(model_node));
  ModelChoices inside;
  for (const ModelChoice& choice : choices) {
    if (!choice.path.empty()) {
      inside.push_back(choice);
      continue;
    }
    model_name = choice.model;
    user = choice.origin;
  }
  const ClassId built = BuildClass(id, model_name, user, inside);
  if (key != 0 && !built.IsNone()) class_cache_[key] = built;
  return built;
}

std::optional<DomainId> ModelBuilder::DomainNamed(NameId name, FileId from) {
  const uint64_t key = (uint64_t{from.value} << 32) | name.value;
  const auto cached = domain_cache_.find(key);
  if (cached != domain_cache_.end()) {
    return cached->second == UINT32_MAX ? std::nullopt : std::optional(DomainId(cached->second));
  }
  const auto lookup =
      declarations.Find(NameId::None(), name, from, [](NodeKind k) { return k == NodeKind::kDomain; });
  uint32_t result = UINT32_MAX;
  if (!lookup.found.empty()) {
    const DeclarationId id = lookup.found[0];
    const auto built = domains_.find(id.value);
    if (built != domains_.end()) {
      result = built->second.value;
    } else {
      const SyntaxTree& tree = declarations.TreeOf(id);
      const TreeId tree_id = declarations[id].tree;
      const NodeId node = declarations[id].node;
      Domain domain{};
      domain.name = name;
      domain.origin = {tree_id, node};
      NodeId power;
      for (const NodeId child : tree.Children(node)) {
        if (tree.kind(child) == NodeKind::kAcross) {
          domain.across = Intern(tree.Name(child));
          for (const NodeId part : tree.Children(child)) {
            if (tree.kind(part) == NodeKind::kType) ResolveType(tree, part, nullptr, domain.across_type);
            if (tree.kind(part) == NodeKind::kName)
              (domain.rate.IsNone() ? domain.rate : domain.acceleration) = Intern(tree.Name(part));
          }
        } else if (tree.kind(child) == NodeKind::kThrough) {
          domain.through = Intern(tree.Name(child));
          const NodeId type = tree.Child(child, NodeKind::kType);
          if (!type.IsNone()) ResolveType(tree, type, nullptr, domain.through_type);
        } else if (tree.kind(child) == NodeKind::kPower) {
          power = tree[child].first_child;
        } else if (tree.kind(child) == NodeKind::kSetting) {
          domain.spatial = true;
        }
      }
      if (domain.across.IsNone() || domain.through.IsNone() || power.IsNone()) {
        const char* missing = domain.across.IsNone()    ? "an across variable"
                              : domain.through.IsNone() ? "a through variable"
                                                        : "`power = ...`";
        diagnostics.Report(messages::kIncompleteDomain, declarations[id].name_span,
                           {NameText(name), missing});
      }
      const DomainId domain_id(model.domains.size());
      model.domains.push_back(domain);
      domains_.emplace(id.value, domain_id);
      result = domain_id.value;
      if (!power.IsNone()) {
        ClassBuilder builder(*this, tree_id);
        model.domains[domain_id.index()].power = builder.LowerDomainPower(domain_id, power);
      }
    }
  }
  domain_cache_[key] = result;
  return result == UINT32_MAX ? std::nullopt : std::optional(DomainId(result));
}

std::optional<DomainId> ModelBuilder::ResolveDomain(const SyntaxTree& tree, NodeId path, bool report) {
  const NodeId first = tree[path].first_child;
  const NodeId second = tree[first].next_sibling;
  const NameId name = Intern(tree.Name(second.IsNone() ? first : second));
  const auto domain = DomainNamed(name, tree.file);
  if (domain || !report) return domain;
  const auto is_domain = [](NodeKind k) { return k == NodeKind::kDomain; };
  auto& message = diagnostics.Report(messages::kUnknownDomain, tree.SpanOf(path), {tree.Text(path)});
  const std::vector<std::string_view> names = declarations.Names(is_domain);
  const std::string_view near = Nearest(model.names.Text(name), names);
  if (!near.empty()) {
    message.Help("did you mean `" + std::string(near) + "`?");
  } else {
    std::string all;
    for (const std::string_view n : names) all += (all.empty() ? "" : ", ") + std::string(n);
    message.Help("the domains are " + all);
  }
  return std::nullopt;
}

std::optional<EnumerationId> ModelBuilder::EnumerationNamed(NameId package, NameId name, FileId from) {
  const auto lookup =
      declarations.Find(package, name, from, [](NodeKind k) { return k == NodeKind::kEnumeration; });
  if (lookup.found.empty()) return std::nullopt;
  const DeclarationId id = lookup.found[0];
  const auto known = enumerations_.find(id.value);
  if (known != enumerations_.end()) return known->second;
  const SyntaxTree& tree = declarations.TreeOf(id);
  Enumeration enumeration{name, {}, {declarations[id].tree, declarations[id].node}};
  for (const NodeId child : tree.Children(declarations[id].node)) {
    if (tree.kind(child) != NodeKind::kName) continue;
    const NameId value = Intern(tree.Name(child));
    if (std::count(enumeration.values.begin(), enumeration.values.end(), value) > 0) {
      diagnostics.Report(messages::kDuplicateName, tree.SpanOf(child), {NameText(value)});
    }
    enumeration.values.push_back(value);
  }
  const EnumerationId result(model.enumerations.size());
  model.enumerations.push_back(std::move(enumeration));
  enumerations_.emplace(id.value, result);
  return result;
}

std::optional<QuantityId> ModelBuilder::QuantityNamed(NameId package, NameId name, FileId from) {
  const auto lookup =
      declarations.Find(package, name, from, [](NodeKind k) { return k == NodeKind::kQuantity; });
  if (lookup.found.empty()) return std::nullopt;
  const DeclarationId id = lookup.found[0];
  const auto known = quantities_.find(id.value);
  if (known != quantities_.end()) return known->second;
  const QuantityId result(model.quantities.size());
  quantities_.emplace(id.value, result);
  Quantity quantity{};
  quantity.name = name;
  quantity.origin = {TreeIdOf(id), declarations[id].node};
  model.quantities.push_back(quantity);  // a quantity that names itself finds this, dimension 1
  const SyntaxTree& tree = declarations.TreeOf(id);
  Type type;
  const NodeId type_node = tree.Child(declarations[id].node, NodeKind::kType);
  if (!type_node.IsNone() && ResolveType(tree, type_node, nullptr, type)) {
    quantity.dimension = type.dimension.si;
    quantity.unit = type.unit;
  }
  const NodeId attributes = tree.Child(declarations[id].node, NodeKind::kAttributes);
  if (!attributes.IsNone()) {
    for (const NodeId attribute : tree.Children(attributes)) {
      const NodeId path = tree[attribute].first_child;
      if (tree.kind(attribute) == NodeKind::kArgument && tree.Text(path) == "display" &&
          !tree[path].next_sibling.IsNone()) {
        std::string text(tree.Text(tree[path].next_sibling));
        const UnitResult& unit = model.units.Lookup(text);
        if (unit && unit->dimension == quantity.dimension) {
          quantity.display = std::move(text);
        } else {
          diagnostics.Report(messages::kUnknownUnit, tree.SpanOf(attribute),
                             {text, "not a unit of " + quantity.unit});
        }
      } else {
        diagnostics.Report(messages::kAttributeUnknown, tree.SpanOf(attribute),
                           {tree.Text(attribute), "a quantity"});
      }
    }
  }
  const std::string_view text = model.names.Text(name);
  if (text == "Frequency") quantity.kind = KindHint::kFrequency;
  if (text == "AngularVelocity") quantity.kind = KindHint::kAngularVelocity;
  if (text == "Torque") quantity.kind = KindHint::kTorque;
  if (text == "Energy") quantity.kind = KindHint::kEnergy;
  model.quantities[result.index()] = quantity;
  return result;
}

ModelBuilder::ClassKey ModelBuilder::KeyOf(DeclarationId id, NameId model_name, const ModelChoices& choices) {
  std::vector<ClassKey> parts;
  for (const ModelChoice& choice : choices) {
    ClassKey part{static_cast<uint32_t>(choice.path.size())};
    for (const NameId name : choice.path) part.push_back(name.value);
    part.push_back(choice.model.value);
    parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end());
  ClassKey key{id.value, model_name.value};
  for (const ClassKey& part : parts) key.insert(key.end(), part.begin(), part.end());
  return key;
}

ClassId ModelBuilder::BuildClass(DeclarationId id, NameId model_name, Origin user,
                                 const ModelChoices& choices) {
  const SyntaxTree& tree = declarations.TreeOf(id);
  const NodeId node = declarations[id].node;
  // Without `as`, the first model.
  NodeId first_model;
  bool found = model_name.IsNone();
  std::vector<std::string_view> models;
  for (const NodeId child : tree.Children(node)) {
    if (tree.kind(child) != NodeKind::kModel) continue;
    if (first_model.IsNone()) first_model = child;
    models.push_back(tree.Name(child));
    if (!model_name.IsNone() && tree.Name(child) == model.names.Text(model_name)) found = true;
  }
  if (!found) {
    auto& report = diagnostics.Report(messages::kUnknownModel, model.SpanOf(user),
                                      {NameText(declarations[id].name), NameText(model_name)});
    const std::string_view near = Nearest(model.names.Text(model_name), models);
    if (!near.empty()) {
      report.Help("did you mean `" + std::string(near) + "`?");
    } else if (models.empty()) {
      report.Help("it has one model only: remove `as " + NameText(model_name) + "`");
    } else {
      std::string all;
      for (const std::string_view m : models) all += (all.empty() ? "" : ", ") + std::string(m);
      report.Help("its models are " + all);
    }
    model_name = NameId::None();
  }
  if (model_name.IsNone() && !first_model.IsNone()) model_name = Intern(tree.Name(first_model));
  const ClassKey key = KeyOf(id, model_name, choices);
  const auto done = built_.find(key);
  if (done != built_.end()) return done->second;
  if (building_[key]) {
    std::string chain;
    bool in_circle = false;
    for (const DeclarationId d : stack_) {
      in_circle = in_circle || d == id;
      if (in_circle) chain += NameText(declarations[d].name) + " contains ";
    }
    const Span where = user.tree.IsNone() ? declarations[id].name_span : model.SpanOf(user);
    diagnostics.Report(messages::kCyclicComposite, where,
                       {NameText(declarations[id].name), chain + NameText(declarations[id].name)});
    return ClassId::None();
  }
  if (stack_.size() > 200) return ClassId::None();
  building_[key] = true;
  stack_.push_back(id);
  ClassBuilder builder(*this, declarations[id].tree);
  const ClassId result = builder.Build(id, model_name, choices);
  stack_.pop_back();
  building_[key] = false;
  built_[key] = result;
  return result;
}

}  // namespace cotree
