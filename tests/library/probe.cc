// SPDX-License-Identifier: Apache-2.0
#include "library/probe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "expr/differentiate.h"
#include "library/bench_evaluate.h"
#include "library/bench_network.h"
#include "library/bench_newton.h"
#include "library/repository_library.h"

namespace cotree::test {

namespace {

constexpr const char* kInstance = "x";

std::string NumberText(double value) {
  std::ostringstream out;
  out.precision(12);
  out << value;
  return out.str();
}

/// The library of the repository and a text.
std::unique_ptr<LoadedModel> Load(const std::string& text) {
  auto loaded = LoadRepositoryLibrary();
  loaded->declarations->AddText("bench.cot", text);
  BuildModel(loaded->model, *loaded->declarations, loaded->diagnostics);
  if (!loaded->diagnostics.ok()) {
    std::string errors = "the bench's text does not check:\n" + text + "\n";
    for (const Diagnostic& d : loaded->diagnostics.list()) {
      if (d.info->severity == Severity::kError) errors += RenderText(d, loaded->model.files, false) + "\n";
    }
    throw std::runtime_error(errors);
  }
  return loaded;
}

}  // namespace

class Probe::Bench {
 public:
  Bench(const std::string& use, const std::string& declarations)
      : use_(use),
        loaded_(Load(declarations + "\nsystem Bench { " + kInstance + " : " + use + " }\n")),
        model_(loaded_->model),
        pool_(model_.expressions),
        evaluator_(model_, Root()),
        network_(evaluator_) {
    const Instance* instance = evaluator_.FindInstance(*Root().cls, kInstance);
    if (instance == nullptr || instance->class_id.IsNone()) throw std::runtime_error("no instance in " + use);
    if (instance->shape != UINT32_MAX) throw std::runtime_error("the bench takes one component: " + use);
    part_ = {&model_[instance->class_id], std::string(kInstance) + ".", {}};
    evaluator_.read = [this](const Scalar& s) { return Read(s); };
    wired_ = IsWired(*part_.cls);
    TakeApart(part_);
    if (wired_) AddNetworkEquations();
  }

  void Set(const std::string& name, double value) {
    set_[Resolve(name)] = value;
    Forget();
  }
  void Guess(const std::string& name, double value) {
    guesses_[Resolve(name)] = value;
    Forget();
  }
  void Reset() {
    set_.clear();
    guesses_.clear();
    Forget();
  }

  double Get(const std::string& name) {
    if (const auto parameter = ParameterNamed(name)) return *parameter;
    const Scalar scalar = Resolve(name);
    return WithValues([&] { return Read(scalar).value; });
  }

  double Power() {
    double sum = 0;
    for (const double p : EdgePowers()) sum += p;
    return sum;
  }

  double Energy() { return Declared(true); }
  double Loss() { return Declared(false); }

  double EnergyRate() {
    double sum = 0;
    for (const auto& [expression, scope] : Declarations(true))
      sum += WithValues([&, e = expression, at = scope] { return RateOf(e, at); });
    return sum;
  }

  void ExpectBalance(double tolerance) {
    if (!DeclaresEither()) {
      ADD_FAILURE() << use_ << " declares neither energy nor loss";
      return;
    }
    double power = 0, scale = 0;
    for (const double p : EdgePowers()) {
      power += p;
      scale += std::abs(p);
    }
    const double rate = EnergyRate(), loss = Loss();
    scale += std::abs(rate) + std::abs(loss);
    EXPECT_TRUE(std::abs(power - rate - loss) <= tolerance * scale)
        << use_ << ": power into the edges " << NumberText(power) << " W, d(energy)/dt " << NumberText(rate)
        << " W, loss " << NumberText(loss) << " W; the difference is " << NumberText(power - rate - loss)
        << " W at\n"
        << ValuesText();
  }

  size_t WhenCount() const { return whens_.size(); }

  bool WhenHolds(size_t k) {
    const auto& [clause, scope] = Clause(k);
    return AtEvent([&, condition = clause->condition, at = scope] {
             return evaluator_.Evaluate(condition, at).value;
           }) != 0;
  }

