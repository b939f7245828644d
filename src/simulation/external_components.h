// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/archive.h"
#include "program/run_program.h"
#include "software_component/component_binding.h"
#include "software_component/software_component.h"

namespace cotree {

/** The foreign code of a run: sampled software components from shared libraries, each in a process of its own
(docs/manual/software_components.md). Their outputs are discrete variables that are computed at samples;
afterwards `Update` steps what they keep. */
class ExternalComponents {
 public:
  ExternalComponents(ProgramRun& run, const Program& program, const ComponentOptions& options)
      : run_(run), program_(program), options_(options) {}

  /// Loads all; false: `problem` says which and why.
  bool Load();
  /// Computes the outputs at the present inputs; `changed` if one differs from what it was. False: it failed.
  bool Outputs(uint32_t external, double time, bool* changed);
  /// Once at each sample, after the outputs.
  bool Update(uint32_t external, double time);
  bool Exchange(Archive& archive);
  const std::string& problem() const { return problem_; }
  /// What was put right without harm.
  std::vector<std::string> Notes() const;

 private:
  struct Instance {
    std::unique_ptr<SoftwareComponent> component;
    ComponentBinding binding;
    std::vector<double> inputs, outputs;  // in the numbering of the library
  };
  void TakeInputs(uint32_t external);
  bool Fail(const Instance& instance);

  ProgramRun& run_;
  const Program& program_;
  ComponentOptions options_;
  std::vector<Instance> instances_;
  std::string problem_;
};

}  // namespace cotree
