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

/// What asks for the library of a component, with its parameters.
ComponentRequest RequestOf(const Program& program, const Program::External& external);

/** The foreign code of a run: software components from shared libraries, each in a process of its own
(docs/manual/software_components.md, docs/theory/software_components.md SC.5).

Outputs of sampled ones are discrete variables that are computed at samples; afterwards `Update` steps what
they keep. Continuous ones are computed by the ProgramRun, group by group, whenever it runs; so are sampled
ones that have continuous states, and `Update` steps what they keep at samples. */
class ExternalComponents final : public ForeignCode {
 public:
  ExternalComponents(ProgramRun& run, const Program& program, const ComponentOptions& options)
      : run_(run), program_(program), options_(options) {}

  ~ExternalComponents() override { run_.foreign = nullptr; }
  ExternalComponents(const ExternalComponents&) = delete;
  ExternalComponents& operator=(const ExternalComponents&) = delete;

  /// Loads all, puts the start values of their states into the run and itself as its foreign code; false:
  /// `problem` says which and why.
  bool Load();
  /// Computes the outputs at the present inputs; `changed` if one differs from what it was. False: it failed.
  /// Nothing for one that the ProgramRun computes.
  bool Outputs(uint32_t external, double time, bool* changed);
  /// Once at each sample, after the outputs.
  bool Update(uint32_t external, double time);
  /// Whether a step at a sample changes what is computed between events.
  bool IsIntegrated(uint32_t external) const { return !program_.externals[external].states.empty(); }
  /// Steps the continuous ones that keep something, once at each event; `stepped` if there are any.
  bool UpdateContinuous(double time, bool* stepped);
  bool Exchange(Archive& archive);

  bool Compute(const Program::ForeignGroup& group, double time, std::span<const double> values,
               std::span<double> results) override;
  bool Partials(const Program::ForeignGroup& group, double time, std::span<const double> values,
                std::span<double> matrix) override;
  const std::string& problem() const override { return problem_; }
  bool may_go_on() const override { return may_go_on_; }
  /// What was put right without harm, and how far this machine confines them.
  std::vector<std::string> Notes() const;

 private:
  struct Instance {
    std::unique_ptr<SoftwareComponent> component;
    ComponentBinding binding;
    std::vector<double> inputs, outputs, states, rates;   // in the numbering of the library
    std::vector<uint32_t> output_of, input_of, state_of;  // by number of the class: that of the library
    // The component's own Jacobian serves all groups of a point.
    std::vector<double> jacobian, jacobian_point;
  };
  void TakePoint(uint32_t external, std::span<const double> values);
  bool Call(const Program::ForeignGroup& group, double time, std::span<double> results);
  bool OwnPartials(const Program::ForeignGroup& group, double time, std::span<double> matrix);
  bool Differences(const Program::ForeignGroup& group, double time, std::span<double> matrix);
  bool Fail(const Instance& instance);

  ProgramRun& run_;
  const Program& program_;
  ComponentOptions options_;
  std::vector<Instance> instances_;
  std::string problem_;
  bool may_go_on_ = false;
  std::vector<double> ahead_, behind_, here_;
};

}  // namespace cotree
