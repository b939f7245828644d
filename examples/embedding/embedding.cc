// SPDX-License-Identifier: Apache-2.0
// A drive run from a program, with three inertias.
#include <cotree/cotree.h>

#include <cstdio>

int main(int argc, char** argv) {
  cotree::Simulation drive(argc > 1 ? argv[1] : "examples/positioner/positioner.cot");
  for (const char* inertia : {"1e-3 kg*m^2", "2e-3 kg*m^2", "4e-3 kg*m^2"}) {
    drive.Set("load.J", inertia);
    drive.Run({.stop = 2.0});
    std::printf("%s: at the end %.4f rad\n", inertia, drive.Column("load.phi").back());
  }
}
