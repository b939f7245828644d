// SPDX-License-Identifier: Apache-2.0
// The wires of a composite on the test bench, behind probe.h: which terminals are one vertex, and the two
// laws.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "library/bench_evaluate.h"

namespace cotree::test {

/** A sum of scalars that is 0. */
using LinearEquation = std::vector<std::pair<double, Scalar>>;

/** Terminals joined to vertices, with the edges between them.

A terminal has the scalars of an edge from it to the reference: its potential `p.v` with its rates, and, if it
belongs to the composite itself, `p.i`, what flows in at it from outside. */
class Network {
 public:
  struct End {
    std::string path;  // "x.p", "x.inner.p"; of a reference "electrical.ground"
    std::vector<int> indices;
    bool reference = false;
    auto operator<=>(const End&) const = default;
  };

  explicit Network(Evaluator& evaluator) : evaluator_(evaluator) {}

  /// A terminal of the composite itself.
  void AddOuter(const End& end, DomainId domain) {
    outer_.push_back(end);
    domain_[end] = domain;
  }
  void AddEdge(const Part& part, const Edge& edge) {
    const Scope scope{part, {}};
    for (const std::vector<int>& at : Elements(evaluator_.Sizes(edge.shape, scope))) {
      Link link{edge.domain, PathOf(part, edge.name), part.indices, EndOf(part, edge.from, at),
                ReferenceOf(edge.domain)};
      link.indices.insert(link.indices.end(), at.begin(), at.end());
      if (edge.to) link.to = EndOf(part, *edge.to, at);
      links_.push_back(link);
      domain_[link.from] = edge.domain;
      domain_[link.to] = edge.domain;
    }
  }
  void AddConnection(const Part& part, const Connection& connection, const Scope& scope) {
    std::vector<std::vector<End>> ends;
    size_t width = 1;
    for (uint32_t i = 0; i < connection.endpoint_count; ++i) {
      ends.push_back(EndsOf(part, part.cls->endpoints[connection.first_endpoint + i], scope));
      width = std::max(width, ends.back().size());
    }
    for (const auto& list : ends) {
      if (list.size() != 1 && list.size() != width)
        throw std::runtime_error("arrays of different sizes are joined");
    }
    for (size_t k = 0; k < width; ++k) {
      for (size_t i = 1; i < ends.size(); ++i)
        Join(ends[0][ends[0].size() == 1 ? 0 : k], ends[i][ends[i].size() == 1 ? 0 : k]);
    }
  }

  /// Across variables around circuits, for each derivative order that is in use, and through variables at
  /// vertices.
  std::vector<LinearEquation> Equations(const std::map<uint32_t, std::set<int>>& orders_in_use) const {
    std::vector<LinearEquation> equations;
    const auto orders = [&](DomainId domain) {
      const auto found = orders_in_use.find(domain.value);
      return found == orders_in_use.end() ? std::set<int>{0} : found->second;
    };
    for (const Link& link : links_) {
      for (const int order : orders(link.domain)) {
        LinearEquation e{{1, Scalar{link.path + "." + Name(link.domain, true), order, link.indices, false}}};
        for (const auto& [sign, end] : {std::pair{-1.0, link.from}, std::pair{1.0, link.to}}) {
          if (const auto potential = Potential(end, order)) e.emplace_back(sign, *potential);
        }
        equations.push_back(e);
      }
    }
    // Outer terminals that are joined directly, to another or to the reference.
    for (const End& end : outer_) {
      for (const int order : orders(domain_.at(end))) {
        const Scalar own = Across(end, order);
        const auto potential = Potential(end, order);
        if (potential == own) continue;
        equations.push_back({{1, own}});
        if (potential) equations.back().emplace_back(-1, *potential);
      }
    }
    std::map<End, LinearEquation> sums;
    const auto add = [&](const End& end, double sign, const Scalar& s) {
      const End root = Root(end);
      if (!IsReference(root)) sums[root].emplace_back(sign, s);
    };
    for (const Link& link : links_) {
      const Scalar through{link.path + "." + Name(link.domain, false), 0, link.indices, false};
      add(link.from, 1, through);
      add(link.to, -1, through);
    }
    for (const End& end : outer_) add(end, -1, Through(end));
    for (const auto& [root, sum] : sums) equations.push_back(sum);
    return equations;
  }

  /// The scalar that stands for the potential of a terminal; none: it is the reference.
  std::optional<Scalar> Potential(const End& end, int order) const {
    const End root = Root(end);
    if (IsReference(root)) return std::nullopt;
    for (const End& outer : outer_) {
      if (Root(outer) == root) return Across(outer, order);
    }
    End first = root;
    for (const auto& [other, parent] : parent_) {
      if (!other.reference && Root(other) == root) {
        first = other;
        break;
      }
    }
    Scalar s{first.path + "." + Name(domain_.at(end), true), order, first.indices, false};
    return s;
  }
  bool IsOuter(const End& end) const { return std::find(outer_.begin(), outer_.end(), end) != outer_.end(); }
  Scalar Across(const End& end, int order) const {
    return {end.path + "." + Name(domain_.at(end), true), order, end.indices, false};
  }
  Scalar Through(const End& end) const {
    return {end.path + "." + Name(domain_.at(end), false), 0, end.indices, false};
  }
  const std::vector<End>& outer() const { return outer_; }
  DomainId DomainOf(const End& end) const { return domain_.at(end); }
  bool Knows(const End& end) const { return domain_.contains(end); }

