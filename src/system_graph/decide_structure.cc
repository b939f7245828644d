// SPDX-License-Identifier: Apache-2.0
#include "expr/dependence.h"
#include "system_graph/diagnostics.h"
#include "system_graph/graph_builder.h"

namespace cotree {

namespace messages = system_graph_messages;

// The values of a parameter at the end of a path of instances, for all elements of the arrays on the way.
void GraphBuilder::Gather(const ComponentClass& cls, const Values& values, std::span<const uint32_t> path,
                          SymbolId parameter, std::vector<size_t>& sizes, std::vector<double>& out) {
  const bool first = out.empty();
  if (path.empty()) {
    for (const ArrayValue<double>& array : values.arrays) {
      if (array.symbol != parameter) continue;
      if (first) sizes.insert(sizes.end(), array.sizes.begin(), array.sizes.end());
      out.insert(out.end(), array.elements.begin(), array.elements.end());
      return;
    }
    const auto at = values.scalars.find(parameter.value);
    out.push_back(at == values.scalars.end() ? kUnknownValue : at->second);
    return;
  }
  const Instance& instance = cls.instances[path.front()];
  const ComponentClass& inner = model_[instance.class_id];
  std::vector<uint32_t> own_sizes;
  uint64_t count = 1;
  if (instance.shape != UINT32_MAX) {
    count = CountElements(model_, cls.shapes[instance.shape], values.scalars, &own_sizes, values.arrays);
    if (first) sizes.insert(sizes.end(), own_sizes.begin(), own_sizes.end());
  }
  if (count > kMostValues || out.size() > kMostValues) return;
  for (uint32_t k = 0; k < count; ++k) {
    std::vector<size_t> below;
    Gather(inner, ValuesOf(cls, path.front(), values, IndicesOf(own_sizes, k)), path.subspan(1), parameter,
           below, out);
    if (first && k == 0) sizes.insert(sizes.end(), below.begin(), below.end());
  }
}

std::shared_ptr<const GraphBuilder::Values> GraphBuilder::WithInstances(const ComponentClass& owner,
                                                                        const Values& values) {
  std::shared_ptr<Values> out;
  const auto look = [&](ExprId expr) {
    if (expr.IsNone() || pool_.IsNumber(expr)) return;
    for (const SymbolId symbol : FindSymbols(pool_, expr)) {
      if (pool_.kind(symbol) != SymbolKind::kParameter ||
          pool_.SymbolName(symbol).find('.') == std::string_view::npos)
        continue;
      const Place& place = PlaceOf(owner, symbol);
      if (!place.ok || place.instances.empty()) continue;
      if (out == nullptr) out = std::make_shared<Values>(values);
      std::vector<size_t> sizes;
      std::vector<double> elements;
      Gather(owner, values, place.instances, place.symbol, sizes, elements);
      if (!sizes.empty())
        out->arrays.push_back({symbol, std::move(sizes), std::move(elements)});
      else if (elements.size() == 1 && elements[0] == elements[0])
        out->scalars[symbol.value] = elements[0];
    }
  };
  for (const Connection& connection : owner.connections) look(connection.condition);
  for (const Association& association : owner.associations) look(association.condition);
  for (const Loop& loop : owner.loops) {
    look(loop.from);
    look(loop.to);
  }
  for (const Subscript& subscript : owner.subscripts) {
    look(subscript.from);
    look(subscript.to);
    look(subscript.step);
  }
  for (const Shape& shape : owner.shapes) {
    for (const ExprId size : shape) look(size);
  }
  return out;
}

std::optional<double> GraphBuilder::Known(const ComponentClass& owner, ExprId expr, const Values& values,
                                          const std::string& what, NodeId node) {
  if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
  const auto value = EvaluateConstant(pool_, expr, values.scalars, values.arrays, TableCalls(model_));
  if (value) return value;
  undecided_ = true;
  std::string why = "it has no value";
  for (const SymbolId symbol : FindSymbols(pool_, expr)) {
    bool known = values.scalars.count(symbol.value) > 0;
    for (const ArrayValue<double>& array : values.arrays) known = known || array.symbol == symbol;
    if (known) continue;
    why = "`" + std::string(pool_.SymbolName(symbol)) + "` " +
          (pool_.kind(symbol) == SymbolKind::kParameter ? "has no value" : "changes during a run");
    break;
  }
  diagnostics_.Report(messages::kNotDecided, model_.tree(owner.origin.tree).SpanOf(node), {what, why});
  return std::nullopt;
}

bool GraphBuilder::IndicesKnown(const ComponentClass& owner, const Connection& connection,
                                std::span<const ExprId> formulas, std::span<const double> numbers,
                                const Values& seen) {
  for (size_t k = 0; k < formulas.size(); ++k) {
    if (numbers[k] == numbers[k]) continue;
    Known(owner, formulas[k], seen, "which elements this connection means", connection.node);
    return false;
  }
  return true;
}

bool GraphBuilder::Holds(const ComponentClass& owner, ExprId condition, const Values& values, NodeId node) {
  return Known(owner, condition, values, "the condition of this connection", node).value_or(0) != 0;
}

}  // namespace cotree
