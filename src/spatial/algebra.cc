// SPDX-License-Identifier: Apache-2.0
#include "spatial/algebra.h"

#include <cmath>

namespace cotree {

Mat3<double> OfRollPitchYaw(double roll, double pitch, double yaw) {
  const auto exact = [](double v) {
    for (const double whole : {-1.0, 0.0, 1.0}) {
      if (std::abs(v - whole) < 1e-15) return whole;
    }
    return v;
  };
  const auto about = [&](const Vec3<double>& n, double angle) {
    return AboutAxis<double>(n, exact(std::sin(angle)), exact(std::cos(angle)));
  };
  return about({{0, 0, 1}}, yaw) * about({{0, 1, 0}}, pitch) * about({{1, 0, 0}}, roll);
}

// By Jacobi's rotations.
std::array<double, 3> PrincipalValues(Mat3<double> a) {
  for (int sweep = 0; sweep < 40; ++sweep) {
    for (size_t i = 0; i < 2; ++i) {
      for (size_t j = i + 1; j < 3; ++j) {
        if (a[i][j] == 0) continue;
        const double angle = std::atan2(2 * a[i][j], a[j][j] - a[i][i]) / 2;
        Mat3<double> turn = Mat3<double>::Identity();
        turn[i][i] = turn[j][j] = std::cos(angle);
        turn[i][j] = std::sin(angle);
        turn[j][i] = -std::sin(angle);
        a = Transpose(turn) * a * turn;
        a[i][j] = a[j][i] = 0;
      }
    }
  }
  return {a[0][0], a[1][1], a[2][2]};
}

}  // namespace cotree
