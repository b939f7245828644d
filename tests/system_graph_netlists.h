// SPDX-License-Identifier: Apache-2.0
// Random netlists as plain data, their text, and what their graph and its findings must be: by searching, not
// by the algorithms of the program.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "system_graph_parts.h"

namespace cotree::test {

/** Where a connection ends: a terminal of a part, or (part = -1) the reference of domain number `terminal`.
 */
struct End {
  int part = -1, terminal = 0;
  friend auto operator<=>(const End&, const End&) = default;
};

struct Part {
  std::string name;
  const PartClass* cls;
};

inline const std::vector<std::string>& DomainNames() {
  static const std::vector<std::string> names{"electrical", "rotational", "translational"};
  return names;
}

/** A netlist: parts, and connections between their terminals. */
struct Netlist {
  std::vector<Part> parts;
  std::vector<std::vector<End>> connections;

  std::string EndName(const End& end) const {
    if (end.part < 0) return DomainNames()[static_cast<size_t>(end.terminal)] + ".ground";
    const Part& part = parts[static_cast<size_t>(end.part)];
    return part.name + "." + part.cls->terminals[static_cast<size_t>(end.terminal)];
  }
  /// The lines of the system in the order given, or in another one.
  std::string Text(std::mt19937* shuffle = nullptr) const {
    std::vector<std::string> lines;
    for (const Part& part : parts) {
      std::string line = part.name + " : " + part.cls->name;
      if (!part.cls->arguments.empty()) line += "(" + part.cls->arguments + ")";
      lines.push_back(line);
      if (part.cls->input_unit.empty()) continue;
      lines.push_back("u_" + part.name + " : Constant(k = 1 " + part.cls->input_unit + ")");
      lines.push_back("connect u_" + part.name + ".y -> " + part.name + ".u");
    }
    for (std::vector<End> ends : connections) {
      if (shuffle != nullptr) std::shuffle(ends.begin(), ends.end(), *shuffle);
      std::string line = "connect ";
      for (size_t k = 0; k < ends.size(); ++k) line += (k > 0 ? " -- " : "") + EndName(ends[k]);
      lines.push_back(line);
    }
    if (shuffle != nullptr) std::shuffle(lines.begin(), lines.end(), *shuffle);
    std::string text = "system Random {\n";
    for (const std::string& line : lines) text += "  " + line + "\n";
    return text + "}\n";
  }
};

/** A netlist of 3 to 40 parts in a few nets, with whatever faults that brings. */
inline Netlist RandomNetlist(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  const auto chance = [&](double p) { return std::uniform_real_distribution<double>(0, 1)(random) < p; };
  Netlist netlist;
  const size_t count = 3 + below(38);
  const bool electrical = seed % 4 == 1;  // no mechanics
  std::vector<const PartClass*> classes;
  for (const PartClass& cls : PartClasses()) {
    if (!electrical || cls.domain == "electrical") classes.push_back(&cls);
  }
  static const std::vector<std::string> stems{"r", "x2y", "R", "part_", "a1b", "z"};
  std::set<std::string> taken;
  while (netlist.parts.size() < count) {
    const std::string name = stems[below(stems.size())] + std::to_string(below(120));
    if (taken.insert(name).second) netlist.parts.push_back({name, classes[below(classes.size())]});
  }
  const double dangling = chance(0.5) ? 0 : 0.04;
  for (size_t d = 0; d < DomainNames().size(); ++d) {
    std::vector<End> ends;
    for (size_t p = 0; p < netlist.parts.size(); ++p) {
      for (size_t t = 0; t < netlist.parts[p].cls->terminals.size(); ++t) {
        if (netlist.parts[p].cls->DomainOf(static_cast<int>(t)) == DomainNames()[d] && !chance(dangling))
          ends.push_back({static_cast<int>(p), static_cast<int>(t)});
      }
    }
    if (ends.empty()) continue;
    std::shuffle(ends.begin(), ends.end(), random);
    const size_t nets = 1 + ends.size() / 8 + below(std::max<size_t>(1, ends.size() / (chance(0.5) ? 2 : 3)));
    std::vector<std::vector<End>> members(nets);
    for (size_t k = 0; k < ends.size(); ++k) members[below(nets)].push_back(ends[k]);
    if (chance(0.8)) members[below(nets)].push_back({-1, static_cast<int>(d)});
    if (chance(0.3)) members[below(nets)].push_back({-1, static_cast<int>(d)});
    for (std::vector<End>& net : members) {
      std::shuffle(net.begin(), net.end(), random);
      std::set<End> distinct(net.begin(), net.end());
      if (distinct.size() < 2) continue;
      net.assign(distinct.begin(), distinct.end());
      std::shuffle(net.begin(), net.end(), random);
      if (chance(0.5)) {
        netlist.connections.push_back(net);
      } else {  // a random tree of pairs, and one pair more
        for (size_t k = 1; k < net.size(); ++k) netlist.connections.push_back({net[k], net[below(k)]});
        if (net.size() > 2) netlist.connections.push_back({net[0], net[net.size() - 1]});
      }
    }
  }
  return netlist;
}

/** What the graph of a netlist must be, found by breadth-first search. */
class NetlistReference {
 public:
  struct Edge {
    std::string component, name;  // "r1", "r1" or "t1.primary"
    const PartEdge* is;
    std::string domain;
    int from, to;  // nets
  };
  /** A finding: its code and sets of names that its message lists. */
  struct Finding {
    int code;
    std::vector<std::set<std::string>> names;
    friend auto operator<=>(const Finding&, const Finding&) = default;
  };

