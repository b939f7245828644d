// SPDX-License-Identifier: Apache-2.0
// Array literals, comprehensions and sums: every array value is kept as its element at #1, #2, ... (MO.4).
#include "expr/substitute.h"
#include "model/class_builder.h"

namespace cotree {

namespace messages = model_messages;

Value ClassBuilder::LowerArray(NodeId node) {
  std::vector<NodeId> elements;
  NodeId unit_node;
  for (const NodeId child : tree_->Children(node)) {
    if (tree_->kind(child) == NodeKind::kUnit)
      unit_node = child;
    else
      elements.push_back(child);
  }
  if (elements.empty()) {
    Report(messages::kBadSize, node, {"this array", "0"});
    return Failed();
  }
  std::vector<ExprId> exprs;
  Value out;
  for (size_t i = 0; i < elements.size(); ++i) {
    Value value = Lower(elements[i]);
    if (!value.ok) return Failed();
    if (i == 0) {
      out = value;
    } else {
      if (value.shape.size() != out.shape.size()) {
        Report(messages::kRaggedArray, elements[i]);
        return Failed();
      }
      for (size_t k = 0; k < out.shape.size(); ++k) {
        if (pool_.IsNumber(value.shape[k]) && pool_.IsNumber(out.shape[k]) &&
            value.shape[k] != out.shape[k]) {
          Report(messages::kRaggedArray, elements[i]);
          return Failed();
        }
        AddSizeCheck(SizeCheck::Kind::kEqual, value.shape[k], out.shape[k], elements[i]);
      }
      if (value.base == BaseType::kBoolean || value.base == BaseType::kEnumeration ||
          out.base == BaseType::kBoolean || out.base == BaseType::kEnumeration) {
        if (value.base != out.base) {
          Report(messages::kWrongBaseType, elements[i],
                 {TextOf(elements[i]), BaseTypeText(out.base), BaseTypeText(value.base)});
          return Failed();
        }
      } else {
        Value a = out, b = value;
        a.shape.clear();
        b.shape.clear();
        a.absolute = b.absolute = false;
        Value merged = Additive(NodeKind::kLess, elements[i], a, b, elements[0], elements[i]);
        if (!merged.ok) return Failed();
        merged.shape = out.shape;
        out = merged;
      }
    }
    exprs.push_back(value.expr);
  }
  if (!unit_node.IsNone()) {
    const UnitResult& unit = builder_.model.units.Lookup(tree_->Text(unit_node));
    if (!unit) {
      builder_.ReportUnit(*tree_, unit_node, unit.error());
      return Failed();
    }
    if (!out.bare) {
      Report(messages::kNotHere, unit_node, {"a unit", "an array whose numbers have units of their own"});
      return Failed();
    }
    for (ExprId& e : exprs) {
      if (pool_.IsNumber(e)) {
        e = pool_.Number(unit->ToSi(pool_.NumberValue(e)));
        continue;
      }
      e = pool_.Multiply(e, pool_.Number(unit->factor));
      if (unit->offset != 0) e = pool_.Add(e, pool_.Number(unit->offset));
    }
    out.bare = false;
    out.base = BaseType::kReal;
    out.dim = {unit->dimension, {}};
    out.kind = unit->kind;
    out.absolute = unit->offset != 0;
    out.unit = builder_.UnitDisplay(unit);
    WarnOfUnits(node, unit_node);
  }
  // Elements that are arrays are given in #1, ...; as rows of this one their indices move up by one.
  const size_t inner = out.shape.size();
  if (inner > 0) {
    std::vector<ExprId> moved;
    for (size_t k = 0; k < inner; ++k) moved.push_back(pool_.Symbol(builder_.IndexSymbol(k + 1)));
    for (ExprId& e : exprs) e = AtIndices(e, moved);
  }
  out.expr = pool_.Element(pool_.Array(exprs), {pool_.Symbol(builder_.IndexSymbol(0))});
  out.shape.insert(out.shape.begin(), pool_.Number(static_cast<double>(exprs.size())));
  return out;
}

// [body for i in from:to]
Value ClassBuilder::LowerComprehension(NodeId node) {
  const NodeId body_node = (*tree_)[node].first_child;
  const NodeId range_node = body_node.IsNone() ? NodeId::None() : (*tree_)[body_node].next_sibling;
  if (range_node.IsNone()) return Failed();
  const Range range = LowerRange(range_node);
  if (!range.ok) return Failed();
  const std::string_view name = tree_->Name(node);
  const SymbolId index =
      pool_.DeclareSymbol(std::string(name) + "#" + std::to_string(++loop_counter_), SymbolKind::kIndex);
  Value local = Number(0, false);
  local.expr = pool_.Symbol(index);
  local.base = BaseType::kInteger;
  locals_.push_back({builder_.Intern(name), local});
  loop_stack_.push_back({index, range.from, range.to});
  Value out = Lower(body_node);
  loop_stack_.pop_back();
  locals_.pop_back();
  if (!out.ok) return out;
  // A body that is an array itself gives the further dimensions.
  if (!out.shape.empty()) {
    std::vector<ExprId> moved;
    for (size_t k = 0; k < out.shape.size(); ++k) moved.push_back(pool_.Symbol(builder_.IndexSymbol(k + 1)));
    out.expr = AtIndices(out.expr, moved);
  }
  const ExprId step = range.step.IsNone() ? pool_.One() : range.step;
  const ExprId running = pool_.Subtract(pool_.Symbol(builder_.IndexSymbol(0)), pool_.One());
  out.expr = Substitute(pool_, out.expr, index, pool_.Add(range.from, pool_.Multiply(step, running)));
  const ExprId length = pool_.Subtract(range.to, range.from);
  out.shape.insert(out.shape.begin(),
                   pool_.Add(pool_.IsOne(step) ? length : pool_.Unary(Op::kFloor, pool_.Divide(length, step)),
                             pool_.One()));
  return out;
}

Value ClassBuilder::LowerSum(NodeId node, NodeId argument) {
  (void)node;
  Value value = Lower(argument);
  if (!value.ok) return value;
  if (!Numeric(value, argument)) return Failed();
  if (value.shape.empty()) {
    Report(messages::kArrayWanted, argument, {TextOf(argument), "one or more", "0"});
    return Failed();
  }
  std::vector<ExprId> indices;
  std::vector<SymbolId> symbols;
  for (size_t k = 0; k < value.shape.size(); ++k) {
    symbols.push_back(pool_.DeclareSymbol("#s" + std::to_string(++loop_counter_), SymbolKind::kIndex));
    indices.push_back(pool_.Symbol(symbols.back()));
  }
  ExprId body = AtIndices(value.expr, indices);
  for (size_t k = value.shape.size(); k-- > 0;)
    body = pool_.SumOver(symbols[k], pool_.One(), value.shape[k], body);
  value.expr = body;
  value.shape.clear();
  return value;
}

}  // namespace cotree
