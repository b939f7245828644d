// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/model_builder.h"

namespace cotree {

/** Builds one component class from its syntax: declares the members, lowers expressions and statements,
infers dimensions, checks. Private to this folder. One file per concern:

 | build_class.cc | members, in two passes: names first, then values |
 | lower_expression.cc, lower_calls.cc, lower_arrays.cc | syntax of expressions to Value |
 | resolve_path.cc | what a path means |
 | fit_dimensions.cc | dimensions: equating, fitting a value to a type, messages |
 | fit_kinds.cc | kinds: Hz is not rad/s, also where dimensions are found |
 | blame_dimensions.cc | which value is to blame where dimensions contradict |
 | build_instances.cc | instances, their arguments and start values |
 | resolve_settings.cc | values and models from outside |
 | build_connections.cc | connections and associations |
 | build_statements.cc | equations, if, when, for |
 | finish_class.cc | checks on the whole class, inferred dimensions |

Expressions are walked by recursion, which the parser bounds in depth, except along chains of + - * / and or,
which are loops.

Theory: docs/theory/model.md, MO.4, MO.5, MO.7. */
class ClassBuilder {
 public:
  ClassBuilder(ModelBuilder& builder, TreeId tree);

  ClassId Build(DeclarationId id, NameId model_name, const ModelChoices& choices);
  /// Makes a finished class the scope, for experiments.
  void Open(ClassId id);
  /// What was said of sizes in that scope.
  std::vector<SizeCheck>& size_checks() { return size_checks_; }
  TreeId tree_id() const { return tree_id_; }
  ExprId LowerDomainPower(DomainId domain, NodeId node);
  /// Reads `min = 0 K`, `above = ...`, `nonzero` into `out`. False: it is no bound.
  bool DefineBound(NodeId attribute, const Type& type, const DimExpr& dim, const Shape& shape,
                   std::string_view what, Bounds& out);
  /// The bounds of a quantity or a domain, in numbers; other attributes are the caller's.
  bool DefineConstantBound(NodeId attribute, const Type& type, Bounds& out);
  /// The body of a function, with its parameters as symbols.
  void LowerFunction(NodeId node, FunctionDefinition& function);

  // lower_expression.cc
  Value Lower(NodeId node);
  Value LowerScalar(NodeId node);
  ExprId LowerCondition(NodeId node);
  std::optional<double> ConstantNumber(NodeId node);

  // fit_dimensions.cc
  /// Whether `value`, written at `node`, may stand where `type` is declared; `what` names the place ("`R`").
  bool Fit(Value& value, NodeId node, const Type& type, const DimExpr& dim, std::string_view what);

  // build_statements.cc
  void StartOf(NodeId node, uint32_t instance, std::vector<StartValue>& out);

  // resolve_path.cc
  struct Resolved {
    bool ok = false;
    enum class Kind : uint8_t { kValue, kTerminal, kInstance, kEdge, kGround } kind = Kind::kValue;
    Value value;
    const Parameter* parameter = nullptr;
    const Variable* variable = nullptr;
    Type type;
    bool own = false;  // a member of this class itself
    bool edge_variable = false;
    uint32_t instance = UINT32_MAX;  // the first instance on the path
    uint32_t member = 0;
  };
  Resolved ResolvePath(NodeId path, bool report = true);

  // resolve_settings.cc
  /// `path = value` of a kSet, for the class that is open. False, with a report: it does not fit.
  bool SettingOf(NodeId node, Setting& out);
  /// Whether a kSet is for a parameter that only the model had in whose place one of `choices` puts another.
  bool IsLeftOut(NodeId node, const ModelChoices& choices);
  bool MotionOf(NodeId node, Motion& out);

