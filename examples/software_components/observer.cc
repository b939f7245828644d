// SPDX-License-Identifier: Apache-2.0
// An observer with state feedback in C++, continuous: a mass m is moved to `target` by a force, only its
// position y is measured. The states s, v follow the mass:
//
//   s' = v + l1 (y - s),  v' = force/m + l2 (y - s),  force = k1 (target - s) - k2 v
//
// `force` needs no measurement of now: it is known before the mass moves. `innovation` = y - s depends on y
// directly and comes after it: two output groups, one on each side of the plant.
//
// Build:  c++ -std=c++17 -O2 -fPIC -shared -I include examples/software_components/observer.cc -o libobserver.so
// Model:  external "libobserver.so" "observer"
#include <cotree/component.hpp>
#include <stdexcept>

namespace {

class Observer : public cotree::Component {
 public:
  static constexpr cotree::Parameter kParameters[] = {{"m", cotree::kRequired}, {"k1", cotree::kRequired},
                                                      {"k2", cotree::kRequired}, {"l1", cotree::kRequired},
                                                      {"l2", cotree::kRequired}, {"target", 0.0}};

  explicit Observer(const double* p) : m_(p[0]), k1_(p[1]), k2_(p[2]), l1_(p[3]), l2_(p[4]), target_(p[5]) {
    if (!(m_ > 0)) throw std::invalid_argument("m must be positive");
    y_ = AddInput("y");
    force_ = AddOutput("force");
    innovation_ = AddOutput("innovation");
    s_ = AddState("s", 0.0);
    v_ = AddState("v", 0.0);
    force_group_ = AddGroup({force_}, {});
    AddGroup({innovation_}, {y_});
  }

  void Outputs(uint32_t group, double, const double* x, const double* u, double* y) override {
    if (group == force_group_)
      y[force_] = Force(x);
    else
      y[innovation_] = u[y_] - x[s_];
  }

  void Derivatives(double, const double* x, const double* u, double* dx) override {
    const double innovation = u[y_] - x[s_];
    dx[s_] = x[v_] + l1_ * innovation;
    dx[v_] = Force(x) / m_ + l2_ * innovation;
  }

 private:
  double Force(const double* x) const { return k1_ * (target_ - x[s_]) - k2_ * x[v_]; }

  double m_, k1_, k2_, l1_, l2_, target_;
  uint32_t y_, force_, innovation_, s_, v_, force_group_;
};

}  // namespace

COTREE_COMPONENT(observer, Observer)
