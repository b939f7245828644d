// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace cotree {

/** Vectors and matrices of space, over numbers or over expressions (Sym): the same formulas compute and
derive. T has + - * and is 0 when made of nothing. */
template <class T>
struct Vec3 {
  std::array<T, 3> x{};
  T& operator[](size_t k) { return x[k]; }
  const T& operator[](size_t k) const { return x[k]; }
};

template <class T>
Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b) {
  return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b) {
  return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}
template <class T>
Vec3<T> operator-(const Vec3<T>& a) {
  return {{T{} - a[0], T{} - a[1], T{} - a[2]}};
}
template <class T>
Vec3<T> operator*(const Vec3<T>& a, const T& s) {
  return {{a[0] * s, a[1] * s, a[2] * s}};
}
template <class T>
T Dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
Vec3<T> Cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

template <class T>
struct Mat3 {
  std::array<std::array<T, 3>, 3> m{};
  std::array<T, 3>& operator[](size_t i) { return m[i]; }
  const std::array<T, 3>& operator[](size_t i) const { return m[i]; }
  static Mat3 Identity() {
    Mat3 out;
    for (size_t i = 0; i < 3; ++i) out[i][i] = T(1);
    return out;
  }
};

template <class T>
Mat3<T> operator+(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] = a[i][j] + b[i][j];
  }
  return out;
}
template <class T>
Mat3<T> operator*(const Mat3<T>& a, const Mat3<T>& b) {
  Mat3<T> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  }
  return out;
}
template <class T>
Vec3<T> operator*(const Mat3<T>& a, const Vec3<T>& v) {
  Vec3<T> out;
  for (size_t i = 0; i < 3; ++i) out[i] = a[i][0] * v[0] + a[i][1] * v[1] + a[i][2] * v[2];
  return out;
}
template <class T>
Mat3<T> Transpose(const Mat3<T>& a) {
  Mat3<T> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] = a[j][i];
  }
  return out;
}

/// Vectors and matrices of numbers as ones of T.
template <class T>
Vec3<T> Lift(const Vec3<double>& v) {
  return {{T(v[0]), T(v[1]), T(v[2])}};
}
template <class T>
Mat3<T> Lift(const Mat3<double>& a) {
  Mat3<T> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) out[i][j] = T(a[i][j]);
  }
  return out;
}

/// Turned about the unit vector n by an angle with this sine and cosine.
template <class T>
Mat3<T> AboutAxis(const Vec3<double>& n, const T& sine, const T& cosine) {
  Mat3<T> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      const double both = n[i] * n[j];
      out[i][j] = T(both) + cosine * T((i == j ? 1.0 : 0.0) - both);
    }
  }
  const auto add = [&](size_t i, size_t j, double factor) { out[i][j] = out[i][j] + sine * T(factor); };
  add(0, 1, -n[2]), add(1, 0, n[2]);
  add(0, 2, n[1]), add(2, 0, -n[1]);
  add(1, 2, -n[0]), add(2, 1, n[0]);
  return out;
}

/// The orientation that a quaternion (w, x, y, z) of any length but 0 stands for.
template <class T>
Mat3<T> OfQuaternion(const std::array<T, 4>& q) {
  const T scale = T(2) / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  Mat3<T> out;
  const auto product = [&](size_t i, size_t j) { return q[i] * q[j]; };
  out[0][0] = T(1) - scale * (product(2, 2) + product(3, 3));
  out[1][1] = T(1) - scale * (product(1, 1) + product(3, 3));
  out[2][2] = T(1) - scale * (product(1, 1) + product(2, 2));
  out[0][1] = scale * (product(1, 2) - product(0, 3));
  out[1][0] = scale * (product(1, 2) + product(0, 3));
  out[0][2] = scale * (product(1, 3) + product(0, 2));
  out[2][0] = scale * (product(1, 3) - product(0, 2));
  out[1][2] = scale * (product(2, 3) - product(0, 1));
  out[2][1] = scale * (product(2, 3) + product(0, 1));
  return out;
}

/// Roll, pitch, yaw: turned about x, then y, then z of the fixed frame. Quarter turns give exact numbers.
Mat3<double> OfRollPitchYaw(double roll, double pitch, double yaw);
/// Of a symmetric matrix, in any order.
std::array<double, 3> PrincipalValues(Mat3<double> symmetric);

/** The mass, first moment and inertia of something rigid about the origin of its frame. */
template <class T>
struct MassProperties {
  T m{};
  Vec3<T> h;        // mass times centre
  Mat3<T> inertia;  // about the origin

  MassProperties operator+(const MassProperties& b) const { return {m + b.m, h + b.h, inertia + b.inertia}; }
};

/// m*(r.r*1 - r*r'), the inertia of a point.
template <class T>
Mat3<T> PointInertia(const T& m, const Vec3<T>& r) {
  Mat3<T> out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      if (i == j) {
        const size_t a = (i + 1) % 3, b = (i + 2) % 3;
        out[i][j] = m * (r[a] * r[a] + r[b] * r[b]);
      } else {
        out[i][j] = T{} - m * (r[i] * r[j]);
      }
    }
  }
  return out;
}

/// The same thing as seen from another frame, in which its own frame has this orientation and place.
template <class T>
MassProperties<T> Moved(const MassProperties<T>& a, const Mat3<T>& R, const Vec3<T>& p) {
  MassProperties<T> out;
  const Vec3<T> h = R * a.h;
  out.m = a.m;
  out.h = h + p * a.m;
  out.inertia = R * a.inertia * Transpose(R) + PointInertia(a.m, p);
  // The moment of the first moments: (h.p + p.h)*1 - h*p' - p*h'.
  const T both = Dot(h, p) * T(2);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      out.inertia[i][j] = out.inertia[i][j] - h[i] * p[j] - p[i] * h[j];
      if (i == j) out.inertia[i][j] = out.inertia[i][j] + both;
    }
  }
  return out;
}

}  // namespace cotree
