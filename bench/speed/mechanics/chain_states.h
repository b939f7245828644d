// SPDX-License-Identifier: Apache-2.0
// The reference chain and its states, for all programs that are timed on it.
//
// n links, link i (from 1) on a revolute joint about y, x, z in turn; the joint of link 1 at the ground, the
// others 0.5 m down (-z) in the link before. 1 kg, centre of mass (0.02, 0.01, -0.25) m, moments 0.021,
// 0.022, 0.004 kg*m^2 about it, gravity 9.81 m/s^2 down, no torques. There are 64 states, taken one after the
// other, so that the state is another one at every call; the sum is over all 64.
#pragma once

#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace chain {

inline constexpr int kStates = 64;
inline constexpr double kAxes[3][3] = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
inline constexpr double kCentre[3] = {0.02, 0.01, -0.25};
inline constexpr double kMoments[3] = {0.021, 0.022, 0.004};
inline constexpr double kArm[3] = {0, 0, -0.5};
inline constexpr double kGravity = -9.81;

struct States {
  explicit States(int n) {
    for (int s = 0; s < kStates; ++s) {
      std::vector<double> q, qd;
      for (int i = 1; i <= n; ++i) {
        q.push_back(0.3 * std::sin(0.7 * i + 0.1 * s));
        qd.push_back(0.5 * std::cos(0.9 * i + 0.2 * s));
      }
      positions.push_back(q);
      velocities.push_back(qd);
    }
  }
  std::vector<std::vector<double>> positions, velocities;
};

// What tells one result from another: each acceleration has a weight of its own.
inline double Weighted(const double* qdd, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += qdd[i] * (1 + 0.1 * (i % 7));
  return sum;
}

// Of this process: what others do on the machine counts less than with a clock on the wall.
inline double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// `call(s)` computes the accelerations of state s and returns where they stand. Prints a line of JSON: the
// best of `rounds` times, each over some 0.1 s.
template <class Call>
void Time(const char* peer, const char* way, int n, Call call, int rounds = 7) {
  double sum = 0;
  for (int s = 0; s < kStates; ++s) sum += Weighted(call(s), n);
  const double* qdd = call(0);
  const double first = qdd[0], last = qdd[n - 1];
  const auto seconds = [&](int loops) {
    const double began = CpuSeconds();
    for (int k = 0; k < loops; ++k)
      for (int s = 0; s < kStates; ++s) call(s);
    return CpuSeconds() - began;
  };
  int loops = 1;
  while (seconds(loops) < 0.1) loops *= 2;
  double best = 1e99, worst = 0;
  for (int k = 0; k < rounds; ++k) {
    const double us = seconds(loops) / loops / kStates * 1e6;
    best = us < best ? us : best;
    worst = us > worst ? us : worst;
  }
  std::printf(
      "{\"peer\": \"%s\", \"way\": \"%s\", \"links\": %d, \"us\": %.4f, \"worst_us\": %.4f, \"checksum\": "
      "%.12g, "
      "\"first\": %.12g, \"last\": %.12g}\n",
      peer, way, n, best, worst, sum, first, last);
  std::fflush(stdout);
}

}  // namespace chain