  double WhenValue(size_t k, const std::string& name) {
    const auto& [clause, scope] = Clause(k);
    const Scalar wanted = Resolve(name);
    std::optional<double> found;
    for (const WhenAction& action : clause->actions) {
      evaluator_.ForEach(*scope.part.cls, action.loops, scope, [&](const Scope& at) {
        if (evaluator_.ScalarOfPath(action.target, at) != wanted) return;
        found = AtEvent([&] { return evaluator_.Evaluate(action.value, at).value; });
      });
    }
    if (!found)
      throw std::runtime_error("when clause " + std::to_string(k) + " of " + use_ + " does not set " + name);
    return *found;
  }

  bool AssertHolds(size_t k) {
    if (k >= part_.cls->assertions.size())
      throw std::runtime_error(use_ + " has " + std::to_string(part_.cls->assertions.size()) + " asserts");
    const Assertion& assertion = part_.cls->assertions[k];
    bool holds = true;
    evaluator_.ForEach(*part_.cls, assertion.loops, {part_, {}}, [&](const Scope& at) {
      holds = holds && AtEvent([&] { return evaluator_.Evaluate(assertion.condition, at).value; }) != 0;
    });
    return holds;
  }

  std::vector<std::string> Unknowns() {
    std::vector<std::string> names;
    for (const Scalar& s : FindUnknowns()) names.push_back(Text(s));
    return names;
  }

 private:
  struct Row {
    ExprId left, right;
    Scope scope;
    LinearEquation sum;      // instead of left = right, where it is not empty
    std::set<Scalar> reads;  // by FindUnknowns
  };

  Part Root() const { return {&model_[model_.systems.at(0)], "", {}}; }

  void Forget() {
    seeds_.clear();
    solved_.clear();
    is_solved_ = false;
  }

  // --- Names -----------------------------------------------------------------------------------------

