// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pipeline/translate.h"

namespace cotree {

/** Data that an input follows: `--input u=log.csv:column[,unit][,hold|linear]`. */
struct MeasuredData {
  bool read = false;
  bool usage = false;  // not read because of how it was asked for, not because of the file
  std::string input;   // "drive.u"
  std::string file, column, unit;
  double first = 0, last = 0;  // times
  std::vector<Table> tables;   // over time, SI: their sum
  std::string note;            // of the reader
};

/** Reads the data: CSV, .cotr, .mat or .h5. Without a column it is the only one, or that with the name of the
input. Without a unit told here that of the column counts, or else it is SI. Where a time comes twice (an
event) the data jump. Otherwise the reason, with file and line, in `problem`. */
MeasuredData ReadMeasuredData(const std::string& text, std::string* problem);

/// The file that `--input` names; empty: none.
std::string MeasuredFile(const std::string& text);

/// What is wrong with the unit for that input; empty: nothing.
std::string CheckMeasuredUnit(const MeasuredData& data, const Model& model, const Translation& translation);

/// A note where the run goes beyond the data; empty: it does not.
std::string MeasuredEnds(const MeasuredData& data, double start, double stop);

}  // namespace cotree
