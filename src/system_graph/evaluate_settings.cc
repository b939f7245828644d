// SPDX-License-Identifier: Apache-2.0
#include "system_graph/evaluate_settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "expr/evaluate.h"
#include "model/check_bounds.h"
#include "model/describe_model.h"
#include "model/diagnostics.h"

namespace cotree {

namespace messages = model_messages;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr uint64_t kMostElements = 1'000'000;  // of one setting

/* The elements that an index or a slice means along one dimension, counted from 1, in its order. */
struct Indices {
  int64_t from = 1, step = 1, count = -1;  // -1: all of them

  bool all() const { return count < 0; }
  ElementRange Range() const {
    if (all()) return {};
    const int64_t first = step > 0 ? from : from + step * (count - 1);
    return {static_cast<uint32_t>(first - 1), static_cast<uint32_t>(step > 0 ? step : -step),
            static_cast<uint32_t>(count)};
  }
  ElementRange At(int64_t k) const { return {static_cast<uint32_t>(from + step * k - 1), 1, 1}; }
};

/* One dimension that a setting passes on its way. */
struct Extent {
  Indices indices;
  std::optional<double> size;  // none: it cannot be said before the graph is there
  bool single = false;
};

class Evaluator {
 public:
  Evaluator(const Model& model, ClassId system, Diagnostics& diagnostics)
      : model_(model), pool_(model.expressions), system_(system), diagnostics_(diagnostics) {}

  // `ends`: by setting, how many numbers there are with it.
  bool Run(std::span<const Setting* const> settings, std::vector<SystemSetting>& out,
           std::vector<size_t>* ends = nullptr) {
    // First the system's own numbers, which the others may use.
    ParameterValues given;
    for (const Setting* s : settings) {
      if (!s->steps.empty() || !s->shape.empty()) continue;
      See(given);
      // Once: a value may use what the parameter had before.
      const double value = own_[s] = Number(s->value, {});
      if (std::isfinite(value)) given[model_[system_].parameters[s->parameter].symbol.value] = value;
    }
    See(given);
    for (const Setting* s : settings) {
      if (!s->steps.empty() && s->shape.empty() && s->value_shape.empty())
        inner_.push_back({s, Number(s->value, {})});
    }
    bool ok = true;
    for (const Setting* s : settings) {
      ok = Expand(*s, out) && ok;
      if (ends != nullptr) ends->push_back(out.size());
    }
    return ok;
  }

 private:
  void See(const ParameterValues& given) {
    values_ = EvaluateParameters(model_, model_[system_], given);
    environment_.scalars.assign(pool_.symbol_count(), kNone);
    environment_.time = kNone;
    environment_.call = TableCalls(model_);
    for (const auto& [symbol, value] : values_) environment_.scalars[symbol] = value;
  }

  // With #1, #2, ... at these indices, counted from 1.
  double Number(ExprId expr, const std::vector<int64_t>& indices) {
    if (pool_.IsNumber(expr)) return pool_.NumberValue(expr);
    for (size_t k = 0; k < indices.size(); ++k) {
      if (const auto symbol = pool_.FindSymbol("#" + std::to_string(k + 1)))
        environment_.scalars[symbol->index()] = static_cast<double>(indices[k]);
    }
    return EvaluateDouble(pool_, expr, environment_);
  }

