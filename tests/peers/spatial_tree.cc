// SPDX-License-Identifier: Apache-2.0
#include "spatial_tree.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <istream>
#include <numbers>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace cotree::peers {

namespace {

struct KindFacts {
  std::string_view name;
  int positions;
  int velocities;
};

constexpr KindFacts kKinds[] = {
    {"fixed", 0, 0},     {"revolute", 1, 1},  {"prismatic", 1, 1}, {"screw", 1, 1}, {"cylindrical", 2, 2},
    {"universal", 2, 2}, {"spherical", 4, 3}, {"planar", 3, 3},    {"free", 7, 6},
};

const KindFacts& FactsOf(JointKind kind) {
  return kKinds[static_cast<int>(kind)];
}

std::string Number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// ---- Random trees ----------------------------------------------------------------------------------------

/** SplitMix64: small, and the same everywhere. */
class Random {
 public:
  // Mixed first: else the numbers of one seed would be those of the next, shifted.
  explicit Random(uint64_t seed) : state_(seed) { state_ = Bits() ^ (Bits() << 1); }

  uint64_t Bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double Unit() { return static_cast<double>(Bits() >> 11) * 0x1p-53; }  // [0, 1)
  double Between(double low, double high) { return low + (high - low) * Unit(); }
  double LogBetween(double low, double high) { return low * std::exp(std::log(high / low) * Unit()); }
  int Whole(int low, int high) {  // both included
    return low + static_cast<int>(Bits() % static_cast<uint64_t>(high - low + 1));
  }
  bool Chance(double probability) { return Unit() < probability; }

