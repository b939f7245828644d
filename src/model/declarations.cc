// SPDX-License-Identifier: Apache-2.0
#include "model/declarations.h"

#include <algorithm>

#include "language/lex.h"
#include "language/parse.h"
#include "language/skim.h"
#include "model/diagnostics.h"

namespace cotree {

namespace messages = model_messages;

namespace {

// a/b/../c -> a/c, so that one file imported over two ways is read once.
std::string Normal(const std::string& path) {
  std::vector<std::string> parts;
  std::string part;
  const bool absolute = !path.empty() && path[0] == '/';
  for (size_t i = 0; i <= path.size(); ++i) {
    if (i < path.size() && path[i] != '/') {
      part += path[i];
      continue;
    }
    if (part == ".." && !parts.empty() && parts.back() != "..")
      parts.pop_back();
    else if (!part.empty() && part != ".")
      parts.push_back(part);
    part.clear();
  }
  std::string out = absolute ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? "/" : "") + parts[i];
  return out;
}

}  // namespace

std::string PathBeside(const std::string& text_path, const std::string& name) {
  const size_t slash = text_path.rfind('/');
  const bool nowhere = text_path.starts_with("/dev/") || text_path.starts_with("/proc/");
  if (name.empty() || name[0] == '/' || slash == std::string::npos || nowhere) return name;
  return text_path.substr(0, slash + 1) + name;
}

Declarations::FileInfo& Declarations::Info(FileId file) {
  if (files_.size() <= file.index()) files_.resize(file.index() + 1);
  return files_[file.index()];
}

void Declarations::Register(const Declaration& declaration) {
  const auto id = static_cast<uint32_t>(declarations_.size());
  const auto [it, is_new] = last_.try_emplace(declaration.name, id);
  if (is_new) {
    first_[declaration.name] = id;
  } else {
    declarations_[it->second].next = id;
    it->second = id;
  }
  declarations_.push_back(declaration);
}

void Declarations::AddLibraryFile(const std::string& name, std::string text) {
  const FileId file = model_.files.Add(name, std::move(text));
  FileInfo& info = Info(file);
  info.library = true;
  const std::string& stored = model_.files[file].text();
  for (const SkimmedDeclaration& skimmed : Skim(stored)) {
    const NameId id = model_.names.Intern(
        std::string_view(stored).substr(skimmed.name_begin, skimmed.name_end - skimmed.name_begin));
    if (skimmed.kind == NodeKind::kPackage) {
      info.package = id;
      continue;
    }
    Declaration declaration{};
    declaration.name = id;
    declaration.kind = skimmed.kind;
    declaration.file = file;
    declaration.package = info.package;
    declaration.begin = skimmed.begin;
    declaration.end = skimmed.end;
    declaration.name_span = {file, skimmed.name_begin, skimmed.name_end};
    Register(declaration);
  }
}

bool Declarations::AddFile(const std::string& path) {
  std::optional<std::string> text = reader_.ReadNamed(path);
  if (!text) {
    Diagnostic& report = diagnostics_.Report(messages::kFileNotFound, Span{}, {path});
    if (!reader_.refusal().empty()) report.Note(reader_.refusal());
    return false;
  }
  const FileId file = AddText(path, std::move(*text));
  Info(file).main = true;
  return true;
}

FileId Declarations::AddText(const std::string& path, std::string text) {
  const FileId file = model_.files.Add(path, std::move(text));
  by_path_.emplace(Normal(path), file);
  own_files_.push_back(file);
  Info(file);
  const TreeId tree(model_.trees.size());
  model_.trees.push_back(std::make_unique<SyntaxTree>(Parse(model_.files[file].text(), file, diagnostics_)));
  IndexTree(file, tree);
  return file;
}

void Declarations::IndexTree(FileId file, TreeId tree_id) {
  const SyntaxTree& tree = *model_.trees[tree_id.index()];
  for (const NodeId node : tree.Children(tree.root)) {
    const NodeKind kind = tree.kind(node);
    if (kind == NodeKind::kPackage) {
      const NodeId path = tree.Child(node, NodeKind::kPath);
      if (!path.IsNone()) Info(file).package = model_.names.Intern(tree.Text(path));
      continue;
    }
    if (kind == NodeKind::kImport) {
      Import(file, tree, node);
      continue;
    }
    if (kind == NodeKind::kError) continue;
    if (tree.tokens[tree[node].token].kind() != TokenKind::kName)
      continue;  // the name is missing: reported by the parser
    Declaration declaration{};
    declaration.name = model_.names.Intern(tree.Name(node));
    declaration.kind = kind;
    declaration.file = file;
    declaration.package = Info(file).package;
    declaration.name_span = tree.NameSpan(node);
    declaration.tree = tree_id;
    declaration.node = node;
    Register(declaration);
  }
}