  static bool SameElements(const Selection& a, const Selection& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.has_value() == y.has_value() &&
             (!x || (x->from == y->from && x->to == y->to && x->step == y->step));
    });
  }
  static bool SetsSize(const ComponentClass& cls, uint32_t parameter) {
    return parameter < cls.parameter_uses.size() && cls.parameter_uses[parameter].sets_size;
  }

  // The parameters of the class behind the first `depth` steps of a setting, as the settings leave them:
  // sizes may hang on them. None: the elements that are meant may differ in their sizes.
  std::optional<ParameterValues> ValuesBehind(const Setting& s, size_t depth) {
    ParameterValues values = values_;
    const ComponentClass* owner = &model_[system_];
    for (size_t k = 0; k < depth; ++k) {
      const Instance& instance = owner->instances[s.steps[k].instance];
      const ComponentClass& cls = model_[instance.class_id];
      ParameterValues given;
      bool single = true;
      ParameterValues at = values;
      for (size_t d = 0; d < s.steps[k].elements.size(); ++d) {
        const auto& subscript = s.steps[k].elements[d];
        single = single && subscript && subscript->to.IsNone();
        const auto symbol = pool_.FindSymbol("#" + std::to_string(d + 1));
        if (single && symbol) at[symbol->value] = Number(subscript->from, {});
      }
      for (uint32_t i = 0; i < instance.argument_count; ++i) {
        const Argument& argument = owner->arguments[instance.first_argument + i];
        if (argument.path != UINT32_MAX) continue;
        const Parameter& p = cls.parameters[argument.parameter];
        if (!p.shape.empty()) continue;
        if (argument.per_element && !single && SetsSize(cls, argument.parameter)) return std::nullopt;
        if (const auto value = EvaluateConstant(pool_, argument.value, at, {}, TableCalls(model_)))
          given[p.symbol.value] = *value;
      }
      for (const auto& [other, number] : inner_) {
        bool same = other->steps.size() == k + 1, equal = true;
        for (size_t i = 0; i <= k && same; ++i) {
          const Selection& all = other->steps[i].elements;
          same = other->steps[i].instance == s.steps[i].instance;
          equal =
              equal && (SameElements(all, s.steps[i].elements) ||
                        std::none_of(all.begin(), all.end(), [](const auto& x) { return x.has_value(); }));
        }
        if (!same) continue;
        if (equal)
          given[cls.parameters[other->parameter].symbol.value] = number;
        else if (SetsSize(cls, other->parameter))
          return std::nullopt;
      }
      values = EvaluateParameters(model_, cls, std::move(given));
      owner = &cls;
    }
    return values;
  }

  bool Refuse(const Setting& s, const std::string& text) {
    diagnostics_.Report(messages::kBadSetting, model_.SpanOf(s.origin), {text});
    return false;
  }

  bool AddExtents(const Setting& s, size_t depth, const Selection& elements, const Shape& shape,
                  std::vector<Extent>& out) {
    if (shape.empty()) return true;
    const std::optional<ParameterValues> values = ValuesBehind(s, depth);
    for (size_t k = 0; k < shape.size(); ++k) {
      Extent d;
      if (values) d.size = EvaluateConstant(pool_, shape[k], *values);
      const auto& subscript = elements[k];
      if (subscript && !IndicesOf(s, *subscript, d)) return false;
      out.push_back(d);
    }
    return true;
  }

  bool IndicesOf(const Setting& s, const Subscript& subscript, Extent& d) {
    const double from = Number(subscript.from, {});
    d.single = subscript.to.IsNone();
    const double step = subscript.step.IsNone() ? 1 : Number(subscript.step, {});
    const double to = d.single ? from : Number(subscript.to, {});
    const auto whole = [](double x) { return x == std::floor(x) && std::fabs(x) < 4e9; };
    if (!whole(from) || !whole(to) || !whole(step) || step == 0)
      return Refuse(s, "an index in `" + s.path + "` is no whole number");
    const double count = std::floor((to - from) / step) + 1;
    if (count < 1) return Refuse(s, "`" + s.path + "` means no element: its slice is empty");
    const double last = from + step * (count - 1);
    const double low = std::min(from, last), high = std::max(from, last);
    if (low < 1 || (d.size && high > *d.size)) {
      auto& report = diagnostics_.Report(
          messages::kIndexOutOfRange, model_.SpanOf(s.origin),
          {NumberText(low < 1 ? low : high), d.size ? NumberText(*d.size) : std::string("its size")});
      report.Label("in `" + s.path + "`");
      return false;
    }
    d.indices = {static_cast<int64_t>(from), static_cast<int64_t>(step), static_cast<int64_t>(count)};
    return true;
  }

  const Parameter& ParameterOf(const Setting& s) const {
    ClassId owner = system_;
    for (const Setting::Step& step : s.steps) owner = model_[owner].instances[step.instance].class_id;
    return model_[owner].parameters[s.parameter];
  }

  bool WithinBounds(const Setting& s, double value) {
    ClassId owner = system_;
    for (const Setting::Step& step : s.steps) owner = model_[owner].instances[step.instance].class_id;
    const Parameter& p = ParameterOf(s);
    const auto broken =
        FindBrokenBound(model_, p.type, p.bounds, value, EvaluateParameters(model_, model_[owner], {}));
    if (!broken) return true;
    ReportBroken(model_, p.type, s.path, value, *broken, model_.SpanOf(s.origin), &p.origin, diagnostics_);
    return false;
  }

  // One setting for all that has one number: for an array of values, one for each element.
  bool Expand(const Setting& s, std::vector<SystemSetting>& out) {
    std::vector<Extent> extents;
    for (size_t k = 0; k < s.steps.size(); ++k) {
      if (!AddExtents(s, k, s.steps[k].elements, s.steps[k].shape, extents)) return false;
    }
    const size_t own_first = extents.size();
    if (!AddExtents(s, s.steps.size(), s.elements, s.shape, extents)) return false;
    // The dimensions over which the value runs: the last ones that are no single elements.
    std::vector<size_t> running;
    size_t skip = 0;
    for (const Extent& d : extents) skip += d.single ? 0u : 1u;
    skip -= std::min(skip, s.value_shape.size());
    std::vector<int64_t> counts;
    uint64_t total = 1;
    for (size_t k = 0; k < extents.size() && !s.value_shape.empty(); ++k) {
      Extent& d = extents[k];
      if (d.single) continue;
      if (skip > 0) {
        --skip;
        continue;
      }
      const auto size = EvaluateConstant(pool_, s.value_shape[running.size()], values_);
      const auto wanted = d.indices.all() ? d.size : std::optional(static_cast<double>(d.indices.count));
      if (!size) return Refuse(s, "how many values `" + s.path + "` is given cannot be said");
      if (wanted && *wanted != *size) {
        ReportSizes(model_.tree(s.origin.tree), s.origin.node, {*size}, {*wanted}, diagnostics_);
        return false;
      }
      if (d.indices.all()) d.indices.count = static_cast<int64_t>(*size);
      running.push_back(k);
      counts.push_back(d.indices.count);
      total *= static_cast<uint64_t>(d.indices.count);
      if (total > kMostElements) return Refuse(s, "`" + s.path + "` is given too many values");
    }
    for (uint64_t i = 0; i < total; ++i) {
      std::vector<int64_t> at(running.size());
      uint64_t rest = i;
      for (size_t k = running.size(); k-- > 0;) {
        at[k] = static_cast<int64_t>(rest % static_cast<uint64_t>(counts[k]));
        rest /= static_cast<uint64_t>(counts[k]);
      }
      std::vector<int64_t> indices;
      for (const int64_t k : at) indices.push_back(k + 1);
      const auto own = own_.find(&s);
      const double value = own != own_.end() ? own->second : Number(s.value, indices);
      if (!std::isfinite(value))
        return Refuse(s, "the value of `" + s.path +
                             "` is no number: it is made of numbers, units and parameters of the system");
      if (!WithinBounds(s, value)) return false;
      SystemSetting setting;
      setting.parameter = s.parameter;
      setting.value = value;
      size_t next = 0, running_next = 0;
      const auto take = [&](size_t rank) {
        ElementRanges ranges;
        for (size_t k = 0; k < rank; ++k, ++next) {
          const bool runs = running_next < running.size() && running[running_next] == next;
          ranges.push_back(runs ? extents[next].indices.At(at[running_next]) : extents[next].indices.Range());
          running_next += runs ? 1u : 0u;
        }
        return ranges;
      };
      for (const Setting::Step& step : s.steps)
        setting.path.push_back({step.instance, take(step.shape.size())});
      next = own_first;
      setting.elements = take(s.shape.size());
      out.push_back(std::move(setting));
    }
    return true;
  }

  const Model& model_;
  const ExprPool& pool_;
  ClassId system_;
  Diagnostics& diagnostics_;
  ParameterValues values_;
  std::map<const Setting*, double> own_;                  // of plain parameters of the system itself
  std::vector<std::pair<const Setting*, double>> inner_;  // plain numbers of parameters further inside
  Environment<double> environment_;
};

