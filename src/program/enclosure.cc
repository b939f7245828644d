// SPDX-License-Identifier: Apache-2.0
#include "program/enclosure.h"

#include <algorithm>
#include <numbers>

namespace cotree {
namespace {

constexpr double kPi = std::numbers::pi;

Interval Ordered(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Interval::All();
  return a <= b ? Interval{a, b} : Interval{b, a};
}
// 0 times an infinite bound is 0: the bound is not reached.
double Product(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}
Interval Power(Interval a, int64_t n) {
  if (n == 0) return Interval::Point(1);
  if (n < 0) return Interval::Point(1) / Power(a, -n);
  const double low = PowerChain<double>(a.low, n, 1.0), high = PowerChain<double>(a.high, n, 1.0);
  if (n % 2 != 0) return Ordered(low, high);
  return {a.Contains(0) ? 0 : std::min(low, high), std::max(low, high)};
}
// Whether the interval holds offset + k*period for some whole k.
bool HoldsMultiple(Interval a, double offset, double period) {
  return offset + period * std::ceil((a.low - offset) / period) <= a.high;
}
Interval Sine(Interval a) {
  if (!(a.high - a.low < 2 * kPi)) return {-1, 1};
  const double low = std::sin(a.low), high = std::sin(a.high);
  return {HoldsMultiple(a, -kPi / 2, 2 * kPi) ? -1 : std::min(low, high),
          HoldsMultiple(a, kPi / 2, 2 * kPi) ? 1 : std::max(low, high)};
}
Interval Cosine(Interval a) {
  if (!(a.high - a.low < 2 * kPi)) return {-1, 1};
  const double low = std::cos(a.low), high = std::cos(a.high);
  return {HoldsMultiple(a, kPi, 2 * kPi) ? -1 : std::min(low, high),
          HoldsMultiple(a, 0, 2 * kPi) ? 1 : std::max(low, high)};
}

// Of the point (x, y), for atan2(y, x). Where the box does not touch the negative x axis the corners are the
// extremes (a rectangle seen from outside, or from beside that axis).
Interval Angle(Interval y, Interval x) {
  if (!(x.low > 0) && !(y.low > 0) && !(y.high < 0)) return {-kPi, kPi};
  Interval angle = Interval::Point(std::atan2(y.low, x.low));
  for (const auto& [v, u] : {std::pair{y.low, x.high}, {y.high, x.low}, {y.high, x.high}})
    angle = Hull(angle, Interval::Point(std::atan2(v, u)));
  return angle;
}

/** A function of one argument: its values, its slopes, and how much it bends for a change of the argument. */
struct Course {
  Interval value, slope;
  double bend;  // times the change of the argument: its phase
};

// Within (low, high) of its domain a root or logarithm bends by parts of the distance from the border.
double Inverse(double distance) {
  return distance > 0 ? 1 / distance : INFINITY;
}

Course CourseOf(Op op, Interval u) {
  const auto rising = [&](double (*f)(double)) { return Interval{f(u.low), f(u.high)}; };
  const Interval one = Interval::Point(1);
  switch (op) {
    case Op::kSin:
      return {Sine(u), Cosine(u), 1};
    case Op::kCos:
      return {Cosine(u), Interval::Point(-1) * Sine(u), 1};
    case Op::kTan: {
      if (!(u.high - u.low < kPi) || HoldsMultiple(u, kPi / 2, kPi))
        return {Interval::All(), {0, INFINITY}, 2};
      const Interval t = Ordered(std::tan(u.low), std::tan(u.high));
      return {t, one + Power(t, 2), 2 * (1 + t.Largest())};
    }
    case Op::kAsin:
    case Op::kAcos: {
      const Interval c{std::clamp(u.low, -1.0, 1.0), std::clamp(u.high, -1.0, 1.0)};
      const Interval rest{std::sqrt(1 - std::min(1.0, c.Largest() * c.Largest())),
                          std::sqrt(1 - c.Least() * c.Least())};
      const Interval slope{1 / rest.high, Inverse(rest.low)};
      const double bend = Inverse(1 - c.Largest());
      if (op == Op::kAsin) return {{std::asin(c.low), std::asin(c.high)}, slope, bend};
      return {{std::acos(c.high), std::acos(c.low)}, {-slope.high, -slope.low}, bend};
    }
    case Op::kAtan: {
      const Interval square = Power(u, 2);
      return {rising(std::atan), one / (one + square), 1 / (1 + square.low)};
    }
    case Op::kSinh: {
      const Interval c{std::cosh(u.Least()), std::cosh(u.Largest())};
      return {rising(std::sinh), c, 1};
    }
    case Op::kCosh:
      return {{std::cosh(u.Least()), std::cosh(u.Largest())}, rising(std::sinh), 1};
    case Op::kTanh: {
      const double near = std::cosh(u.Least()), far = std::cosh(u.Largest());
      return {rising(std::tanh), {1 / (far * far), 1 / (near * near)}, 2 / near};
    }
    case Op::kExp: {
      const Interval e = rising(std::exp);
      return {e, e, e.high > 0 ? 1.0 : 0.0};
    }
    case Op::kLog:
    case Op::kLog10: {
      const Interval c{std::max(u.low, 0.0), std::max(u.high, 0.0)};
      const double unit = op == Op::kLog ? 1 : 1 / std::log(10.0);
      return {{unit * std::log(c.low), unit * std::log(c.high)},
              {unit * Inverse(c.high), unit * Inverse(c.low)},
              Inverse(c.low)};
    }
    case Op::kSqrt: {
      const Interval root{std::sqrt(std::max(u.low, 0.0)), std::sqrt(std::max(u.high, 0.0))};
      return {root, {0.5 * Inverse(root.high), 0.5 * Inverse(root.low)}, Inverse(std::max(u.low, 0.0))};
    }
    case Op::kAbs:
      return {{u.Least(), u.Largest()},
              u.low >= 0   ? one
              : u.high < 0 ? Interval::Point(-1)
                           : Interval{-1, 1},
              u.low < 0 && u.high > 0 ? INFINITY : 0};  // a kink within
    case Op::kSign:
    case Op::kFloor:
    case Op::kCeil: {
      const Interval v{UnaryValue(op, u.low), UnaryValue(op, u.high)};
      return {v, v.IsPoint() ? Interval::Point(0) : Interval{0, INFINITY}, 0};
    }
    case Op::kNot:
      return {u.Contains(0) ? (u.IsPoint() ? one : Interval{0, 1}) : Interval::Point(0), Interval::Point(0),
              0};
    default:
      return {Interval::All(), Interval::All(), INFINITY};
  }
}

double Phase(double bend, Interval slope, double length) {
  const double change = slope.Largest() * length;
  return change == 0 ? 0 : Product(bend, change);
}

class CodeEnclosure {
 public:
  CodeEnclosure(const EnclosureContext& context, std::vector<Enclosure>& registers)
      : at_(context), r_(registers), length_(context.time.high - context.time.low) {}