void Declarations::Import(FileId file, const SyntaxTree& tree, NodeId node) {
  const NodeId string = tree.Child(node, NodeKind::kString);
  if (!string.IsNone()) {
    const std::string relative = StringValue(tree.Name(string));
    const std::string path = PathBeside(model_.files[file].path(), relative);
    const auto known = by_path_.find(Normal(path));
    if (known != by_path_.end()) {
      Info(file).imported_files.push_back(known->second);
      return;
    }
    std::optional<std::string> text = by_path_.size() < 1000 ? reader_.Read(path) : std::nullopt;
    if (!text) {
      if (reader_.refusal().empty())
        diagnostics_.Report(messages::kImportNotFound, tree.SpanOf(string), {relative, path});
      else
        diagnostics_.Report(messages::kImportRefused, tree.SpanOf(string), {relative, reader_.refusal()});
      return;
    }
    const FileId imported = AddText(path, std::move(*text));
    Info(file).imported_files.push_back(imported);
    return;
  }
  const NodeId path = tree.Child(node, NodeKind::kPath);
  if (path.IsNone()) return;
  std::vector<NameId> names;
  for (const NodeId segment : tree.Children(path)) names.push_back(model_.names.Intern(tree.Name(segment)));
  if (tree.Has(node, kFlagAll)) {
    if (!IsPackage(names[0])) {
      diagnostics_.Report(messages::kUnknownPackage, tree.SpanOf(path), {tree.Text(path)});
      return;
    }
    Info(file).imported_packages.push_back(names[0]);
  } else if (names.size() == 2) {
    if (!IsPackage(names[0])) {
      diagnostics_.Report(messages::kUnknownPackage, tree.SpanOf(path), {model_.names.Text(names[0])});
      return;
    }
    Info(file).imported_names.emplace_back(names[0], names[1]);
  } else {
    diagnostics_.Report(messages::kBadImport, tree.SpanOf(path), {tree.Text(path)});
  }
}

bool Declarations::IsLibrary(FileId file) const {
  return file.index() < files_.size() && files_[file.index()].library;
}

bool Declarations::IsPackage(NameId name) const {
  for (const FileInfo& info : files_) {
    if (!name.IsNone() && info.package == name) return true;
  }
  return false;
}

Declarations::Lookup Declarations::Find(NameId package, NameId name, FileId from, KindTest wanted) const {
  Lookup lookup;
  const auto first = first_.find(name);
  if (first == first_.end()) return lookup;
  static const FileInfo kNone{};
  const FileInfo& info = from.index() < files_.size() ? files_[from.index()] : kNone;
  int best = 4;
  for (uint32_t i = first->second; i != UINT32_MAX; i = declarations_[i].next) {
    const Declaration& d = declarations_[i];
    if (!wanted(d.kind)) continue;
    int distance = 4;
    if (!package.IsNone()) {
      if (d.package == package) distance = 0;
    } else if (d.file == from) {
      distance = 0;
    } else if (std::count(info.imported_files.begin(), info.imported_files.end(), d.file) > 0 ||
               (!d.package.IsNone() &&
                std::count(info.imported_packages.begin(), info.imported_packages.end(), d.package) > 0) ||
               std::count(info.imported_names.begin(), info.imported_names.end(),
                          std::pair(d.package, d.name)) > 0) {
      distance = 1;
    } else if (!d.package.IsNone() || IsLibrary(d.file)) {
      distance = IsLibrary(from) && d.package == info.package ? 1 : 2;
    }
    if (distance > 3 || distance > best) continue;
    if (distance < best) lookup.found.clear();
    best = distance;
    lookup.found.emplace_back(i);
  }
  return lookup;
}

std::vector<std::string_view> Declarations::Names(KindTest wanted) const {
  std::vector<std::string_view> names;
  for (const Declaration& d : declarations_) {
    if (wanted(d.kind)) names.push_back(model_.names.Text(d.name));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const SyntaxTree& Declarations::TreeOf(DeclarationId id) {
  Declaration& d = declarations_[id.index()];
  if (d.tree.IsNone()) {
    d.tree = TreeId(model_.trees.size());
    model_.trees.push_back(std::make_unique<SyntaxTree>(
        ParseRange(model_.files[d.file].text(), d.begin, d.end, d.file, diagnostics_)));
    d.node = model_.trees.back()->Children(model_.trees.back()->root).first;
  }
  return *model_.trees[d.tree.index()];
}

}  // namespace cotree