 private:
  uint64_t state_;
};

double Dot(const Vector3& a, const Vector3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vector3 Cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector3 Scaled(const Vector3& a, double factor) {
  return {a[0] * factor, a[1] * factor, a[2] * factor};
}

Vector3 Normalized(const Vector3& a) {
  return Scaled(a, 1 / std::sqrt(Dot(a, a)));
}

Vector3 RandomVector(Random* random, double size) {
  Vector3 a;
  for (double& entry : a) entry = random->Between(-size, size);
  return a;
}

/// One in three along an axis of the frame.
Vector3 RandomDirection(Random* random) {
  if (random->Chance(1.0 / 3)) {
    Vector3 a{};
    a[static_cast<size_t>(random->Whole(0, 2))] = random->Chance(0.5) ? 1 : -1;
    return a;
  }
  for (;;) {
    const Vector3 a = RandomVector(random, 1);
    const double square = Dot(a, a);
    if (square > 0.01 && square <= 1) return Normalized(a);
  }
}

Vector3 RandomPerpendicular(Random* random, const Vector3& axis) {
  for (;;) {
    const Vector3 across = Cross(axis, RandomDirection(random));
    if (Dot(across, across) < 0.01) continue;
    Vector3 a = Normalized(across);
    const double rest = Dot(a, axis);  // once more: perpendicular to the last digit
    for (size_t i = 0; i < 3; ++i) a[i] -= rest * axis[i];
    return Normalized(a);
  }
}

Quaternion RandomQuaternion(Random* random) {
  for (;;) {
    Quaternion a;
    double square = 0;
    for (double& entry : a) {
      entry = random->Between(-1, 1);
      square += entry * entry;
    }
    if (square < 0.01 || square > 1) continue;
    for (double& entry : a) entry /= std::sqrt(square);
    return a;
  }
}

/// Of a body of three pairs of point masses on the axes of a turned frame: valid by construction.
InertiaEntries RandomInertia(Random* random, double mass) {
  const double size = random->LogBetween(0.03, 0.5);
  Vector3 moments;  // integral of x^2, y^2, z^2
  for (double& moment : moments) moment = mass * size * size * random->Between(0.05, 1);
  const Vector3 principal{moments[1] + moments[2], moments[0] + moments[2], moments[0] + moments[1]};
  const Matrix3 turn = RotationOf(RandomQuaternion(random));
  const auto entry = [&](size_t i, size_t j) {
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) sum += turn[i][k] * principal[k] * turn[j][k];
    return sum;
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

JointKind RandomKind(Random* random, bool at_ground, const RandomTreeOptions& options) {
  for (;;) {
    const int dice = random->Whole(0, 19);
    JointKind kind = JointKind::kRevolute;
    if (dice >= 4) kind = JointKind::kPrismatic;
    if (dice >= 6) kind = JointKind::kScrew;
    if (dice >= 8) kind = JointKind::kCylindrical;
    if (dice >= 10) kind = JointKind::kUniversal;
    if (dice >= 12) kind = JointKind::kSpherical;
    if (dice >= 15) kind = JointKind::kPlanar;
    if (dice >= 17) kind = JointKind::kFree;
    if (dice >= 19) kind = JointKind::kFixed;
    if (kind == JointKind::kScrew && !options.screws) continue;
    if (kind == JointKind::kFree && !(options.free && at_ground)) continue;
    return kind;
  }
}

Link RandomLink(Random* random, int parent, const RandomTreeOptions& options) {
  Link link;
  link.parent = parent;
  link.kind = RandomKind(random, parent < 0, options);
  link.axis = RandomDirection(random);
  link.axis2 = RandomPerpendicular(random, link.axis);
  link.u = RandomPerpendicular(random, link.axis);
  link.v = Normalized(Cross(link.axis, link.u));
  link.pitch = random->Between(-0.2, 0.2);
  link.xyz = RandomVector(random, 0.6);
  link.rpy = RandomVector(random, std::numbers::pi);
  link.mass = random->LogBetween(options.min_mass, options.max_mass);
  link.com = RandomVector(random, 0.3);
  link.inertia = RandomInertia(random, link.mass);
  return link;
}

/// Whether velocity `index` of a joint of this kind is a length per time.
bool IsLinear(JointKind kind, int index) {
  switch (kind) {
    case JointKind::kPrismatic:
      return true;
    case JointKind::kCylindrical:
      return index == 1;
    case JointKind::kPlanar:
      return index < 2;
    case JointKind::kFree:
      return index < 3;
    default:
      return false;
  }
}

TreeState RandomState(Random* random, const SpatialTree& tree) {
  TreeState state;
  // Forces that suit the mass they move: else the light ends would fly, and hide all the rest.
  std::vector<double> moved(tree.links.size());
  for (size_t i = tree.links.size(); i-- > 0;) {
    moved[i] += tree.links[i].mass;
    if (tree.links[i].parent >= 0) moved[static_cast<size_t>(tree.links[i].parent)] += moved[i];
  }
  for (size_t i = 0; i < tree.links.size(); ++i) {
    const JointKind kind = tree.links[i].kind;
    const bool turns = kind == JointKind::kSpherical || kind == JointKind::kFree;
    const int plain = PositionCount(kind) - (turns ? 4 : 0);
    for (int k = 0; k < plain; ++k) {
      state.q.push_back(IsLinear(kind, k) ? random->Between(-1, 1) : random->Between(-3, 3));
    }
    if (turns) {
      for (const double entry : RandomQuaternion(random)) state.q.push_back(entry);
    }
    for (int k = 0; k < VelocityCount(kind); ++k) {
      state.qd.push_back(random->Between(-2, 2));
      state.qdd.push_back(random->Between(-5, 5));
      state.tau.push_back(random->Between(-1, 1) * moved[i] * (IsLinear(kind, k) ? 5 : 1));
    }
  }
  return state;
}

// ---- Reading ---------------------------------------------------------------------------------------------

/// The next line that is not empty, split at its first word, which must be `word`.
std::istringstream LineOf(std::istream& in, const std::string& word) {
  std::string line;
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first)) continue;
    if (first != word) throw std::runtime_error("expected `" + word + "`, not `" + line + "`");
    return words;
  }
  throw std::runtime_error("the text ends before `" + word + "`");
}

double NextNumber(std::istringstream& words) {
  std::string word;
  if (!(words >> word)) throw std::runtime_error("a number is missing");
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used != word.size()) throw std::runtime_error("`" + word + "` is not a number");
  return value;
}

template <size_t kCount>
void Fill(std::istringstream& words, std::array<double, kCount>* target) {
  for (double& entry : *target) entry = NextNumber(words);
}

int NextWhole(std::istringstream& words) {
  int value = 0;
  if (!(words >> value)) throw std::runtime_error("a whole number is missing");
  return value;
}

JointKind NextKind(std::istringstream& words) {
  std::string name;
  words >> name;
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].name == name) return static_cast<JointKind>(i);
  }
  throw std::runtime_error("`" + name + "` is no kind of joint");
}

std::vector<double> NumbersOf(std::istream& in, const std::string& word, int count) {
  std::istringstream words = LineOf(in, word);
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) value = NextNumber(words);
  std::string rest;
  if (words >> rest) throw std::runtime_error("too many numbers after `" + word + "`");
  return values;
}

template <class Numbers>
void WriteNumbers(std::ostream& out, const Numbers& values) {
  for (const double value : values) out << ' ' << Number(value);
}

/// Whether anything but space is left.
bool More(std::istream& in) {
  in >> std::ws;
  return in.good() && in.peek() != std::istream::traits_type::eof();
}

