// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/diagnostics.h"
#include "cli/commands.h"
#include "cli/quantities.h"

namespace cotree {
namespace {

constexpr const char* kFooter = R"(
A first model, in two minutes:

  cotree new lamp              writes lamp.cot, a motor that turns a flywheel
  cotree check lamp.cot        says what it is made of, or what is wrong and where
  cotree check --units F       which dimensions were found for signals: pid.kp : V/rad
  cotree graph lamp.cot        the linear graph: vertices, edges, what each edge is;  --format svg  draws it
  cotree tree lamp.cot         the normal tree: what is primary, what follows, the order of the system
  cotree order lamp.cot        the blocks in the order of computation;  --format svg  draws the sorted matrix
  cotree equations lamp.cot    the equations, solved;  --form state-space  as one would write them;  --format latex
  cotree derive lamp.cot       how they come about, step by step;  cotree report lamp.cot  all of it and a run, as a page
  cotree linearize lamp.cot    A, B, C, D and the poles;  --input NAME --output NAME;  --open NAME --margins  of a loop
  cotree trim lamp.cot         an operating point;  --fix load.w=100 --free drive.u
  cotree simulate lamp.cot     runs its experiment;  --out lamp.cotr  keeps everything;  --plot  draws it
  cotree profile lamp.cot      where time and memory of a run go;  --plot profile.svg  draws it
  cotree sweep lamp.cot        many runs;  --vary "motor.R=0.1 ohm:1 ohm:10" --keep flywheel.w --plot sweep.svg
  cotree animate arm.cot       shows what moves in space;  cotree kinematics arm.cot  tells where
  cotree inverse arm.cot       what drives must do for a motion;  --motion "axis.phi = 1 rad/s * time" --find drive.u
  cotree emit lamp.cot         the system as a program in C;  -o lamp.c --method rk4 --step "1 ms"
  cotree plot lamp.cotr        draws variables of a result;  cotree compare A B, cotree convert A B
  cotree library               all components;  cotree library Resistor  shows one
  cotree fmt lamp.cot          tidy layout, no comment lost
  cotree edit-text lamp.cot set motor R "0.8 ohm"      change one value, leave every other byte

Exit codes: 0 fine, 1 the model has errors, 2 wrong usage, 3 a bug of cotree, 4 numerical failure, 5 files or foreign code, 130 interrupted.
The manual is in docs/manual.)";

// What all commands that run foreign code take.
void AddForeignOptions(CLI::App* command, ForeignOptions* options) {
  command->add_flag("--allow-foreign", options->allow,
                    "foreign code (.so) may run: otherwise only libraries that your configuration names");
  command->add_flag("--in-process", options->in_process,
                    "run foreign code in the process of cotree: faster, without limits, not confined, and a "
                    "crash of it ends cotree; otherwise it has a process of its own");
  command->add_flag("--foreign-network", options->network, "foreign code may speak TCP and UDP");
  command
      ->add_option("--foreign-write", options->write,
                   "foreign code may write below this folder; may be repeated")
      ->allow_extra_args(false);
}

// How formulas are written.
void AddFormulaOptions(CLI::App* command, EquationsOptions* options) {
  command->add_option("--symbolic", options->symbolic,
                      "parameters that stay letters: all (that are not 0), none, or names of parameters and "
                      "components; otherwise those that are not 0, nor a pure 1 or -1");
  command->add_option("--digits", options->digits, "of numbers in formulas; 0: all of them")
      ->check(CLI::Range(0, 17));
  command
      ->add_option("--prefer", options->prefer,
                   "choose the tree for currents, voltages, across, through, or variables of edges (R1.i)")
      ->allow_extra_args(false);
}

// What all commands about one translated system take.
CLI::App* AddSystemCommand(CLI::App& app, const char* name, const char* about, SystemOptions* options,
                           const std::vector<std::string>& formats, const char* output = "-o,--output") {
  CLI::App* command = app.add_subcommand(name, about);
  command->add_option("FILE", options->file, "a .cot file")->required();
  std::string list;
  for (size_t k = 0; k < formats.size(); ++k)
    list += (k == 0 ? "" : k + 1 == formats.size() ? " or " : ", ") + formats[k];
  command->add_option("--format", options->format, list)->check(CLI::IsMember(formats));
  command->add_option("--system", options->system, "which system, if the file has several");
  command->add_option("--experiment", options->experiment,
                      "with the values, start values and beginning of this experiment of the file");
  command->add_option(output, options->output, "write to this file");
  command
      ->add_option("--set", options->settings,
                   "\"motor.R = 0.3 ohm\": another value for a parameter, or \"motor as ideal\"; repeatable")
      ->allow_extra_args(false);
  command->add_option("--library", options->library, "take the standard library from this folder");
  return command;
}

/** Times of a run as they were written. */
struct RunTimes {
  std::string stop, interval, step, max_step, max_time;
};

// What all commands that run a system take.
CLI::App* AddRunCommand(CLI::App& app, const char* name, const char* about, SimulateOptions* options,
                        RunTimes* times) {
  CLI::App* command = app.add_subcommand(name, about);
  command->add_option("FILE", options->file, "a .cot file")->required();
  command->add_option("--experiment", options->experiment,
                      "which experiment; otherwise the first of the file");
  command->add_option("--system", options->system, "which system, if the file has several");
  command->add_option("--stop", times->stop, "when to end: \"2.5 s\", \"40 ms\", 2.5");
  command->add_option("--interval", times->interval, "of the output; otherwise a 500th of the run");
  command->add_option("--rtol", options->rtol, "relative tolerance (1e-6)");
  command
      ->add_option("--scale", options->scales,
                   "\"tank.p=1 bar\": errors of this state count against that size; may be repeated")
      ->take_all()
      ->expected(1);
  command->add_option("--set", options->settings, "a parameter: --set \"motor.R=0.3 ohm\"; may be repeated")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--input", options->inputs,
                   "drive.u=log.csv:voltage[,unit][,hold]: an input follows data; may be repeated")
      ->take_all()
      ->expected(1);
  command
      ->add_option(
          "--solver", options->solver,
          "auto (explicit, BDF where it is stiff, IDA where blocks are large), bdf, ida, erk; with fixed "
          "steps: euler, heun, rk4, ieuler")
      ->check(CLI::IsMember({"auto", "bdf", "ida", "erk", "euler", "heun", "rk4", "ieuler"}));
  command
      ->add_option("--program", options->tier,
                   "what computes: auto (the interpreter, then machine code where it pays), interpreter, jit")
      ->check(CLI::IsMember({"auto", "interpreter", "jit"}));
  command->add_option("--step", times->step, "of the methods with fixed steps");
  command->add_option("--max-step", times->max_step, "no step is longer; otherwise a 100th of the run");
  command->add_option("--max-time", times->max_time,
                      "the run ends after this time of computing (\"20 s\", \"5 min\")");
  command->add_option("--max-steps", options->max_steps, "the run ends after so many steps")
      ->check([](const std::string& text) {
        const bool positive = text.find_first_not_of("0123456789") == std::string::npos &&
                              text.find_first_not_of('0') != std::string::npos;
        return positive ? std::string() : "`" + text + "` is not a whole number above 0";
      });
  command->add_option("--library", options->library, "take the standard library from this folder");
  AddForeignOptions(command, &options->foreign);
  return command;
}

