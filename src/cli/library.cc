// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "base/name_parts.h"
#include "cli/check_json.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "language/lex.h"
#include "model/describe_model.h"
#include "pipeline/load_model.h"

namespace cotree {
namespace {

std::string DocumentationOf(LoadedModel& loaded, DeclarationId id) {
  const SyntaxTree& tree = loaded.declarations->TreeOf(id);
  const NodeId node = tree.Child((*loaded.declarations)[id].node, NodeKind::kDocumentation);
  return node.IsNone() ? std::string() : StringValue(tree.Name(node));
}

bool IsClass(NodeKind kind) {
  return kind == NodeKind::kComponent || kind == NodeKind::kSoftware;
}

/// The words of a text in lower case, names taken apart as well: "FixedPump" is fixedpump, fixed and pump.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = begin;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end == begin) continue;
    std::string whole(text.substr(begin, end - begin));
    for (std::string& part : PartsOf(whole)) words.push_back(std::move(part));
    for (char& c : whole) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    words.push_back(std::move(whole));
  }
  return words;
}

/// Whether a word begins one of these; of one or two letters: is one of these.
bool Mentions(const std::vector<std::string>& words, const std::string& wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return wanted.size() < 3 ? word == wanted : word.rfind(wanted, 0) == 0;
  });
}

/// Classes whose name, package and description have all the words.
std::vector<DeclarationId> Search(LoadedModel& loaded, std::string_view text) {
  std::vector<std::string> wanted;
  for (std::string& word : WordsOf(text)) {
    if (!Mentions(wanted, word)) wanted.push_back(std::move(word));
  }
  std::vector<DeclarationId> found;
  for (size_t i = 0; i < loaded.declarations->size() && !wanted.empty(); ++i) {
    const DeclarationId id(i);
    const Declaration d = (*loaded.declarations)[id];
    if (!IsClass(d.kind)) continue;
    const std::vector<std::string> words = WordsOf(
        loaded.model.Text(d.name) + " " + loaded.model.Text(d.package) + " " + DocumentationOf(loaded, id));
    if (std::all_of(wanted.begin(), wanted.end(), [&](const auto& word) { return Mentions(words, word); }))
      found.push_back(id);
  }
  return found;
}

void PrintIndex(LoadedModel& loaded, const std::vector<DeclarationId>& shown, const Console& console) {
  const Model& model = loaded.model;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> packages;
  size_t width = 0;
  for (const DeclarationId id : shown) {
    const Declaration d = (*loaded.declarations)[id];
    const std::string name = model.Text(d.name);
    width = std::max(width, name.size());
    packages[model.Text(d.package)].emplace_back(name, DocumentationOf(loaded, id));
  }
  bool first = true;
  for (auto& [name, classes] : packages) {
    fmt::print("{}{}\n", first ? "" : "\n", console.Bold(name));
    first = false;
    for (const auto& [cls, documentation] : classes)
      fmt::print("  {:<{}}  {}\n", cls, width, console.Dim(documentation));
  }
}

