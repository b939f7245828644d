// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/names.h"
#include "expr/large_memory.h"
#include "expr/op.h"
#include "expr/symbol.h"

namespace cotree {

using ExprId = Id<struct ExprTag>;

/** Counts of symbolic work done in a pool. The pool counts nodes, the passes the rest. */
struct ExprStatistics {
  uint64_t constructed = 0;    // nodes that were new
  uint64_t hits = 0;           // nodes that existed already
  uint64_t derivatives = 0;    // nodes differentiated (memo misses)
  uint64_t substitutions = 0;  // nodes rebuilt by Substitute
  uint64_t solutions = 0;      // equations given to SolveFor
};

/** The expressions of a translation: immutable nodes, each distinct one stored once, in an arena that only
grows.

Theory: docs/theory/expressions.md, EX.1 to EX.9.

Always true (CheckExpr tests it for a node):
 - equal structure means equal id, so comparing two canonical expressions is comparing two integers;
 - operands have smaller ids than the node that uses them: there are no cycles, and ascending ids are a valid
order of evaluation;
 - operands of + * and or min max == != stand in structural order: by a hash over names and values, ties by
Compare. Neither ids nor addresses nor the order of construction decide anything that can be seen;
 - what `operands()` returned stays valid while the pool lives: nodes never move;
 - every node is canonical with respect to the rewrites below.

All constructors are loops; none recurs into operands. The work of one constructor is bounded by the operands
it is given and kMergeLimit operands of each of these.

**Rewrites.** They hold for all operands with finite values, in real arithmetic; where rounding or the range
of doubles matters it is said. x, y are expressions, a, b numbers, m, n positive integers, c a condition.

 | what | becomes | remark |
 |---|---|---|
 | a + b, a*b | the number | unless the result would be infinite or subnormal (or 0 by underflow) |
 | x + 0, x*1, x/1, x^1 | x | |
 | x*0 | 0 | |
 | x^0, 1^x | 1 | as pow has it, 0^0 = 1 |
 | 0^a | 0 | a > 0 |
 | a*x + b*x | (a+b)*x | under the condition of a + b; so x - x is 0 and x + x is 2*x |
 | x^m * x^n | x^(m+n) | m + n <= kExponentLimit; so x*x is x^2 |
 | (x^m)^n | x^(m*n) | m*n <= kExponentLimit |
 | (-x)^n | x^n or -(x^n) | any integer n |
 | a^n | the number | if every step of the chain is exact |
 | nested + in +, * in * | one node | if the inner one has at most kMergeLimit operands |
 | -(x + y) | -x - y | sums of at most kMergeLimit terms that hold no sum themselves; exact in doubles |
 | (a*x)/y, x/(a*y) | -((-a*x)/y), -(x/(-a*y)) | a < 0: only the sign moves |
 | a/b | the number | only if exact: 1/3 stays |
 | sin tan asin atan sinh tanh sign (-x) | -f(x) | which of x and -x is the negative one: IsNegative |
 | cos cosh abs (-x) | f(x) | likewise |
 | sin tan asin atan sinh tanh (0) | 0 | |
 | cos cosh exp (0), log log10 (1), acos(1) | 1, 0, 0 | other elementary constants stay |
 | log10 of 10^k, k = 0...22 | k | |
 | sqrt(a) | the number | if its square is exactly a |
 | abs sign floor ceil min max mod of numbers | the number | mod: integers, b not 0 |
 | abs(abs(x)), abs(sqrt(x)), abs(exp(x)) | the inner one | |
 | floor(floor(x)) and with ceil | the inner one | |
 | min(x, x), max(x, x) | x | |
 | atan2(0, a) | 0 | a > 0 |
 | a < b, a <= b, a == b, a != b | true or false | |
 | x < x, x != x; x <= x, x == x | false; true | |
 | not (x < y), not (x <= y), not ==, not != | y <= x, y < x, !=, == | |
 | not not c, not true | c, false | |
 | and, or | flat, sorted, each once, constants folded | c and not c is false, c or not c is true |
 | if true then x else y | x (likewise false) | |
 | if c then x else x | x | |
 | if not c then x else y | if c then y else x | |
 | {x, y, z}[2] | y | index in range |
 | a[i] | a | a number stands for an array of equal elements |
 | sum over k of 0; an empty range | 0 | |

What is *not* done, since it may be false or hide a division by zero: x/x, 0/x, x*(1/x), sqrt(x^2), sqrt(x)^2,
(x*y)/y, (x^a)^b and x^a*x^b for other exponents, exp(log(x)), log(exp(x)); and a/b is never a*b^-1, so that
bits and text are as written.

**Long sums.** a + b + ... built two at a time costs at most kMergeLimit operands a step, because larger inner
sums are not merged; it ends as a chain of sums of about kMergeLimit operands. Terms are then collected within
each link only. Sum(span) and Product(span) make one node of any size at once, in n log n.

Threads: building changes the pool and belongs to one thread; a pool nobody builds in may be read by many. */
class ExprPool {
 public:
  static constexpr size_t kMergeLimit = 16;
  static constexpr double kExponentLimit = 2147483648.0;

