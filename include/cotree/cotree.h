// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

/** Cotree in your program: load a model, set parameters, run it, read columns.

    cotree::Simulation drive("drive.cot");
    drive.Set("load.J", "2e-3 kg*m^2");
    drive.Run({.stop = 2.0});
    std::printf("%g rad/s\n", drive.Column("load.w").back());

Link with `find_package(cotree)` and `target_link_libraries(you cotree::cotree)`. A Simulation belongs to one
thread; different ones may run at the same time. */
namespace cotree {

/** What went wrong, as the command line would print it. */
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct RunOptions {
  double start = 0, stop = 1;  // in seconds
  double interval = 0;         // of the rows; 0: a 500th of the run
  double rtol = 1e-6;
  std::string solver = "auto";  // as `cotree simulate --solver`
};

class Simulation {
 public:
  /// Reads and checks a file; `system` by name, otherwise its first. Throws Error with all findings.
  explicit Simulation(const std::string& path, const std::string& system = "");
  /// The same from a text.
  static Simulation FromText(const std::string& text, const std::string& system = "");
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// A parameter for the next run: Set("motor.R", "0.3 ohm"); a model: Set("motor", "as ideal").
  void Set(const std::string& parameter, const std::string& value);
  /// Throws Error if the run fails; the rows until then can be read all the same.
  void Run(const RunOptions& options = {});

  const std::vector<double>& Times() const;
  /// By name, "load.w", SI. Throws Error if there is none.
  const std::vector<double>& Column(const std::string& name) const;
  std::vector<std::string> Names() const;

 private:
  struct Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cotree