// Whether some component of the graph is meant by the path of a setting, and some element of its parameter.
bool Meets(const Model& model, const SystemGraph& graph, const SystemSetting& setting) {
  // How far along the path a component stands; parents come before their parts.
  std::vector<uint32_t> reached(graph.components.size(), UINT32_MAX);
  reached[0] = 0;
  for (uint32_t i = 0; i < graph.components.size(); ++i) {
    const Component& c = graph.components[i];
    if (c.scope != UINT32_MAX) {
      const Scope& scope = graph.scopes[c.scope];
      const uint32_t depth = reached[scope.parent.index()];
      if (depth >= setting.path.size() || setting.path[depth].instance != scope.instance) continue;
      static const std::vector<uint32_t> kSingle;
      const auto& sizes = scope.shape == UINT32_MAX ? kSingle : graph.shapes[scope.shape];
      if (!setting.path[depth].elements.Has(c.index, sizes)) continue;
      reached[i] = depth + 1;
    }
    if (reached[i] != setting.path.size()) continue;
    const ElementClass& element = graph.elements[c.element.index()];
    const Parameter& p = model[element.class_id].parameters[setting.parameter];
    for (size_t k = 0; k < p.shape.size() && k < setting.elements.size(); ++k) {
      const auto size = EvaluateConstant(model.expressions, p.shape[k], element.values);
      const ElementRange& range = setting.elements[k];
      const double last = range.from + static_cast<double>(range.step) * (range.count - 1.0);
      if (size && range.count != UINT32_MAX && last >= *size) return false;
    }
    return true;
  }
  return false;
}

}  // namespace

