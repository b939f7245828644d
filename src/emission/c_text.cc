// SPDX-License-Identifier: Apache-2.0
#include "emission/c_text.h"

#include <fmt/format.h>

#include <cmath>

namespace cotree {

std::string CNumber(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "(-INFINITY)";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text.front() == '-' ? "(" + text + ")" : text;
}

std::string CString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?')
      out += std::string("\\") + c;
    else if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\{:03o}", byte);
    else
      out += c;
  }
  return out + "\"";
}

std::string CComment(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '/' && !out.empty() && out.back() == '*') || (c == '*' && !out.empty() && out.back() == '/'))
      out += ' ';
    out += c;
  }
  return out;
}

std::string CArray(std::string_view type, std::string_view name, std::span<const std::string> elements,
                   std::string_view empty) {
  std::string out = fmt::format("{} {}[] = {{", type, name);
  constexpr size_t kWidth = 116;
  size_t used = kWidth;
  if (elements.empty()) out += empty;
  for (size_t k = 0; k < elements.size(); ++k) {
    const size_t width = elements[k].size() + 2;
    if (elements.size() > 1 && used + width > kWidth) {
      out += "\n  ";
      used = 2;
    } else if (k > 0) {
      out += ' ';
    }
    out += elements[k];
    if (k + 1 < elements.size()) out += ',';
    used += width;
  }
  return out + "};\n";
}

std::string CNumbers(std::string_view type, std::string_view name, std::span<const double> values) {
  std::vector<std::string> elements;
  for (const double value : values) elements.push_back(CNumber(value));
  return CArray(type, name, elements);
}

}  // namespace cotree
