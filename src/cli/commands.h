// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "cli/console.h"

namespace cotree {

/** The sub-commands, one function each; the return value is the exit code. Options are filled in by run.cc.
 */

struct CheckOptions {
  std::string file;
  bool units = false;
  bool parameters = false;
  bool statistics = false;
  bool notes = false;  // what is no error but worth knowing: storage that is no state, numbers that cancel
  bool json = false;
  std::string library;
};
int RunCheck(const CheckOptions& options, const Console& console);

struct FormatOptions {
  std::vector<std::string> files;
  bool check = false;    // say whether it would change, write nothing
  bool stdout_ = false;  // print instead of writing
};
int RunFormat(const FormatOptions& options, const Console& console);

struct NewOptions {
  std::string name;
  bool force = false;
};
int RunNew(const NewOptions& options, const Console& console);

struct LibraryOptions {
  std::string name;
  bool json = false;
};
int RunLibrary(const LibraryOptions& options, const Console& console);

struct EditOptions {
  std::string file;
  std::string scope;      // the system or component; empty: the only one of the file
  std::string operation;  // set, add, remove, rename, connect, disconnect, layout
  std::vector<std::string> words;
  bool stdout_ = false;
};
int RunEdit(const EditOptions& options, const Console& console);

struct GraphOptions {
  std::string file;
  std::string format = "text";  // text, json, dot, svg
  std::string system;           // the system to show; empty: all (the only one for dot and svg)
  std::string output;           // a file; empty: standard output
  std::string library;
};
int RunGraph(const GraphOptions& options, const Console& console);

/** How foreign code runs, in commands that run it. */
struct ForeignOptions {
  bool allow = false;              // any library; otherwise those of the user's configuration only
  bool in_process = false;         // in the process of cotree
  bool network = false;            // TCP and UDP
  std::vector<std::string> write;  // folders to write to
};

/** What all commands about one translated system share. */
struct SystemOptions {
  std::string file;
  std::string format = "text";
  std::string system;  // its name; empty: the only one
  std::string output;  // a file; empty: standard output
  std::string library;
  std::vector<std::string> settings;  // "motor.R = 0.3 ohm"
  std::string experiment;             // whose values, start values and beginning count; empty: none
  bool statistics = false;
  bool initial = false;  // order: of the beginning
  ForeignOptions foreign;
  std::vector<NamedOutput> written{};  // what is written besides `output`
};
int RunTree(const SystemOptions& options, const Console& console);
int RunOrder(const SystemOptions& options, const Console& console);

struct LinearizeOptions : SystemOptions {
  std::vector<std::string> inputs, outputs;
  std::string open;          // a signal at which a loop is cut
  std::optional<double> at;  // around the motion at this time
  bool continuous = false;   // sampled variables are constant
  bool margins = false;
  std::string bode, nyquist, root_locus, step;  // pictures to draw
};
int RunLinearize(const LinearizeOptions& options, const Console& console);

struct TrimOptions : SystemOptions {
  std::vector<std::string> fixed;  // "load.w=100"
  std::vector<std::string> free;   // inputs
};
int RunTrim(const TrimOptions& options, const Console& console);

struct EquationsOptions : LinearizeOptions {
  std::string form;  // causal, system, state-space, accelerations, linear; empty: by the format
  std::vector<std::string> symbolic;  // parameters that stay letters; "all", "none"; empty: the usual ones
  int digits = 6;                     // of numbers in formulas; 0: all
  bool expand = false;                // fractions as one sum over one sum
  std::vector<std::string> prefer;    // currents, voltages, variables of edges: what the tree is chosen for
};
int RunEquations(const EquationsOptions& options, const Console& console);

/// Step by step from the components to the equations and their order.
int RunDerive(const EquationsOptions& options, const Console& console);

struct SimulateOptions {
  std::string file;
  std::string system, experiment;
  std::optional<double> stop, rtol, interval, step, max_step;
  std::optional<double> max_time;     // of computing
  uint64_t max_steps = 0;             // 0: any number
  std::vector<std::string> settings;  // "motor.R=0.3 ohm"
  std::vector<std::string> scales;    // "tank.p=1 bar": sizes of states against which errors count
  std::string solver = "auto";        // auto, bdf, ida, erk, euler, heun, rk4, ieuler
  std::string tier = "auto";          // of the program: auto, interpreter, jit
  bool keep_constraints = true;       // TranslateOptions
  bool quick_motion = false;          // equations of motion to compute with, not to look at
  std::string output;                 // .cotr, .mat, .h5; anything else is CSV
  std::vector<std::string> only;      // names and patterns of what is written; empty: everything
  bool plot = false;
  std::string plot_names;            // with commas; empty: what the experiment plots, or else the states
  std::string plot_output;           // .svg, .png; empty: beside `output`, or by the name of the model
  bool csv = false;                  // CSV to standard output
  bool steps = false;                // rows at all steps, too
  std::string checkpoint;            // a file for what is needed to go on
  bool resume = false;               // go on from it
  std::vector<std::string> inputs;   // "drive.u=log.csv:voltage": inputs that follow data
  std::vector<std::string> motions;  // "pitch.phi=0.3 rad*sin(2 rad/s * time)": prescribed
  std::vector<std::string> freed;    // inputs that are unknowns
  std::vector<std::string> shown;    // in the summary; empty: what the experiment plots
  bool certify = false;              // repeat it in other ways and compare
  bool other_coordinates = false;    // places of bodies instead of joints, or joints instead of places
  std::vector<std::string> prefer;   // what the normal tree is chosen for (TranslateOptions)
  bool watch = false;                // again whenever a file of the model is saved
  ForeignOptions foreign;
  bool runs = true;             // false: nothing runs, foreign code neither
  bool own_parameters = false;  // each component has its numbers for itself
  bool rates = false;           // all rates that have a name are computed
  std::string library;
  std::vector<NamedOutput> written{};  // all files that the command writes: none may be one that it reads
};
int RunSimulate(const SimulateOptions& options, const Console& console);
/// The run as a page that shows what moves in space (`output`; otherwise by the name of the file).
int RunAnimate(const SimulateOptions& options, const Console& console);
/// What inputs must be for prescribed motions (`motions`, `freed`).
int RunInverse(const SimulateOptions& options, const Console& console);
/// One page with the derivation, the equations and a run.
int RunReport(const SimulateOptions& options, const Console& console);
/// The poses of all bodies over time, as CSV.
int RunKinematics(const SimulateOptions& options, const Console& console);
/// The system as a program in C (`output`; otherwise to the screen).
int RunEmit(const SimulateOptions& options, const Console& console);
/// All values at one time (`stop`; the beginning if not given).
int RunValues(SimulateOptions options, const Console& console);

struct ProfileOptions {
  SimulateOptions run;  // what is measured
  std::string picture;  // .svg, .png; empty: none
  bool json = false;
};
/// Where the time and the memory of a run go: stages, and kernels by cost.
int RunProfile(const ProfileOptions& options, const Console& console);

struct SweepOptions {
  SimulateOptions run;                  // what each run is; its `output` and `plot_output` are of the sweep
  std::vector<std::string> vary, keep;  // "motor.R=0.1 ohm:0.5 ohm:5", "max(load.w)"
  bool log = false;                     // ranges are evenly spaced in the logarithm
  bool force = false;                   // begin anew, whatever the file holds
  unsigned threads = 0;                 // 0: as many as there are processors
  unsigned lanes = 0;                   // runs computed together by a thread; 0: as it pays
};
int RunSweep(const SweepOptions& options, const Console& console);

struct PlotOptions {
  std::string file;
  std::vector<std::string> names;
  std::string output, with;
  std::optional<std::string> title;
};
int RunPlot(const PlotOptions& options, const Console& console);

struct ConvertOptions {
  std::string from, to;
  std::vector<std::string> filters;
};
int RunConvert(const ConvertOptions& options, const Console& console);

struct CompareCommandOptions {
  std::string first, second;
  double rtol = 1e-4, atol = 1e-9;
};
int RunCompare(const CompareCommandOptions& options, const Console& console);

/// Parses the command line and runs the command.
int RunCotree(int argc, char** argv);

}  // namespace cotree