  /// As a user writes it: without the instance, rates by their names.
  std::string Text(const Scalar& s) const {
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

  template <class Scalars>
  std::string ListOf(const Scalars& scalars) const {
    std::string text;
    for (const Scalar& s : scalars) text += (text.empty() ? "" : ", ") + Text(s);
    return text.empty() ? "none" : text;
  }
  std::string ValuesText() const {
    std::string text;
    for (const auto* values : {&set_, &solved_}) {
      for (const auto& [scalar, value] : *values)
        text += "  " + Text(scalar) + " = " + NumberText(value) + (values == &set_ ? "  (set)\n" : "\n");
    }
    return text;
  }

  [[noreturn]] void UnknownName(const std::string& name) const {
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

  struct Segment {
    std::string name;
    std::vector<int> indices;
  };
  std::vector<Segment> Segments(const std::string& name) const {
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

  // Appends indices that must fit the sizes.
  void Append(std::vector<int>& indices, const std::vector<int>& own, const std::vector<int>& sizes,
              const std::string& name) const {
    if (own.size() != sizes.size()) UnknownName(name);
    for (size_t k = 0; k < own.size(); ++k) {
      if (own[k] < 1 || own[k] > sizes[k]) UnknownName(name);
    }
    indices.insert(indices.end(), own.begin(), own.end());
  }

  // Down the instances; what is left of the path stays in `segments`.
  Part Descend(std::vector<Segment>& segments, const std::string& name) {
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

  std::optional<double> ParameterNamed(const std::string& name) {
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

  Scalar Resolve(const std::string& name) {
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

  // A potential, or what flows in at a terminal of the composite.
  std::optional<Scalar> TerminalNamed(const Part& part, const std::vector<Segment>& segments) {
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

  // --- Equations -------------------------------------------------------------------------------------

  static bool IsWired(const ComponentClass& cls) {
    return cls.IsComposite() || std::any_of(cls.connections.begin(), cls.connections.end(),
                                            [](const Connection& c) { return !c.signal; });
  }

  // The equations and clauses of a part and, of a composite, those of all inside it.
  void TakeApart(const Part& part) {
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

  // input = source, element by element where they are arrays.
  void AddSignal(ExprId input, ExprId source, const Scope& scope) {
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

  // All sizes behind a path from a part: of the instances on the way, then of the variable.
  std::vector<int> SizesOf(const std::string& path, Part part) {
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

  void AddNetworkEquations() {
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

  // An equation without derivatives holds between derivatives too: a gear between angles also between speeds.
  // Differentiated as long as what comes out is spoken of elsewhere.
  void AddDerivatives() {
    ExprPool& pool = loaded_->model.expressions;
    size_t begin = 0;
    for (int order = 1; order <= 2; ++order) {
      const size_t end = rows_.size();
      for (size_t i = begin; i < end; ++i) {
        if (!rows_[i].sum.empty()) continue;
        const std::set<Scalar> spoken = AllReads();
        Row row{TimeDerivative(pool, rows_[i].left),
                TimeDerivative(pool, rows_[i].right),
                rows_[i].scope,
                {},
                {}};
        std::set<Scalar> reads;
        FindReads(row, reads);
        if (std::any_of(reads.begin(), reads.end(),
                        [&](const Scalar& s) { return s.order == order && spoken.contains(s); }))
          rows_.push_back(row);
      }
      begin = end;
    }
  }

  std::set<Scalar> AllReads() {
    std::set<Scalar> reads;
    for (const Row& row : rows_) FindReads(row, reads);
    return reads;
  }
  void FindReads(const Row& row, std::set<Scalar>& reads) {
    for (const auto& [factor, scalar] : row.sum) reads.insert(scalar);
    if (!row.sum.empty()) return;
    FindReads(row.left, row.scope, {}, reads);
    FindReads(row.right, row.scope, {}, reads);
  }
  // Left and right side.
  std::pair<Slope, Slope> Sides(const Row& row) {
    if (row.sum.empty())
      return {evaluator_.Evaluate(row.left, row.scope), evaluator_.Evaluate(row.right, row.scope)};
    Slope sum;
    for (const auto& [factor, scalar] : row.sum) sum = sum + Slope{factor, 0} * Read(scalar);
    return {sum, {}};
  }

  // The calls that can be set under their text.
  void FindCalls(ExprId id) {
    if (pool_.op(id) == Op::kCall) {
      const std::string name(pool_.FunctionName(pool_.FunctionOf(id)));
      if (name == "delay") calls_.insert("delay(" + PrintText(pool_, pool_.operand(id, 0)) + ")");
      if (name == "sample" || name == "initial" || name == "terminal" || name == "edge" || name == "change")
        calls_.insert(PrintText(pool_, id));
    }
    for (const ExprId operand : pool_.operands(id)) FindCalls(operand);
  }

  Slope Read(const Scalar& s) const {
    double slope = 0;
    if (const auto seed = seeds_.find(s); seed != seeds_.end()) slope = seed->second;
    for (const auto* values : {&set_, &solved_}) {
      if (const auto found = values->find(s); found != values->end()) return {found->second, slope};
    }
    if (s.path == "time") return {0, slope};
    throw NoValue(s);
  }

  // The scalars an expression reads, branches left out that are ruled out already.
  void FindReads(ExprId id, const Scope& scope, std::vector<int> indices, std::set<Scalar>& out) {
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

  std::set<Scalar> FindUnknowns() {
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

  std::string EquationText(const Row& row) const {
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
  std::string SituationText(const std::set<Scalar>& unknowns) const {
    std::string text = "\n  unknown: " + ListOf(unknowns) + "\n  set: ";
    std::vector<Scalar> given;
    for (const auto& [scalar, value] : set_) given.push_back(scalar);
    text += ListOf(given) + "\n  equations:\n";
    for (const Row& row : rows_) text += "    " + EquationText(row) + "\n";
    return text;
  }

  void Solve() {
    if (is_solved_) return;
    const std::set<Scalar> found = FindUnknowns();
    const std::vector<Scalar> unknowns(found.begin(), found.end());
    if (!wired_ && unknowns.size() != rows_.size()) {
      throw std::runtime_error(use_ + ": " + std::to_string(unknowns.size()) + " unknowns for " +
                               std::to_string(rows_.size()) + " equations" + SituationText(found));
    }
    Newton newton([&](const Vector& x) { return ResidualsAt(unknowns, x); });
    bool done = false;
    Vector first_try;
    for (const double start : {0.0, 1.0, 1e-2, -1.0, 300.0, 1e5}) {
      Vector x;
      for (const Scalar& s : unknowns) {
        const auto guess = guesses_.find(s);
        x.push_back(guess == guesses_.end() ? start : guess->second);
      }
      done = newton.Run(x);
      if (done || guesses_.size() >= unknowns.size()) break;
    }
    if (!done) {
      std::string text = use_ + ": Newton's method does not converge" + SituationText(found) + "  at last:\n";
      for (size_t j = 0; j < unknowns.size(); ++j)
        text += "    " + Text(unknowns[j]) + " = " + NumberText(newton.x[j]) + "\n";
      for (size_t i = 0; i < newton.last.value.size(); ++i)
        text += "    residual " + NumberText(newton.last.value[i]) + " of " + EquationText(rows_[i]) + "\n";
      if (const Elimination a(newton.last.jacobian); a.rank() < unknowns.size())
        text += "  the Jacobian is singular there: nothing moves " + Text(unknowns[a.FreeColumn()]) + "\n";
      Forget();
      throw std::runtime_error(text);
    }
    if (!wired_) ExpectDetermined(newton, unknowns, found);
    Store(unknowns, newton.x);
    if (wired_) ForgetUndetermined(newton, unknowns);
    is_solved_ = true;
  }

  void Store(const std::vector<Scalar>& unknowns, const Vector& x) {
    for (size_t j = 0; j < unknowns.size(); ++j) solved_[unknowns[j]] = x[j];
  }

  Residuals ResidualsAt(const std::vector<Scalar>& unknowns, const Vector& x) {
    Store(unknowns, x);
    Residuals r;
    for (const Row& row : rows_) {
      Vector slopes(unknowns.size(), 0);
      seeds_.clear();
      const auto sides = Sides(row);
      const double left = sides.first.value, right = sides.second.value;
      double size = std::abs(left) + std::abs(right);
      for (size_t j = 0; j < unknowns.size(); ++j) {
        if (!row.reads.contains(unknowns[j])) continue;
        seeds_ = {{unknowns[j], 1.0}};
        const auto along = Sides(row);
        slopes[j] = along.first.slope - along.second.slope;
        size += std::abs(slopes[j] * x[j]);
      }
      seeds_.clear();
      r.value.push_back(left - right);
      r.size.push_back(size);
      r.jacobian.push_back(slopes);
    }
    return r;
  }

  // Of a composite there are potentials and derivatives that nobody asks for; those that are not determined
  // have no value.
  void ForgetUndetermined(const Newton& newton, const std::vector<Scalar>& unknowns) {
    if (unknowns.empty()) return;
    const Elimination a(newton.last.jacobian);
    for (size_t k = 0; k < a.FreeColumns(); ++k) {
      const Vector along = a.NullVector(k);
      double largest = 0;
      for (const double d : along) largest = std::max(largest, std::abs(d));
      for (size_t j = 0; j < along.size(); ++j) {
        if (std::abs(along[j]) > 1e-9 * largest) solved_.erase(unknowns[j]);
      }
    }
  }

  // Where the Jacobian is singular at the solution, the residuals must change along its null vector (x^2 =
  // 0); otherwise any value would do (0*x = 0).
  void ExpectDetermined(Newton& newton, const std::vector<Scalar>& unknowns, const std::set<Scalar>& found) {
    const Elimination a(newton.last.jacobian);
    if (a.rank() == unknowns.size()) return;
    const Vector along = a.NullVector();
    double length = 0, size = 0;
    for (size_t j = 0; j < along.size(); ++j) {
      length = std::max(length, std::abs(along[j]));
      size = std::max(size, std::abs(newton.x[j]));
    }
    bool changes = true;
    for (const double sign : {-1.0, 1.0}) {
      Vector there = newton.x;
      for (size_t j = 0; j < along.size(); ++j) there[j] += sign * 1e-3 * (1 + size) * along[j] / length;
      const Residuals r = ResidualsAt(unknowns, there);
      bool here = false;
      for (size_t i = 0; i < r.value.size(); ++i) here = here || !(std::abs(r.value[i]) <= 1e-13 * r.size[i]);
      changes = changes && here;
    }
    if (changes) return;
    std::vector<Scalar> free;
    for (size_t j = 0; j < along.size(); ++j) {
      if (std::abs(along[j]) > 1e-9 * length) free.push_back(unknowns[j]);
    }
    Forget();
    throw std::runtime_error(use_ + ": the equations do not determine " + ListOf(free) +
                             SituationText(found));
  }

  // --- What is read from the solution ----------------------------------------------------------------

  // With the values that are set, if these are enough; otherwise all equations are solved.
  template <class F>
  double WithValues(F f) {
    try {
      return f();
    } catch (const NoValue&) {
      seeds_.clear();
      Solve();
    }
    try {
      return f();
    } catch (const NoValue& e) {
      throw std::runtime_error(use_ + ": " + Text(e.scalar) +
                               " has no value: the equations do not give it, so set it\n" + ValuesText());
    }
  }
  template <class F>
  double AtEvent(F f) {
    evaluator_.pre_is_now = true;
    struct Back {
      bool& flag;
      ~Back() { flag = false; }
    } back{evaluator_.pre_is_now};
    try {
      return f();
    } catch (const NoValue&) {
    }
    evaluator_.pre_is_now = false;
    Solve();
    evaluator_.pre_is_now = true;
    return WithValues(f);
  }

  // What the component, or the parts of a composite, declare as energy or loss.
  std::vector<std::pair<ExprId, Scope>> Declarations(bool energy) const {
    if (!DeclaresEither()) throw std::runtime_error(use_ + " declares neither energy nor loss");
    std::vector<std::pair<ExprId, Scope>> found;
    for (const Part& part : parts_) {
      const ExprId e = energy ? part.cls->energy : part.cls->loss;
      if (!e.IsNone()) found.push_back({e, {part, {}}});
    }
    return found;
  }
  bool DeclaresEither() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const Part& p) { return !p.cls->energy.IsNone() || !p.cls->loss.IsNone(); });
  }
  double Declared(bool energy) {
    double sum = 0;
    for (const auto& [expression, scope] : Declarations(energy))
      sum += WithValues([&, e = expression, at = scope] { return evaluator_.Evaluate(e, at).value; });
    return sum;
  }

  // Of the edges or, of a composite, of its terminals.
  std::vector<double> EdgePowers() {
    std::vector<double> powers;
    const auto add = [&](const std::string& path, const std::vector<int>& at, DomainId domain) {
      powers.push_back(WithValues([&] { return PowerOf(path, at, domain); }));
    };
    for (const Network::End& end : network_.outer()) add(end.path, end.indices, network_.DomainOf(end));
    if (wired_) return powers;
    for (const Edge& edge : part_.cls->edges) {
      for (const std::vector<int>& at : Network::Elements(evaluator_.Sizes(edge.shape, {part_, {}})))
        add(part_.prefix + model_.Text(edge.name), at, edge.domain);
    }
    return powers;
  }

  // The domain's expression, in which the variables stand for those of the edge.
  double PowerOf(const std::string& path, const std::vector<int>& at, DomainId domain) {
    Scope scope{part_, {}};
    scope.part.prefix = path + ".";
    scope.part.indices = at;
    return evaluator_.Evaluate(model_.domains[domain.index()].power, scope).value;
  }

  template <class F>
  double DerivativeAlong(const Scalar& s, F f) {
    seeds_ = {{s, 1.0}};
    const double slope = f();
    seeds_.clear();
    return slope;
  }
  // The time derivative of a scalar, where it has a value.
  std::optional<double> RateIfKnown(Scalar s) {
    if (s.path == "time") return 1;
    if (s.before || IsDiscrete(s)) return 0;
    ++s.order;
    try {
      return Read(s).value;
    } catch (const NoValue&) {
      return std::nullopt;
    }
  }
  bool IsDiscrete(const Scalar& s) {
    for (const Part& part : parts_) {
      for (const Variable& v : part.cls->variables) {
        if (part.prefix + model_.Text(v.name) == s.path) return v.discrete || v.type.base != BaseType::kReal;
      }
    }
    return false;
  }

  // df/dt = sum of df/dx * dx/dt. Where dx/dt has no value, the equations differentiated by time are asked:
  // a combination l of them with l*dF/dx = df/dx for all those x gives -l*(the known part of dF/dt).
  double RateOf(ExprId f, const Scope& scope) {
    std::set<Scalar> reads;
    FindReads(f, scope, {}, reads);
    double rate = 0;
    std::map<Scalar, double> open;
    for (const Scalar& s : reads) {
      const double slope = DerivativeAlong(s, [&] { return evaluator_.Evaluate(f, scope).slope; });
      if (slope == 0) continue;
      if (const auto known = RateIfKnown(s))
        rate += slope * *known;
      else
        open[s] = slope;
    }
    if (open.empty()) return rate;
    if (!is_solved_) {
      Solve();
      return RateOf(f, scope);
    }
    std::set<Scalar> unknown;
    for (const auto& [s, slope] : open) unknown.insert(s);
    for (const Row& row : rows_) {
      for (const Scalar& s : row.reads) {
        if (!RateIfKnown(s)) unknown.insert(s);
      }
    }
    Matrix transposed(unknown.size(), Vector(rows_.size(), 0));
    Vector known_part(rows_.size(), 0), wanted;
    for (const Scalar& s : unknown) wanted.push_back(open.contains(s) ? open[s] : 0);
    for (size_t i = 0; i < rows_.size(); ++i) {
      for (const Scalar& s : rows_[i].reads) {
        const double slope = DerivativeAlong(s, [&] {
          const auto sides = Sides(rows_[i]);
          return sides.first.slope - sides.second.slope;
        });
        if (const auto known = RateIfKnown(s)) {
          if (slope != 0) known_part[i] += slope * *known;
        } else {
          transposed[static_cast<size_t>(std::distance(unknown.begin(), unknown.find(s)))][i] = slope;
        }
      }
    }
    bool consistent = true;
    const Vector combination = Elimination(transposed).Solve(wanted, &consistent);
    if (!consistent) {
      std::set<Scalar> missing;
      for (const auto& [s, slope] : open) missing.insert({s.path, s.order + 1, s.indices, false});
      throw std::runtime_error(use_ + ": d(energy)/dt needs " + ListOf(missing) + ", so set what gives it\n" +
                               ValuesText());
    }
    for (size_t i = 0; i < rows_.size(); ++i) rate -= combination[i] * known_part[i];
    return rate;
  }

  const std::pair<const WhenClause*, Scope>& Clause(size_t k) const {
    if (k >= whens_.size())
      throw std::runtime_error(use_ + " has " + std::to_string(whens_.size()) +
                               " when clauses; there is no " + std::to_string(k) + " (they count from 0)");
    return whens_[k];
  }

  std::string use_;
  std::unique_ptr<LoadedModel> loaded_;
  const Model& model_;
  const ExprPool& pool_;
  Evaluator evaluator_;
  Network network_;
  Part part_;
  bool wired_ = false;
  std::vector<Part> parts_;  // the component itself and all inside it
  std::vector<Row> rows_;
  std::vector<std::pair<const WhenClause*, Scope>> whens_;
  std::set<std::string> calls_;
  std::map<Scalar, double> set_, guesses_, solved_, seeds_;
  bool is_solved_ = false;
};

Probe::Probe(const std::string& use, const std::string& declarations)
    : bench_(std::make_unique<Bench>(use, declarations)) {}
Probe::~Probe() = default;
Probe::Probe(Probe&&) noexcept = default;
Probe& Probe::operator=(Probe&&) noexcept = default;

void Probe::Set(const std::string& name, double value) {
  bench_->Set(name, value);
}
void Probe::Guess(const std::string& name, double value) {
  bench_->Guess(name, value);
}
void Probe::Reset() {
  bench_->Reset();
}
double Probe::operator[](const std::string& name) {
  return bench_->Get(name);
}
double Probe::Power() {
  return bench_->Power();
}
double Probe::Energy() {
  return bench_->Energy();
}
double Probe::Loss() {
  return bench_->Loss();
}
double Probe::EnergyRate() {
  return bench_->EnergyRate();
}
void Probe::ExpectBalance(double tolerance) {
  bench_->ExpectBalance(tolerance);
}
size_t Probe::WhenCount() const {
  return bench_->WhenCount();
}
bool Probe::WhenHolds(size_t k) {
  return bench_->WhenHolds(k);
}
double Probe::WhenValue(size_t k, const std::string& name) {
  return bench_->WhenValue(k, name);
}
bool Probe::AssertHolds(size_t k) {
  return bench_->AssertHolds(k);
}
std::vector<std::string> Probe::Unknowns() {
  return bench_->Unknowns();
}

}  // namespace cotree::test
