// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cotree {

/// Bytes of a byte order mark of UTF-8 at the beginning of a text: 3 or 0.
size_t ByteOrderMark(std::string_view text);

/// Why a file cannot be read as a text in UTF-8, for a sentence ("it is in UTF-16 ..."); empty: it can, as
/// far as marks and zero bytes tell. Single characters that are no UTF-8 are not looked for.
std::string ForeignEncoding(std::string_view text);

/// Bytes of the character of UTF-8 at a place; 0: there is none.
size_t CharacterBytes(std::string_view text, size_t at);

}  // namespace cotree