  Enclosure Instance(const Instruction& i) {
    switch (i.code) {
      case CodeOp::kNumber:
        return {Interval::Point(i.number), {}, 0};
      case CodeOp::kLoad:
        return at_.values[at_.locals[i.a]];
      case CodeOp::kParameter:
        return {Interval::Point(at_.parameters[i.a]), {}, 0};
      case CodeOp::kTime:
        return {at_.time, Interval::Point(1), 0};
      case CodeOp::kSwitchTime:
        return {Interval::Point(at_.switch_time), {}, 0};
      case CodeOp::kIntegerPower: {
        const auto n = static_cast<int64_t>(i.number);
        const Enclosure& a = r_[i.a];
        const double bend = n < 0 ? Inverse(a.value.Least()) : 0;
        return {
            Power(a.value, n),
            n == 0 ? Interval{} : Interval::Point(static_cast<double>(n)) * Power(a.value, n - 1) * a.slope,
            std::max(a.phase * std::fabs(i.number), Phase(bend, a.slope, length_))};
      }
      case CodeOp::kIf:
        return Branch(r_[i.a], r_[i.b], r_[i.c]);
      case CodeOp::kTable:
        return Table((*at_.tables)[i.c], r_[i.a], r_[i.b], static_cast<uint32_t>(i.number));
      case CodeOp::kUnary: {
        const Enclosure& a = r_[i.a];
        const Course c = CourseOf(i.op, a.value);
        return {c.value, c.slope * a.slope, std::max(a.phase, Phase(c.bend, a.slope, length_))};
      }
      case CodeOp::kBinary:
        return Binary(i.op, r_[i.a], r_[i.b]);
    }
    return {};
  }

