// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/diagnostics.h"
#include "model/build_model.h"
#include "model/diagnostics.h"
#include "model/model.h"
#include "units/dimension_system.h"
#include "units/format_dimension.h"

namespace cotree {

/** A dimension during a build: a known part times powers of unknowns. */
struct DimExpr {
  DimensionVector constant;
  std::vector<DimensionSystem::Term> terms;

  bool known() const { return terms.empty(); }
  bool IsOne() const { return terms.empty() && constant.IsOne(); }
};

/** The kind of a value, or the unknown dimension whose kind it has. Theory: docs/theory/dimensions.md, DM.8.
 */
struct Kinded {
  KindHint kind = KindHint::kNone;
  DimVarId unknown;
  bool by_time = false;  // it is not the unknown itself, but that by a power of time
};

/** What an expression came to: its value, element-wise in the symbols #1, #2, ... where it is an array, and
 * all that is checked of it. */
struct Value {
  bool ok = false;  // false: an error was reported; nothing more is said about it
  ExprId expr;
  DimExpr dim;
  KindHint kind = KindHint::kNone;
  DimVarId follows;  // if the kind is not known: it is that of this unknown; None: it has none
  BaseType base = BaseType::kReal;
  EnumerationId enumeration;
  Shape shape;
  bool bare = false;         // made of plain numbers only: fits any inferred dimension
  bool absolute = false;     // made of a literal in degC: a temperature, no difference
  bool temperature = false;  // a variable or a parameter that is a Temperature
  std::string unit;          // how its unit is best written, if known ("rad")
};

struct FunctionDefinition {
  bool building = false, ok = false;
  bool declared = false;  // the type of the result was written
  std::vector<Type> parameters;
  std::vector<SymbolId> symbols;
  size_t generic_count = 0;
  Value result;
};

class ClassBuilder;

/** `drive.motor as ideal`, said from outside the class that has the instance. */
struct ModelChoice {
  std::vector<NameId> path;  // instances, from the class on
  NameId model;
  Origin origin;  // its path
};
using ModelChoices = std::vector<ModelChoice>;

/** Builds the Model: resolves names, builds each class once, checks. Private to this folder; the verb is
 * BuildModel. */
class ModelBuilder {
 public:
  ModelBuilder(Model& target, Diagnostics& findings, Declarations& within_reach)
      : model(target), diagnostics(findings), declarations(within_reach), pool(target.expressions) {}

  void BuildAll();
  /// Builds one class by name, with its first model; for `cotree library`.
  ClassId BuildNamed(DeclarationId id) { return BuildClass(id, NameId::None(), Origin{}); }

  Model& model;
  Diagnostics& diagnostics;
  Declarations& declarations;
  ExprPool& pool;

  // resolve_names.cc
  DeclarationId FindDeclaration(const SyntaxTree& tree, NodeId path, Declarations::KindTest wanted,
                                const DiagnosticInfo& unknown, std::string_view what);
  /// `choices` are about the instance itself (no path) and what is inside it, and count more than the text.
  ClassId ResolveClass(const SyntaxTree& tree, TreeId tree_id, NodeId class_use,
                       const ModelChoices& choices = {});
  std::optional<DomainId> ResolveDomain(const SyntaxTree& tree, NodeId path, bool report);
  std::optional<DomainId> DomainNamed(NameId name, FileId from);
  void ReadDomainBounds(TreeId tree_id, NodeId attributes, DomainId id);
  std::optional<QuantityId> QuantityNamed(NameId package, NameId name, FileId from);
  std::optional<EnumerationId> EnumerationNamed(NameId package, NameId name, FileId from);
  ClassId BuildClass(DeclarationId id, NameId model_name, Origin user, const ModelChoices& choices = {});
  void BuildInside(DeclarationId outermost);
  TreeId TreeIdOf(DeclarationId id);

  // resolve_types.cc
  /// A type from syntax; generics are numbered by `generics`, which grows. Reports and returns false if it is
  /// none.
  bool ResolveType(const SyntaxTree& tree, NodeId node, std::vector<NameId>* generics, Type& out);
  std::string QuantityArticle(const Type& type) const;
  /// FormatDimension, remembered: millions of literals share a few units.
  const std::string& DimensionText(const Dimension& dimension, KindHint kind = KindHint::kNone);
  /// How people write values of a unit: 90 deg is in rad, 4 V/rad in V/rad, 3 mm in m.
  const std::string& UnitDisplay(const UnitResult& unit);
  void ReportUnit(const SyntaxTree& tree, NodeId unit, const UnitError& error);

  // functions_tables.cc
  FunctionDefinition* FunctionNamed(DeclarationId id);
  std::optional<TableId> TableNamed(DeclarationId id);
  std::optional<TableId> BuildTable(const SyntaxTree& tree, TreeId tree_id, NodeId node);

  // build_model.cc
  std::optional<Experiment> BuildExperiment(DeclarationId id, const ModelChoices& more = {});

  // resolve_settings.cc
  ResolvedOptions ResolveOptions(ClassId system, std::optional<size_t> experiment, const OptionTexts& texts);
  /// `path as model` of a kSet or kArgument; nothing for one with a value, or, reported, a path with indices.
  std::optional<ModelChoice> ChoiceOf(const SyntaxTree& tree, TreeId tree_id, NodeId node);

  std::string NameText(NameId id) const { return model.Text(id); }
  /// Members whose declaration is wrong, by class and name: their users need no message of their own. A class
  /// with a wrong edge has NameId::None() too.
  void MarkBroken(NameId cls, NameId member) { broken_.insert({cls.value, member.value}); }
  bool IsBroken(NameId cls, NameId member) const {
    return !broken_.empty() && broken_.count({cls.value, member.value}) > 0;
  }
  NameId Intern(std::string_view text) { return model.names.Intern(text); }
  SymbolId IndexSymbol(size_t k);  // #1, #2, ...

 private:
  friend class ClassBuilder;
  void CheckDuplicates();

  using ClassKey = std::vector<uint32_t>;  // declaration, model name, what is chosen inside
  static ClassKey KeyOf(DeclarationId id, NameId model_name, const ModelChoices& choices);
  ClassId Variant(ClassId of, const ModelChoices& choices);

  std::map<ClassKey, ClassId> built_;
  std::map<ClassKey, bool> building_;
  std::vector<DeclarationId> stack_;
  std::set<std::pair<uint32_t, uint32_t>> broken_;
  std::unordered_map<uint64_t, ClassId> class_cache_;    // file and bare name
  std::unordered_map<uint64_t, uint32_t> domain_cache_;  // file and bare name -> DomainId or none
  std::unordered_map<uint32_t, DomainId> domains_;       // by declaration
  std::unordered_map<uint32_t, QuantityId> quantities_;
  std::unordered_map<uint32_t, EnumerationId> enumerations_;
  std::map<uint32_t, FunctionDefinition> functions_;
  std::unordered_map<uint32_t, TableId> tables_;
  std::map<std::pair<Dimension, KindHint>, std::string> dimension_texts_;
  std::unordered_map<const UnitResult*, std::string> unit_displays_;
};

/// `dimension` tells what is counted by time (an angle, an angular velocity) from each other.
std::string_view KindName(KindHint kind, const Dimension& dimension);
std::string BaseTypeText(BaseType base);
/// "a system", "a quantity": what a declaration is.
std::string_view DeclarationWord(NodeKind kind);
bool IsClassDeclaration(NodeKind kind);

}  // namespace cotree
