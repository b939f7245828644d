// SPDX-License-Identifier: Apache-2.0
#include "results/header_json.h"

#include <map>
#include <nlohmann/json.hpp>

namespace cotree {
namespace {

using Json = nlohmann::ordered_json;

void Put(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) json[key] = text;
}

std::string Get(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

}  // namespace

std::string HeaderJson(const ResultHeader& header) {
  Json json;
  json["schema"] = header.schema;
  Put(json, "model", header.model);
  Put(json, "model_hash", header.model_hash);
  Put(json, "version", header.version);
  Put(json, "experiment", header.experiment);
  Put(json, "tolerance", header.tolerance);
  if (!header.plots.empty()) json["plots"] = header.plots;
  Json columns = Json::array();
  for (const ResultColumn& column : header.columns) {
    Json one;
    one["name"] = column.name;
    Put(one, "unit", column.unit);
    Put(one, "description", column.description);
    if (column.stepwise) one["stepwise"] = true;
    if (!column.stored()) {
      one["alias_of"] = column.alias_of;
      one["alias_sign"] = column.alias_sign < 0 ? -1 : 1;
    }
    columns.push_back(std::move(one));
  }
  json["columns"] = std::move(columns);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool CheckHeader(const ResultHeader& header) {
  std::map<std::string_view, bool> stored;
  for (const ResultColumn& column : header.columns) {
    if (!stored.emplace(column.name, column.stored()).second) return false;
  }
  for (const ResultColumn& column : header.columns) {
    const auto source = stored.find(column.alias_of);
    if (!column.stored() && (source == stored.end() || !source->second)) return false;
  }
  return true;
}

std::optional<ResultHeader> ParseHeaderJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || Get(json, "schema") != "cotree.result/1") return std::nullopt;
  ResultHeader header;
  header.model = Get(json, "model");
  header.model_hash = Get(json, "model_hash");
  header.version = Get(json, "version");
  header.experiment = Get(json, "experiment");
  header.tolerance = Get(json, "tolerance");
  if (const auto plots = json.find("plots"); plots != json.end() && plots->is_array()) {
    for (const Json& plot : *plots) {
      if (plot.is_string()) header.plots.push_back(plot.get<std::string>());
    }
  }
  const auto columns = json.find("columns");
  if (columns == json.end() || !columns->is_array()) return std::nullopt;
  for (const Json& one : *columns) {
    if (!one.is_object()) return std::nullopt;
    ResultColumn column{Get(one, "name"), Get(one, "unit"), Get(one, "description")};
    column.alias_of = Get(one, "alias_of");
    const auto step = one.find("stepwise"), sign = one.find("alias_sign");
    column.stepwise = step != one.end() && *step == true;
    column.alias_sign = sign != one.end() && sign->is_number() && sign->get<double>() < 0 ? -1 : 1;
    header.columns.push_back(std::move(column));
  }
  if (!CheckHeader(header)) return std::nullopt;
  return header;
}

}  // namespace cotree
