// SPDX-License-Identifier: Apache-2.0
// MuJoCo on the reference chain: mujoco_chain N...
#include <mujoco/mujoco.h>

#include <cstring>
#include <string>

#include "chain_states.h"

namespace {

// The parser takes no more than 100 elements inside each other: the chain is cut into files of 40 links, each
// included by the last link of the one before.
constexpr int kLinksPerFile = 40;

std::string FileOf(int link) {
  return link ? "links" + std::to_string(link) + ".xml" : "chain.xml";
}

std::string Xml(int begin, int n) {
  const auto vector = [](const double* v) {
    char text[100];
    std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v[0], v[1], v[2]);
    return std::string(text);
  };
  std::string text =
      begin
          ? "<mujocoinclude>"
          : "<mujoco><compiler angle=\"radian\" inertiafromgeom=\"false\"/><option gravity=\"0 0 -9.81\">"
            "<flag contact=\"disable\" constraint=\"disable\" equality=\"disable\" limit=\"disable\" "
            "frictionloss=\"disable\" passive=\"disable\" actuation=\"disable\" sensor=\"disable\"/></option>"
            "<size nstack=\"4000000\"/><worldbody>";
  const double none[3] = {0, 0, 0};
  const int end = begin + kLinksPerFile < n ? begin + kLinksPerFile : n;
  for (int i = begin; i < end; ++i)
    text += "<body pos=\"" + vector(i ? chain::kArm : none) + "\"><joint type=\"hinge\" axis=\"" +
            vector(chain::kAxes[i % 3]) + "\"/><inertial pos=\"" + vector(chain::kCentre) +
            "\" mass=\"1\" diaginertia=\"" + vector(chain::kMoments) + "\"/>";
  if (end < n) text += "<include file=\"" + FileOf(end) + "\"/>";
  for (int i = begin; i < end; ++i) text += "</body>";
  return text + (begin ? "</mujocoinclude>" : "</worldbody></mujoco>");
}

mjModel* Load(int n) {
  static mjVFS files;
  mj_defaultVFS(&files);
  for (int begin = 0; begin < n; begin += kLinksPerFile) {
    const std::string xml = Xml(begin, n);
    mj_makeEmptyFileVFS(&files, FileOf(begin).c_str(), static_cast<int>(xml.size()) + 1);
    std::memcpy(files.filedata[mj_findFileVFS(&files, FileOf(begin).c_str())], xml.c_str(), xml.size() + 1);
  }
  char error[1000] = "";
  mjModel* model = mj_loadXML("chain.xml", &files, error, sizeof error);
  if (!model || model->nv != n) {
    std::fprintf(stderr, "mujoco_chain: %d links: %s\n", n, error);
    std::exit(1);
  }
  mj_deleteVFS(&files);
  return model;
}

void Run(int n) {
  mjModel* m = Load(n);
  mjData* d = mj_makeData(m);
  const chain::States states(n);
  const auto set = [&](int s) {
    std::memcpy(d->qpos, states.positions[s].data(), static_cast<size_t>(n) * sizeof(double));
    std::memcpy(d->qvel, states.velocities[s].data(), static_cast<size_t>(n) * sizeof(double));
  };
  chain::Time("MuJoCo", "mj_forward", n, [&](int s) {
    set(s);
    mj_forward(m, d);
    return static_cast<const double*>(d->qacc);
  });
  // Nothing but what accelerations need.
  std::vector<double> minus(static_cast<size_t>(n)), qdd(static_cast<size_t>(n));
  chain::Time("MuJoCo", "kinematics, crb, rne, solve", n, [&](int s) {
    set(s);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (int i = 0; i < n; ++i) minus[i] = -d->qfrc_bias[i];
    mj_solveM(m, d, qdd.data(), minus.data(), 1);
    return static_cast<const double*>(qdd.data());
  });
  mj_deleteData(d);
  mj_deleteModel(m);
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) Run(std::atoi(arguments[i]));
}