  /// All indices of an array of these sizes.
  static std::vector<std::vector<int>> Elements(const std::vector<int>& sizes) {
    std::vector<std::vector<int>> all{{}};
    for (const int n : sizes) {
      std::vector<std::vector<int>> longer;
      for (const auto& at : all) {
        for (int i = 1; i <= n; ++i) {
          longer.push_back(at);
          longer.back().push_back(i);
        }
      }
      all = longer;
    }
    return all;
  }

 private:
  struct Link {
    DomainId domain;
    std::string path;
    std::vector<int> indices;
    End from, to;
  };

  const Model& model() const { return evaluator_.model(); }
  std::string Name(DomainId domain, bool across) const {
    const Domain& d = model().domains[domain.index()];
    return model().Text(across ? d.across : d.through);
  }
  std::string PathOf(const Part& part, NameId name) const { return part.prefix + model().Text(name); }
  End ReferenceOf(DomainId domain) const {
    return {model().Text(model().domains[domain.index()].name), {}, true};
  }
  End EndOf(const Part& part, uint32_t terminal, const std::vector<int>& at) const {
    const Terminal& t = part.cls->terminals[terminal];
    End end{PathOf(part, t.name), part.indices, false};
    if (!t.shape.empty()) end.indices.insert(end.indices.end(), at.begin(), at.end());
    return end;
  }

  std::vector<End> EndsOf(const Part& part, const Endpoint& endpoint, const Scope& scope) {
    if (endpoint.kind == Endpoint::Kind::kGround) {
      domain_[ReferenceOf(DomainId(endpoint.member))] = DomainId(endpoint.member);
      return {ReferenceOf(DomainId(endpoint.member))};
    }
    Part inner = part;
    std::vector<std::vector<int>> places{{}};
    size_t subscript = endpoint.first_subscript;
    const auto widen = [&](const std::vector<int>& sizes, uint8_t given) {
      for (size_t k = 0; k < sizes.size(); ++k) {
        int from = 1, to = sizes[k], step = 1;
        if (k < given) {
          const Subscript& s = part.cls->subscripts[subscript++];
          from = evaluator_.Whole(s.from, scope);
          to = s.to.IsNone() ? from : evaluator_.Whole(s.to, scope);
          if (!s.step.IsNone()) step = evaluator_.Whole(s.step, scope);
        }
        std::vector<std::vector<int>> longer;
        for (const auto& place : places) {
          for (int i = from; step > 0 ? i <= to : i >= to; i += step) {
            longer.push_back(place);
            longer.back().push_back(i);
          }
        }
        places = longer;
      }
    };
    if (endpoint.instance != UINT32_MAX) {
      const Instance& instance = part.cls->instances[endpoint.instance];
      if (instance.shape != UINT32_MAX)
        widen(evaluator_.Sizes(part.cls->shapes[instance.shape], scope), endpoint.instance_subscripts);
      inner.prefix += model().Text(instance.name) + ".";
      inner.cls = &model()[instance.class_id];
    }
    const Terminal& terminal = inner.cls->terminals[endpoint.member];
    Part first = inner;  // sizes are those of the first element
    if (!places.empty()) first.indices.insert(first.indices.end(), places[0].begin(), places[0].end());
    widen(evaluator_.Sizes(terminal.shape, {first, {}}), endpoint.member_subscripts);
    std::vector<End> ends;
    for (const auto& place : places) {
      End end{PathOf(inner, terminal.name), part.indices, false};
      end.indices.insert(end.indices.end(), place.begin(), place.end());
      domain_[end] = terminal.domain;
      ends.push_back(end);
    }
    return ends;
  }

  End Root(End end) const {
    for (auto it = parent_.find(end); it != parent_.end() && it->second != end; it = parent_.find(end))
      end = it->second;
    return end;
  }
  void Join(const End& a, const End& b) {
    parent_.try_emplace(a, a);
    parent_.try_emplace(b, b);
    // A reference stays the root.
    const End ra = Root(a), rb = Root(b);
    if (ra == rb) return;
    if (ra.reference)
      parent_[rb] = ra;
    else
      parent_[ra] = rb;
  }
  bool IsReference(const End& root) const { return root.reference; }

  Evaluator& evaluator_;
  std::vector<End> outer_;
  std::vector<Link> links_;
  std::map<End, End> parent_;
  std::map<End, DomainId> domain_;
};

}  // namespace cotree::test