 private:
  static Enclosure Branch(const Enclosure& condition, const Enclosure& yes, const Enclosure& no) {
    Enclosure out;
    if (!condition.value.Contains(0))
      out = yes;
    else if (condition.value.IsPoint())
      out = no;
    else  // a kink or a jump somewhere within
      out = {Hull(yes.value, no.value), Interval::All(), std::max(yes.phase, no.phase)};
    out.phase = std::max(out.phase, condition.phase);
    return out;
  }
  Enclosure Binary(Op op, const Enclosure& a, const Enclosure& b) {
    const double phase = std::max(a.phase, b.phase);
    switch (op) {
      case Op::kAdd:
        return {a.value + b.value, a.slope + b.slope, phase};
      case Op::kMultiply:
        return {a.value * b.value, a.value * b.slope + b.value * a.slope, a.phase + b.phase};
      case Op::kDivide: {
        const Interval q = a.value / b.value;
        return {q, (a.slope - q * b.slope) / b.value,
                std::max(a.phase + b.phase, Phase(Inverse(b.value.Least()), b.slope, length_))};
      }
      case Op::kPower:
        return RealPower(a, b, phase);
      case Op::kMin:
      case Op::kMax: {
        const bool least = op == Op::kMin;
        if (least ? a.value.high <= b.value.low : a.value.low >= b.value.high)
          return {a.value, a.slope, phase};
        if (least ? b.value.high <= a.value.low : b.value.low >= a.value.high)
          return {b.value, b.slope, phase};
        const auto f = [&](double x, double y) { return least ? std::min(x, y) : std::max(x, y); };
        return {
            {f(a.value.low, b.value.low), f(a.value.high, b.value.high)}, Hull(a.slope, b.slope), INFINITY};
      }
      case Op::kMod: {  // a - b*floor(a/b)
        const Interval turns = a.value / b.value;
        const double low = std::floor(turns.low), high = std::floor(turns.high);
        if (low == high)
          return {a.value - b.value * Interval::Point(low), a.slope - b.slope * Interval::Point(low), phase};
        return {Hull(Interval::Point(0), b.value), Interval::All(), phase};
      }
      case Op::kAtan2: {
        // The slope of the angle of (x, y) is (x y' - y x')/(x^2 + y^2).
        const Interval square = Power(a.value, 2) + Power(b.value, 2);
        const Interval slope = (b.value * a.slope - a.value * b.slope) / square;
        return {Angle(a.value, b.value), slope, std::max(phase, Phase(1, slope, length_))};
      }
      case Op::kLess:
        return Truth(a.value.high < b.value.low, a.value.low >= b.value.high, phase);
      case Op::kLessEqual:
        return Truth(a.value.high <= b.value.low, a.value.low > b.value.high, phase);
      case Op::kEqual:
        return Truth(a.value.IsPoint() && b.value.IsPoint() && a.value.low == b.value.low,
                     a.value.high < b.value.low || a.value.low > b.value.high, phase);
      case Op::kNotEqual:
        return Truth(a.value.high < b.value.low || a.value.low > b.value.high,
                     a.value.IsPoint() && b.value.IsPoint() && a.value.low == b.value.low, phase);
      case Op::kAnd:
        return Truth(!a.value.Contains(0) && !b.value.Contains(0), False(a) || False(b), phase);
      case Op::kOr:
        return Truth(!a.value.Contains(0) || !b.value.Contains(0), False(a) && False(b), phase);
      default:
        return {Interval::All(), Interval::All(), INFINITY};
    }
  }
  static bool False(const Enclosure& a) { return a.value.IsPoint() && a.value.low == 0; }
  static Enclosure Truth(bool yes, bool no, double phase) {
    return {yes ? Interval::Point(1) : no ? Interval::Point(0) : Interval{0, 1}, {}, phase};
  }
  Enclosure RealPower(const Enclosure& a, const Enclosure& b, double phase) {
    const Interval base{std::max(a.value.low, 0.0), std::max(a.value.high, 0.0)};
    if (!(base.high > 0)) return {Interval::All(), Interval::All(), phase};
    Interval value = Interval::Point(std::pow(base.low, b.value.low));
    for (const double x : {base.low, base.high}) {
      for (const double y : {b.value.low, b.value.high}) value = Hull(value, Interval::Point(std::pow(x, y)));
    }
    if (base.Contains(1) || base.low == 0) value = Hull(value, Interval::Point(1));
    // (x^y)' = x^y (y x'/x + y' log x)
    const Interval inverse{Inverse(base.high), Inverse(base.low)};
    const Interval log{std::log(base.low), std::log(base.high)};
    const Interval slope = value * (b.value * a.slope * inverse + b.slope * log);
    const double bends = Phase(Inverse(base.low), a.slope, length_);
    return {value, slope, std::max({phase, bends, Phase(1, b.slope * log, length_)})};
  }
  // Through the knots within the argument's interval; cubics overshoot a little between them.
  Enclosure Table(const TableFunction& table, const Enclosure& x, const Enclosure& y, uint32_t orders) {
    const double phase = std::max(x.phase, y.phase);
    const auto& knots = table.knots();
    const auto first = std::upper_bound(knots.begin(), knots.end(), x.value.low);
    const auto last = std::lower_bound(first, knots.end(), x.value.high);
    const bool moves = !x.slope.IsPoint() || x.slope.low != 0;
    const double met = moves ? static_cast<double>(last - first) : 0;
    if (!y.value.IsPoint() || !std::isfinite(x.value.Largest()))
      return {Interval::All(), Interval::All(), std::max(phase, y.value.IsPoint() ? met : 4 * (met + 1))};
    const auto range = [&](uint32_t order) {
      const auto at = [&](double u) {
        return Interval::Point(table.Value(u, y.value.low, orders / 16 + order, orders % 16));
      };
      Interval out = Hull(at(x.value.low), at(x.value.high));
      for (int k = 1; k < 4; ++k) out = Hull(out, at(x.value.low + k * (x.value.high - x.value.low) / 4));
      for (auto knot = first; knot != last && knot - first < 1000; ++knot) out = Hull(out, at(*knot));
      const double more = 0.25 * (out.high - out.low);
      return last - first < 1000 ? Interval{out.low - more, out.high + more} : Interval::All();
    };
    return {range(0), range(1) * x.slope, std::max(phase, met > 1 ? met : 0)};
  }