 private:
  using Chain = std::vector<const Instance*>;  // the instances on the way of a path, outermost first
  struct Local {
    NameId name;
    Value value;
  };
  /** Where two dimensions were equated: at a node, or where the node `driver` drives it. */
  struct Tag {
    NodeId node;
    NodeId driver;
  };
  /** An equation between dimensions, kept to find out who is to blame for a contradiction. */
  struct DimEquation {
    std::vector<DimensionSystem::Term> terms;  // at least one
    DimensionVector constant;
    DimExpr wanted, given;  // what was equated
    bool is_value = false;  // `given` is of a value that the user wrote there
  };
  /** Two kinds that do not go together, and where they were fixed. */
  struct KindClash {
    KindHint wanted, given;
    std::vector<Tag> causes;
  };
  /** The kind of an unknown, and where it was fixed. */
  struct FoundKind {
    KindHint kind = KindHint::kNone;
    Tag tag;
    bool clashed = false;  // said already
    bool number = false;   // a plain number was given for it
  };
  /** A plain number between two unknowns: y = number*u. */
  struct PlainFactor {
    DimVarId from, to;
    NodeId node;
    const Instance* instance;  // whose class has the number, by default of this parameter or inside; null: it
    uint32_t parameter;        // stands at the node
  };
  /** A signal that is a product or a quotient of others: y = u1*u2. */
  struct SignalProduct {
    DimVarId product;
    std::vector<DimensionSystem::Term> terms;
    const Instance* instance;
  };
  struct Contradiction {
    Diagnostic* report;
    uint32_t tag;
  };
  /** Equations that hang together by unknowns, and the value among them that is to blame. */
  struct BlamedPart {
    uint32_t unknowns = 0;
    std::vector<uint32_t> tags;
    std::optional<uint32_t> culprit;  // None: none, or more than one
    std::string given, wanted;
  };

  // build_class.cc
  void Collect(NodeId parent, NameId model_name);
  void DeclareMember(NodeId node);
  void Declare(NodeId name_node, Member member);
  void DeclareTerminal(NodeId node);
  void DeclareParameter(NodeId node);
  void DeclareVariable(NodeId node);
  void DeclareEdge(NodeId node);
  void LowerShapes();
  Shape LowerShape(NodeId dimensions);
  void DefineMember(NodeId node);
  struct Attributes {
    ExprId start;
    Bounds bounds;
    std::string display;
    bool fixed = false;
    StateWish wish = StateWish::kNone;
  };
  ExprId AttributeValue(NodeId value_node, const Type& type, const DimExpr& dim, const Shape& shape,
                        std::string_view what);
  Attributes DefineAttributes(NodeId node, const Type& type, const DimExpr& dim, const Shape& shape,
                              std::string_view what);
  void DefineParameter(NodeId node);
  void DefineVariable(NodeId node);
  void DefineEnergy(NodeId node);
  void DefineSetting(NodeId node);
  void DefineExternal(NodeId node);

  // build_instances.cc
  ModelChoices ChoicesFor(NodeId name, NodeId arguments);
  void ReportStrayChoices();
  void DeclareInstance(NodeId node);
  void DefineInstance(NodeId node, uint32_t first);
  void DefineArgument(NodeId node, uint32_t index);
  bool FastArgument(NodeId value, const Parameter& parameter, Argument& argument);
  void CheckArguments(const Instance& instance, NodeId class_node);
  std::string InstanceText(uint32_t instance) const {
    return builder_.NameText(cls_->instances[instance].name);
  }

  // build_connections.cc
  ExprId CurrentCondition();
  void DefineConnection(NodeId node);
  bool ResolveEndpoint(NodeId path, Endpoint& endpoint, bool signal, bool target, DomainId& domain,
                       Resolved& resolved);
  bool ResolveTerminal(NodeId path, Endpoint& endpoint, DomainId& domain, bool joined);
  void DefineAssociation(NodeId node);
  void CheckDrivenTwice();

  // build_statements.cc
  void DefineStatement(NodeId node);
  void DefineEquation(NodeId node);
  void DefineFor(NodeId node);
  void DefineIf(NodeId node);
  void DefineWhen(NodeId node);
  void CheckReadsOwn(NodeId node, ExprId condition, size_t first_when);
  void DefineWhenAction(NodeId node, WhenClause& clause);
  void DefineAssert(NodeId node);
  void DefineStart(NodeId node);
  LoopRange CurrentLoops();
  LoopRange LoopsFor(const Shape& shape, ExprId* left, ExprId* right);
  struct Range {
    bool ok = false;
    ExprId from, step, to;  // step None: 1
  };
  Range LowerRange(NodeId node);
  void CollectEquations(NodeId branch, std::vector<std::pair<NodeId, std::pair<Value, Value>>>& out);
  bool LowerSides(NodeId node, Value& left, Value& right);

