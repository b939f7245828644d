// SPDX-License-Identifier: Apache-2.0
// DART on the reference chain: dart_chain N...
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <string>

#include "chain_states.h"

namespace {

void Run(int n) {
  using namespace dart::dynamics;
  SkeletonPtr skeleton = Skeleton::create("chain");
  skeleton->setGravity(Eigen::Vector3d(0, 0, chain::kGravity));
  BodyNode* parent = nullptr;
  for (int i = 0; i < n; ++i) {
    RevoluteJoint::Properties joint;
    joint.mName = "j" + std::to_string(i);
    joint.mAxis = Eigen::Vector3d(chain::kAxes[i % 3][0], chain::kAxes[i % 3][1], chain::kAxes[i % 3][2]);
    if (i)
      joint.mT_ParentBodyToJoint.translation() =
          Eigen::Vector3d(chain::kArm[0], chain::kArm[1], chain::kArm[2]);
    BodyNode::Properties body;
    body.mName = "b" + std::to_string(i);
    body.mInertia.setMass(1);
    body.mInertia.setLocalCOM(Eigen::Vector3d(chain::kCentre[0], chain::kCentre[1], chain::kCentre[2]));
    body.mInertia.setMoment(chain::kMoments[0], chain::kMoments[1], chain::kMoments[2], 0, 0, 0);
    parent = skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, body).second;
  }
  const chain::States states(n);
  std::vector<Eigen::VectorXd> q, qd;
  for (int s = 0; s < chain::kStates; ++s) {
    q.push_back(Eigen::Map<const Eigen::VectorXd>(states.positions[s].data(), n));
    qd.push_back(Eigen::Map<const Eigen::VectorXd>(states.velocities[s].data(), n));
  }
  Eigen::VectorXd qdd;
  chain::Time("DART", "computeForwardDynamics", n, [&](int s) {
    skeleton->setPositions(q[s]);
    skeleton->setVelocities(qd[s]);
    skeleton->computeForwardDynamics();
    qdd = skeleton->getAccelerations();
    return static_cast<const double*>(qdd.data());
  });
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) Run(std::atoi(arguments[i]));
}
