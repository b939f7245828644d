// SPDX-License-Identifier: Apache-2.0
#include "program/delay_line.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cotree {

void DelayLine::Begin(double time, double value, double before) {
  start_ = time;
  before_ = before;
  times_.assign(1, time);
  values_.assign(1, value);
  breaks_.assign(1, 0);
}

void DelayLine::Add(double time, double value) {
  if (time <= times_.back()) return;
  times_.push_back(time);
  values_.push_back(value);
}

void DelayLine::Break(double time, double value) {
  if (breaks_.back() + 1 == times_.size()) {  // nothing since the last one
    values_.back() = value;
    return;
  }
  breaks_.push_back(times_.size());
  times_.push_back(time);
  values_.push_back(value);
}

void DelayLine::Corner(double time) {
  if (times_.back() == time && (corners_.empty() || corners_.back() + 1 < times_.size()))
    corners_.push_back(times_.size() - 1);
}

double DelayLine::At(double time, double inside) const {
  // At the very end of a run `inside` may be the time of a jump, but for rounding.
  inside += 4 * std::numeric_limits<double>::epsilon() * (std::fabs(inside) + delay);
  if (inside < start_ || time < start_ - 1e-9 * delay) return before_;
  if (time < times_.front() || times_.size() == 1) return values_.front();
  // The smooth part that `inside` lies in, then the points around `time` within it.
  const auto later = std::upper_bound(breaks_.begin(), breaks_.end(), inside,
                                      [&](double t, size_t k) { return t < times_[k]; });
  const size_t part = later == breaks_.begin() ? 0 : static_cast<size_t>(later - breaks_.begin()) - 1;
  size_t first = breaks_[part], end = part + 1 < breaks_.size() ? breaks_[part + 1] : times_.size();
  for (auto corner = std::upper_bound(corners_.begin(), corners_.end(), first);
       corner != corners_.end() && *corner + 1 < end; ++corner) {
    if (time < times_[*corner])
      end = *corner + 1;
    else
      first = *corner;
  }
  const auto above = std::upper_bound(times_.begin() + static_cast<std::ptrdiff_t>(first),
                                      times_.begin() + static_cast<std::ptrdiff_t>(end), time);
  const auto next = static_cast<size_t>(above - times_.begin());
  size_t low = next >= first + 2 ? next - 2 : first, high = std::min(low + 4, end);
  low = high >= first + 4 ? high - 4 : first;
  double sum = 0;
  for (size_t i = low; i < high; ++i) {
    double weight = 1;
    for (size_t j = low; j < high; ++j) {
      if (j != i) weight *= (time - times_[j]) / (times_[i] - times_[j]);
    }
    sum += weight * values_[i];
  }
  return sum;
}

void DelayLine::Forget(double time) {
  const auto old =
      static_cast<size_t>(std::lower_bound(times_.begin(), times_.end(), time - delay) - times_.begin());
  if (old < 4096 || old < times_.size() / 2) return;
  const size_t drop = old - 8;
  times_.erase(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(drop));
  values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(drop));
  std::vector<size_t> kept;
  for (const size_t k : breaks_) {
    if (k > drop) kept.push_back(k - drop);
  }
  kept.insert(kept.begin(), 0);
  breaks_ = std::move(kept);
  std::erase_if(corners_, [&](size_t k) { return k <= drop; });
  for (size_t& k : corners_) k -= drop;
}

void DelayLine::Exchange(Archive& archive) {
  for (double* x : {&delay, &start_, &before_}) archive.Number(*x);
  archive.Numbers(times_);
  archive.Numbers(values_);
  archive.Numbers(breaks_);
  archive.Numbers(corners_);
}

}  // namespace cotree