  // lower_expression.cc
  Value LowerLiteral(NodeId node);
  Value LowerUnary(NodeId node);
  Value LowerBinary(NodeId node);
  Value Combine(NodeKind op, NodeId node, NodeId right_node, Value left, Value right);
  Value Additive(NodeKind op, NodeId node, Value left, Value right, NodeId left_node, NodeId right_node);
  Value Multiplicative(NodeKind op, NodeId node, Value left, Value right);
  Value Compare(NodeKind op, NodeId node, const Value& left, const Value& right, NodeId left_node,
                NodeId right_node);
  Value Logical(NodeKind op, Value left, Value right, NodeId left_node, NodeId right_node);
  Value LowerPower(NodeId node);
  Value LowerConditional(NodeId node);
  Value LowerCall(NodeId node);
  Value LowerPre(NodeId node, NodeId argument);
  ExprId PreOf(ExprId expr);
  ExprId LowerWhenCondition(NodeId node);
  Value LowerDer(NodeId node, NodeId argument);
  Value LowerSum(NodeId node, NodeId argument);
  Value LowerArray(NodeId node);
  Value LowerComprehension(NodeId node);
  Value CallFunction(NodeId node, FunctionDefinition& function, std::string_view name);
  Value CallTable(NodeId node, TableId id);
  bool Numeric(const Value& value, NodeId node);
  bool WantCount(NodeId node, size_t least, size_t most);
  bool SameShape(Value& a, Value& b, NodeId left_node, NodeId right_node, Shape& shape);
  ExprId AtIndices(ExprId expr, std::span<const ExprId> indices);
  std::vector<ExprId> CanonicalIndices(size_t rank);

  // fit_dimensions.cc
  Value Failed() const { return {}; }
  Value Number(double value, bool bare);
  DimExpr One() const { return {}; }
  DimExpr DimTimes(const DimExpr& a, const DimExpr& b, NodeId node, Rational exponent = 1);
  DimExpr DimPower(const DimExpr& a, Rational exponent, NodeId node);
  DimExpr DimOf(const Type& type) const { return {type.dimension, {}}; }
  DimExpr MapDimension(const DimensionVector& inner, const ComponentClass& owner, const Instance& instance);
  std::optional<DimensionVector> FindDimension(const DimExpr& dim);
  std::string DimText(const DimExpr& dim);
  std::string TextOfHints(const DimExpr& dim);
  std::string UnitText(const Value& value);
  std::string TypeText(const Type& type, const DimExpr& dim);
  enum class Equated : uint8_t { kYes, kMismatch, kReported };
  Equated Equate(const DimExpr& a, const DimExpr& b, NodeId node, NodeId driver = NodeId::None(),
                 bool is_value = false);
  std::string TagText(const Tag& tag) const;
  DimVarId NewDimension();
  bool IsZeroValue(ExprId expr) const;
  void HelpWithUnits(Diagnostic& report, NodeId node) const;
  void WarnOfUnits(NodeId literal, NodeId unit);

  // fit_kinds.cc
  static DimVarId UnknownOf(const DimExpr& dim);
  static DimVarId CountedUnknownOf(const DimExpr& dim);
  static bool IsTime(const Value& value);
  static KindHint CountedKind(KindHint kind);
  static Kinded KindedOf(KindHint kind, const DimExpr& dim, DimVarId follows) {
    return {kind, follows, UnknownOf(dim) != follows};
  }
  static Kinded KindedOf(const Value& value) { return KindedOf(value.kind, value.dim, value.follows); }
  KindHint KindOf(const Kinded& kinded);
  /// Two things are the same: unknowns get the kind of the other. Nothing is returned if the kinds agree.
  std::optional<KindClash> JoinKinds(const Kinded& wanted, const Kinded& given, const Tag& tag);
  void ReportClash(NodeId node, std::string_view text, std::string_view what, const KindClash& clash,
                   const DimExpr& dim);
  void FollowKind(Value& value, const Type& type, const Chain& chain);
  void LinkKinds(const DimExpr& dim, NodeId node);
  void SettleKinds();
  void JoinByNumber(DimVarId from, DimVarId to, const PlainFactor& factor);
  void SayCauses(Diagnostic& report, const KindClash& clash, NodeId node) const;
  void SettleProducts();
  void Hint(const Kinded& kinded, const std::string& unit);
  uint32_t UnknownRoot(uint32_t var) { return RootIn(same_parent_, var); }
  static uint32_t RootIn(LargeVector<uint32_t>& parents, uint32_t var);
  FoundKind& FoundFor(DimVarId unknown) { return kinds_[RootIn(kind_parent_, unknown.value)]; }

  // blame_dimensions.cc
  void BlameContradictions();
  void FindCulprit(BlamedPart& part, const std::vector<uint32_t>& number);

