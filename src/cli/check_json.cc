// SPDX-License-Identifier: Apache-2.0
#include "cli/check_json.h"

#include "base/json.h"
#include "model/describe_model.h"

namespace cotree {
namespace {

Json PlaceJson(const Span& span, const SourceFiles& files, const std::string& label) {
  const SourceFile& file = files[span.file];
  const Position begin = file.PositionOf(span.begin), end = file.PositionOf(span.end);
  return {{"file", file.path()},  {"line", begin.line},       {"column", begin.column},
          {"end_line", end.line}, {"end_column", end.column}, {"label", label}};
}

const char* SeverityWord(Severity severity) {
  return severity == Severity::kError ? "error" : severity == Severity::kWarning ? "warning" : "note";
}

}  // namespace

std::string DumpJson(const Json& json) {
  return json.dump(2) + "\n";
}

Json JsonHead(const char* schema, const std::string& file, const LoadedModel& loaded) {
  Json out;
  out["schema"] = schema;
  out["version"] = COTREE_VERSION;
  out["file"] = file;
  out["ok"] = loaded.diagnostics.ok();
  out["errors"] = loaded.diagnostics.errors();
  out["warnings"] = loaded.diagnostics.warnings();
  Json list = Json::array();
  for (const Diagnostic& d : loaded.diagnostics.list()) {
    Json item;
    item["code"] = CodeText(*d.info);
    item["severity"] = SeverityWord(d.info->severity);
    item["message"] = d.message;
    item["place"] = d.where.file.IsNone() ? Json(nullptr) : PlaceJson(d.where, loaded.model.files, d.label);
    Json others = Json::array();
    for (const auto& other : d.others)
      others.push_back(PlaceJson(other.where, loaded.model.files, other.label));
    item["others"] = others;
    item["notes"] = d.notes;
    item["help"] = d.helps;
    list.push_back(item);
  }
  out["diagnostics"] = list;
  return out;
}

std::string CheckJson(LoadedModel& loaded, const CheckOptions& options) {
  Model& model = loaded.model;
  Json out = JsonHead("cotree.check/1", options.file, loaded);
  Json systems = Json::array();
  if (loaded.diagnostics.ok()) {
    for (const ClassId id : model.systems) {
      Json system;
      system["name"] = model.Text(model[id].name);
      system["components"] = CountComponents(model, id);
      system["instances"] = model[id].instances.size();
      system["connections"] = model[id].connections.size();
      if (options.units) {
        Json units = Json::array();
        for (const auto& row : ListInferredUnits(model, id))
          units.push_back({{"path", row.path}, {"unit", row.unit}});
        system["units"] = units;
      }
      if (options.parameters) {
        Json parameters = Json::array();
        for (const auto& row : ListParameters(model, id)) {
          parameters.push_back({{"path", row.path},
                                {"value", row.value},
                                {"structural", row.structural},
                                {"reason", row.reason}});
        }
        system["parameters"] = parameters;
      }
      systems.push_back(system);
    }
  }
  out["systems"] = systems;
  if (options.statistics) {
    const ExprStatistics& s = model.expressions.statistics();
    out["statistics"] = {{"nodes", s.constructed},
                         {"hits", s.hits},
                         {"derivatives", s.derivatives},
                         {"substitutions", s.substitutions},
                         {"solutions", s.solutions}};
  }
  return DumpJson(out);
}

std::string LibraryJson(LoadedModel& loaded, const std::vector<ClassId>& classes) {
  Model& model = loaded.model;
  Json out;
  out["schema"] = "cotree.library/1";
  out["version"] = COTREE_VERSION;
  Json list = Json::array();
  for (const ClassId id : classes) {
    const ComponentClass& cls = model[id];
    Json item;
    item["name"] = model.Text(cls.name);
    item["package"] = model.Text(cls.package);
    item["model"] = model.Text(cls.model);
    item["documentation"] = cls.documentation;
    Json terminals = Json::array(), parameters = Json::array(), signals = Json::array(),
         edges = Json::array(), equations = Json::array();
    for (const Terminal& t : cls.terminals)
      terminals.push_back({{"name", model.Text(t.name)},
                           {"domain", model.Text(model.domains[t.domain.index()].name)},
                           {"optional", t.optional}});
    for (const Parameter& p : cls.parameters) {
      parameters.push_back(
          {{"name", model.Text(p.name)},
           {"unit", p.type.unit},
           {"default", p.value.IsNone() ? Json(nullptr) : Json(ExpressionText(model, p.value))}});
    }
    for (const Variable& v : cls.variables) {
      const char* role = v.role == VariableRole::kInput       ? "input"
                         : v.role == VariableRole::kOutput    ? "output"
                         : v.role == VariableRole::kState     ? "state"
                         : v.role == VariableRole::kExogenous ? "exogenous"
                                                              : "variable";
      signals.push_back({{"name", model.Text(v.name)}, {"role", role}, {"unit", v.type.unit}});
    }
    for (const Edge& e : cls.edges) {
      edges.push_back({{"name", model.Text(e.name)},
                       {"from", model.Text(cls.terminals[e.from].name)},
                       {"to", e.to ? model.Text(cls.terminals[*e.to].name) : "reference"}});
    }
    for (const Equation& e : cls.equations)
      equations.push_back(ExpressionText(model, e.left) + " = " + ExpressionText(model, e.right));
    item["terminals"] = terminals;
    item["parameters"] = parameters;
    item["variables"] = signals;
    item["edges"] = edges;
    item["equations"] = equations;
    list.push_back(item);
  }
  out["classes"] = list;
  return DumpJson(out);
}

}  // namespace cotree
