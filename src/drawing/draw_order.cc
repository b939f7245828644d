// SPDX-License-Identifier: Apache-2.0
#include "drawing/draw_order.h"

namespace cotree {

Drawing DrawOrder(const Program&) { return {}; }

}  // namespace cotree
