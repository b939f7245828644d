// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"

namespace cotree {

using Text = nlohmann::ordered_json;

struct JsonText {
  static Text Of(const Json& json) {
    return std::visit([](const auto& value) { return Of(value); }, json.value_);
  }
  static Text Of(const Json::Array& list) {
    Text out = Text::array();
    for (const Json& value : list) out.push_back(Of(value));
    return out;
  }
  static Text Of(const Json::Object& object) {
    Text::object_t out;  // keys are different: none is looked for
    for (const auto& [key, value] : object) out.push_back({key, Of(value)});
    return out;
  }
  template <class T>
  static Text Of(const T& value) {
    return value;
  }
};

Json::Json(std::initializer_list<Json> list) {
  const bool object = std::all_of(list.begin(), list.end(), [](const Json& entry) {
    const auto* pair = std::get_if<Array>(&entry.value_);
    return pair != nullptr && pair->size() == 2 && std::holds_alternative<std::string>((*pair)[0].value_);
  });
  if (!object) {
    value_ = Array(list);
    return;
  }
  value_ = Object();
  for (const Json& entry : list) {
    const auto& pair = std::get<Array>(entry.value_);
    (*this)[std::get<std::string>(pair[0].value_)] = pair[1];
  }
}

Json Json::object() {
  Json out;
  out.value_ = Object();
  return out;
}

Json& Json::operator[](std::string_view key) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Object();
  COTREE_CHECK(std::holds_alternative<Object>(value_));
  auto& object = std::get<Object>(value_);
  for (auto& [name, value] : object) {
    if (name == key) return value;
  }
  return object.emplace_back(std::string(key), Json()).second;
}

void Json::push_back(Json value) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Array();
  COTREE_CHECK(std::holds_alternative<Array>(value_));
  std::get<Array>(value_).push_back(std::move(value));
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : std::get<Object>(other.value_)) (*this)[key] = value;
}

std::string Json::dump(int indent) const {
  return JsonText::Of(*this).dump(indent, ' ', false, Text::error_handler_t::replace);
}

}  // namespace cotree