  explicit NetlistReference(const Netlist& netlist) : netlist_(netlist) {
    std::map<End, std::vector<End>> joined;
    for (const auto& ends : netlist.connections) {
      for (const End& a : ends) {
        if (a.part >= 0) connected_.insert(a);
        for (const End& b : ends) joined[a].push_back(b);
      }
    }
    for (size_t p = 0; p < netlist.parts.size(); ++p) {
      const PartClass& cls = *netlist.parts[p].cls;
      if (cls.grounds < 0) continue;
      const End terminal{static_cast<int>(p), cls.grounds}, ground{-1, DomainNumber(cls.domain)};
      joined[terminal].push_back(ground);
      joined[ground].push_back(terminal);
    }
    const auto spread = [&](const End& start) {
      if (net_of_.contains(start)) return;
      const int net = nets_++;
      std::deque<End> queue{start};
      net_of_[start] = net;
      while (!queue.empty()) {
        const End at = queue.front();
        queue.pop_front();
        for (const End& next : joined[at]) {
          if (net_of_.try_emplace(next, net).second) queue.push_back(next);
        }
      }
    };
    for (int d = 0; d < 3; ++d) spread({-1, d});
    for (size_t p = 0; p < netlist.parts.size(); ++p) {
      const PartClass& cls = *netlist.parts[p].cls;
      for (size_t t = 0; t < cls.terminals.size(); ++t) spread({static_cast<int>(p), static_cast<int>(t)});
      for (const PartEdge& e : cls.edges) {
        const std::string& domain = cls.DomainOf(e.from);
        const End to = e.to < 0 ? End{-1, DomainNumber(domain)} : End{static_cast<int>(p), e.to};
        edges.push_back({netlist.parts[p].name,
                         netlist.parts[p].name + (cls.edges.size() > 1 ? "." + e.name : ""), &e, domain,
                         net_of_.at({static_cast<int>(p), e.from}), net_of_.at(to)});
      }
    }
  }

  std::vector<Edge> edges;

