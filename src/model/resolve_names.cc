// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "model/class_builder.h"
#include "model/model_builder.h"

namespace cotree {

namespace messages = model_messages;

bool IsClassDeclaration(NodeKind kind) {
  return kind == NodeKind::kComponent || kind == NodeKind::kSoftware || kind == NodeKind::kSystem;
}

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

namespace {

bool AnyDeclaration(NodeKind) {
  return true;
}

// What an instance can be of; a system cannot, and so it hides no component.
bool IsComponent(NodeKind kind) {
  return kind == NodeKind::kComponent || kind == NodeKind::kSoftware;
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
    if (declarations[other.found[0]].kind == NodeKind::kSystem)
      report.Help("change `system` to `component` to use it inside another");
    if (declarations[other.found[0]].kind == NodeKind::kQuantity)
      report.Help("a parameter is declared with `parameter` in front, a variable with `variable`");
    return DeclarationId::None();
  }
  if (declarations.lacks_files()) return DeclarationId::None();  // it may be there; one message is enough
  auto& report = diagnostics.Report(unknown, tree.SpanOf(path), {tree.Text(path)});
  if (diagnostics.full()) return DeclarationId::None();
  const std::vector<std::string_view> candidates = declarations.Names(wanted);
  const std::string_view near = Nearest(model.names.Text(name), candidates);
  report.Help(near.empty() ? "`cotree library` lists what exists; `import \"file.cot\"` adds your own"
                           : "did you mean `" + std::string(near) + "`?");
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
  const DeclarationId id = FindDeclaration(tree, path, IsComponent, messages::kUnknownClass, "a component");
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
      NodeId power, attributes;
      for (const NodeId child : tree.Children(node)) {
        if (tree.kind(child) == NodeKind::kAcross) {
          domain.across = Intern(tree.Name(child));
          for (const NodeId part : tree.Children(child)) {
            if (tree.kind(part) == NodeKind::kType) ResolveType(tree, part, nullptr, domain.across_type);
            if (tree.kind(part) == NodeKind::kAttributes) attributes = part;
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
      if (!attributes.IsNone()) ReadDomainBounds(tree_id, attributes, domain_id);
    }
  }
  domain_cache_[key] = result;
  return result == UINT32_MAX ? std::nullopt : std::optional(DomainId(result));
}

void ModelBuilder::ReadDomainBounds(TreeId tree_id, NodeId attributes, DomainId id) {
  const SyntaxTree& tree = *model.trees[tree_id.index()];
  Bounds bounds;
  ClassBuilder builder(*this, tree_id);
  for (const NodeId attribute : tree.Children(attributes)) {
    if (!builder.DefineConstantBound(attribute, model.domains[id.index()].across_type, bounds))
      diagnostics.Report(messages::kAttributeUnknown, tree.SpanOf(attribute),
                         {tree.Text(attribute), "a domain"});
  }
  model.domains[id.index()].bounds = bounds;
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
    quantity.kind = type.kind;
  }
  const NodeId attributes = tree.Child(declarations[id].node, NodeKind::kAttributes);
  if (!attributes.IsNone()) {
    ClassBuilder builder(*this, TreeIdOf(id));
    for (const NodeId attribute : tree.Children(attributes)) {
      const NodeId path = tree[attribute].first_child;
      if (builder.DefineConstantBound(attribute, type, quantity.bounds)) continue;
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
      } else if (tree.kind(attribute) == NodeKind::kArgument && tree.Text(path) == "guess" &&
                 !tree[path].next_sibling.IsNone()) {
        const NodeId value_node = tree[path].next_sibling;
        Value value = builder.LowerScalar(value_node);
        type.quantity = result;
        if (value.ok && builder.Fit(value, value_node, type, {type.dimension, {}}, "`guess`") &&
            pool.IsNumber(value.expr))
          quantity.guess = pool.NumberValue(value.expr);
      } else {
        diagnostics
            .Report(messages::kAttributeUnknown, tree.SpanOf(attribute), {tree.Text(attribute), "a quantity"})
            .helps.assign(1, "the attributes of a quantity are display and guess");
      }
    }
  }
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

// What a class is made of, innermost first, so that building it takes no deep recursion.
void ModelBuilder::BuildInside(DeclarationId outermost) {
  std::set<uint32_t> seen{outermost.value};
  std::vector<std::pair<DeclarationId, bool>> open{{outermost, false}};
  while (!open.empty()) {
    const auto [id, looked] = open.back();
    if (looked) {
      open.pop_back();
      if (id != outermost) BuildClass(id, NameId::None(), Origin{});
      continue;
    }
    open.back().second = true;
    const SyntaxTree& tree = declarations.TreeOf(id);
    const auto look = [&, owner = id](NodeId parent, const auto& again) -> void {
      for (const NodeId child : tree.Children(parent)) {
        if (tree.kind(child) == NodeKind::kModel) again(child, again);
        const NodeId use =
            tree.kind(child) == NodeKind::kInstance ? tree.Child(child, NodeKind::kClass) : NodeId::None();
        const NodeId path = use.IsNone() ? NodeId::None() : tree.Child(use, NodeKind::kPath);
        if (path.IsNone() || !tree[tree[path].first_child].next_sibling.IsNone()) continue;
        const NameId name = Intern(tree.Name(tree[path].first_child));
        const auto lookup = declarations.Find(NameId::None(), name, tree.file, IsClassDeclaration);
        if (lookup.found.size() == 1 && seen.insert(lookup.found[0].value).second)
          open.emplace_back(lookup.found[0], false);
      }
    };
    look(declarations[id].node, look);
  }
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
    auto& report =
        diagnostics.Report(messages::kCyclicComposite, where,
                           {NameText(declarations[id].name), chain + NameText(declarations[id].name)});
    for (size_t k = 0; k < declarations.size(); ++k) {
      const Declaration& other = declarations[DeclarationId(k)];
      if (other.name != declarations[id].name || !IsComponent(other.kind) ||
          !declarations.IsLibrary(other.file))
        continue;
      report.helps.assign(1, "if that of the library is meant, write `" + NameText(other.package) + "." +
                                 NameText(other.name) + "`, or give yours another name");
    }
    return ClassId::None();
  }
  constexpr size_t kDeep = 200, kDeepest = 1000;
  if (stack_.size() == kDeep) BuildInside(id);
  if (stack_.size() > kDeepest) {
    diagnostics.Report(messages::kNestedTooDeep, declarations[id].name_span,
                       {NameText(declarations[id].name), std::to_string(kDeepest)});
    return ClassId::None();
  }
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