/// The first option whose value is an empty text, as `--out ''`; empty: none.
std::string EmptyOption(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (!word.starts_with("-")) continue;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) return word.substr(0, word.size() - 1);
    if (word.find('=') == std::string::npos && k + 1 < argc && argv[k + 1][0] == '\0') return word;
  }
  return {};
}

/// "; did you mean `--stop`?" for the first option on the command line that the command does not have.
std::string NearOption(const CLI::App& command, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (int k = 1; k < argc; ++k) {
    const std::string word(argv[k], std::strcspn(argv[k], "="));
    if (word.rfind("--", 0) != 0 || word.size() < 4 ||
        std::find(names.begin(), names.end(), word) != names.end())
      continue;
    const std::string_view near = Nearest(word, {names.begin(), names.end()});
    return near.empty() ? std::string() : "; did you mean `" + std::string(near) + "`?";
  }
  return {};
}

}  // namespace

int RunCotree(int argc, char** argv) {
  // The version must come at once, whatever else the program can do.
  if (argc == 2 && (std::string_view(argv[1]) == "--version" || std::string_view(argv[1]) == "-V")) {
    std::puts("cotree " COTREE_VERSION);
    return kExitOk;
  }
  const Console console;
  CLI::App app{"Cotree: composable simulation of mechatronic systems", "cotree"};
  app.footer(kFooter);
  app.set_version_flag("--version,-V", "cotree " COTREE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);

  CheckOptions check;
  std::string check_format = "text";
  CLI::App* check_command = app.add_subcommand("check", "check a file: names, units, sizes, connections");
  check_command->add_option("FILE", check.file, "a .cot file")->required();
  check_command->add_flag("--units", check.units, "print the dimensions that were inferred");
  check_command->add_flag("--parameters", check.parameters,
                          "print all parameters: which are structural, which can change at run time");
  check_command->add_flag("--statistics", check.statistics,
                          "print counts of work done, symbolic operations among them");
  check_command->add_flag("--notes", check.notes,
                          "say also what is worth knowing: storage that is no state, numbers that cancel");
  check_command->add_option("--format", check_format, "text or json")->check(CLI::IsMember({"text", "json"}));
  check_command->add_option("--library", check.library, "take the standard library from this folder");
  check_command->footer(
      "\nExamples:\n  cotree check examples/positioner/positioner.cot\n  cotree check drive.cot --units "
      "--parameters\n  cotree check drive.cot --format json | jq .diagnostics");

  GraphOptions graph;
  CLI::App* graph_command = app.add_subcommand(
      "graph", "the linear graph of a system: vertices, edges, signals, and what it has in space");
  graph_command->add_option("FILE", graph.file, "a .cot file")->required();
  graph_command->add_option("--format", graph.format, "text, json, dot or svg")
      ->check(CLI::IsMember({"text", "json", "dot", "svg"}));
  graph_command->add_option("--system", graph.system, "which system, if the file has several");
  graph_command->add_option("-o,--output", graph.output, "write to this file");
  graph_command->add_option("--library", graph.library, "take the standard library from this folder");
  graph_command->footer(
      "\nExamples:\n  cotree graph examples/positioning/positioning.cot\n  cotree graph drive.cot --format "
      "svg -o "
      "drive.svg\n  cotree graph drive.cot --format json | jq '.systems[0].edges'");

  SystemOptions tree;
  CLI::App* tree_command = AddSystemCommand(
      app, "tree", "the normal tree: branches, chords, primary variables, order; the tree of joints", &tree,
      {"text", "json", "svg"});
  tree_command->add_flag("--statistics", tree.statistics, "print counts of work done");
  tree_command->footer(
      "\nExamples:\n  cotree tree examples/positioning/positioning.cot\n  cotree tree drive.cot --format "
      "svg -o tree.svg\n  cotree tree drive.cot --format json | jq "
      "'.system.dependent_storage'");

  SystemOptions order;
  CLI::App* order_command = AddSystemCommand(
      app, "order", "the blocks of equations in the order of computation", &order, {"text", "json", "svg"});
  order_command->add_flag("--statistics", order.statistics, "print counts of work done");
  order_command->add_flag("--initial", order.initial,
                          "the order in which the beginning of a run is computed");
  order_command->footer(
      "\nExamples:\n  cotree order examples/positioner/positioner.cot\n  cotree order drive.cot --format svg "
      "-o "
      "order.svg\n  cotree order drive.cot --format json | jq '.system.blocks[] | select(.kind != "
      "\"explicit\")'");

  EquationsOptions equations;
  CLI::App* equations_command = AddSystemCommand(
      app, "equations", "the equations: as computed, as written, or as one would write them", &equations,
      {"text", "json", "latex", "html", "mathml", "markdown", "sympy", "modelica"}, "-o");
  equations_command
      ->add_option("--form", equations.form,
                   "causal, system, state-space, accelerations (as state-space, but equations of motion are "
                   "solved), or linear (A, B, C, D, transfer functions and poles)")
      ->check(CLI::IsMember({"causal", "system", "state-space", "accelerations", "linear"}));
  AddFormulaOptions(equations_command, &equations);
  equations_command->add_flag("--expand", equations.expand, "fractions as one sum over one sum");
  equations_command->footer(
      "\nExamples:\n  cotree equations examples/positioner/positioner.cot\n  cotree equations drive.cot "
      "--form "
      "system\n  cotree equations drive.cot --form state-space --input drive.u --output load.w\n  cotree "
      "equations "
      "drive.cot --form state-space --format latex -o drive.tex\n  cotree equations arm.cot --form "
      "accelerations --expand --symbolic none");

  EquationsOptions derive;
  derive.form = "state-space";
  CLI::App* derive_command = AddSystemCommand(
      app, "derive", "step by step from the components to the equations and their order, with reasons",
      &derive, {"text", "json", "latex", "html", "mathml", "markdown"}, "-o,--out");
  AddFormulaOptions(derive_command, &derive);
  derive_command->footer(
      "\nExamples:\n  cotree derive examples/positioning/positioning.cot\n  cotree derive drive.cot --format "
      "html -o drive.html");

  LinearizeOptions linearize;
  CLI::App* linearize_command = AddSystemCommand(
      app, "linearize",
      "the linear model around the start: A, B, C, D, poles; of sampled systems at their samples", &linearize,
      {"text", "json", "npz", "mat"}, "-o,--out");
  AddForeignOptions(linearize_command, &linearize.foreign);
  std::string linearize_at;
  linearize_command->add_option(
      "--open", linearize.open,
      "cut the loop at this input or output: L = -(what comes back / what goes in)");
  linearize_command->add_option("--at", linearize_at, "around the motion at this time: \"2.5 s\"");
  linearize_command->add_flag("--continuous", linearize.continuous,
                              "leave samples out: what sampled components give is constant");
  linearize_command->add_flag("--margins", linearize.margins,
                              "gain, phase and delay margins of the loop, and whether it is stable");
  linearize_command->add_option("--bode", linearize.bode, "draw gain and phase: .svg or .png");
  linearize_command->add_option("--nyquist", linearize.nyquist, "draw the loop in the complex plane");
  linearize_command->add_option("--root-locus", linearize.root_locus,
                                "draw the closed loop's poles, gains 0 to 1000");
  linearize_command->add_option("--step", linearize.step,
                                "draw the response to a step; with --open, of the closed loop");
  linearize_command->footer(
      "\nExamples:\n  cotree linearize examples/positioner/positioner.cot --input drive.u --output "
      "load.phi\n  cotree "
      "linearize drive.cot --input pid.y --output load.w --output motor.armature.i --format json | jq "
      ".system.poles\n  cotree linearize examples/positioner/positioner.cot --open drive.u --margins --bode "
      "loop.svg\n  cotree linearize drive.cot --input drive.u --output load.w --format npz --out drive.npz");

  TrimOptions trim;
  CLI::App* trim_command = AddSystemCommand(
      app, "trim",
      "an operating point: derivatives 0, some variables given, some inputs or parameters to be found", &trim,
      {"text", "json"});
  AddForeignOptions(trim_command, &trim.foreign);
  trim_command
      ->add_option("--fix", trim.fixed,
                   "\"load.w = 100\", \"load.w = 955 rpm\": a variable that is given; repeatable")
      ->allow_extra_args(false);
  trim_command
      ->add_option("--free", trim.free,
                   "what is to be found: an input, cut from what drives it, or a parameter; repeatable")
      ->allow_extra_args(false);
  trim_command->footer(
      "\nExamples:\n  cotree trim drive.cot --fix load.w=100 --free drive.u\n  cotree trim drive.cot "
      "--format json | jq "
      ".system.values");

  for (const auto& [command, options] :
       {std::pair<CLI::App*, LinearizeOptions*>(equations_command, &equations),
        std::pair<CLI::App*, LinearizeOptions*>(derive_command, &derive),
        std::pair<CLI::App*, LinearizeOptions*>(linearize_command, &linearize)}) {
    command
        ->add_option("--input", options->inputs,
                     "an input, cut from what drives it, or an output, cut from what it drives; repeatable")
        ->allow_extra_args(false);
    command->add_option("--output", options->outputs, "a variable to read, as load.phi; repeatable")
        ->allow_extra_args(false);
  }

  SimulateOptions simulate, values;
  std::string values_at;
  RunTimes simulate_times, sweep_times;
  CLI::App* simulate_command = AddRunCommand(
      app, "simulate", "run a system: an experiment of the file, or as told", &simulate, &simulate_times);
  simulate_command->add_option("-o,--out", simulate.output,
                               "write all variables to this file: .csv, .cotr, .mat or .h5");
  simulate_command
      ->add_option("--only", simulate.only,
                   "of all variables write these: names, or patterns as 'motor.*'; may be repeated")
      ->allow_extra_args(false);
  CLI::Option* simulate_checkpoint = simulate_command->add_option(
      "--checkpoint", simulate.checkpoint, "keep here what is needed to go on, twenty times in a run");
  simulate_command
      ->add_flag("--resume", simulate.resume, "go on from the checkpoint; the same bits as without a break")
      ->needs(simulate_checkpoint);
  simulate_command->add_flag("--steps", simulate.steps,
                             "rows at the ends of all steps, too; otherwise at the interval and at events");
  simulate_command->add_flag("--csv", simulate.csv, "print CSV instead of the summary");
  CLI::Option* simulate_plot =
      simulate_command
          ->add_option(
              "--plot", simulate.plot_names,
              "draw these variables, a,b,c; without names what the experiment plots, or else the states")
          ->expected(0, 1);
  simulate_command->add_option("--plot-out", simulate.plot_output, "the picture: .svg or .png");
  simulate_command
      ->add_flag("--watch", simulate.watch, "again whenever a file of the model is saved; Ctrl-C ends")
      ->excludes(simulate_checkpoint);
  simulate_command
      ->add_flag("--certify", simulate.certify,
                 "repeat the run with a tenth of the tolerance, another integrator and other coordinates or "
                 "another tree, and say on how many digits all agree")
      ->excludes(simulate_checkpoint);
  simulate_command->footer(
      "\nExamples:\n  cotree simulate examples/positioner/positioner.cot\n  cotree simulate drive.cot --stop "
      "\"2 s\" "
      "--set \"motor.R=0.3 ohm\" --out drive.csv\n  cotree simulate drive.cot --out drive.cotr --plot "
      "load.w,motor.armature.i --plot-out drive.svg");

  ProfileOptions profile;
  std::string profile_format = "text";
  RunTimes profile_times;
  CLI::App* profile_command =
      AddRunCommand(app, "profile", "where the time and the memory of a run go: stages, and kernels by cost",
                    &profile.run, &profile_times);
  profile_command->add_option("-o,--out", profile.run.output,
                              "the run writes all variables to this file: .csv, .cotr, .mat or .h5");
  profile_command
      ->add_option("--only", profile.run.only,
                   "of all variables write these: names, or patterns as 'motor.*'; may be repeated")
      ->allow_extra_args(false);
  profile_command->add_option("--plot", profile.picture, "draw it: .svg or .png");
  profile_command->add_option("--format", profile_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  profile_command->add_flag("--json", profile.json, "the same as --format json");
  profile_command->footer(
      "\nExamples:\n  cotree profile examples/positioner/positioner.cot\n  cotree profile ladder.cot --stop "
      "\"1 ms\" --plot profile.svg\n  cotree profile drive.cot --json | jq .system.stages");

  SweepOptions sweep;
  CLI::App* sweep_command =
      AddRunCommand(app, "sweep", "run a system for many values of its parameters", &sweep.run, &sweep_times);
  sweep_command
      ->add_option("--vary", sweep.vary,
                   "\"motor.R=0.1 ohm:0.5 ohm:5\" (from:to:count) or pid.kp=1,2,5; may be repeated: all "
                   "combinations. Also stop, interval, tolerance")
      ->required()
      ->take_all()
      ->expected(1);
  sweep_command
      ->add_option("--keep", sweep.keep,
                   "what to keep of a run: load.w (at the end), max(load.w), min, mean, rms, load.w@2s, and "
                   "+ - * / of these; may be repeated")
      ->required()
      ->take_all()
      ->expected(1);
  sweep_command->add_flag("--log", sweep.log,
                          "ranges are evenly spaced in the logarithm; or for one, from:to:count:log");
  sweep_command->add_option("--threads", sweep.threads, "how many runs at a time; otherwise one a processor")
      ->check(CLI::Range(1u, 1024u));
  sweep_command
      ->add_option("--lanes", sweep.lanes,
                   "how many runs a processor computes together, one lane of its vectors each; 1: none")
      ->check(CLI::Range(1, 64));
  sweep_command->add_option(
      "-o,--out", sweep.run.output,
      "the table, CSV; if it holds a part of this sweep already, only the rest is computed");
  sweep_command->add_flag("--force", sweep.force, "begin the table anew, whatever it holds");
  sweep_command->add_option("--plot", sweep.run.plot_output,
                            "draw what is kept over the first parameter: .svg or .png");
  sweep_command->footer(
      "\nExamples:\n  cotree sweep examples/positioner/positioner.cot --vary \"pid.kp=1 V/rad:8 V/rad:8\" "
      "--keep "
      "\"max(load.phi)\"\n  cotree sweep drive.cot --vary \"motor.R=0.1 ohm:0.5 ohm:5\" --vary "
      "load.J=1e-3,2e-3,5e-3 "
      "--keep load.w --keep \"rms(motor.armature.i)\" --out sweep.csv --plot sweep.svg");

  SimulateOptions animate, kinematics;
  RunTimes animate_times, kinematics_times;
  SimulateOptions report;
  RunTimes report_times;
  CLI::App* report_command = AddRunCommand(app, "report",
                                           "run a system and write one page with its graph, derivation, "
                                           "equations, plots and energy, for a browser or "
                                           "a printer",
                                           &report, &report_times);
  report_command->add_option("-o,--out", report.output, "the page; otherwise FILE with _report.html");
  report_command->footer("\nExamples:\n  cotree report examples/seeker/seeker.cot --out seeker.html");
  CLI::App* animate_command = AddRunCommand(
      app, "animate", "run a system and show what moves in space and the forces, as one page for a browser",
      &animate, &animate_times);
  animate_command->add_option("-o,--out", animate.output, "the page; otherwise FILE with .html");
  animate_command->footer(
      "\nExamples:\n  cotree animate examples/gyroscope/gyroscope.cot --out gyroscope.html");
  CLI::App* kinematics_command =
      AddRunCommand(app, "kinematics", "run a system and tell where its bodies are: places and quaternions",
                    &kinematics, &kinematics_times);
  kinematics_command->add_option("-o,--out", kinematics.output, "write CSV to this file, not to the screen");
  kinematics_command->footer("\nExamples:\n  cotree kinematics arm.cot --out poses.csv");

  SimulateOptions inverse;
  RunTimes inverse_times;
  CLI::App* inverse_command = AddRunCommand(
      app, "inverse", "what inputs must be, so that a system moves as prescribed", &inverse, &inverse_times);
  inverse_command
      ->add_option("--motion", inverse.motions,
                   "\"pitch.phi = 0.3 rad*sin(2 rad/s * time)\": how a variable moves; may be repeated")
      ->required()
      ->take_all()
      ->expected(1);
  inverse_command
      ->add_option("--free", inverse.freed, "an input that is sought, cut from what drives it; one a motion")
      ->take_all()
      ->expected(1);
  inverse_command
      ->add_option("--find", inverse.shown, "what to show, as motor.armature.i; an input is freed, too")
      ->take_all()
      ->expected(1);
  inverse_command->add_option("-o,--out", inverse.output, "write all variables to this file");
  inverse_command->footer(
      "\nExamples:\n  cotree inverse robot.cot --motion \"shoulder.phi = 0.4 rad/s * time\" --find "
      "amplifier.u");

  SimulateOptions emit;
  RunTimes emit_times;
  emit.own_parameters = true;
  CLI::App* emit_command = app.add_subcommand(
      "emit", "the system as one C file: derivatives, outputs, events, Jacobian, and a program that runs it");
  emit_command->add_option("FILE", emit.file, "a .cot file")->required();
  emit_command->add_option("-o,--out", emit.output, "write to this file, not to the screen");
  emit_command
      ->add_option(
          "--method", emit.solver,
          "of the program: auto, as `simulate`; euler, heun, rk4 with fixed steps (auto; rk4 with --step)")
      ->check(CLI::IsMember({"auto", "euler", "heun", "rk4"}));
  emit_command->add_option("--step", emit_times.step,
                           "a fixed step of the program, for real time; otherwise errors choose the steps");
  emit_command->add_option("--stop", emit_times.stop, "when the program ends: \"2.5 s\", \"40 ms\", 2.5");
  emit_command->add_option("--interval", emit_times.interval,
                           "of the program's output; otherwise a 500th of the run");
  emit_command->add_option("--experiment", emit.experiment,
                           "which experiment; otherwise the first of the file");
  emit_command->add_option("--system", emit.system, "which system, if the file has several");
  emit_command->add_option("--set", emit.settings, "a parameter: --set \"motor.R=0.3 ohm\"; may be repeated")
      ->take_all()
      ->expected(1);
  emit_command
      ->add_option("--input", emit.inputs,
                   "drive.u=log.csv:voltage[,unit][,hold]: an input follows data; may be repeated")
      ->take_all()
      ->expected(1);
  emit_command->add_option("--library", emit.library, "take the standard library from this folder");
  emit_command->footer(
      "\nExamples:\n  cotree emit examples/positioner/positioner.cot -o positioner.c\n  cc "
      "-std=c99 -O2 -ffp-contract=off -fno-builtin positioner.c -lm -o positioner && ./positioner");

  PlotOptions plot;
  CLI::App* plot_command = app.add_subcommand("plot", "draw variables of a result over time");
  plot_command->add_option("RESULT", plot.file, "a result: .cotr, .csv, .mat or .h5")->required();
  plot_command->add_option("NAMES", plot.names,
                           "variables, a,b,c, or patterns as '*.w'; without them a proposal");
  plot_command->add_option("-o,--out", plot.output, "the picture, .svg or .png; otherwise RESULT with .svg");
  plot_command->add_option("--with", plot.with, "another result to compare with, drawn dashed");
  plot_command->add_option("--title", plot.title, "above the picture; \"\" for none");
  plot_command->footer(
      "\nExamples:\n  cotree plot drive.cotr load.w,motor.armature.i\n  cotree plot drive.cotr '*.w' --out "
      "speeds.png\n  cotree plot drive.cotr load.w --with measured.csv --title \"Model and measurement\"");

  ConvertOptions convert;
  CLI::App* convert_command = app.add_subcommand("convert", "write a result in another format");
  convert_command->add_option("FROM", convert.from, "a result: .cotr, .csv, .mat or .h5")->required();
  convert_command->add_option("TO", convert.to, "the file to write: .cotr, .csv, .mat or .h5")->required();
  convert_command
      ->add_option("--filter", convert.filters,
                   "only these variables: names, or patterns as '*.w'; may be repeated")
      ->allow_extra_args(false);
  convert_command->footer(
      "\nExamples:\n  cotree convert drive.cotr drive.mat\n  cotree convert drive.cotr load.csv --filter "
      "'load.*'");

  CompareCommandOptions compare;
  CLI::App* compare_command =
      app.add_subcommand("compare", "where two results differ most; exit code 1 if too much");
  compare_command->add_option("A", compare.first, "a result: .cotr, .csv, .mat or .h5")->required();
  compare_command->add_option("B", compare.second, "another one")->required();
  compare_command->add_option("--rtol", compare.rtol,
                              "allowed, of the largest value of each variable (1e-4)");
  compare_command->add_option("--atol", compare.atol, "allowed besides (1e-9)");
  compare_command->footer(
      "\nExamples:\n  cotree compare drive.cotr reference.csv\n  cotree compare bdf.cotr erk.cotr --rtol "
      "1e-6");

  CLI::App* values_command = app.add_subcommand("values", "every variable of a system at one time");
  values_command->add_option("FILE", values.file, "a .cot file")->required();
  values_command->add_option("--at", values_at, "the time: \"0.5 s\"; otherwise the beginning");
  values_command->add_option("--experiment", values.experiment,
                             "which experiment; otherwise the first of the file");
  values_command->add_option("--system", values.system, "which system, if the file has several");
  values_command
      ->add_option("--set", values.settings, "a parameter: --set \"motor.R=0.3 ohm\"; may be repeated")
      ->take_all()
      ->expected(1);
  values_command->add_option("--library", values.library, "take the standard library from this folder");
  AddForeignOptions(values_command, &values.foreign);
  values_command->footer("\nExample:\n  cotree values examples/positioner/positioner.cot --at \"1 s\"");

  FormatOptions format;
  CLI::App* format_command = app.add_subcommand("fmt", "lay out files anew; comments and meaning stay");
  format_command->add_option("FILE", format.files, "files to format in place")->required();
  format_command->add_flag("--check", format.check, "write nothing; exit 1 if a file would change");
  format_command->add_flag("--stdout", format.stdout_, "print instead of writing");
  format_command->footer("\nExamples:\n  cotree fmt drive.cot\n  cotree fmt --check examples/*/*.cot");

  NewOptions create;
  CLI::App* new_command = app.add_subcommand("new", "write a starting file that works");
  new_command->add_option("NAME", create.name, "name of the system; the file is NAME.cot")->required();
  new_command->add_flag("--force", create.force, "overwrite an existing file");
  new_command->footer("\nExample:\n  cotree new lamp && cotree check lamp.cot");

  LibraryOptions library;
  std::string library_format = "text";
  CLI::App* library_command = app.add_subcommand("library", "what the standard library offers");
  std::vector<std::string> library_words;
  library_command->add_option("NAME", library_words, "a component, a package, or words to search for");
  library_command->add_option("--format", library_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  library_command->footer(
      "\nExamples:\n  cotree library\n  cotree library rotational\n  cotree library DCMotor\n"
      "  cotree library pi controller");

  EditOptions edit;
  CLI::App* edit_command =
      app.add_subcommand("edit-text", "change one thing in a file and leave every other byte alone");
  edit_command->add_option("FILE", edit.file, "a .cot file")->required();
  edit_command
      ->add_option("OPERATION", edit.operation, "set, add, remove, rename, connect, wire, disconnect, layout")
      ->required();
  edit_command->add_option("WORDS", edit.words, "what the operation needs; see below");
  edit_command->add_option("--in", edit.scope,
                           "the system or component to edit; not needed if the file has one system");
  edit_command->add_flag("--stdout", edit.stdout_, "print the new text instead of writing it");
  edit_command->footer(R"help(
Operations:
  set INSTANCE PARAMETER VALUE     cotree edit-text lamp.cot set motor R "0.8 ohm"     (an empty VALUE removes the argument)
  add NAME "CLASS(ARGUMENTS)"      cotree edit-text lamp.cot add c "Capacitor(C = 1 uF)"
  remove NAME                      with its connections
  rename OLD NEW                   everywhere in the system and its experiments
  connect A B                      cotree edit-text lamp.cot connect c.p motor.p       (terminals, A -- B)
  wire OUTPUT INPUT                a signal connection, OUTPUT -> INPUT
  disconnect A B
  layout NAME X Y                  the place on the schematic)help");

  try {
    app.parse(argc, argv);
    if (const std::string option = EmptyOption(argc, argv); !option.empty())
      throw CLI::ValidationError(option, "an empty text is no value; leave the option out, or give it one");
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return kExitOk;
  } catch (const CLI::CallForAllHelp&) {
    std::fputs(app.help("", CLI::AppFormatMode::All).c_str(), stdout);
    return kExitOk;
  } catch (const CLI::CallForVersion&) {
    std::puts("cotree " COTREE_VERSION);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    if (argc <= 1) {
      std::fputs(app.help().c_str(), stdout);
      return kExitUsage;
    }
    if (app.get_subcommands().empty() && argv[1][0] != '-') {
      std::vector<std::string> names;
      for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
      const std::string_view near = Nearest(argv[1], {names.begin(), names.end()});
      std::fprintf(stderr, "cotree: `%s` is not a command%s\nTry `cotree --help`.\n", argv[1],
                   near.empty() ? "" : ("; did you mean `" + std::string(near) + "`?").c_str());
      return kExitUsage;
    }
    const CLI::App* command = app.get_subcommands().empty() ? nullptr : app.get_subcommands()[0];
    std::fprintf(stderr, "cotree: %s%s\nTry `cotree %s--help`.\n", error.what(),
                 NearOption(command == nullptr ? app : *command, argc, argv).c_str(),
                 command == nullptr ? "" : (command->get_name() + " ").c_str());
    return kExitUsage;
  }
  check.json = check_format == "json";
  library.json = library_format == "json";
  for (const std::string& word : library_words) library.name += (library.name.empty() ? "" : " ") + word;
  profile.json = profile.json || profile_format == "json";
  if (check_command->parsed()) return RunCheck(check, console);
  if (graph_command->parsed()) return RunGraph(graph, console);
  std::vector<std::tuple<const std::string*, std::optional<double>*, const char*>> times{
      {&emit_times.stop, &emit.stop, "--stop"},
      {&emit_times.interval, &emit.interval, "--interval"},
      {&emit_times.step, &emit.step, "--step"},
      {&values_at, &values.stop, "--at"},
      {&linearize_at, &linearize.at, "--at"}};
  for (const auto& [given, run] :
       {std::pair(&simulate_times, &simulate), std::pair(&report_times, &report),
        std::pair(&animate_times, &animate), std::pair(&inverse_times, &inverse),
        std::pair(&kinematics_times, &kinematics), std::pair(&profile_times, &profile.run),
        std::pair(&sweep_times, &sweep.run)}) {
    times.insert(times.end(), {{&given->stop, &run->stop, "--stop"},
                               {&given->interval, &run->interval, "--interval"},
                               {&given->step, &run->step, "--step"},
                               {&given->max_step, &run->max_step, "--max-step"},
                               {&given->max_time, &run->max_time, "--max-time"}});
  }
  for (const auto& [text, target, option] : times) {
    if (text->empty()) continue;
    *target = ParseTime(*text);
    if (*target) continue;
    std::fprintf(stderr, "cotree: %s: `%s` is not a time; write \"2.5 s\" or \"40 ms\"\n", option,
                 text->c_str());
    return kExitUsage;
  }
  simulate.plot = simulate_plot->count() > 0 || !simulate.plot_output.empty();
  if (simulate_command->parsed()) return RunSimulate(simulate, console);
  if (report_command->parsed()) return RunReport(report, console);
  if (animate_command->parsed()) return RunAnimate(animate, console);
  if (inverse_command->parsed()) return RunInverse(inverse, console);
  if (kinematics_command->parsed()) return RunKinematics(kinematics, console);
  if (profile_command->parsed()) return RunProfile(profile, console);
  if (sweep_command->parsed()) return RunSweep(sweep, console);
  if (values_command->parsed()) return RunValues(values, console);
  if (emit_command->parsed()) return RunEmit(emit, console);
  if (plot_command->parsed()) return RunPlot(plot, console);
  if (convert_command->parsed()) return RunConvert(convert, console);
  if (compare_command->parsed()) return RunCompare(compare, console);
  if (tree_command->parsed()) return RunTree(tree, console);
  if (order_command->parsed()) return RunOrder(order, console);
  if (derive_command->parsed()) return RunDerive(derive, console);
  if (equations_command->parsed()) return RunEquations(equations, console);
  if (linearize_command->parsed()) return RunLinearize(linearize, console);
  if (trim_command->parsed()) return RunTrim(trim, console);
  if (format_command->parsed()) return RunFormat(format, console);
  if (new_command->parsed()) return RunNew(create, console);
  if (library_command->parsed()) return RunLibrary(library, console);
  return RunEdit(edit, console);
}

}  // namespace cotree