  int ReferenceNet(const std::string& domain) const { return net_of_.at({-1, DomainNumber(domain)}); }
  /// Names of the terminals of a net.
  std::set<std::string> TerminalsOf(int net) const {
    std::set<std::string> names;
    for (const auto& [end, n] : net_of_) {
      if (n == net && end.part >= 0) names.insert(netlist_.EndName(end));
    }
    return names;
  }

  /// Classes of nets that a choice of edges joins, each by its smallest net.
  std::map<int, int> Classes(const std::vector<const Edge*>& joining) const {
    std::map<int, std::vector<int>> next;
    for (const Edge* e : joining) {
      next[e->from].push_back(e->to);
      next[e->to].push_back(e->from);
    }
    std::map<int, int> out;
    for (int start = 0; start < nets_; ++start) {
      std::deque<int> queue;
      if (out.try_emplace(start, start).second) queue.push_back(start);
      while (!queue.empty()) {
        const int at = queue.front();
        queue.pop_front();
        for (const int n : next[at]) {
          if (out.try_emplace(n, start).second) queue.push_back(n);
        }
      }
    }
    return out;
  }

  /// How many edges that fix their across variable close a circuit of such edges.
  size_t Circuits() const {
    std::vector<const Edge*> fixed;
    for (const Edge& e : edges) {
      if (e.is->fixes_across && e.from != e.to) fixed.push_back(&e);
    }
    const auto class_of = Classes(fixed);
    std::set<int> touched, classes;
    for (const Edge* e : fixed) touched.insert({e->from, e->to});
    for (const int net : touched) classes.insert(class_of.at(net));
    return fixed.size() - (touched.size() - classes.size());
  }

  /// All findings but the circuits of across drivers, COT3002.
  std::multiset<Finding> Findings() const {
    std::multiset<Finding> all;
    std::set<std::string> alone;
    for (size_t p = 0; p < netlist_.parts.size(); ++p) {
      const Part& part = netlist_.parts[p];
      std::set<std::string> open;
      for (size_t t = 0; t < part.cls->terminals.size(); ++t) {
        const End end{static_cast<int>(p), static_cast<int>(t)};
        if (!connected_.contains(end)) open.insert(netlist_.EndName(end));
      }
      if (open.size() == part.cls->terminals.size()) {
        alone.insert(part.name);
        all.insert({3007, {{part.name}}});
      } else {
        for (const std::string& terminal : open) all.insert({3006, {{terminal}}});
      }
    }
    for (const Edge& e : edges) {
      if (e.from != e.to) continue;
      const bool couples = e.is->kinds.find("couples") != std::string::npos;
      if (e.is->fixes_across)
        all.insert({3003, {{e.name}}});
      else if (!couples)
        all.insert({3005, {{e.name}}});
    }
    std::vector<const Edge*> every, yielding;
    for (const Edge& e : edges) {
      every.push_back(&e);
      if (!e.is->fixes_through) yielding.push_back(&e);
    }
    const std::map<int, int> island = Classes(every), part = Classes(yielding);
    std::map<int, std::set<std::string>> islands;  // without reference
    for (const Edge& e : edges) {
      if (island.at(e.from) != island.at(ReferenceNet(e.domain)))
        islands[island.at(e.from)].insert(e.component);
    }
    for (const auto& [net, names] : islands) {
      if (!std::includes(alone.begin(), alone.end(), names.begin(), names.end())) all.insert({3001, {names}});
    }
    std::map<int, std::set<std::string>> cuts, inside;
    std::map<int, const Edge*> last;
    for (const Edge& e : edges) {
      const int reference = ReferenceNet(e.domain);
      if (!e.is->fixes_through) inside[part.at(e.from)].insert(e.component);
      if (!e.is->fixes_through || part.at(e.from) == part.at(e.to)) continue;
      for (const int net : {e.from, e.to}) {
        if (part.at(net) == part.at(reference) || island.at(net) != island.at(reference)) continue;
        cuts[part.at(net)].insert(e.name);
        last[part.at(net)] = &e;
      }
    }
    for (const auto& [net, drivers] : cuts) {
      // An end that nothing is connected to has been said already.
      if (drivers.size() == 1 && inside[net].empty() && TerminalsOf(net).size() == 1) continue;
      all.insert({3004, {drivers, inside[net].empty() ? TerminalsOf(net) : inside[net]}});
    }
    return all;
  }