  // resolve_path.cc
  /** The dimensions met along a path, with the indices given for them. */
  struct PathDimensions {
    Shape sizes;
    std::vector<std::optional<Subscript>> subscripts;  // none: all elements
  };
  const ComponentClass& OwnerOf(const Chain& chain, size_t k) const;
  bool TakeSegment(NodeId segment, const Shape& shape, const Chain& chain, PathDimensions& dims, bool report);
  /// `size` in the parameters of this class, `inner_size` in those of the class at the end of `chain`.
  bool LowerSubscript(NodeId node, ExprId size, ExprId inner_size, const Chain& chain, Subscript& out);
  Resolved ResolveIn(const ComponentClass& cls, NodeId path, NodeId segment, const std::string& prefix,
                     PathDimensions dims, Chain& chain, bool report);
  Resolved EdgeVariable(const ComponentClass& cls, const Edge& edge, NodeId path, NodeId segment,
                        const std::string& prefix, PathDimensions& dims, const Chain& chain, bool report);
  Value SymbolValue(const std::string& name, int order, SymbolKind kind, const Type& type, DimExpr dim,
                    const Chain& chain, const PathDimensions& dims);
  DimExpr InferredDimension(MemberKind kind, uint32_t index);
  ExprId InContext(ExprId inner, const Chain& chain);
  ExprId ParameterContext(ExprId inner, const ComponentClass& owner, const ComponentClass& cls,
                          const Instance& instance);
  std::vector<std::string_view> MemberNames(const ComponentClass& cls) const;
  Resolved Unknown(NodeId segment, const ComponentClass& cls, bool report);
  DimExpr GenericOf(const ComponentClass& outer, const Instance& instance, size_t k);
  /// `bound` is in the parameters of the class at the end of `inside`.
  void AddSizeCheck(SizeCheck::Kind kind, ExprId value, ExprId bound, NodeId node, const Chain& inside = {});

  // finish_class.cc
  void Finish();
  void CheckTerminalGraph();
  void CheckParameterCycles();
  void CheckSoftware();
  void CheckWhens();
  void CheckExogenous();
  void StoreInferred();
  std::string ClassText() const { return builder_.NameText(cls_->name); }

  const SyntaxTree& tree() const { return *tree_; }
  Diagnostic& Report(const DiagnosticInfo& info, NodeId node,
                     std::initializer_list<std::string_view> arguments = {}) {
    return builder_.diagnostics.Report(info, tree_->SpanOf(node), arguments);
  }
  Origin At(NodeId node) const { return {tree_id_, node}; }
  std::string TextOf(NodeId node) const;

  ModelBuilder& builder_;
  ExprPool& pool_;
  TreeId tree_id_;
  const SyntaxTree* tree_;
  ComponentClass class_;
  ComponentClass* cls_ = &class_;
  bool building_ = true;
  std::vector<SizeCheck> size_checks_;  // of an experiment or an option, which has no class of its own
  bool sizes_count_ = true;             // false: indices are looked at where the sizes are known for good
  ModelChoices choices_;                // of models of instances, from outside
  std::set<uint32_t> rechosen_;         // instances that have another model than their text says
  LargeVector<NodeId> members_;
  LargeVector<uint32_t> member_instances_;  // first instance of each kInstance node, in order
  DimensionSystem dimensions_;
  LargeVector<Tag> tags_;
  static constexpr size_t kMostBlamedEquations = 4096,
                          kMostBlameWork = 1 << 14;  // larger systems keep the plain message
  std::vector<DimEquation> dim_equations_;           // beside tags_, up to kMostBlamedEquations
  std::vector<Contradiction> contradictions_;
  std::vector<DimVarId> generic_vars_;  // beside class_.generic_values
  // Unknowns that are the same thing, whatever their dimension: one unit that people would write. Those that
  // are so but for powers of time have one kind.
  LargeVector<uint32_t> same_parent_, kind_parent_;  // by DimVarId
  std::vector<std::string> hints_;                   // of the root by same_parent_
  LargeVector<FoundKind> kinds_;                     // of the root by kind_parent_
  std::vector<PlainFactor> plain_factors_;
  std::vector<SignalProduct> signal_products_;
  std::unordered_map<uint64_t, DimVarId> undeclared_;  // member kind and index -> unknown dimension
  std::vector<Local> locals_;
  std::vector<Loop> loop_stack_;
  std::vector<ExprId> condition_stack_;
  std::optional<DomainId> domain_scope_;
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, NodeId>> driven_;  // (instance, input) with the place
  bool connection_failed_ =
      false;  // an error in a connection was reported: who is left unconnected is then no news
  bool in_initial_section_ = false;
  bool structural_scope_ = false;  // lowering a size: parameters met are structural
  std::vector<NodeId> feedthrough_nodes_;
  int loop_counter_ = 0;
};

}  // namespace cotree
