// SPDX-License-Identifier: Apache-2.0
// The equations of the component on the test bench, and what they read.
#include <algorithm>

#include "expr/differentiate.h"
#include "library/probe_bench.h"

namespace cotree::test {

bool Probe::Bench::IsWired(const ComponentClass& cls) {
  return cls.IsComposite() || std::any_of(cls.connections.begin(), cls.connections.end(),
                                          [](const Connection& c) { return !c.signal; });
}

void Probe::Bench::TakeApart(const Part& part) {
  const Scope scope{part, {}};
  parts_.push_back(part);
  for (const Instance& instance : part.cls->instances) {
    const Shape shape = instance.shape == UINT32_MAX ? Shape{} : part.cls->shapes[instance.shape];
    for (const std::vector<int>& at : Network::Elements(evaluator_.Sizes(shape, scope))) {
      Part inner{&model_[instance.class_id], part.prefix + model_.Text(instance.name) + ".", part.indices};
      inner.indices.insert(inner.indices.end(), at.begin(), at.end());
      TakeApart(inner);
    }
  }
  for (const Equation& e : part.cls->equations) {
    if (e.initial) continue;
    evaluator_.ForEach(*part.cls, e.loops, scope, [&](const Scope& at) {
      rows_.push_back({e.left, e.right, at, {}, {}});
    });
    FindCalls(e.left);
    FindCalls(e.right);
  }
  for (const WhenClause& w : part.cls->whens) {
    evaluator_.ForEach(*part.cls, w.loops, scope, [&](const Scope& at) { whens_.push_back({&w, at}); });
    FindCalls(w.condition);
    for (const WhenAction& a : w.actions) FindCalls(a.value);
  }
  if (!wired_) return;
  for (const Edge& edge : part.cls->edges) network_.AddEdge(part, edge);
  for (const Connection& c : part.cls->connections) {
    evaluator_.ForEach(*part.cls, c.loops, scope, [&](const Scope& at) {
      if (!c.condition.IsNone() && evaluator_.Evaluate(c.condition, at).value == 0) return;
      if (!c.signal) return network_.AddConnection(part, c, at);
      const ExprId source = part.cls->endpoints[c.first_endpoint].expression;
      for (uint32_t i = 1; i < c.endpoint_count; ++i)
        AddSignal(part.cls->endpoints[c.first_endpoint + i].expression, source, at);
    });
  }
  for (const Association& a : part.cls->associations) {
    evaluator_.ForEach(*part.cls, a.loops, scope,
                       [&](const Scope& at) { AddSignal(a.exogenous.expression, a.value, at); });
  }
}

void Probe::Bench::AddSignal(ExprId input, ExprId source, const Scope& scope) {
  std::vector<std::pair<SymbolId, int>> running;
  if (pool_.op(input) == Op::kElement) {
    const Scalar whole = evaluator_.ScalarOf(pool_.operand(input, 0), scope, {});
    const std::vector<int> sizes = SizesOf(whole.path, scope.part);
    for (size_t k = 1; k < pool_.operands(input).size(); ++k) {
      const ExprId index = pool_.operand(input, k);
      const bool own = pool_.IsSymbol(index) && pool_.SymbolName(pool_.SymbolOf(index))[0] == '#' &&
                       !scope.locals.contains(pool_.SymbolOf(index).value);
      if (own) running.emplace_back(pool_.SymbolOf(index), sizes.at(k - 1));
    }
  }
  std::vector<int> sizes;
  for (const auto& [symbol, size] : running) sizes.push_back(size);
  for (const std::vector<int>& at : Network::Elements(sizes)) {
    Scope inner = scope;
    for (size_t k = 0; k < at.size(); ++k) inner.locals[running[k].first.value] = at[k];
    rows_.push_back({input, source, inner, {}, {}});
  }
}

std::vector<int> Probe::Bench::SizesOf(const std::string& path, Part part) {
  std::vector<int> all;
  size_t begin = part.prefix.size();
  for (size_t dot = path.find('.', begin); dot != std::string::npos; dot = path.find('.', begin)) {
    const Instance* instance = evaluator_.FindInstance(*part.cls, path.substr(begin, dot - begin));
    if (instance == nullptr) break;
    if (instance->shape != UINT32_MAX) {
      const std::vector<int> sizes = evaluator_.Sizes(part.cls->shapes[instance->shape], {part, {}});
      all.insert(all.end(), sizes.begin(), sizes.end());
      part.indices.insert(part.indices.end(), sizes.size(), 1);
    }
    part.prefix = path.substr(0, dot + 1);
    part.cls = &model_[instance->class_id];
    begin = dot + 1;
  }
  for (const Variable& v : part.cls->variables) {
    if (model_.Text(v.name) != path.substr(begin)) continue;
    const std::vector<int> sizes = evaluator_.Sizes(v.shape, {part, {}});
    all.insert(all.end(), sizes.begin(), sizes.end());
  }
  return all;
}

void Probe::Bench::AddNetworkEquations() {
  for (const Terminal& t : part_.cls->terminals) {
    for (const std::vector<int>& at : Network::Elements(evaluator_.Sizes(t.shape, {part_, {}})))
      network_.AddOuter({part_.prefix + model_.Text(t.name), at, false}, t.domain);
  }
  // The derivative orders in which each domain's across variables are spoken of.
  std::map<uint32_t, std::set<int>> orders;
  const std::set<Scalar> reads = AllReads();
  for (const Part& part : parts_) {
    for (const Edge& edge : part.cls->edges) {
      const std::string path = part.prefix + model_.Text(edge.name) + "." +
                               model_.Text(model_.domains[edge.domain.index()].across);
      for (const Scalar& s : reads) {
        if (s.path == path) orders[edge.domain.value].insert(s.order);
      }
    }
  }
  for (const LinearEquation& sum : network_.Equations(orders))
    rows_.push_back({{}, {}, {part_, {}}, sum, {}});
  AddDerivatives();
}

void Probe::Bench::AddDerivatives() {
  ExprPool& pool = loaded_->model.expressions;
  size_t begin = 0;
  for (int order = 1; order <= 2; ++order) {
    const size_t end = rows_.size();
    for (size_t i = begin; i < end; ++i) {
      if (!rows_[i].sum.empty()) continue;
      const std::set<Scalar> spoken = AllReads();
      Row row{
          TimeDerivative(pool, rows_[i].left), TimeDerivative(pool, rows_[i].right), rows_[i].scope, {}, {}};
      std::set<Scalar> reads;
      FindReads(row, reads);
      if (std::any_of(reads.begin(), reads.end(),
                      [&](const Scalar& s) { return s.order == order && spoken.contains(s); }))
        rows_.push_back(row);
    }
    begin = end;
  }
}

std::set<Scalar> Probe::Bench::AllReads() {
  std::set<Scalar> reads;
  for (const Row& row : rows_) FindReads(row, reads);
  return reads;
}

void Probe::Bench::FindReads(const Row& row, std::set<Scalar>& reads) {
  for (const auto& [factor, scalar] : row.sum) reads.insert(scalar);
  if (!row.sum.empty()) return;
  FindReads(row.left, row.scope, {}, reads);
  FindReads(row.right, row.scope, {}, reads);
}

std::pair<Slope, Slope> Probe::Bench::Sides(const Row& row) {
  if (row.sum.empty())
    return {evaluator_.Evaluate(row.left, row.scope), evaluator_.Evaluate(row.right, row.scope)};
  Slope sum;
  for (const auto& [factor, scalar] : row.sum) sum = sum + Slope{factor, 0} * Read(scalar);
  return {sum, {}};
}

void Probe::Bench::FindCalls(ExprId id) {
  if (pool_.op(id) == Op::kCall) {
    const std::string name(pool_.FunctionName(pool_.FunctionOf(id)));
    if (name == "delay") calls_.insert("delay(" + PrintText(pool_, pool_.operand(id, 0)) + ")");
    if (name == "sample" || name == "initial" || name == "terminal" || name == "edge" || name == "change")
      calls_.insert(PrintText(pool_, id));
  }
  for (const ExprId operand : pool_.operands(id)) FindCalls(operand);
}

Slope Probe::Bench::Read(const Scalar& s) const {
  double slope = 0;
  if (const auto seed = seeds_.find(s); seed != seeds_.end()) slope = seed->second;
  for (const auto* values : {&set_, &solved_}) {
    if (const auto found = values->find(s); found != values->end()) return {found->second, slope};
  }
  if (s.path == "time") return {0, slope};
  throw NoValue(s);
}

void Probe::Bench::FindReads(ExprId id, const Scope& scope, std::vector<int> indices, std::set<Scalar>& out) {
  const Op op = pool_.op(id);
  if (op == Op::kSymbol) {
    const SymbolId symbol = pool_.SymbolOf(id);
    if (scope.locals.contains(symbol.value) || pool_.kind(symbol) == SymbolKind::kParameter) return;
    out.insert(evaluator_.ScalarOf(id, scope, indices));
    return;
  }
  if (op == Op::kElement) {
    std::vector<int> own;
    for (size_t k = 1; k < pool_.operands(id).size(); ++k) {
      try {
        own.push_back(evaluator_.Whole(pool_.operand(id, k), scope));
      } catch (const NoValue& e) {
        throw std::runtime_error("set " + Text(e.scalar) + ": it is an index");
      }
    }
    own.insert(own.end(), indices.begin(), indices.end());
    return FindReads(pool_.operand(id, 0), scope, own, out);
  }
  if (op == Op::kArray && !indices.empty()) {
    const auto first = static_cast<size_t>(indices[0]);
    indices.erase(indices.begin());
    if (first < 1 || first > pool_.operands(id).size()) throw std::runtime_error("index out of range");
    return FindReads(pool_.operand(id, first - 1), scope, indices, out);
  }
  if (op == Op::kIf) {
    if (const auto condition = evaluator_.Try(pool_.operand(id, 0), scope))
      return FindReads(pool_.operand(id, *condition != 0 ? 1 : 2), scope, indices, out);
    FindReads(pool_.operand(id, 0), scope, {}, out);
    FindReads(pool_.operand(id, 1), scope, indices, out);
    FindReads(pool_.operand(id, 2), scope, indices, out);
    return;
  }
  if (op == Op::kSumOver) {
    const int from = evaluator_.Whole(pool_.operand(id, 0), scope),
              to = evaluator_.Whole(pool_.operand(id, 1), scope);
    Scope inner = scope;
    for (int i = from; i <= to; ++i) {
      inner.locals[pool_.SymbolOf(id).value] = i;
      FindReads(pool_.operand(id, 2), inner, indices, out);
    }
    return;
  }
  if (op == Op::kCall) {
    const std::string name(pool_.FunctionName(pool_.FunctionOf(id)));
    if (name == "pre" || name == "delay") {
      out.insert(evaluator_.ScalarOfCall(id, scope));
      return;
    }
    if (name == "sample" || name == "initial" || name == "terminal" || name == "edge" || name == "change")
      return;
  }
  for (const ExprId operand : pool_.operands(id)) FindReads(operand, scope, indices, out);
}

std::set<Scalar> Probe::Bench::FindUnknowns() {
  Forget();
  std::set<Scalar> unknowns;
  for (Row& row : rows_) {
    row.reads.clear();
    FindReads(row, row.reads);
    for (const Scalar& s : row.reads) {
      if (!set_.contains(s) && s.path != "time") unknowns.insert(s);
    }
  }
  return unknowns;
}

std::string Probe::Bench::EquationText(const Row& row) const {
  if (!row.sum.empty()) {
    std::string sum;
    for (const auto& [factor, scalar] : row.sum)
      sum += (factor < 0 ? (sum.empty() ? "-" : " - ") : (sum.empty() ? "" : " + ")) + Text(scalar);
    return sum + " = 0";
  }
  std::string text = PrintText(pool_, row.left) + " = " + PrintText(pool_, row.right);
  std::string loops;
  for (const auto& [symbol, value] : row.scope.locals)
    loops += (loops.empty() ? "" : ", ") + std::string(pool_.SymbolName(SymbolId(symbol))) + " = " +
             NumberText(value);
  return loops.empty() ? text : text + "  (" + loops + ")";
}

std::string Probe::Bench::SituationText(const std::set<Scalar>& unknowns) const {
  std::string text = "\n  unknown: " + ListOf(unknowns) + "\n  set: ";
  std::vector<Scalar> given;
  for (const auto& [scalar, value] : set_) given.push_back(scalar);
  text += ListOf(given) + "\n  equations:\n";
  for (const Row& row : rows_) text += "    " + EquationText(row) + "\n";
  return text;
}

}  // namespace cotree::test
