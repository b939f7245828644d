// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "results/result.h"

namespace cotree {

/** The format .cotr: append-only, so that a run that is killed loses half a second at most.

  file   = "\x8A" "COTR" "\r\n" "\x01"  record*            8 bytes of signature, the last one the version
  record = length u32 | type u32 | payload (length bytes) | crc u32
  crc    = CRC-32C of length, type and payload

All numbers have their lowest byte first. The types are four letters, read as they stand in the file:
  HEAD   the header as JSON (header_json.h): the first record, exactly once
  ROWS   whole rows: time f64, then a f64 for each stored column
  EVNT   time f64, then UTF-8 text
  EXTR   extremes between rows: column of the header u32, time f64, value f64, again and again
  DONE   the status as UTF-8 text: the last record
Types that a reader does not know are passed over. A record of rows has 64 KiB at most, or one row; it is
written when it is full, before an event, and when its oldest row is half a second old. */
inline constexpr std::string_view kCotrSignature(
    "\x8A"
    "COTR\r\n\x01",
    8);
inline constexpr size_t kCotrBlock = 1 << 16;

std::unique_ptr<ResultWriter> MakeCotrWriter(const std::string& path);

/** What a walk through a file meets. A function that is not set is not called. */
struct CotrVisitor {
  std::function<void(ResultHeader header)> header;
  std::function<void(size_t rows, std::span<const double> block)> rows;  // each row: time, stored columns
  std::function<void(double time, std::string_view text)> event;
  std::function<void(const ResultExtreme& extreme)> extreme;
};

/** How a walk ended. */
struct CotrEnd {
  bool readable = false;  // there was a header
  std::string status = "interrupted";
  std::string damage;   // why the walk stopped before the end of the file; empty if it did not
  std::string problem;  // why nothing was read
};

/// Goes through the file record by record, with memory for one of them, up to the first that is cut or
/// damaged.
CotrEnd WalkCotr(const std::string& path, const CotrVisitor& visitor);

}  // namespace cotree