  /// `hash_mask` weakens the structural hash, so that tests meet its ties.
  explicit ExprPool(uint64_t hash_mask = UINT64_MAX);
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  // ---- Symbols and functions --------------------------------------------------------------------------

  /// The symbol of this name and order, of the kind declared first; made (as a variable) where there is none.
  SymbolId DeclareSymbol(std::string_view name, int order = 0);
  /// The symbol of this name and kind, of order 0. Kinds are part of what a symbol is: models share a pool,
  /// and what is a parameter in one class may be an input in another.
  SymbolId DeclareSymbol(std::string_view name, SymbolKind kind);
  /// The symbol, if it was made before.
  std::optional<SymbolId> FindSymbol(std::string_view name, int order = 0) const;
  /// Another order of the same variable.
  SymbolId SymbolOfOrder(SymbolId symbol, int order);
  SymbolKind kind(SymbolId symbol) const { return symbols_[symbols_[symbol.index()].base.index()].kind; }
  const SymbolInfo& symbol(SymbolId symbol) const { return symbols_[symbol.index()]; }
  /// The name without derivatives: both `i` and `der(i)` are called "i".
  std::string_view SymbolName(SymbolId symbol) const { return names_.Text(symbols_[symbol.index()].name); }
  size_t symbol_count() const { return symbols_.size(); }
  /// By name, then order: the order in which symbols may be shown. Numbers inside names compare as numbers
  /// (x[2] before x[10]).
  std::strong_ordering CompareSymbols(SymbolId a, SymbolId b) const;

  const FunctionInfo& function(FunctionId function) const { return functions_[function.index()]; }
  std::string_view FunctionName(FunctionId function) const {
    return names_.Text(functions_[function.index()].name);
  }

  // ---- Leaves -----------------------------------------------------------------------------------------

  /// Not a NaN. -0 becomes 0.
  ExprId Number(double value);
  ExprId Boolean(bool value);
  ExprId True() { return Boolean(true); }
  ExprId False() { return Boolean(false); }
  ExprId Zero() const { return zero_; }
  ExprId One() const { return one_; }
  ExprId Time();
  ExprId Symbol(std::string_view name, int order = 0) { return Symbol(DeclareSymbol(name, order)); }
  ExprId Symbol(SymbolId symbol);
  ExprId Symbol(SymbolId symbol, int order) { return Symbol(SymbolOfOrder(symbol, order)); }

  // ---- Arithmetic -------------------------------------------------------------------------------------

  ExprId Add(ExprId a, ExprId b);
  ExprId Subtract(ExprId a, ExprId b) { return Add(a, Negate(b)); }
  ExprId Negate(ExprId a);
  ExprId Multiply(ExprId a, ExprId b);
  ExprId Divide(ExprId a, ExprId b);
  ExprId Power(ExprId base, ExprId exponent);
  ExprId Power(ExprId base, double exponent) { return Power(base, Number(exponent)); }
  /// One sum or product of any number of operands (0 or 1 for none).
  ExprId Sum(std::span<const ExprId> operands);
  ExprId Sum(std::initializer_list<ExprId> terms) { return Sum(std::span(terms.begin(), terms.size())); }
  ExprId Product(std::span<const ExprId> factors);
  ExprId Product(std::initializer_list<ExprId> factors) {
    return Product(std::span(factors.begin(), factors.size()));
  }

  // ---- Functions --------------------------------------------------------------------------------------

