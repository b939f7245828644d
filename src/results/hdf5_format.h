// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "results/result.h"

namespace cotree {

/** HDF5, the only header that stands for that library:

  /                    attributes schema, model, model_hash, version, experiment, tolerance, plots, status
  /time                f64[rows], attribute unit = "s"
  /variables/NAME      f64[rows], attributes unit, description, stepwise (int32); in the order of the header
  /aliases/NAME        no data, attributes alias_of, alias_sign (f64), unit, description, stepwise
  /events/time, text   f64[], strings

Datasets are chunked and compressed (shuffle, deflate 4). A file of HDF5 that is being written cannot be read
after a kill, so rows go to `F.h5.partial.cotr` first (cotr_format.h), and Finish makes `F.h5` from it, with
memory for one batch of rows, and removes it. Who kills the run finds `F.h5.partial.cotr`, whole. */
std::unique_ptr<ResultWriter> MakeHdf5Writer(const std::string& path);

std::optional<Result> ReadHdf5(const std::string& path, std::string* problem);

}  // namespace cotree
