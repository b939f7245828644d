// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "results/result.h"

namespace cotree {

/** MATLAB's format of level 4 with the six matrices of Dymola and OpenModelica, in their order:

  Aclass       4 x 11 text      "Atrajectory", "1.1", "" ("incomplete" until the run has come to its end),
"binTrans" name         L x n text       a name a column, the first of them `time`; filled up with NUL
  description  L x n text       "description [unit]"
  dataInfo     4 x n int32      a column a name: matrix (1: data_1, 2: data_2, 0: the time), row in it with
the sign of the alias, 0 = linear, -1 = not defined outside data_1       1 x 2 double     begin and end
(constants would stand below; we write none) data_2       m x rows double  the time and the stored columns, a
row of the result a column

data_2 is last and grows; its count of columns and the end in data_1 are put right whenever rows are written,
so that the file can be read at any moment, also after a kill. Events, steps and the rest of the header are
not kept. */
inline constexpr std::string_view kMat4Incomplete = "incomplete";
std::unique_ptr<ResultWriter> MakeMat4Writer(const std::string& path);

/// Whether the text begins with a matrix `Aclass` of level 4.
bool LooksLikeMat4(std::string_view bytes);

/// binTrans and binNormal, any real type of numbers, lowest byte first. Constants of data_1 become columns.
std::optional<Result> ParseMat4(std::string_view bytes, std::string* problem);

}  // namespace cotree
