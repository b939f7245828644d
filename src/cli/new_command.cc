// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <cctype>
#include <cstdio>

#include "cli/commands.h"
#include "cli/files.h"
#include "language/token.h"

namespace cotree {
namespace {

// `my-lamp` becomes the system MyLamp.
std::string SystemName(const std::string& name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out = "System" + out;
  return out;
}

}  // namespace

int RunNew(const NewOptions& options, const Console& console) {
  std::string path = options.name;
  if (path.size() < 4 || path.substr(path.size() - 4) != ".cot") path += ".cot";
  const size_t slash = path.rfind('/');
  const std::string stem = path.substr(slash == std::string::npos ? 0 : slash + 1,
                                       path.size() - 4 - (slash == std::string::npos ? 0 : slash + 1));
  if (stem.empty()) {
    std::fprintf(stderr, "cotree: `%s` is not a name for a file\n", options.name.c_str());
    return kExitUsage;
  }
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && !options.force) {
    std::fprintf(stderr, "cotree: `%s` exists already; choose another name, or overwrite it with --force\n",
                 path.c_str());
    return kExitUsage;
  }
  const std::string system = SystemName(stem);
  const std::string text =
      "// " + stem +
      ": a DC motor on a battery turns a flywheel through a gear. Change it as you like.\n"
      "// Check it with   cotree check " +
      path +
      " --units\n\n"
      "system " +
      system +
      " {\n"
      "  battery  : VoltageSource(V = 12 V)\n"
      "  motor    : DCMotor(Kt = 0.05 N*m/A, R = 0.5 ohm)\n"
      "  gear     : Gear(ratio = 10)\n"
      "  flywheel : Inertia(J = 0.02 kg*m^2)\n"
      "  speed    : SpeedSensor\n\n"
      "  connect battery.p -- motor.p\n"
      "  connect battery.n -- motor.n -- electrical.ground\n"
      "  connect motor.shaft -- gear.a\n"
      "  connect motor.housing -- rotational.ground\n"
      "  connect gear.b -- flywheel.a -- speed.a\n"
      "}\n\n"
      "experiment SpinUp of " +
      system +
      " {\n"
      "  stop = 5 s\n"
      "  plot flywheel.w, motor.armature.i\n"
      "}\n";
  if (!WriteFileSafely(path, text)) return kExitForeign;
  std::printf("%s written. Next: %s\n", path.c_str(), console.Bold("cotree check " + path).c_str());
  return kExitOk;
}

}  // namespace cotree