bool EvaluateSettings(const Model& model, ClassId system, std::span<const Setting* const> settings,
                      std::vector<SystemSetting>& out, Diagnostics& diagnostics) {
  return Evaluator(model, system, diagnostics).Run(settings, out);
}

ParameterValues SystemParameters(const Model& model, ClassId system,
                                 std::span<const SystemSetting> settings) {
  ParameterValues given;
  for (const SystemSetting& s : settings) {
    const Parameter* own = s.path.empty() ? &model[system].parameters[s.parameter] : nullptr;
    if (own != nullptr && own->shape.empty()) given[own->symbol.value] = s.value;
  }
  return EvaluateParameters(model, model[system], std::move(given));
}

bool CheckSettings(const Model& model, const SystemGraph& graph, std::span<const Setting* const> settings,
                   Diagnostics& diagnostics) {
  bool ok = true;
  Diagnostics ignored;
  std::vector<SystemSetting> numbers;
  std::vector<size_t> ends;
  Evaluator(model, graph.system, ignored).Run(settings, numbers, &ends);
  for (size_t i = 0; i < settings.size(); ++i) {
    const Setting* s = settings[i];
    bool elements = !s->shape.empty();
    for (const Setting::Step& step : s->steps) elements = elements || !step.shape.empty();
    for (size_t k = i == 0 ? 0 : ends[i - 1]; k < ends[i] && elements; ++k) {
      if (Meets(model, graph, numbers[k])) continue;
      diagnostics.Report(messages::kBadSetting, model.SpanOf(s->origin),
                         {"`" + s->path + "` means no element: the array is smaller"});
      ok = false;
      break;
    }
  }
  return ok;
}

}  // namespace cotree