std::string Brackets(const Vector3& a) {
  return "[" + Number(a[0]) + ", " + Number(a[1]) + ", " + Number(a[2]) + "]";
}

std::string CotJoint(const Link& link) {
  const std::string n = Brackets(link.axis);
  switch (link.kind) {
    case JointKind::kFixed:
      return "Rigid";
    case JointKind::kRevolute:
      return "Revolute(n = " + n + ")";
    case JointKind::kPrismatic:
      return "Prismatic(n = " + n + ")";
    case JointKind::kScrew:
      return "ScrewJoint(n = " + n + ", pitch = " + Number(link.pitch) + " m/rad)";
    case JointKind::kCylindrical:
      return "Cylindrical(n = " + n + ")";
    case JointKind::kUniversal:
      return "Universal(n1 = " + n + ", n2 = " + Brackets(link.axis2) + ")";
    case JointKind::kSpherical:
      return "Spherical";
    case JointKind::kPlanar:
      return "Planar(n = " + n + ", u = " + Brackets(link.u) + ")";
    case JointKind::kFree:
      return "Free";
  }
  return "";
}

}  // namespace

std::string_view NameOf(JointKind kind) {
  return FactsOf(kind).name;
}

int PositionCount(JointKind kind) {
  return FactsOf(kind).positions;
}

int VelocityCount(JointKind kind) {
  return FactsOf(kind).velocities;
}

int PositionCount(const SpatialTree& tree) {
  int count = 0;
  for (const Link& link : tree.links) count += PositionCount(link.kind);
  return count;
}

int VelocityCount(const SpatialTree& tree) {
  int count = 0;
  for (const Link& link : tree.links) count += VelocityCount(link.kind);
  return count;
}

int DepthOf(const SpatialTree& tree) {
  std::vector<int> depth;
  for (const Link& link : tree.links) {
    depth.push_back(link.parent < 0 ? 1 : depth[static_cast<size_t>(link.parent)] + 1);
  }
  return depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end());
}

bool Has(const SpatialTree& tree, JointKind kind) {
  return std::any_of(tree.links.begin(), tree.links.end(), [&](const Link& l) { return l.kind == kind; });
}

Matrix3 RotationOfRpy(const Vector3& rpy) {
  const double cr = std::cos(rpy[0]), sr = std::sin(rpy[0]);
  const double cp = std::cos(rpy[1]), sp = std::sin(rpy[1]);
  const double cy = std::cos(rpy[2]), sy = std::sin(rpy[2]);
  return {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
           {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
           {-sp, cp * sr, cp * cr}}};
}

Quaternion Product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Quaternion QuaternionOfRpy(const Vector3& rpy) {
  const Quaternion roll{std::cos(rpy[0] / 2), std::sin(rpy[0] / 2), 0, 0};
  const Quaternion pitch{std::cos(rpy[1] / 2), 0, std::sin(rpy[1] / 2), 0};
  const Quaternion yaw{std::cos(rpy[2] / 2), 0, 0, std::sin(rpy[2] / 2)};
  return Product(yaw, Product(pitch, roll));
}

