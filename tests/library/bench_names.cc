// SPDX-License-Identifier: Apache-2.0
// Names on the test bench: texts of scalars, and scalars of texts.
#include <sstream>

#include "library/probe_bench.h"

namespace cotree::test {

std::string Probe::Bench::NumberText(double value) {
  std::ostringstream out;
  out.precision(12);
  out << value;
  return out.str();
}

std::string Probe::Bench::Text(const Scalar& s) const {
  std::string path = s.path;
  int order = s.order;
  if (path.rfind(part_.prefix, 0) == 0) path = path.substr(part_.prefix.size());
  const auto rename = [&](NameId owner, DomainId domain) {
    const Domain& d = model_.domains[domain.index()];
    const NameId rate = order == 0                              ? NameId::None()
                        : order == 1 || d.acceleration.IsNone() ? d.rate
                                                                : d.acceleration;
    if (path != model_.Text(owner) + "." + model_.Text(d.across) || rate.IsNone()) return;
    order -= rate == d.rate ? 1 : 2;
    path = model_.Text(owner) + "." + model_.Text(rate);
  };
  for (const Edge& edge : part_.cls->edges) rename(edge.name, edge.domain);
  for (const Terminal& terminal : part_.cls->terminals) rename(terminal.name, terminal.domain);
  std::string text = path + IndexText(s.indices);
  for (int k = 0; k < order; ++k) text = "der(" + text + ")";
  return s.before ? "pre(" + text + ")" : text;
}

std::string Probe::Bench::ValuesText() const {
  std::string text;
  for (const auto* values : {&set_, &solved_}) {
    for (const auto& [scalar, value] : *values)
      text += "  " + Text(scalar) + " = " + NumberText(value) + (values == &set_ ? "  (set)\n" : "\n");
  }
  return text;
}

void Probe::Bench::UnknownName(const std::string& name) const {
  std::string known;
  const auto add = [&](const std::string& n) { known += (known.empty() ? "" : ", ") + n; };
  for (const Variable& v : part_.cls->variables) add(model_.Text(v.name));
  for (const Edge& e : part_.cls->edges) {
    const Domain& d = model_.domains[e.domain.index()];
    for (const NameId n : {d.across, d.rate, d.acceleration, d.through}) {
      if (!n.IsNone()) add(model_.Text(e.name) + "." + model_.Text(n));
    }
  }
  for (const Network::End& end : network_.outer()) {
    add(Text(network_.Across(end, 0)));
    add(Text(network_.Through(end)));
  }
  for (const std::string& call : calls_) add(call);
  throw std::runtime_error(use_ + " has no `" + name + "`, or it is indexed wrongly; its variables are " +
                           known);
}

std::vector<Probe::Bench::Segment> Probe::Bench::Segments(const std::string& name) const {
  std::vector<Segment> segments(1);
  size_t i = 0;
  while (i < name.size()) {
    const char c = name[i];
    if (c == '.') {
      segments.emplace_back();
      ++i;
    } else if (c == '[') {
      do {
        size_t length = 0;
        try {
          segments.back().indices.push_back(std::stoi(name.substr(i + 1), &length));
        } catch (const std::logic_error&) {
          UnknownName(name);
        }
        i += 1 + length;
      } while (i < name.size() && name[i] == ',');
      if (i >= name.size() || name[i] != ']') UnknownName(name);
      ++i;
    } else {
      segments.back().name += c;
      ++i;
    }
  }
  return segments;
}

void Probe::Bench::Append(std::vector<int>& indices, const std::vector<int>& own,
                          const std::vector<int>& sizes, const std::string& name) const {
  if (own.size() != sizes.size()) UnknownName(name);
  for (size_t k = 0; k < own.size(); ++k) {
    if (own[k] < 1 || own[k] > sizes[k]) UnknownName(name);
  }
  indices.insert(indices.end(), own.begin(), own.end());
}

Part Probe::Bench::Descend(std::vector<Segment>& segments, const std::string& name) {
  Part part = part_;
  while (segments.size() > 1) {
    const Instance* instance = evaluator_.FindInstance(*part.cls, segments[0].name);
    if (instance == nullptr) break;
    const Shape shape = instance->shape == UINT32_MAX ? Shape{} : part.cls->shapes[instance->shape];
    const std::vector<int> sizes = evaluator_.Sizes(shape, {part, {}});
    Append(part.indices, segments[0].indices, sizes, name);
    part.prefix += segments[0].name + ".";
    part.cls = &model_[instance->class_id];
    segments.erase(segments.begin());
  }
  return part;
}

std::optional<double> Probe::Bench::ParameterNamed(const std::string& name) {
  if (name.find('(') != std::string::npos) return std::nullopt;
  std::vector<Segment> segments = Segments(name);
  const Part part = Descend(segments, name);
  if (segments.size() != 1) return std::nullopt;
  for (const Parameter& p : part.cls->parameters) {
    if (model_.Text(p.name) != segments[0].name) continue;
    std::vector<int> indices = part.indices;
    Append(indices, segments[0].indices, evaluator_.Sizes(p.shape, {part, {}}), name);
    return evaluator_.Parameter(part.prefix + segments[0].name, indices);
  }
  return std::nullopt;
}

Scalar Probe::Bench::Resolve(const std::string& name) {
  if (name == "time") return {"time", 0, {}, false};
  if (calls_.contains(name)) return {part_.prefix + name, 0, {}, false};
  const auto inside = [&](const char* word) -> std::optional<std::string> {
    const std::string head = std::string(word) + "(";
    if (name.rfind(head, 0) != 0 || name.back() != ')') return std::nullopt;
    return name.substr(head.size(), name.size() - head.size() - 1);
  };
  if (const auto inner = inside("der")) {
    Scalar scalar = Resolve(*inner);
    ++scalar.order;
    return scalar;
  }
  if (const auto inner = inside("pre")) {
    Scalar scalar = Resolve(*inner);
    scalar.before = true;
    return scalar;
  }
  std::vector<Segment> segments = Segments(name);
  const Part part = Descend(segments, name);
  Scalar out{part.prefix, 0, part.indices, false};
  const Scope scope{part, {}};
  if (segments.size() == 1) {
    for (const Variable& v : part.cls->variables) {
      if (model_.Text(v.name) != segments[0].name) continue;
      out.path += segments[0].name;
      Append(out.indices, segments[0].indices, evaluator_.Sizes(v.shape, scope), name);
      return out;
    }
    // The name of the only edge may be left out.
    if (part.cls->edges.size() == 1)
      segments.insert(segments.begin(), Segment{model_.Text(part.cls->edges[0].name), {}});
  }
  if (segments.size() != 2) UnknownName(name);
  for (const Edge& edge : part.cls->edges) {
    if (model_.Text(edge.name) != segments[0].name) continue;
    const Domain& d = model_.domains[edge.domain.index()];
    const std::string& variable = segments[1].name;
    const bool through = variable == model_.Text(d.through);
    if (variable == model_.Text(d.rate) && !d.rate.IsNone())
      out.order = 1;
    else if (variable == model_.Text(d.acceleration) && !d.acceleration.IsNone())
      out.order = 2;
    else if (!through && variable != model_.Text(d.across))
      UnknownName(name);
    out.path += segments[0].name + "." + model_.Text(through ? d.through : d.across);
    std::vector<int> own = segments[0].indices;
    own.insert(own.end(), segments[1].indices.begin(), segments[1].indices.end());
    Append(out.indices, own, evaluator_.Sizes(edge.shape, scope), name);
    return out;
  }
  if (const auto terminal = TerminalNamed(part, segments)) return *terminal;
  UnknownName(name);
}

std::optional<Scalar> Probe::Bench::TerminalNamed(const Part& part, const std::vector<Segment>& segments) {
  Network::End end{part.prefix + segments[0].name, part.indices, false};
  end.indices.insert(end.indices.end(), segments[0].indices.begin(), segments[0].indices.end());
  if (!network_.Knows(end)) return std::nullopt;
  const Domain& d = model_.domains[network_.DomainOf(end).index()];
  const std::string& variable = segments[1].name;
  if (network_.IsOuter(end) && variable == model_.Text(d.through)) return network_.Through(end);
  const int order = variable == model_.Text(d.across)                                     ? 0
                    : !d.rate.IsNone() && variable == model_.Text(d.rate)                 ? 1
                    : !d.acceleration.IsNone() && variable == model_.Text(d.acceleration) ? 2
                                                                                          : -1;
  if (order < 0) return std::nullopt;
  return network_.IsOuter(end) ? network_.Across(end, order) : network_.Potential(end, order);
}

}  // namespace cotree::test
