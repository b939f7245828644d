// SPDX-License-Identifier: Apache-2.0
#include "system_graph/build_system_graph.h"

#include <algorithm>

#include "system_graph/diagnostics.h"
#include "system_graph/graph_builder.h"

namespace cotree {

namespace messages = system_graph_messages;

GraphBuilder::GraphBuilder(Model& model, ClassId system, Diagnostics& diagnostics, const GraphLimits& limits,
                           KnownElements* known)
    : model_(model),
      pool_(model.expressions),
      diagnostics_(diagnostics),
      limits_(limits),
      table_(model, graph_.elements, limits.most, known) {
  graph_.system = system;
  for (size_t k = 0; k < 8; ++k)
    index_symbols_.push_back(pool_.DeclareSymbol("#" + std::to_string(k + 1), SymbolKind::kIndex));
  domain_order_.resize(model.domains.size());
  std::vector<uint32_t> by_name(model.domains.size());
  for (uint32_t d = 0; d < by_name.size(); ++d) by_name[d] = d;
  std::sort(by_name.begin(), by_name.end(), [&](uint32_t a, uint32_t b) {
    return CompareNames(model.names.Text(model.domains[a].name), model.names.Text(model.domains[b].name)) < 0;
  });
  for (uint32_t k = 0; k < by_name.size(); ++k) domain_order_[by_name[k]] = k;
  domains_by_name_ = std::move(by_name);
}

SystemGraph GraphBuilder::Run(std::vector<SystemSetting> settings) {
  Values values;
  for (const SystemSetting& s : settings) Give(model_[graph_.system], s, values);
  graph_.settings = std::move(settings);
  Complete(model_[graph_.system], values);
  AddComponent(ElementOf(graph_.system, values.scalars), UINT32_MAX, 0);
  pending_.push_back({ComponentId(0), std::make_shared<Values>(std::move(values))});
  joints_.Grow(model_.domains.size());
  while (!pending_.empty() && !too_large_) {
    const Pending next = pending_.front();
    pending_.pop_front();
    Expand(next.component, next.values);
  }
  if (!too_large_) {
    ResolveLater();
    Number();
  }
  graph_.refused = too_large_ || undecided_;
  graph_.components.shrink_to_fit();
  return std::move(graph_);
}

void GraphBuilder::Expand(ComponentId parent, const std::shared_ptr<const Values>& given) {
  const ComponentClass& owner = model_[graph_.ElementOf(parent).class_id];
  places_.clear();
  const std::shared_ptr<const Values> more = WithInstances(owner, *given);
  const std::shared_ptr<const Values>& shared = more != nullptr ? more : given;
  const Values& values = *shared;
  std::vector<NameId> names;
  names.reserve(owner.instances.size());
  for (const Instance& instance : owner.instances) names.push_back(instance.name);
  first_of_.assign(owner.instances.size(), UINT32_MAX);
  const std::vector<uint32_t> order = OrderOfNames(model_.names, names);
  ReserveComponents(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const uint32_t index = order[k];
    // The text may have any order: what comes soon is fetched now.
    if (k + 16 < order.size()) __builtin_prefetch(&owner.instances[order[k + 16]]);
    if (!owner.instances[index].class_id.IsNone()) AddInstance(parent, owner, index, values);
    if (too_large_) {
      auto& report = diagnostics_.Report(messages::kTooLarge,
                                         model_.tree(owner.origin.tree).SpanOf(owner.instances[index].node),
                                         {model_.Text(owner.instances[index].name)});
      report.Note("with it the system has more than " + std::to_string(limits_.most) +
                  " components, terminals or signals" + limits_.reason);
      return;
    }
  }
  joints_.Grow(model_.domains.size() + terminals_);
  graph_.connected.resize(terminals_, false);
  graph_.drivers.resize(inputs_);
  driver_node_.resize(inputs_);
  for (const Connection& connection : owner.connections) {
    FetchAhead(owner, connection);
    // A condition may depend on the loops around it; then each turn decides.
    if (!connection.condition.IsNone() && connection.loops.count == 0 &&
        !Holds(owner, connection.condition, values, connection.node))
      continue;
    if (connection.signal)
      Wire(parent, owner, connection, values);
    else
      Join(parent, owner, connection, values);
    if (turns_ > limits_.most && !too_large_) {
      too_large_ = true;
      const SyntaxTree& tree = model_.tree(owner.origin.tree);
      diagnostics_
          .Report(messages::kTooLarge, tree.SpanOf(connection.node),
                  {std::string(tree.Text(connection.node))})
          .Note("the loops around connections have more than " + std::to_string(limits_.most) + " turns");
    }
    if (too_large_) return;
  }
  if (!owner.associations.empty()) with_associations_.push_back({parent, shared});
}

SystemGraph BuildSystemGraph(Model& model, ClassId system, Diagnostics& diagnostics,
                             const GraphLimits& limits, std::vector<SystemSetting> settings,
                             KnownElements* known) {
  return GraphBuilder(model, system, diagnostics, limits, known).Run(std::move(settings));
}

}  // namespace cotree
