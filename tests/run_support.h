// SPDX-License-Identifier: Apache-2.0
// A model text run from start to end, for tests of its motion.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipeline/translate.h"
#include "simulation/linearize.h"
#include "simulation/simulate.h"

namespace cotree::test {

/** A translated model with the curves of a run. Throws std::runtime_error with all findings where something
fails. */
class RunOf {
 public:
  /// The first system of the text; `options.stop` must be set for Simulate.
  explicit RunOf(const std::string& text, const TranslateOptions& translate = {}) {
    NoReader reader;
    loaded = LoadModelText("test.cot", text, reader);
    translation = Translate(*loaded, translate);
    if (!loaded->diagnostics.ok() || !translation->ok) {
      std::string all;
      for (const Diagnostic& d : loaded->diagnostics.list())
        all += RenderText(d, loaded->model.files, false) + "\n";
      throw std::runtime_error("not translated:\n" + all + text);
    }
    names = std::make_unique<NameFinder>(loaded->model, *translation->graph);
  }

  RunOf& Simulate(double stop, double rtol = 1e-8, Method method = Method::kAutomatic, double interval = 0) {
    SimulationOptions options;
    options.stop = stop;
    options.rtol = rtol;
    options.method = method;
    options.interval = interval;
    trajectory = cotree::Simulate(*translation->program, translation->starts, options);
    if (!trajectory.ok) throw std::runtime_error("the run failed " + trajectory.problem);
    return *this;
  }

  const std::vector<double>& times() const { return trajectory.times; }
  /// A curve by name: "load.w", "C.v", "pid.y".
  const std::vector<double>& operator[](const std::string& name) const {
    const VariableRef ref = FindVariable(*translation->equations, *names, name);
    if (!translation->sorted->HasSlot(ref)) throw std::runtime_error("there is no variable " + name);
    const uint32_t slot = translation->sorted->Slot(ref);
    const auto at = std::find(trajectory.slots.begin(), trajectory.slots.end(), slot);
    if (at == trajectory.slots.end()) throw std::runtime_error(name + " was not recorded");
    return trajectory.columns[static_cast<size_t>(at - trajectory.slots.begin())];
  }
  double End(const std::string& name) const { return (*this)[name].back(); }

  /// The largest |curve - expected(t)|, relative to the largest |expected|.
  template <class F>
  double Error(const std::string& name, F expected) const {
    const auto& curve = (*this)[name];
    double worst = 0, scale = 0;
    for (size_t k = 0; k < curve.size(); ++k) {
      const double e = expected(trajectory.times[k]);
      scale = std::max(scale, std::fabs(e));
      worst = std::max(worst, std::fabs(curve[k] - e));
    }
    return scale > 0 ? worst / scale : worst;
  }

  std::unique_ptr<LoadedModel> loaded;
  std::unique_ptr<Translation> translation;
  std::unique_ptr<NameFinder> names;
  Trajectory trajectory;
};

}  // namespace cotree::test