Matrix3 RotationOf(const Quaternion& quaternion) {
  const auto [w, x, y, z] = quaternion;
  return {{{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}

TreeCase RandomTree(uint64_t seed, const RandomTreeOptions& options) {
  Random random(seed);
  TreeCase result;
  const int count = random.Whole(options.min_links, options.max_links);
  int chain = 1;  // the first links hang on each other
  if (random.Chance(2.0 / 3)) chain = random.Whole(std::min(8, count), count);
  result.tree.gravity = random.Chance(0.5) ? Vector3{0, 0, -9.81} : RandomVector(&random, 10);
  for (int i = 0; i < count; ++i) {
    const int parent = i < chain ? i - 1 : random.Whole(-1, i - 1);
    result.tree.links.push_back(RandomLink(&random, parent, options));
  }
  if (VelocityCount(result.tree) == 0) result.tree.links[0].kind = JointKind::kRevolute;
  result.state = RandomState(&random, result.tree);
  return result;
}

void WriteTree(std::ostream& out, const TreeCase& tree_case) {
  const SpatialTree& tree = tree_case.tree;
  out << "tree " << tree.links.size() << "\ngravity";
  WriteNumbers(out, tree.gravity);
  out << "\n";
  for (const Link& link : tree.links) {
    out << "link " << link.parent << ' ' << NameOf(link.kind) << "\nframe";
    WriteNumbers(out, link.xyz);
    WriteNumbers(out, link.rpy);
    out << "\naxes";
    for (const Vector3& direction : {link.axis, link.axis2, link.u, link.v}) WriteNumbers(out, direction);
    out << "\npitch " << Number(link.pitch) << "\nbody " << Number(link.mass);
    WriteNumbers(out, link.com);
    WriteNumbers(out, link.inertia);
    out << "\n";
  }
  out << "q";
  WriteNumbers(out, tree_case.state.q);
  out << "\nqd";
  WriteNumbers(out, tree_case.state.qd);
  out << "\nqdd";
  WriteNumbers(out, tree_case.state.qdd);
  out << "\ntau";
  WriteNumbers(out, tree_case.state.tau);
  out << "\n";
}

bool ReadTree(std::istream& in, TreeCase* tree_case) {
  if (!More(in)) return false;
  *tree_case = {};
  SpatialTree& tree = tree_case->tree;
  std::istringstream head = LineOf(in, "tree");
  const int count = NextWhole(head);
  std::istringstream gravity = LineOf(in, "gravity");
  Fill(gravity, &tree.gravity);
  for (int i = 0; i < count; ++i) {
    Link link;
    std::istringstream first = LineOf(in, "link");
    link.parent = NextWhole(first);
    if (link.parent < -1 || link.parent >= i)
      throw std::runtime_error("a parent must stand before its child");
    link.kind = NextKind(first);
    std::istringstream frame = LineOf(in, "frame");
    Fill(frame, &link.xyz);
    Fill(frame, &link.rpy);
    std::istringstream axes = LineOf(in, "axes");
    for (Vector3* direction : {&link.axis, &link.axis2, &link.u, &link.v}) Fill(axes, direction);
    std::istringstream pitch = LineOf(in, "pitch");
    link.pitch = NextNumber(pitch);
    std::istringstream body = LineOf(in, "body");
    link.mass = NextNumber(body);
    Fill(body, &link.com);
    Fill(body, &link.inertia);
    tree.links.push_back(link);
  }
  TreeState& state = tree_case->state;
  state.q = NumbersOf(in, "q", PositionCount(tree));
  state.qd = NumbersOf(in, "qd", VelocityCount(tree));
  state.qdd = NumbersOf(in, "qdd", VelocityCount(tree));
  state.tau = NumbersOf(in, "tau", VelocityCount(tree));
  return true;
}

void WriteAnswer(std::ostream& out, const PeerAnswer& answer) {
  if (!answer.supported) {
    out << "unsupported " << answer.reason << "\n";
    return;
  }
  out << "answer " << answer.inverse.size() << "\n";
  for (const std::vector<double>& row : answer.mass) {
    out << "mass";
    WriteNumbers(out, row);
    out << "\n";
  }
  out << "inverse";
  WriteNumbers(out, answer.inverse);
  out << "\nacceleration";
  WriteNumbers(out, answer.acceleration);
  out << "\n";
}

bool ReadAnswer(std::istream& in, PeerAnswer* answer) {
  if (!More(in)) return false;
  *answer = {};
  if (in.peek() == 'u') {
    std::istringstream words = LineOf(in, "unsupported");
    answer->supported = false;
    std::getline(words >> std::ws, answer->reason);
    return true;
  }
  std::istringstream head = LineOf(in, "answer");
  const int count = NextWhole(head);
  for (int i = 0; i < count; ++i) answer->mass.push_back(NumbersOf(in, "mass", count));
  answer->inverse = NumbersOf(in, "inverse", count);
  answer->acceleration = NumbersOf(in, "acceleration", count);
  return true;
}

std::string CotText(const SpatialTree& tree) {
  std::string text = "system Tree {\n  gravity : Gravity(g = " + Brackets(tree.gravity) + " m/s^2)\n";
  std::string wires;
  for (size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    const std::string id = std::to_string(i + 1);
    text += "  arm" + id + " : Arm(r = " + Brackets(link.xyz) + " m, rpy = " + Brackets(link.rpy) + " rad)\n";
    text += "  j" + id + " : " + CotJoint(link) + "\n";
    text +=
        "  b" + id + " : Body(m = " + Number(link.mass) + " kg, center = " + Brackets(link.com) + " m, I = [";
    for (size_t k = 0; k < link.inertia.size(); ++k) text += (k ? ", " : "") + Number(link.inertia[k]);
    text += "] kg*m^2)\n";
    const std::string parent =
        link.parent < 0 ? "mechanics.ground" : "b" + std::to_string(link.parent + 1) + ".a";
    wires += "  connect " + parent + " -- arm" + id + ".a\n";
    wires += "  connect arm" + id + ".b -- j" + id + ".a\n";
    wires += "  connect j" + id + ".b -- b" + id + ".a\n";
  }
  return text + wires + "}\n";
}

}  // namespace cotree::peers
