// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cotree {

/** A JSON value to be written; members of objects keep their order. It is spelled as nlohmann's
`ordered_json` is: {{"name", "x"}, {"sizes", {1, 2}}}. That header costs 3 to 6 s a source file, so only
json.cc has it, which writes the text.

A list in braces is an object where each of its entries is a list of a text and a value. */
class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  Json(std::initializer_list<Json> list);
  template <std::same_as<bool> T>
  Json(T value) : value_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Json(T value) {
    if constexpr (std::is_signed_v<T>)
      value_ = int64_t{value};
    else
      value_ = uint64_t{value};
  }
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <class T>
  Json(const std::vector<T>& list) : value_(Array(list.begin(), list.end())) {}

  static Json array() { return Json(std::vector<Json>()); }
  static Json object();

  /// The member of an object, made where it is missing; null becomes an object.
  Json& operator[](std::string_view key);
  /// Null becomes a list.
  void push_back(Json value);
  /// Takes over the members of another object.
  void update(const Json& other);

  /// On one line, or with lines indented by `indent`. Bytes that are no UTF-8 are replaced.
  std::string dump(int indent = -1) const;

 private:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  friend struct JsonText;

  std::variant<std::nullptr_t, bool, int64_t, uint64_t, double, std::string, Array, Object> value_ = nullptr;
};

}  // namespace cotree
