// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "language/syntax_tree.h"
#include "language/text_edit.h"

namespace cotree {

/** Where an instance stands in a drawing of the model: `@layout(x = 10, y = 20, rotate = 90)`. */
struct Layout {
  double x = 0;
  double y = 0;
  std::optional<double> rotate;  // none: what is written, if anything, stays
};

enum class ConnectionKind : uint8_t { kPhysical, kSignal };  // a -- b, y -> u

/** Changes a text by what it means: the edit API on which `cotree edit-text` stands.
Theory: docs/theory/language.md, LA.4.

Each operation returns the edits of the text, or nothing and a diagnostic (COT1030 to COT1049). `body` names a
system, a component or a software component of the file, or one of its models as `Component.model`.

Always true (fuzz/fuzz_edit.cc tests it):
 - a text with syntax errors is not edited (COT1033), and no edit makes one: the result parses cleanly;
 - bytes that the operation does not speak of stay: comments on other lines, alignment, order;
 - what is already so gives no edits: setting a parameter to its own text changes nothing;
 - adding and then removing gives back the bytes there were; InvertEdits takes any edit back.

An instance of a list `a, b : Resistor(R = 1 ohm)` gets a declaration of its own, behind the list, when it
alone is to be changed. The editor belongs to one text: after an edit make a new one. `text` and `diagnostics`
must outlive it. */
class SourceEditor {
 public:
  SourceEditor(std::string_view text, FileId file, Diagnostics& diagnostics);

  /** Gives the argument `parameter` of an instance a value: adds it, replaces its expression, or, if `value`
  is empty, removes it. `parameter` is a path such as `R` or `motor.R`, or `start v`; the value of the latter
  may end in `fixed` or `guess`. */
  std::optional<TextEdits> SetParameter(std::string_view body, std::string_view instance,
                                        std::string_view parameter, std::string_view value) const;
  /** Adds `name : declaration`, for example `r` and `Resistor(R = 1 kohm) "load"`, behind the last instance
  of the body. */
  std::optional<TextEdits> AddInstance(std::string_view body, std::string_view name,
                                       std::string_view declaration) const;
  /** Removes an instance, its comment on the same line, and its part in connections and associations: an end
  of a chain `a -- b -- c`, or the whole statement where fewer than two ends remain. Equations, arguments and
  plots that mention it stay: only their author knows what they should say. */
  std::optional<TextEdits> RemoveInstance(std::string_view body, std::string_view name) const;
  /** Renames an instance where it is declared and in every path of the file that leads to it: in its body, in
  bodies that contain an instance of that body, and in what experiments plot, set and start. */
  std::optional<TextEdits> RenameInstance(std::string_view body, std::string_view from,
                                          std::string_view to) const;
  /** Adds `connect from -- to` or `connect from -> to` behind the last connection of the body. */
  std::optional<TextEdits> AddConnection(std::string_view body, std::string_view from, std::string_view to,
                                         ConnectionKind kind) const;
  /** Removes the connection between two neighbours of a chain, or between an output and an input. A chain of
  four or more that is cut in its middle becomes two. */
  std::optional<TextEdits> RemoveConnection(std::string_view body, std::string_view from,
                                            std::string_view to) const;
  /** Sets or, without a layout, removes the annotation `@layout` of an instance. */
  std::optional<TextEdits> SetLayout(std::string_view body, std::string_view instance,
                                     std::optional<Layout> layout) const;

  const SyntaxTree& tree() const { return tree_; }

 private:
  struct Body {
    std::string name;
    NodeId node;
    NodeId outer;      // the component of a model, else the node itself
    uint32_t opening;  // its {
  };
  struct Instance {
    NodeId declaration;
    NodeId name;  // kName
    bool alone;   // the only name of its declaration
  };

  // Finding (edit_find.cc). Nothing found is reported.
  std::optional<Body> FindBody(std::string_view name) const;
  std::optional<Instance> FindInstance(const Body& body, std::string_view name) const;
  NodeId FindArgument(NodeId arguments, std::string_view parameter) const;
  std::vector<NodeId> Statements(const Body& body, NodeKind kind) const;
  std::vector<NodeId> Ends(NodeId connect) const;
  std::string Key(NodeId path) const;
  std::optional<uint32_t> Declared(const Body& body, std::string_view name) const;

  // Checking texts that come in (edit_find.cc). What is wrong is reported.
  bool CheckName(std::string_view text) const;
  bool CheckFree(const Body& body, std::string_view name) const;
  std::optional<std::string> CheckPath(std::string_view text, std::string_view what) const;
  bool CheckEnd(const Body& body, std::string_view path) const;
  bool CheckValue(std::string_view parameter, std::string_view value) const;
  std::nullopt_t NoSuchThing(std::string_view what, std::string_view name, std::string_view where,
                             const std::vector<std::string_view>& candidates) const;
  std::nullopt_t BadText(std::string_view text, std::string_view what) const;
  std::optional<TextEdits> Finish(TextEdits edits, std::string_view text) const;

  // Places in the text (edit_places.cc).
  std::string_view Between(uint32_t begin, uint32_t end) const {
    return tree_.text.substr(begin, end - begin);
  }
  uint32_t LineBegin(uint32_t offset) const;
  std::string IndentationOf(uint32_t offset) const;
  std::optional<uint32_t> LineTail(uint32_t last_token) const;
  bool BlanksBefore(uint32_t token) const;
  void Delete(uint32_t begin, uint32_t end, TextEdits& edits) const;
  void RemoveItem(uint32_t first_token, uint32_t last_token, TextEdits& edits) const;
  void InsertBehind(NodeId member, const Body& body, std::string_view text, TextEdits& edits) const;
  void InsertFirst(const Body& body, std::string_view text, TextEdits& edits) const;
  void InsertMember(const Body& body, NodeId behind, std::string_view text, TextEdits& edits) const;
  void RemoveFromList(const std::vector<NodeId>& list, size_t index, TextEdits& edits) const;
  void RemoveEnds(NodeId connect, const std::vector<NodeId>& ends, const std::vector<bool>& removed,
                  TextEdits& edits) const;
  TextEdits Separate(const Body& body, const Instance& instance, TextEdits inner) const;

  void SetArgument(NodeId arguments, uint32_t last_token, std::string_view parameter, std::string_view value,
                   TextEdits& edits) const;
  void RemoveArgument(NodeId arguments, NodeId argument, TextEdits& edits) const;

  SyntaxTree tree_;
  Diagnostics& diagnostics_;
  std::optional<Span> broken_;  // the first syntax error
  std::string line_end_;
};

}  // namespace cotree
