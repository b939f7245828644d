// SPDX-License-Identifier: Apache-2.0
// A text and a few edit operations: what is edited can be read again, taken back, and changes only what it
// speaks of.
//
// Lines at the beginning that start with `!` are operations, fields parted by `|`; the rest is the text:
//   !set|Body|instance|parameter|value    !add|Body|name|Class(...)      !remove|Body|instance
//   !rename|Body|from|to !connect|Body|a.p|b.n                 !signal|Body|y|u !disconnect|Body|a.p|b.n
//   !layout|Body|instance|3|4
// A body, an instance or an end that does not exist stands for one that does, so that most inputs reach the
// operations.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocation_limit.h"
#include "language/edit.h"
#include "language/lex.h"
#include "language/parse.h"

namespace cotree {
namespace {

using Fields = std::vector<std::string>;

Fields Split(std::string_view line) {
  Fields fields;
  size_t begin = 0;
  while (true) {
    const size_t end = line.find('|', begin);
    fields.emplace_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  fields.resize(5);
  return fields;
}

/** What a text offers to be edited. */
struct Offers {
  explicit Offers(const SyntaxTree& tree) {
    for (const NodeId declaration : tree.Children(tree.root)) {
      const NodeKind kind = tree.kind(declaration);
      if (kind != NodeKind::kComponent && kind != NodeKind::kSoftware && kind != NodeKind::kSystem) continue;
      const std::string name(tree.Name(declaration));
      bodies.push_back(name);
      for (const NodeId member : tree.Children(declaration)) {
        if (tree.kind(member) == NodeKind::kModel)
          bodies.push_back(name + "." + std::string(tree.Name(member)));
        if (tree.kind(member) == NodeKind::kInstance) instances.emplace_back(tree.Name(member));
        if (tree.kind(member) != NodeKind::kConnect) continue;
        for (const NodeId end : tree.Children(member)) {
          if (tree.kind(end) == NodeKind::kPath) ends.emplace_back(tree.Text(end));
        }
      }
    }
    for (uint32_t i = 0; i < tree.tokens.size(); ++i) words.emplace_back(tree.TokenText(i));
  }

  bool Mentions(const std::string& word) const {
    for (const std::string& other : words) {
      if (other == word) return true;
    }
    return false;
  }

  std::vector<std::string> bodies, instances, ends, words;
};

const std::string& Chosen(const std::string& wanted, const std::vector<std::string>& offers) {
  for (const std::string& offer : offers) {
    if (offer == wanted) return wanted;
  }
  return offers.empty() ? wanted : offers[wanted.size() % offers.size()];
}

/** One text under edit. */
struct Editing {
  explicit Editing(const std::string& source) : text(source), editor(text, FileId(0), diagnostics) {}

  // The text after edits that were granted.
  std::optional<std::string> After(const std::optional<TextEdits>& edits) const {
    FUZZ_ASSERT(edits.has_value() == diagnostics.ok());
    if (!edits) return std::nullopt;
    CheckTextEdits(text, *edits);
    std::string result = ApplyEdits(text, *edits);
    Diagnostics found;
    const SyntaxTree tree = Parse(result, FileId(0), found);
    CheckSyntaxTree(tree);
    FUZZ_ASSERT(found.ok());
    FUZZ_ASSERT(ApplyEdits(result, InvertEdits(text, *edits)) == text);
    return result;
  }

  std::string text;
  Diagnostics diagnostics;
  SourceEditor editor;
};

std::optional<std::string> Set(const std::string& text, const Fields& f) {
  Editing before(text);
  const auto result = before.After(before.editor.SetParameter(f[1], f[2], f[3], f[4]));
  if (result && f[4].find_first_not_of(" \t\r\n") != std::string::npos) {
    Editing again(*result);
    FUZZ_ASSERT(again.After(again.editor.SetParameter(f[1], f[2], f[3], f[4])) == *result);
  }
  return result;
}

std::optional<std::string> Add(const std::string& text, const Fields& f, const Offers& offers) {
  Editing before(text);
  const auto result = before.After(before.editor.AddInstance(f[1], f[2], f[3]));
  if (result && !offers.Mentions(f[2])) {
    Editing after(*result);
    FUZZ_ASSERT(after.After(after.editor.RemoveInstance(f[1], f[2])) == text);
  }
  return result;
}

std::optional<std::string> Rename(const std::string& text, const Fields& f, const Offers& offers) {
  Editing before(text);
  const auto result = before.After(before.editor.RenameInstance(f[1], f[2], f[3]));
  if (!result) return result;
  Editing after(*result);
  const auto &old_tree = before.editor.tree(), &new_tree = after.editor.tree();
  FUZZ_ASSERT(old_tree.tokens.size() == new_tree.tokens.size());
  for (uint32_t i = 0; i < old_tree.tokens.size(); ++i) {
    const bool same = old_tree.TokenText(i) == new_tree.TokenText(i);
    FUZZ_ASSERT(same || (old_tree.TokenText(i) == f[2] && new_tree.TokenText(i) == f[3]));
  }
  if (!offers.Mentions(f[3])) {
    const auto back = after.editor.RenameInstance(f[1], f[3], f[2]);
    if (back) FUZZ_ASSERT(after.After(back) == text);
  }
  return result;
}

std::optional<std::string> Connect(const std::string& text, const Fields& f, ConnectionKind kind) {
  Editing before(text);
  const auto result = before.After(before.editor.AddConnection(f[1], f[2], f[3], kind));
  Editing other(text);
  const bool connected = other.editor.RemoveConnection(f[1], f[2], f[3]).has_value();
  if (result && !connected) {
    Editing after(*result);
    FUZZ_ASSERT(after.After(after.editor.RemoveConnection(f[1], f[2], f[3])) == text);
  }
  return result;
}

std::optional<std::string> Place(const std::string& text, const Fields& f) {
  Layout layout{static_cast<double>(f[3].size()) / 4, -static_cast<double>(f[4].size()), std::nullopt};
  if (f[3].size() > 4) layout.rotate = 90;
  Editing before(text);
  const auto result = before.After(before.editor.SetLayout(f[1], f[2], layout));
  if (!result) return result;
  Editing again(*result);
  FUZZ_ASSERT(again.After(again.editor.SetLayout(f[1], f[2], layout)) == *result);
  return again.After(again.editor.SetLayout(f[1], f[2], std::nullopt));
}

std::optional<std::string> Apply(const std::string& text, Fields f) {
  Diagnostics found;
  const SyntaxTree tree = Parse(text, FileId(0), found);
  const Offers offers(tree);
  f[1] = Chosen(f[1], offers.bodies);
  if (!found.ok()) {
    Editing broken(text);
    FUZZ_ASSERT(!broken.editor.RemoveInstance(f[1], f[2]));
    FUZZ_ASSERT(broken.diagnostics.list().front().info->code == 1033);
    return std::nullopt;
  }
  if (f[0] == "!add") return Add(text, f, offers);
  if (f[0] == "!connect" || f[0] == "!signal") {
    f[2] = f[2].empty() ? Chosen(f[2], offers.ends) : f[2];
    return Connect(text, f, f[0] == "!signal" ? ConnectionKind::kSignal : ConnectionKind::kPhysical);
  }
  Editing before(text);
  if (f[0] == "!disconnect") {
    f[2] = Chosen(f[2], offers.ends);
    f[3] = Chosen(f[3], offers.ends);
    return before.After(before.editor.RemoveConnection(f[1], f[2], f[3]));
  }
  f[2] = Chosen(f[2], offers.instances);
  if (f[0] == "!set") return Set(text, f);
  if (f[0] == "!rename") return Rename(text, f, offers);
  if (f[0] == "!layout") return Place(text, f);
  return before.After(before.editor.RemoveInstance(f[1], f[2]));
}

}  // namespace
}  // namespace cotree

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cotree::fuzz::InputLimits limits;
  const std::string input(reinterpret_cast<const char*>(data), size);
  std::vector<cotree::Fields> operations;
  size_t begin = 0;
  while (begin < input.size() && input[begin] == '!' && operations.size() < 8) {
    const size_t end = std::min(input.find('\n', begin), input.size());
    operations.push_back(cotree::Split(std::string_view(input).substr(begin, end - begin)));
    begin = std::min(end + 1, input.size());
  }
  std::string text = input.substr(begin);
  for (const cotree::Fields& operation : operations) {
    if (auto result = cotree::Apply(text, operation)) text = std::move(*result);
  }
  return 0;
}
