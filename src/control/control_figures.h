// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "control/channel.h"
#include "control/margins.h"
#include "plot/figure.h"

namespace cotree {

/** A response with its name in the legend. */
struct NamedChannel {
  std::string name;
  Channel channel;
};

/// Gain in dB and phase in degrees over frequency; crossovers marked where margins are given.
Figure BodeFigure(const std::string& title, const std::vector<NamedChannel>& channels,
                  const Margins* margins = nullptr);
/// L(jw) for both signs of w, the unit circle and -1. What goes to infinity is cut off.
Figure NyquistFigure(const std::string& title, const Channel& loop);
/// Crosses: poles at gain 0; circles: zeros. Gains from 0 to 1000. Of a sampled loop in the plane of z, with
/// the unit circle; zeros far outside of it are not drawn.
Figure RootLocusFigure(const std::string& title, const Channel& loop);
Figure StepFigure(const std::string& title, const std::vector<NamedChannel>& channels);

}  // namespace cotree