  /// sin ... ceil
  ExprId Unary(Op op, ExprId a);
  /// atan2 min max mod
  ExprId Binary(Op op, ExprId a, ExprId b);
  ExprId Sin(ExprId a) { return Unary(Op::kSin, a); }
  ExprId Cos(ExprId a) { return Unary(Op::kCos, a); }
  ExprId Exp(ExprId a) { return Unary(Op::kExp, a); }
  ExprId Log(ExprId a) { return Unary(Op::kLog, a); }
  ExprId Sqrt(ExprId a) { return Unary(Op::kSqrt, a); }
  ExprId Abs(ExprId a) { return Unary(Op::kAbs, a); }
  /// A call of something kept closed; `orders` as in FunctionInfo. See builtins.h for the names that mean
  /// something here.
  ExprId Call(std::string_view name, std::span<const ExprId> arguments,
              std::span<const uint32_t> orders = {});
  ExprId Call(std::string_view name, std::initializer_list<ExprId> arguments) {
    return Call(name, std::span(arguments.begin(), arguments.size()));
  }

  // ---- Logic ------------------------------------------------------------------------------------------

  ExprId Less(ExprId a, ExprId b) { return Relation(Op::kLess, a, b); }
  ExprId LessEqual(ExprId a, ExprId b) { return Relation(Op::kLessEqual, a, b); }
  ExprId Greater(ExprId a, ExprId b) { return Relation(Op::kLess, b, a); }
  ExprId GreaterEqual(ExprId a, ExprId b) { return Relation(Op::kLessEqual, b, a); }
  ExprId Equal(ExprId a, ExprId b) { return Relation(Op::kEqual, a, b); }
  ExprId NotEqual(ExprId a, ExprId b) { return Relation(Op::kNotEqual, a, b); }
  ExprId Relation(Op op, ExprId a, ExprId b);
  ExprId And(ExprId a, ExprId b) { return Connective(Op::kAnd, std::initializer_list<ExprId>{a, b}); }
  ExprId Or(ExprId a, ExprId b) { return Connective(Op::kOr, std::initializer_list<ExprId>{a, b}); }
  /// kAnd or kOr of any number of operands (true, false for none).
  ExprId Connective(Op op, std::span<const ExprId> operands);
  ExprId Connective(Op op, std::initializer_list<ExprId> operands) {
    return Connective(op, std::span(operands.begin(), operands.size()));
  }
  ExprId Not(ExprId a);
  ExprId If(ExprId condition, ExprId then_value, ExprId else_value);

  // ---- Arrays and loops -------------------------------------------------------------------------------

  ExprId Array(std::span<const ExprId> elements);
  ExprId Array(std::initializer_list<ExprId> elements) {
    return Array(std::span(elements.begin(), elements.size()));
  }
  /// array[i, j, ...]; the indices may be symbolic. An index that is a number out of range stays (and
  /// evaluates to NaN).
  ExprId Element(ExprId array, std::span<const ExprId> indices);
  ExprId Element(ExprId array, std::initializer_list<ExprId> indices) {
    return Element(array, std::span(indices.begin(), indices.size()));
  }
  /// Sum of `body` over loop = from, from + 1, ..., to. `loop` has kind kIndex.
  ExprId SumOver(SymbolId loop, ExprId from, ExprId to, ExprId body);

  /// A node as `like` (same operation, symbol, function) with other operands, through the constructors above.
  /// `like` is no leaf.
  ExprId Rebuild(ExprId like, std::span<const ExprId> operands);

  // ---- Reading ----------------------------------------------------------------------------------------

  Op op(ExprId id) const { return node(id).op(); }
  std::span<const ExprId> operands(ExprId id) const {
    const Node& n = node(id);
    return {n.count() <= 2 ? n.near : n.far, n.count()};
  }
  ExprId operand(ExprId id, size_t k) const { return operands(id)[k]; }
  uint64_t hash(ExprId id) const { return node(id).hash; }

  bool IsNumber(ExprId id) const { return op(id) == Op::kNumber; }
  double NumberValue(ExprId id) const { return node(id).number; }
  bool IsNumber(ExprId id, double value) const { return IsNumber(id) && NumberValue(id) == value; }
  bool IsZero(ExprId id) const { return id == zero_; }
  bool IsOne(ExprId id) const { return id == one_; }
  /// The value of a number that is an integer of at most 2^53.
  std::optional<int64_t> AsInteger(ExprId id) const;
  bool BooleanValue(ExprId id) const { return node(id).payload != 0; }
  bool IsTrue(ExprId id) const { return op(id) == Op::kBoolean && BooleanValue(id); }
  bool IsFalse(ExprId id) const { return op(id) == Op::kBoolean && !BooleanValue(id); }
  bool IsSymbol(ExprId id) const { return op(id) == Op::kSymbol; }
  /// Of a kSymbol; of a kSumOver, the loop variable.
  SymbolId SymbolOf(ExprId id) const { return SymbolId(node(id).payload); }
  FunctionId FunctionOf(ExprId id) const { return FunctionId(node(id).payload); }

