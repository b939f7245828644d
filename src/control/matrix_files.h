// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simulation/linearize.h"

namespace cotree {

/// The bytes of a NumPy .npz: A, B, C, D, B_du1 ... where they occur, the period `dt` of a sampled model, and
/// states, inputs, outputs as texts.
std::string NpzBytes(const LinearModel& model);
/// The bytes of a MATLAB file of level 4 with the same matrices; names as rows of text.
std::string Mat4Bytes(const LinearModel& model);

/// CRC-32 (ISO 3309, as zip uses it): "123456789" gives 0xCBF43926.
uint32_t Crc32(std::string_view bytes);

}  // namespace cotree
