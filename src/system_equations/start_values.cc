// SPDX-License-Identifier: Apache-2.0
#include "system_equations/start_values.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "expr/evaluate.h"
#include "expr/substitute.h"
#include "system_graph/element_table.h"

namespace cotree {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class Finder {
 public:
  explicit Finder(const EquationSystem& system)
      : system_(system), model_(*system.model), pool_(model_.expressions) {}

  std::vector<StartEntry> Run(const std::vector<StartValue>* experiment);

 private:
  void Set(VariableRef ref, double value, bool fixed, bool prefer, bool given);
  double Evaluate(ExprId expr, const Part& part);
  void OfClass(const Part& part);
  void OfComposite(ComponentId composite, const std::vector<StartValue>& starts);
  void OfTarget(ComponentId composite, ExprId target, ExprId value, bool fixed);

  const EquationSystem& system_;
  Model& model_;
  ExprPool& pool_;
  std::optional<NameFinder> names_;
  std::map<std::pair<uint32_t, uint32_t>, StartEntry> found_;
  Environment<double> environment_;
};

void Finder::Set(VariableRef ref, double value, bool fixed, bool prefer, bool given) {
  if (ref.variable == UINT32_MAX) return;
  StartEntry& entry = found_[{ref.variable, ref.order}];
  const bool keep = entry.prefer;
  entry = {ref, value, fixed, prefer || keep, given};
}

double Finder::Evaluate(ExprId expr, const Part& part) {
  if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
  const ScalarElement& scalar = system_.scalars[part.scalar];
  environment_.scalars.assign(pool_.symbol_count(), kNone);
  environment_.arrays.clear();
  const auto block = system_.parameters.Of(ComponentId(part.component), scalar);
  const ComponentClass& cls = system_.graph->ClassOf(model_, ComponentId(part.component));
  for (size_t p = 0; p < scalar.parameters.size(); ++p) {
    environment_.scalars[scalar.parameters[p].symbol.index()] = block[p];
    const Parameter& parameter = cls.parameters[scalar.parameters[p].parameter];
    if (parameter.shape.empty() || scalar.parameters[p].element != 0) continue;
    ArrayValue<double> array{parameter.symbol, {}, {}};
    std::vector<uint32_t> sizes;
    CountElements(model_, parameter.shape, system_.graph->ElementOf(ComponentId(part.component)).values,
                  &sizes);
    array.sizes.assign(sizes.begin(), sizes.end());
    for (size_t q = p;
         q < scalar.parameters.size() && scalar.parameters[q].parameter == scalar.parameters[p].parameter;
         ++q)
      array.elements.push_back(block[q]);
    environment_.arrays.push_back(std::move(array));
  }
  return EvaluateDouble(pool_, expr, environment_);
}

void Finder::OfClass(const Part& part) {
  for (const ScalarElement::Start& start : system_.scalars[part.scalar].starts) {
    const VariableRef ref = system_.Resolve(part, start.variable);
    const double value = Evaluate(start.value, part);
    Set({ref.variable, ref.order + start.order}, value, start.fixed, start.prefer, true);
  }
}

void Finder::OfTarget(ComponentId composite, ExprId target, ExprId value, bool fixed) {
  std::vector<uint32_t> indices;
  ExprId symbol = target;
  bool whole = false;  // its last index runs
  if (pool_.op(target) == Op::kElement) {
    symbol = pool_.operand(target, 0);
    for (size_t k = 1; k < pool_.operands(target).size(); ++k) {
      const auto number = pool_.AsInteger(pool_.operand(target, k));
      if (!number && k + 1 == pool_.operands(target).size()) {
        whole = true;
        break;
      }
      if (!number) return;
      indices.push_back(static_cast<uint32_t>(*number));
    }
  }
  if (!pool_.IsSymbol(symbol)) return;
  const SymbolInfo info = pool_.symbol(pool_.SymbolOf(symbol));
  if (!names_) names_.emplace(model_, *system_.graph);
  size_t used = 0;
  const auto [component, rest] = names_->FollowSymbol(composite, pool_.SymbolName(info.base), indices, &used);
  if (component.IsNone()) return;
  std::string index;
  for (size_t k = used; k < indices.size(); ++k)
    index += (index.empty() ? "[" : ",") + std::to_string(indices[k]);
  if (!index.empty()) index += "]";
  std::string name(rest);
  const size_t dot = rest.find('.');
  name.insert(dot == std::string_view::npos ? name.size() : dot, index);
  const std::string owner = ComponentName(model_, *system_.graph, component);
  const std::string full = owner.empty() ? name : owner + "." + name;
  const VariableRef ref = whole ? VariableRef{} : FindVariable(system_, *names_, full);
  if (ref.variable == UINT32_MAX) {
    // A whole vector: element by element.
    for (uint32_t k = 1;; ++k) {
      const VariableRef element = FindVariable(system_, *names_, full + "[" + std::to_string(k) + "]");
      if (element.variable == UINT32_MAX) return;
      const bool listed = pool_.op(value) == Op::kArray;
      if (listed && k > pool_.operands(value).size()) return;
      const ExprId own =
          listed ? pool_.operand(value, k - 1)
                 : Substitute(pool_, value, pool_.DeclareSymbol("#1", SymbolKind::kIndex), pool_.Number(k));
      Set({element.variable, element.order + info.order}, Evaluate(own, system_.parts[composite.index()]),
          fixed, false, true);
    }
  }
  Set({ref.variable, ref.order + info.order}, Evaluate(value, system_.parts[composite.index()]), fixed, false,
      true);
}

void Finder::OfComposite(ComponentId composite, const std::vector<StartValue>& starts) {
  const SystemGraph& graph = *system_.graph;
  const ComponentClass& cls = graph.ClassOf(model_, composite);
  for (const StartValue& start : starts) {
    // Among the arguments of an array of instances the target runs over #1, #2, ...
    std::vector<uint32_t> sizes;
    if (start.instance != UINT32_MAX && cls.instances[start.instance].shape != UINT32_MAX)
      CountElements(model_, cls.shapes[cls.instances[start.instance].shape],
                    graph.ElementOf(composite).values, &sizes);
    uint64_t total = 1;
    for (const uint32_t s : sizes) total *= s;
    if (sizes.empty()) {
      OfTarget(composite, start.target, start.value, start.fixed);
      continue;
    }
    for (uint64_t k = 0; k < total; ++k) {
      std::vector<Replacement> at;
      uint64_t rest = k;
      for (size_t d = sizes.size(); d-- > 0;) {
        at.emplace_back(pool_.DeclareSymbol("#" + std::to_string(d + 1), SymbolKind::kIndex),
                        pool_.Number(static_cast<double>(rest % sizes[d] + 1)));
        rest /= sizes[d];
      }
      OfTarget(composite, Substitute(pool_, start.target, at), Substitute(pool_, start.value, at),
               start.fixed);
    }
  }
}

std::vector<StartEntry> Finder::Run(const std::vector<StartValue>* experiment) {
  for (const Part& part : system_.parts) {
    if (!system_.scalars[part.scalar].starts.empty()) OfClass(part);
  }
  // Inner composites first: what is said further outside counts more.
  for (size_t i = system_.graph->components.size(); i-- > 0;) {
    const ComponentId id(i);
    if (!system_.graph->ElementOf(id).composite) continue;
    const ComponentClass& cls = system_.graph->ClassOf(model_, id);
    if (!cls.starts.empty()) OfComposite(id, cls.starts);
  }
  if (experiment != nullptr) OfComposite(ComponentId(0), *experiment);
  std::vector<StartEntry> out;
  for (const auto& [key, entry] : found_) {
    if (entry.value == entry.value) out.push_back(entry);
  }
  return out;
}

}  // namespace

std::vector<StartEntry> FindStarts(const EquationSystem& system, const std::vector<StartValue>* experiment) {
  return Finder(system).Run(experiment);
}

}  // namespace cotree
