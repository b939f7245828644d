// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>

#include "results/bytes.h"
#include "results/mat4_format.h"

namespace cotree {
namespace {

/* A matrix as it stands in the file: column by column. */
struct Matrix {
  std::string_view bytes;
  size_t rows = 0, columns = 0;
  int precision = 0;  // the tens digit of the type: what its numbers are

  double At(size_t row, size_t column) const {
    const size_t k = column * rows + row;
    switch (precision) {
      case 0:
        return NumberAt<double>(bytes, 8 * k);
      case 1:
        return static_cast<double>(NumberAt<float>(bytes, 4 * k));
      case 2:
        return NumberAt<int32_t>(bytes, 4 * k);
      case 3:
        return NumberAt<int16_t>(bytes, 2 * k);
      case 4:
        return NumberAt<uint16_t>(bytes, 2 * k);
      default:
        return static_cast<uint8_t>(bytes[k]);
    }
  }
  /// A row as text, without the blanks and NULs that fill it up; a column if `transposed`.
  std::string Text(size_t k, bool transposed) const {
    std::string text;
    for (size_t i = 0; i < (transposed ? rows : columns); ++i)
      text += static_cast<char>(static_cast<int>(transposed ? At(i, k) : At(k, i)));
    text.resize(std::min(text.size(), text.find('\0')));
    text.resize(text.find_last_not_of(' ') + 1);
    return text;
  }
};

/* Takes a matrix from the front of `bytes`. The last one may be cut: whole columns of it are taken. */
bool TakeMatrix(std::string_view* bytes, std::string* name, Matrix* matrix, bool* cut) {
  if (bytes->size() < 20) return false;
  static constexpr size_t kSizes[] = {8, 4, 4, 2, 2, 1};
  const auto type = NumberAt<int32_t>(*bytes, 0), rows = NumberAt<int32_t>(*bytes, 4),
             columns = NumberAt<int32_t>(*bytes, 8), imaginary = NumberAt<int32_t>(*bytes, 12),
             length = NumberAt<int32_t>(*bytes, 16);
  if (type < 0 || type / 100 != 0 || type / 10 > 5 || type % 10 > 1 || rows < 0 || columns < 0 ||
      imaginary != 0 || length < 1 || bytes->size() - 20 < static_cast<size_t>(length))
    return false;
  *name = std::string(bytes->substr(20, static_cast<size_t>(length) - 1));
  bytes->remove_prefix(20 + static_cast<size_t>(length));
  matrix->precision = type / 10;
  matrix->rows = static_cast<size_t>(rows);
  matrix->columns = static_cast<size_t>(columns);
  const size_t column = matrix->rows * kSizes[matrix->precision];
  if (column > 0 && bytes->size() / column < matrix->columns) {
    matrix->columns = bytes->size() / column;
    *cut = true;
  }
  matrix->bytes = bytes->substr(0, column * matrix->columns);
  bytes->remove_prefix(matrix->bytes.size());
  return true;
}

/* "description [unit]" taken apart; a display unit behind "|" and a type behind ":#" are left out. */
void SplitDescription(std::string text, ResultColumn* column) {
  const size_t open = text.rfind('[');
  if (!text.ends_with(']') || open == std::string::npos) {
    column->description = std::move(text);
    return;
  }
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  column->unit = inside.substr(0, std::min(inside.find('|'), inside.find(":#")));
  text.resize(open);
  text.resize(text.find_last_not_of(' ') + 1);
  column->description = std::move(text);
}

}  // namespace

bool LooksLikeMat4(std::string_view bytes) {
  return bytes.size() > 27 && NumberAt<int32_t>(bytes, 16) == 7 && bytes.substr(20, 6) == "Aclass";
}

std::optional<Result> ParseMat4(std::string_view bytes, std::string* problem) {
  const auto fail = [&](const char* what) {
    *problem = what;
    return std::nullopt;
  };
  std::map<std::string, Matrix> matrices;
  bool cut = false;
  std::string name;
  for (Matrix matrix; !cut && TakeMatrix(&bytes, &name, &matrix, &cut);) matrices[name] = matrix;
  for (const char* wanted : {"Aclass", "name", "description", "dataInfo", "data_2"}) {
    if (!matrices.contains(wanted))
      return fail("it is a .mat file of level 4 without the matrices of a simulation result");
  }
  const Matrix& kind = matrices["Aclass"];
  if (kind.rows < 4) return fail("its matrix Aclass is too small");
  const bool trans = kind.Text(3, false) == "binTrans";
  const Matrix &names = matrices["name"], &info = matrices["dataInfo"], &data = matrices["data_2"];
  const Matrix &descriptions = matrices["description"], &constants = matrices["data_1"];
  const size_t count = trans ? names.columns : names.rows;
  if ((trans ? info.columns : info.rows) != count || (trans ? info.rows : info.columns) < 2 || count == 0)
    return fail("its matrices name and dataInfo do not fit");
  const size_t rows = trans ? data.columns : data.rows, stored = trans ? data.rows : data.columns;
  const size_t fixed = trans ? constants.rows : constants.columns;
  const bool has_constants = (trans ? constants.columns : constants.rows) > 0;
  if (stored == 0) return fail("its matrix data_2 is empty");
  Result result;
  const bool ended = !cut && kind.Text(2, false) != kMat4Incomplete;
  result.status = ended ? std::string(kComplete) : "interrupted";
  if (cut) result.damage = "the file was cut: whole rows of it are used";
  const auto series = [&](size_t k) {
    std::vector<double> values(rows);
    for (size_t r = 0; r < rows; ++r) values[r] = trans ? data.At(k, r) : data.At(r, k);
    return values;
  };
  result.times = series(0);
  struct Stored {
    size_t column;
    double sign;
  };
  std::map<size_t, Stored> first;  // by row of data_2: the first name that has it
  std::set<std::string> seen;
  for (size_t k = 0; k < count; ++k) {
    const int matrix = static_cast<int>(trans ? info.At(0, k) : info.At(k, 0));
    const int signed_row = static_cast<int>(trans ? info.At(1, k) : info.At(k, 1));
    const auto row = static_cast<size_t>(std::abs(signed_row));
    ResultColumn column{.name = names.Text(k, trans)};
    if (matrix == 0 || column.name.empty() || row == 0 || !seen.insert(column.name).second) continue;
    if (k < (trans ? descriptions.columns : descriptions.rows))
      SplitDescription(descriptions.Text(k, trans), &column);
    const double sign = signed_row < 0 ? -1 : 1;
    std::vector<double> values;
    if (matrix == 1) {
      if (row > fixed || !has_constants) return fail("dataInfo points outside of data_1");
      values.assign(rows, sign * (trans ? constants.At(row - 1, 0) : constants.At(0, row - 1)));
    } else {
      if (row > stored) return fail("dataInfo points outside of data_2");
      const auto [at, own] = first.emplace(row, Stored{result.header.columns.size(), sign});
      if (!own) {
        column.alias_of = result.header.columns[at->second.column].name;
        column.alias_sign = sign * at->second.sign;
      } else {
        values = series(row - 1);
        if (sign < 0) {
          for (double& value : values) value = -value;
        }
      }
    }
    result.header.columns.push_back(std::move(column));
    result.columns.push_back(std::move(values));
  }
  return result;
}

}  // namespace cotree