  /// Whether -x is the nicer form of x: a negative number, a product with a negative coefficient, a sum whose
  /// first term in structural order is so. Exactly one of x and -x is negative, except 0 and sums too long or
  /// too nested to be negated term by term.
  bool IsNegative(ExprId id) const;

  /// The structural order of whole expressions; names and values decide, never ids. Equal only for the same
  /// node.
  std::strong_ordering Compare(ExprId a, ExprId b) const;

  size_t size() const { return node_count_; }
  /// Bytes held by nodes, operands and the table.
  size_t bytes() const;
  const ExprStatistics& statistics() const { return statistics_; }
  ExprStatistics& mutable_statistics() { return statistics_; }

 private:
  struct Node {  // 24 bytes
    Node() : number(0) {}
    Op op() const { return static_cast<Op>(op_and_count & 0xFF); }
    uint32_t count() const { return op_and_count >> 8; }

    uint64_t hash = 0;          // structural, the same in every pool
    uint32_t op_and_count = 0;  // operation in the low 8 bits, number of operands above
    uint32_t payload = 0;       // SymbolId, FunctionId or the Boolean value
    union {
      double number;      // kNumber
      ExprId near[2];     // at most two operands
      const ExprId* far;  // more, in the operand arena
    };
  };
  struct Slot {
    uint32_t hash;
    uint32_t id;
  };
  struct Term;
  struct Factor;

  static constexpr uint32_t kChunkBits = 14;

  const Node& node(ExprId id) const {
    return chunks_[id.value >> kChunkBits][id.value & ((1u << kChunkBits) - 1)];
  }

  // expr_pool.cc: the arena and the table
  ExprId Intern(Op op, uint32_t payload, uint64_t payload_hash, std::span<const ExprId> operands);
  ExprId Intern(Op op, std::span<const ExprId> operands) { return Intern(op, 0, 0, operands); }
  ExprId Intern(Op op, std::initializer_list<ExprId> operands) {
    return Intern(op, 0, 0, std::span(operands.begin(), operands.size()));
  }
  ExprId Append(Op op, uint32_t payload, uint64_t hash, std::span<const ExprId> operands, uint32_t slot_hash,
                size_t slot);
  Node& NewNode();
  ExprId* NewOperands(size_t count);
  void AllocateSlots(size_t count);
  void Grow();
  uint64_t HashOf(Op op, uint64_t payload_hash, std::span<const ExprId> operands) const;
  bool Precedes(ExprId a, ExprId b) const {
    const uint64_t ha = hash(a), hb = hash(b);
    return ha != hb ? ha < hb : Compare(a, b) < 0;
  }
  std::strong_ordering CompareShallow(ExprId a, ExprId b) const;

  // build_sum.cc
  Term SplitTerm(const ExprId& id) const;
  bool SameCore(const Term& a, const Term& b) const;
  bool TermPrecedes(const Term& a, const Term& b) const;
  ExprId ScaleCore(double coefficient, const Term& term);
  bool CanNegateTermwise(ExprId sum) const;
  ExprId NegateTermwise(ExprId sum);

  // build_product.cc
  Factor SplitFactor(ExprId id) const;
  ExprId ProductOf(std::span<const ExprId> operands, bool merge_scaled);

  FunctionId DeclareFunction(std::string_view name, std::span<const uint32_t> orders);

  std::vector<Node*> chunks_;  // 2^kChunkBits nodes each
  size_t node_count_ = 0;
  std::vector<LargeMemory> chunk_owners_;  // one or several chunks each
  std::vector<std::unique_ptr<ExprId[]>> operand_chunks_;
  ExprId* operand_next_ = nullptr;
  size_t operand_left_ = 0;
  size_t operand_bytes_ = 0;
  LargeMemory slot_owner_;
  Slot* slots_ = nullptr;  // open addressing, a power of two, at most 5/8 full
  size_t slot_mask_ = 0;   // number of slots - 1
  uint64_t hash_mask_;

  NamePool names_;
  std::vector<SymbolInfo> symbols_;
  std::vector<uint64_t> symbol_hashes_;   // by SymbolId: over name and order
  std::vector<SymbolId> symbol_of_name_;  // by NameId: order 0, or none
  std::vector<FunctionInfo> functions_;
  std::vector<uint64_t> function_hashes_;  // by FunctionId: over name and orders
  std::unordered_multimap<uint64_t, uint32_t> function_of_hash_;
  ExprStatistics statistics_;
  ExprId zero_, one_;
};

}  // namespace cotree