 private:
  static int DomainNumber(const std::string& domain) {
    for (size_t d = 0; d < DomainNames().size(); ++d) {
      if (DomainNames()[d] == domain) return static_cast<int>(d);
    }
    return -1;
  }

  const Netlist& netlist_;
  std::map<End, int> net_of_;
  std::set<End> connected_;
  int nets_ = 0;
};

/** A netlist without faults: a path of elements from the reference through all nets, and what can be added to
 * it. */
inline Netlist HealthyNetlist(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); };
  Netlist netlist;
  std::array<std::vector<std::vector<End>>, 3> nets;
  const auto class_named = [&](const std::string& name) {
    for (const PartClass& cls : PartClasses()) {
      if (cls.name == name) return &cls;
    }
    return static_cast<const PartClass*>(nullptr);
  };
  const std::array<const PartClass*, 3> path{class_named("Resistor"), class_named("TorsionSpring"),
                                             class_named("Spring")};
  for (size_t d = 0; d < 3; ++d) {
    nets[d].resize(2 + below(6));
    nets[d][0].push_back({-1, static_cast<int>(d)});
    for (size_t n = 1; n < nets[d].size(); ++n) {
      const int part = static_cast<int>(netlist.parts.size());
      netlist.parts.push_back({"path" + std::to_string(part), path[d]});
      nets[d][n - 1].push_back({part, 0});
      nets[d][n].push_back({part, 1});
    }
  }
  const auto connected = [&](const auto& members) {
    std::vector<std::vector<End>> all;
    for (const auto& of_domain : members) {
      for (const auto& net : of_domain) {
        if (net.size() > 1) all.push_back(net);
      }
    }
    return all;
  };
  const auto without_end = [&](const auto& members) {  // the far end of each path
    for (const auto& of_domain : members) {
      if (of_domain.back().size() < 2) return false;
    }
    return true;
  };
  for (int trial = 0; trial < 60 && (trial < 25 || !without_end(nets)); ++trial) {
    const PartClass& cls = PartClasses()[below(PartClasses().size())];
    Netlist next = netlist;
    auto next_nets = nets;
    const int part = static_cast<int>(netlist.parts.size());
    next.parts.push_back({"n" + std::to_string(below(1000)) + "_" + std::to_string(part), &cls});
    for (size_t t = 0; t < cls.terminals.size(); ++t) {
      const std::string& domain = cls.DomainOf(static_cast<int>(t));
      const size_t d = domain == "electrical" ? 0 : domain == "rotational" ? 1 : 2;
      const bool last = next_nets[d].back().size() < 2;
      auto& net = last ? next_nets[d].back() : next_nets[d][below(next_nets[d].size())];
      net.push_back({part, static_cast<int>(t)});
    }
    next.connections = connected(next_nets);
    const NetlistReference reference(next);
    size_t faults = reference.Circuits();
    for (const auto& finding : reference.Findings()) faults += finding.code == 3006 ? 0 : 1;
    if (faults > 0) continue;
    netlist = next;
    nets = next_nets;
  }
  for (size_t d = 0; d < 3; ++d) {  // what is still open at the end of a path goes back to the reference
    while (nets[d].back().size() < 2) {
      const End end = nets[d].back()[0];
      if (nets[d].size() == 2) nets[d].back().push_back({-1, static_cast<int>(d)});
      if (nets[d].size() > 2) {
        nets[d].pop_back();
        nets[d][0].push_back(end);
      }
    }
  }
  netlist.connections = connected(nets);
  return netlist;
}

}  // namespace cotree::test
