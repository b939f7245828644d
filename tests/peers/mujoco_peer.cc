// SPDX-License-Identifier: Apache-2.0
// Trees of rigid bodies from the standard input (spatial_tree.h), answered by MuJoCo on the standard output.
//
// Conventions of MuJoCo, seen from ours:
// - Joints of one body act in their order, each axis carried along by those before it: as ours.
// - The velocity of a ball is in link axes: as ours.
// - A free joint ignores the frame of its body: position and linear velocity are those of the world, and so
// is
//   the attitude. Its angular velocity is in link axes.
// - Bodies and joints are numbered by the compiler: we find them by name.

#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "spatial_tree.h"

namespace {

using namespace cotree::peers;

struct FreeModel {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
};
struct FreeData {
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using Model = std::unique_ptr<mjModel, FreeModel>;
using Data = std::unique_ptr<mjData, FreeData>;

/** Principal moments, and the attitude of their axes. */
struct PrincipalInertia {
  Vector3 moments;
  Quaternion attitude;
};

/// By rotations of Jacobi, gathered as a quaternion: to full accuracy for grams too, whatever MuJoCo's own
/// (`fullinertia`) does.
PrincipalInertia Diagonalized(const InertiaEntries& inertia) {
  const auto [xx, yy, zz, xy, xz, yz] = inertia;
  double a[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
  Quaternion attitude{1, 0, 0, 0};
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (int axis = 0; axis < 3; ++axis) {
      const int p = (axis + 1) % 3, q = (axis + 2) % 3;
      if (a[p][q] == 0) continue;
      // The smaller turn about `axis` that makes a[p][q] zero: the larger one would permute for ever.
      const double difference = a[p][p] - a[q][q];
      const double angle =
          0.5 * std::atan2(difference < 0 ? -2 * a[p][q] : 2 * a[p][q], std::abs(difference));
      const double c = std::cos(angle), s = std::sin(angle);
      for (double* row : {a[0], a[1], a[2]}) {
        const double rp = row[p], rq = row[q];
        row[p] = c * rp + s * rq;
        row[q] = -s * rp + c * rq;
      }
      for (int k = 0; k < 3; ++k) {
        const double kp = a[p][k], kq = a[q][k];
        a[p][k] = c * kp + s * kq;
        a[q][k] = -s * kp + c * kq;
      }
      a[p][q] = a[q][p] = 0;
      Quaternion turn{std::cos(angle / 2), 0, 0, 0};
      turn[static_cast<size_t>(axis + 1)] = std::sin(angle / 2);
      attitude = Product(attitude, turn);
    }
  }
  return {{a[0][0], a[1][1], a[2][2]}, attitude};
}

template <class Numbers>
std::string Attribute(const char* name, const Numbers& values) {
  std::string text = std::string(" ") + name + "=\"";
  bool first = true;
  for (const double value : values) {
    char number[40];
    std::snprintf(number, sizeof number, "%s%.17g", first ? "" : " ", value);
    text += number;
    first = false;
  }
  return text + "\"";
}

/// The joints of MuJoCo that make one of ours: type and axis, in the order of our velocities.
std::vector<std::pair<const char*, Vector3>> PartsOf(const Link& link) {
  switch (link.kind) {
    case JointKind::kFixed:
    case JointKind::kScrew:
      return {};
    case JointKind::kRevolute:
      return {{"hinge", link.axis}};
    case JointKind::kPrismatic:
      return {{"slide", link.axis}};
    case JointKind::kCylindrical:
      return {{"hinge", link.axis}, {"slide", link.axis}};
    case JointKind::kUniversal:
      return {{"hinge", link.axis}, {"hinge", link.axis2}};
    case JointKind::kSpherical:
      return {{"ball", {0, 0, 1}}};
    case JointKind::kPlanar:
      return {{"slide", link.u}, {"slide", link.v}, {"hinge", link.axis}};
    case JointKind::kFree:
      return {{"free", {0, 0, 1}}};
  }
  return {};
}

std::string JointName(size_t link, size_t part) {
  return "j" + std::to_string(link) + "_" + std::to_string(part);
}

/// The body of link `index` with all that hangs on it.
std::string BodyText(const SpatialTree& tree, size_t index) {
  const Link& link = tree.links[index];
  std::string text = "<body name=\"b" + std::to_string(index) + "\"" + Attribute("pos", link.xyz) +
                     Attribute("quat", QuaternionOfRpy(link.rpy)) + ">\n";
  const PrincipalInertia principal = Diagonalized(link.inertia);
  text += "<inertial" + Attribute("pos", link.com) + Attribute("mass", std::vector{link.mass}) +
          Attribute("diaginertia", principal.moments) + Attribute("quat", principal.attitude) + "/>\n";
  const auto parts = PartsOf(link);
  for (size_t k = 0; k < parts.size(); ++k) {
    text += "<joint name=\"" + JointName(index, k) + "\" type=\"" + parts[k].first + "\"";
    if (link.kind != JointKind::kSpherical && link.kind != JointKind::kFree) {
      text += Attribute("axis", parts[k].second);
    }
    text += " limited=\"false\" armature=\"0\" damping=\"0\" stiffness=\"0\" frictionloss=\"0\"/>\n";
  }
  for (size_t child = index + 1; child < tree.links.size(); ++child) {
    if (tree.links[child].parent == static_cast<int>(index)) text += BodyText(tree, child);
  }
  return text + "</body>\n";
}

std::string MjcfText(const SpatialTree& tree) {
  std::string text =
      "<mujoco>\n"
      "<compiler angle=\"radian\" balanceinertia=\"false\" boundmass=\"0\" boundinertia=\"0\" "
      "inertiafromgeom=\"false\"/>\n"
      "<option" +
      Attribute("gravity", tree.gravity) +
      "><flag contact=\"disable\" constraint=\"disable\" limit=\"disable\" passive=\"disable\" "
      "actuation=\"disable\"/></option>\n<worldbody>\n";
  for (size_t i = 0; i < tree.links.size(); ++i) {
    if (tree.links[i].parent < 0) text += BodyText(tree, i);
  }
  return text + "</worldbody>\n</mujoco>\n";
}

Model Compiled(const std::string& text) {
  auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  const char* name = "tree.xml";
  if (mj_makeEmptyFileVFS(files.get(), name, static_cast<int>(text.size())) != 0) {
    throw std::runtime_error("MuJoCo takes no file from memory");
  }
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), name)], text.data(), text.size());
  char error[1000] = "";
  Model model(mj_loadXML(name, files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  if (!model) throw std::runtime_error(std::string("MuJoCo refuses the model: ") + error);
  return model;
}

/** Where our velocities stand in MuJoCo, and how a free joint is turned: theirs[place[i]] = sum turn * ours.
 */
class Places {
 public:
  Places(const SpatialTree& tree, const mjModel* model) {
    for (size_t i = 0; i < tree.links.size(); ++i) {
      const Link& link = tree.links[i];
      const auto parts = PartsOf(link);
      if (link.kind == JointKind::kFree) frees_.push_back({place_.size(), RotationOfRpy(link.rpy)});
      for (size_t k = 0; k < parts.size(); ++k) {
        const int joint = mj_name2id(model, mjOBJ_JOINT, JointName(i, k).c_str());
        if (joint < 0) throw std::runtime_error("MuJoCo lost a joint");
        const int count = VelocityCount(link.kind) / static_cast<int>(parts.size());
        for (int d = 0; d < count; ++d) {
          place_.push_back(static_cast<size_t>(model->jnt_dofadr[joint] + d));
        }
        positions_.push_back(model->jnt_qposadr[joint]);
      }
    }
    if (place_.size() != static_cast<size_t>(model->nv)) throw std::runtime_error("MuJoCo counts otherwise");
  }

  size_t size() const { return place_.size(); }
  /// Of the joints of MuJoCo, in our order.
  const std::vector<int>& positions() const { return positions_; }

  /// Velocities and accelerations.
  void ToTheirs(std::vector<double> ours, mjtNum* theirs) const {
    for (const Turned& turned : frees_) Turn(turned, false, &ours);
    for (size_t i = 0; i < place_.size(); ++i) theirs[place_[i]] = ours[i];
  }
  /// Of velocities and accelerations, and of forces too: the turn is orthogonal.
  std::vector<double> ToOurs(const mjtNum* theirs) const {
    std::vector<double> ours(place_.size());
    for (size_t i = 0; i < place_.size(); ++i) ours[i] = theirs[place_[i]];
    for (const Turned& turned : frees_) Turn(turned, true, &ours);
    return ours;
  }

 private:
  struct Turned {
    size_t first;
    Matrix3 rotation;
  };

  static void Turn(const Turned& turned, bool back, std::vector<double>* values) {
    Vector3 result{};
    for (size_t i = 0; i < 3; ++i) {
      for (size_t k = 0; k < 3; ++k) {
        result[i] += (back ? turned.rotation[k][i] : turned.rotation[i][k]) * (*values)[turned.first + k];
      }
    }
    for (size_t i = 0; i < 3; ++i) (*values)[turned.first + i] = result[i];
  }

  std::vector<size_t> place_;
  std::vector<Turned> frees_;
  std::vector<int> positions_;
};

void SetPositions(const TreeCase& tree_case, const Places& places, mjtNum* qpos) {
  const std::vector<double>& q = tree_case.state.q;
  size_t next = 0, joint = 0;
  for (const Link& link : tree_case.tree.links) {
    if (link.kind == JointKind::kFree) {
      mjtNum* to = qpos + places.positions()[joint++];
      const Matrix3 rotation = RotationOfRpy(link.rpy);
      for (size_t i = 0; i < 3; ++i) {
        to[i] = link.xyz[i];
        for (size_t k = 0; k < 3; ++k) to[i] += rotation[i][k] * q[next + k];
      }
      const Quaternion attitude =
          Product(QuaternionOfRpy(link.rpy), {q[next + 3], q[next + 4], q[next + 5], q[next + 6]});
      for (size_t i = 0; i < 4; ++i) to[3 + i] = attitude[i];
      next += 7;
    } else if (link.kind == JointKind::kSpherical) {
      mjtNum* to = qpos + places.positions()[joint++];
      for (size_t i = 0; i < 4; ++i) to[i] = q[next++];
    } else {
      for (size_t k = 0; k < PartsOf(link).size(); ++k) qpos[places.positions()[joint++]] = q[next++];
    }
  }
}

PeerAnswer AnswerOf(const TreeCase& tree_case) {
  PeerAnswer answer;
  const auto refuse = [&](const char* reason) {
    answer.supported = false;
    answer.reason = reason;
  };
  for (const Link& link : tree_case.tree.links) {
    if (link.kind == JointKind::kScrew) refuse("MuJoCo has no screw");
    if (link.kind == JointKind::kFree && link.parent >= 0)
      refuse("MuJoCo has free joints at the ground only");
  }
  if (VelocityCount(tree_case.tree) == 0) refuse("nothing moves");
  if (!answer.supported) return answer;

  const Model model = Compiled(MjcfText(tree_case.tree));
  const Data data(mj_makeData(model.get()));
  const Places places(tree_case.tree, model.get());
  SetPositions(tree_case, places, data->qpos);
  places.ToTheirs(tree_case.state.qd, data->qvel);

  places.ToTheirs(tree_case.state.qdd, data->qacc);
  mj_inverse(model.get(), data.get());
  answer.inverse = places.ToOurs(data->qfrc_inverse);

  places.ToTheirs(tree_case.state.tau, data->qfrc_applied);
  mj_forward(model.get(), data.get());
  answer.acceleration = places.ToOurs(data->qacc);

  const size_t count = places.size();
  std::vector<mjtNum> full(count * count);
  mj_fullM(model.get(), full.data(), data->qM);
  // Column by column: M ours = turn' * M theirs * turn.
  answer.mass.assign(count, std::vector<double>(count));
  for (size_t column = 0; column < count; ++column) {
    std::vector<double> unit(count);
    unit[column] = 1;
    std::vector<mjtNum> theirs(count), product(count);
    places.ToTheirs(unit, theirs.data());
    for (size_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < count; ++k) product[i] += full[i * count + k] * theirs[k];
    }
    const std::vector<double> ours = places.ToOurs(product.data());
    for (size_t i = 0; i < count; ++i) answer.mass[i][column] = ours[i];
  }
  return answer;
}

void OnWarning(const char* text) {
  std::fprintf(stderr, "mujoco_peer: warning: %s\n", text);
}

void OnError(const char* text) {
  std::fprintf(stderr, "mujoco_peer: %s\n", text);
  std::exit(1);
}

}  // namespace

int main() {
  mju_user_warning = OnWarning;  // else they go to a file in the current folder
  mju_user_error = OnError;
  try {
    for (TreeCase tree_case; ReadTree(std::cin, &tree_case);) WriteAnswer(std::cout, AnswerOf(tree_case));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mujoco_peer: %s\n", error.what());
    return 1;
  }
  return 0;
}
