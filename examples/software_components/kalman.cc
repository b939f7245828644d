// SPDX-License-Identifier: Apache-2.0
// A Kalman filter in C++: position and speed from a noisy measurement z of the position, sampled with period
// T. Between samples the speed changes at random with density q (m^2/s^3); the measurement has variance r.
//
// `position` and `speed` are the prediction for the sample, from the measurements before it: no direct input.
// `innovation` = z - position depends on z directly, hence a group of its own.
//
// Build:  c++ -std=c++17 -O2 -fPIC -shared -I include examples/software_components/kalman.cc -o libkalman.so
// Model:  external "libkalman.so" "kalman"
#include <cotree/component.hpp>
#include <stdexcept>

namespace {

class Kalman : public cotree::Component {
 public:
  static constexpr cotree::Parameter kParameters[] = {
      {"T", cotree::kRequired}, {"q", 1.0}, {"r", 1.0}, {"p0", 100.0}};

  explicit Kalman(const double* p) : T_(p[0]), q_(p[1]), r_(p[2]) {
    if (!(T_ > 0) || !(q_ >= 0) || !(r_ > 0))
      throw std::invalid_argument("T and r must be positive, q not negative");
    z_ = AddInput("z");
    position_ = AddOutput("position");
    speed_ = AddOutput("speed");
    innovation_ = AddOutput("innovation");
    prediction_group_ = AddGroup({position_, speed_}, {});
    AddGroup({innovation_}, {z_});
    SetSamplePeriod(T_);
    SetDiscreteState(&m_);
    m_.P11 = m_.P22 = p[3];
  }

  void Outputs(uint32_t group, double, const double*, const double* u, double* y) override {
    if (group == prediction_group_) {
      y[position_] = m_.s;
      y[speed_] = m_.v;
    } else {
      y[innovation_] = u[z_] - m_.s;
    }
  }

  void Update(double, const double*, const double* u) override {
    // The measurement: gain K = P h / (h' P h + r) with h = (1, 0).
    const double variance = m_.P11 + r_, K1 = m_.P11 / variance, K2 = m_.P12 / variance;
    const double innovation = u[z_] - m_.s;
    const double s = m_.s + K1 * innovation, v = m_.v + K2 * innovation;
    const double P11 = m_.P11 - K1 * m_.P11, P12 = m_.P12 - K1 * m_.P12, P22 = m_.P22 - K2 * m_.P12;
    // The time step: s := s + T v.
    m_.s = s + T_ * v;
    m_.v = v;
    m_.P11 = P11 + T_ * (2.0 * P12 + T_ * P22) + q_ * T_ * T_ * T_ / 3.0;
    m_.P12 = P12 + T_ * P22 + q_ * T_ * T_ / 2.0;
    m_.P22 = P22 + q_ * T_;
  }

 private:
  struct Memory {
    double s, v, P11, P12, P22;  // prediction and its covariance
  };

  double T_, q_, r_;
  Memory m_{};
  uint32_t z_, position_, speed_, innovation_, prediction_group_;
};

}  // namespace

COTREE_COMPONENT(kalman, Kalman)