void PrintClass(const Model& model, ClassId id, const Console& console) {
  const ComponentClass& cls = model[id];
  const std::string title = (cls.package.IsNone() ? "" : model.Text(cls.package) + ".") +
                            model.Text(cls.name) + (cls.model.IsNone() ? "" : " as " + model.Text(cls.model));
  fmt::print("{}{}\n", console.Bold(title),
             cls.documentation.empty() ? "" : "  " + console.Dim(cls.documentation));
  const auto note = [&](NodeId name_node) {
    const std::string text = DocumentationBehind(model, {cls.origin.tree, name_node});
    return text.empty() ? text : "  " + console.Dim(text);
  };
  const auto shape = [&](const Shape& s) {
    std::string text;
    for (const ExprId n : s) text += (text.empty() ? "" : ", ") + ExpressionText(model, n);
    return text.empty() ? text : "[" + text + "]";
  };
  if (!cls.terminals.empty()) fmt::print("  terminals\n");
  for (const Terminal& t : cls.terminals) {
    fmt::print("    {} : {}{}{}{}\n", model.Text(t.name), model.Text(model.domains[t.domain.index()].name),
               shape(t.shape), t.optional ? " (optional)" : "", note(t.origin.node));
  }
  bool header = false;
  for (const Variable& v : cls.variables) {
    if (!header) fmt::print("  signals and variables\n");
    header = true;
    const char* role = v.role == VariableRole::kInput       ? "input"
                       : v.role == VariableRole::kOutput    ? "output"
                       : v.role == VariableRole::kState     ? "state"
                       : v.role == VariableRole::kExogenous ? "exogenous"
                                                            : "variable";
    fmt::print("    {} {} : {}{}{}\n", role, model.Text(v.name), v.type.unit.empty() ? "1" : v.type.unit,
               shape(v.shape), note(v.origin.node));
  }
  if (!cls.parameters.empty()) fmt::print("  parameters\n");
  for (const Parameter& p : cls.parameters) {
    fmt::print("    {} : {}{}{}{}\n", model.Text(p.name), p.type.unit.empty() ? "1" : p.type.unit,
               shape(p.shape), p.value.IsNone() ? " (required)" : " = " + ExpressionText(model, p.value),
               note(p.origin.node));
  }
  if (!cls.edges.empty()) fmt::print("  edges\n");
  for (const Edge& e : cls.edges) {
    fmt::print("    {} : {} -> {}\n", model.Text(e.name), model.Text(cls.terminals[e.from].name),
               e.to ? model.Text(cls.terminals[*e.to].name) : "reference");
  }
  if (!cls.equations.empty()) fmt::print("  equations\n");
  for (const Equation& e : cls.equations)
    fmt::print("    {} = {}\n", ExpressionText(model, e.left), ExpressionText(model, e.right));
  if (!cls.energy.IsNone()) fmt::print("  energy = {}\n", ExpressionText(model, cls.energy));
  if (!cls.loss.IsNone()) fmt::print("  loss = {}\n", ExpressionText(model, cls.loss));
  if (!cls.instances.empty()) fmt::print("  made of\n");
  for (const Instance& i : cls.instances) {
    if (!i.class_id.IsNone())
      fmt::print("    {} : {}\n", model.Text(i.name), model.Text(model[i.class_id].name));
  }
}

}  // namespace

int RunLibrary(const LibraryOptions& options, const Console& console) {
  DiskReader reader;
  const auto loaded = LoadLibrary(reader);
  Model& model = loaded->model;
  std::string name = options.name, package;
  if (const size_t dot = name.find('.'); dot != std::string::npos) {
    package = name.substr(0, dot);
    name = name.substr(dot + 1);
  }
  std::vector<DeclarationId> found, index;
  std::vector<std::string_view> all;
  for (size_t i = 0; i < loaded->declarations->size(); ++i) {
    const Declaration& d = (*loaded->declarations)[DeclarationId(i)];
    if (!IsClass(d.kind)) continue;
    all.push_back(model.names.Text(d.name));
    if (!d.package.IsNone()) all.push_back(model.names.Text(d.package));
    if (model.Text(d.name) == name && (package.empty() || model.Text(d.package) == package))
      found.emplace_back(i);
    if (options.name.empty() || model.Text(d.package) == options.name) index.emplace_back(i);
  }
  const bool searched = found.empty() && index.empty();
  if (searched) index = Search(*loaded, options.name);
  if (found.empty() && index.empty()) {
    const std::string_view near = Nearest(name, all);
    fmt::print(stderr, "cotree: the library has no component or package `{}`, and none that mentions it{}\n",
               options.name,
               near.empty() ? "; `cotree library` lists all" : "; did you mean `" + std::string(near) + "`?");
    return kExitUsage;
  }
  if (found.empty() && !options.json) {
    PrintIndex(*loaded, index, console);
    if (options.name.empty() || searched)
      fmt::print("\n`cotree library NAME` shows a component with its terminals, parameters and equations.\n");
    return kExitOk;
  }
  if (options.json) found.insert(found.end(), index.begin(), index.end());
  std::vector<ClassId> classes;
  for (const DeclarationId id : found) {
    const SyntaxTree& tree = loaded->declarations->TreeOf(id);
    std::vector<std::string> models;
    for (const NodeId child : tree.Children((*loaded->declarations)[id].node)) {
      if (tree.kind(child) == NodeKind::kModel) models.emplace_back(tree.Name(child));
    }
    if (models.empty()) models.emplace_back();
    for (const std::string& m : models) {
      if (const auto built = BuildLibraryClass(model, *loaded->declarations, loaded->diagnostics, id, m))
        classes.push_back(*built);
    }
  }
  if (options.json) {
    std::fputs(LibraryJson(*loaded, classes).c_str(), stdout);
  } else {
    for (size_t i = 0; i < classes.size(); ++i) {
      if (i > 0) fmt::print("\n");
      PrintClass(model, classes[i], console);
    }
  }
  PrintDiagnostics(loaded->diagnostics, model.files, console);
  return loaded->diagnostics.ok() ? kExitOk : kExitBug;
}

}  // namespace cotree