  const EnclosureContext& at_;
  std::vector<Enclosure>& r_;
  double length_;
};

}  // namespace

Interval operator+(Interval a, Interval b) {
  const double low = a.low + b.low, high = a.high + b.high;
  return {std::isnan(low) ? -INFINITY : low, std::isnan(high) ? INFINITY : high};
}
Interval operator-(Interval a, Interval b) {
  return a + Interval{-b.high, -b.low};
}
Interval operator*(Interval a, Interval b) {
  const double p = Product(a.low, b.low), q = Product(a.low, b.high), r = Product(a.high, b.low),
               s = Product(a.high, b.high);
  if (std::isnan(p) || std::isnan(q) || std::isnan(r) || std::isnan(s)) return Interval::All();
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}
Interval operator/(Interval a, Interval b) {
  if (!(b.low > 0) && !(b.high < 0)) return Interval::All();
  return a * Interval{1 / b.high, 1 / b.low};
}
Interval Hull(Interval a, Interval b) {
  if (std::isnan(a.low) || std::isnan(a.high) || std::isnan(b.low) || std::isnan(b.high))
    return Interval::All();
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

void EncloseCode(const Code& code, const EnclosureContext& context, std::vector<Enclosure>& registers) {
  if (registers.size() < code.instructions.size()) registers.resize(code.instructions.size());
  CodeEnclosure enclose(context, registers);
  for (size_t k = 0; k < code.instructions.size(); ++k) registers[k] = enclose.Instance(code.instructions[k]);
}

}  // namespace cotree
