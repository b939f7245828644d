// SPDX-License-Identifier: Apache-2.0
#include "pipeline/translate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/stages.h"
#include "block_triangular/diagnose_order.h"
#include "block_triangular/diagnostics.h"
#include "language/lex.h"
#include "language/parse.h"
#include "model/check_bounds.h"
#include "normal_tree/plain_tree.h"
#include "pipeline/assemble.h"
#include "pipeline/choose_system.h"
#include "pipeline/foreign_states.h"
#include "program/cancellations.h"
#include "program/varying_constraints.h"
#include "system_equations/variable_bounds.h"
#include "system_graph/element_table.h"
#include "system_graph/evaluate_settings.h"

namespace cotree {

namespace messages = block_triangular_messages;

namespace {

class Translator {
 public:
  Translator(LoadedModel& loaded, const TranslateOptions& options)
      : loaded_(loaded), model_(loaded.model), options_(options), out_(std::make_unique<Translation>()) {}

  std::unique_ptr<Translation> RunFrom(const SystemGraph& graph) {
    system_ = graph.system;
    out_->graph = &graph;
    if (loaded_.diagnostics.ok() && BuildSystem() && Sort()) out_->ok = loaded_.diagnostics.ok();
    loaded_.diagnostics.Sort();
    return std::move(out_);
  }

  std::unique_ptr<Translation> Run() {
    if (loaded_.readable && loaded_.diagnostics.ok() && Choose() && BuildGraph() && BuildSystem() && Sort())
      out_->ok = loaded_.diagnostics.ok();
    loaded_.diagnostics.Sort();
    return std::move(out_);
  }

  bool Change(Translation& translation);

 private:
  bool Choose();
  bool BuildGraph();
  bool BuildSystem();
  void NoteHeldWhens();
  bool FindMotion(const std::vector<ScalarElement>& scalars, const std::vector<SpatialStart>& starts,
                  Diagnostics& diagnostics);
  std::vector<SpatialStart> SpatialStarts() const;
  bool Sort();
  void Want();
  bool LeaveOutRough();
  bool KeepConstraints();
  void Wish();
  TreePreferences Preferences() const;
  void AddWishes(TreePreferences* out) const;
  void SayCancelling(std::vector<ComponentId> ids);
  bool LeaveOut(const Cancellation& cancellation);
  bool LeaveOutSurplus();
  bool SayGainOne(const std::map<uint32_t, std::vector<ComponentId>>& combined);
  bool Settings(std::vector<SystemSetting>& settings) {
    return EvaluateSettings(model_, system_, SettingsOf(loaded_.choice, options_.chosen), settings,
                            loaded_.diagnostics) &&
           CheckSizes(model_, system_, out_->experiment, settings, loaded_.diagnostics);
  }

  LoadedModel& loaded_;
  Model& model_;
  const TranslateOptions& options_;
  std::unique_ptr<Translation> out_;
  std::vector<VariableRef> rates_;             // wanted where they can be had
  std::set<uint32_t> not_kept_;                // constraints that cannot be kept
  std::unique_ptr<JointMotion> joint_motion_;  // where places of bodies are coordinates
  bool loops_known_ = true;                    // false: what is wrong with loops is not said yet
  ClassId system_;
};

bool Translator::Choose() {
  if (loaded_.choice.system.IsNone() || loaded_.choice.by_names) {
    SystemRequest request;
    request.system = options_.system;
    request.experiment = options_.experiment;
    request.runs = false;
    request.any_system = true;
    ChooseSystem(loaded_, request, "the file");
    loaded_.choice.by_names = true;
  }
  system_ = loaded_.choice.system;
  out_->experiment = loaded_.choice.experiment;
  return !system_.IsNone();
}

bool Translator::BuildGraph() {
  std::vector<SystemSetting> settings;
  if (!Settings(settings)) return false;
  std::vector<std::string> given = options_.free_inputs;
  for (const auto& [input, tables] : options_.measured) given.push_back(input);
  given.insert(given.end(), options_.freed.begin(), options_.freed.end());
  out_->graphs = BuildGraphs(loaded_, LimitsOfMemory(), system_, std::move(settings), given);
  EndStage("graph");
  if (!loaded_.diagnostics.ok() || out_->graphs.empty()) return false;
  out_->graph = &out_->graphs.front();
  return CheckSettings(model_, *out_->graph, SettingsOf(loaded_.choice, options_.chosen),
                       loaded_.diagnostics);
}

// What the user asked for by name.
void Translator::AddWishes(TreePreferences* out) const {
  constexpr int kWish = 1;
  const SystemGraph& graph = *out_->graph;
  const EquationSystem& system = *out_->equations;
  for (const std::string& word : options_.prefer) {
    const bool across = word == "voltages" || word == "across",
               through = word == "currents" || word == "through";
    if (across || through) {
      for (uint32_t e = 0; e < graph.edges.size(); ++e) {
        const DomainId domain = graph.ElementEdgeOf(EdgeId(e)).domain;
        const bool electrical = model_.Text(model_.domains[domain.index()].name) == "electrical";
        // A branch that ends at the reference has the voltage of its node.
        const GraphEdge& edge = graph.edges[e];
        const bool of_node = across && graph.IsReference(edge.from) != graph.IsReference(edge.to);
        if (electrical || word == "across" || word == "through")
          (across ? out->across : out->through).emplace_back(EdgeId(e), of_node ? kWish + 1 : kWish);
      }
      continue;
    }
    const VariableRef ref = FindVariable(system, NameFinder(model_, graph), word);
    const uint32_t number =
        ref.variable < system.part_variables ? system.PartOfVariable(ref.variable) : UINT32_MAX;
    if (number < graph.components.size()) {
      const Component& c = graph.components[number];
      const uint32_t local = ref.variable - system.parts[number].first_variable;
      if (local < 2 * graph.elements[c.element.index()].edges.size()) {
        (local % 2 == 0 ? out->across : out->through)
            .emplace_back(EdgeId(c.first_edge + local / 2), kWish + 3);
        continue;
      }
    }
    out_->unknown_preferences.push_back(word);
  }
}

// How much a variable with a start is wanted as a state.
int WorthOf(const StartEntry& start) {
  if (start.wish == StateWish::kAvoid) return -3;
  return start.wish == StateWish::kPrefer ? 3 : start.fixed ? 2 : 1;
}

// Start values on edges that are not primary: what the user gave a start should be a state.
TreePreferences Translator::Preferences() const {
  TreePreferences out;
  const SystemGraph& graph = *out_->graph;
  AddWishes(&out);
  bool needed = !out.across.empty() || !out.through.empty();
  for (const StartEntry& start : out_->starts) {
    if (start.variable.variable >= out_->equations->part_variables) continue;
    const uint32_t number = out_->equations->PartOfVariable(start.variable.variable);
    if (number >= graph.components.size()) continue;
    const Component& c = graph.components[number];
    const uint32_t local = start.variable.variable - out_->equations->parts[number].first_variable;
    if (local >= 2 * graph.elements[c.element.index()].edges.size()) continue;
    const EdgeId edge(c.first_edge + local / 2);
    const bool across = local % 2 == 0;
    (across ? out.across : out.through).emplace_back(edge, WorthOf(start));
    const uint8_t bit = across ? NormalTree::kAcrossPrimary : NormalTree::kThroughPrimary;
    needed = needed || (out_->tree.primary[edge.index()] & bit) == 0;
  }
  return needed ? out : TreePreferences{};
}

bool Translator::FindMotion(const std::vector<ScalarElement>& scalars,
                            const std::vector<SpatialStart>& starts, Diagnostics& diagnostics) {
  const SystemGraph& graph = *out_->graph;
  const ParameterTable parameters = FindParameters(model_, graph, scalars);
  const SpatialNumbers numbers(model_, graph, scalars, parameters);
  if (out_->mechanism.empty()) {
    out_->mechanism = FindMechanism(model_, graph, numbers, options_.coordinates, loaded_.diagnostics);
    if (!loaded_.diagnostics.ok()) return false;
    if (out_->mechanism.placed) {
      joint_motion_ = std::make_unique<JointMotion>();
      Diagnostics said_already;
      joint_motion_->mechanism = FindMechanism(model_, graph, numbers, Coordinates::kOfJoints, said_already);
    }
  }
  const auto derive = [&](const Mechanism& mechanism, const JointMotion* joint_motion,
                          Diagnostics& findings) {
    return DeriveMotion(model_, graph, scalars, numbers, mechanism, joint_motion, starts,
                        options_.motion_form, findings);
  };
  Diagnostics of_joints;
  if (joint_motion_ != nullptr) {
    joint_motion_->motion = derive(joint_motion_->mechanism, nullptr, of_joints);
    // What is wrong with joints is wrong in any coordinates, and said in theirs.
    if (!of_joints.ok() && &diagnostics == &loaded_.diagnostics) {
      derive(joint_motion_->mechanism, nullptr, diagnostics);
      return false;
    }
  }
  out_->motion = derive(out_->mechanism, joint_motion_.get(), diagnostics);
  return diagnostics.ok() && of_joints.ok();
}

// Starts of components that are something in space.
std::vector<SpatialStart> Translator::SpatialStarts() const {
  std::vector<SpatialStart> out;
  const EquationSystem& system = *out_->equations;
  for (const StartEntry& start : out_->starts) {
    const uint32_t variable = start.variable.variable;
    if (!start.given || start.variable.order != 0 || variable >= system.part_variables) continue;
    if (!std::isfinite(start.value)) continue;  // CheckStarts says so
    const uint32_t part = system.PartOfVariable(variable);
    if (part >= out_->graph->components.size()) continue;
    const ComponentId id(part);
    const ComponentClass& cls = out_->graph->ClassOf(model_, id);
    if (cls.spatial.IsNone()) continue;
    const ScalarVariable& own =
        system.scalars[system.parts[part].scalar].variables[variable - system.parts[part].first_variable];
    const bool array = own.role == ScalarVariable::Role::kVariable;
    out.push_back({{id, array ? cls.variables[own.index].symbol : own.symbol, array ? own.element : 0},
                   start.value,
                   start.fixed});
  }
  return out;
}

bool Translator::BuildSystem() {
  const SystemGraph& graph = *out_->graph;
  std::vector<ScalarElement> scalars = MakeScalars(model_, graph);
  for (size_t k = 0; k < scalars.size(); ++k) {
    if (scalars[k].refused.empty()) continue;
    const ComponentClass& cls = model_[graph.elements[k].class_id];
    loaded_.diagnostics.Report(messages::kNotWrittenOut, model_.SpanOf(cls.origin),
                               {model_.Text(cls.name), scalars[k].refused});
  }
  if (!loaded_.diagnostics.ok()) return false;
  out_->tree = FindNormalTree(model_, graph, scalars);
  // Signals may make regular what the elements alone do not: the equations decide.
  if (out_->tree.singular) {
    const std::vector<EdgeId> blocking = std::move(out_->tree.blocking);
    out_->tree = FindPlainTree(graph);
    out_->tree.blocking = blocking;
  }
  EndStage("tree");
  EquationOptions equation_options;
  if (!graph.frame_of_terminal.empty()) {
    // Loops are judged where they begin, which the equations tell.
    Diagnostics before;
    loops_known_ = FindMotion(scalars, {}, before);
    EndStage("motion");
    if (!loaded_.diagnostics.ok()) return false;
    if (out_->motion.empty()) return FindMotion(scalars, {}, loaded_.diagnostics);
    equation_options.motion = &out_->motion;
  }
  equation_options.free_inputs = options_.free_inputs;
  equation_options.own_parameters = options_.own_parameters;
  equation_options.freed = options_.freed;
  for (const Motion& motion : loaded_.choice.motions)
    equation_options.prescribed.push_back({motion.variable, motion.value});
  for (const auto& [input, tables] : options_.measured) {
    equation_options.measured.push_back({input, {}});
    for (const Table& table : tables) {
      std::vector<std::string>& names = equation_options.measured.back().tables;
      names.push_back((names.empty() ? "data for " : "jumps for ") + input);
      model_.tables.push_back(table);
      model_.tables.back().name = model_.names.Intern(names.back());
    }
  }
  const auto build = [&] {
    out_->equations = std::make_unique<EquationSystem>(BuildEquations(
        model_, graph, MakeScalars(model_, graph), out_->tree, equation_options, &out_->unknown_inputs));
    for (const FramePlace& frame : out_->mechanism.frames) {
      double& length = out_->equations->space_length;
      length = std::max(length, std::sqrt(Dot(frame.p, frame.p)));
    }
    out_->starts =
        FindStarts(*out_->equations, out_->experiment != nullptr ? &out_->experiment->starts : nullptr,
                   loaded_.diagnostics);
    EndStage("equations");
  };
  build();
  if (!out_->unknown_inputs.empty() || !loaded_.diagnostics.ok()) return false;
  if (out_->tree.blocking.empty()) {
    const TreePreferences preferences = Preferences();
    if (!preferences.across.empty() || !preferences.through.empty()) {
      out_->tree = FindNormalTree(model_, graph, scalars, preferences);
      EndStage("tree");
      build();
    }
  }
  if (!out_->motion.loops.empty() || !loops_known_) {
    const std::vector<SpatialStart> starts = SpatialStarts();
    if (!starts.empty() || !loops_known_) {
      if (!FindMotion(scalars, starts, loaded_.diagnostics)) return false;
      EndStage("motion");
      build();
    }
  }
  if (!out_->equations->parameters.missing.empty()) {
    const std::string& name = out_->equations->parameters.missing;
    const size_t dot = name.rfind('.');
    const std::string& reason = out_->equations->parameters.missing_reason;
    if (!reason.empty())
      loaded_.diagnostics.Report(messages::kNotFinite, out_->equations->parameters.missing_place,
                                 {name, reason});
    else
      loaded_.diagnostics.Report(messages::kNoParameterValue, out_->equations->parameters.missing_place,
                                 {name, dot == std::string::npos ? name : name.substr(0, dot)});
    return false;
  }
  NoteHeldWhens();
  ReportBroken(model_, graph, out_->equations->scalars, out_->equations->parameters, loaded_.diagnostics);
  if (!CheckStarts(*out_->equations, out_->starts, loaded_.diagnostics) || !loaded_.diagnostics.ok())
    return false;
  Want();
  Wish();
  return true;
}

// One note for each `when` of the user's own classes.
void Translator::NoteHeldWhens() {
  double time = 0;
  if (out_->experiment != nullptr && !out_->experiment->settings.begin.IsNone() &&
      model_.expressions.IsNumber(out_->experiment->settings.begin))
    time = model_.expressions.NumberValue(out_->experiment->settings.begin);
  std::set<std::pair<uint32_t, uint32_t>> said;
  for (const HeldWhen& held : FindHeldWhens(*out_->equations, out_->starts, time)) {
    const Span where = model_.SpanOf(held.origin);
    if (loaded_.declarations->IsLibrary(where.file) || !said.insert({where.file.value, where.begin}).second)
      continue;
    std::string name = ComponentName(model_, *out_->graph, held.component);
    if (name.empty()) name = model_.Text(model_[system_].name);
    loaded_.diagnostics.Report(messages::kHeldWhen, where, {name});
  }
}

void Translator::Want() {
  EquationSystem& system = *out_->equations;
  std::vector<std::string> names = options_.outputs;
  for (std::string& name : PlotNames(*out_)) names.push_back(std::move(name));
  if (!names.empty()) {
    const NameFinder finder(model_, *out_->graph);
    for (const std::string& name : names) {
      const VariableRef ref = FindVariable(system, finder, name);
      if (ref.variable != UINT32_MAX && ref.order > 0) system.wanted.push_back(ref);
    }
  }
  // A rate that is fixed at the start has to be computed, too: of a sensor, of a gear.
  for (const StartEntry& start : out_->starts) {
    if (start.fixed && start.variable.order > 0) rates_.push_back(start.variable);
  }
  for (uint32_t i = 0; options_.rates && i < out_->graph->components.size(); ++i) {
    const ElementClass& element = out_->graph->ElementOf(ComponentId(i));
    for (uint32_t k = 0; k < element.edges.size(); ++k) {
      if (!model_.domains[element.edges[k].domain.index()].rate.IsNone())
        rates_.push_back({system.parts[i].first_variable + 2 * k, 1});
    }
  }
  system.wanted.insert(system.wanted.end(), rates_.begin(), rates_.end());
}

// Rates that nobody asked for by name and that need the derivative of a step are not computed.
bool Translator::LeaveOutRough() {
  if (rates_.empty()) return false;
  EquationSystem& system = *out_->equations;
  const std::vector<VariableRef> rough = FindRough(*out_->sorted, rates_);
  for (const VariableRef& ref : rough) {
    const auto same = [&](const VariableRef& x) {
      return x.variable == ref.variable && x.order == ref.order;
    };
    std::erase_if(rates_, same);
    std::erase_if(system.wanted, same);
  }
  return !rough.empty();
}

void Translator::SayCancelling(std::vector<ComponentId> ids) {
  if (ids.empty()) return;
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::string names;
  for (const ComponentId id : ids)
    names += (names.empty() ? "`" : ", `") + ComponentName(model_, *out_->graph, id) + "`";
  loaded_.diagnostics.Report(messages::kCancelling, ComponentPlace(model_, *out_->graph, ids[0]), {names});
}

// Couplings that demand the same (two gears side by side): the last by name is left out, and what it would
// carry, which nothing determines, is 0. Only where what is left open are such forces, or positions that one
// demand less leaves free to move.
bool Translator::LeaveOut(const Cancellation& c) {
  EquationSystem& system = *out_->equations;
  const auto role_of = [&](uint32_t variable) {
    const Part& part = system.parts[system.PartOfVariable(variable)];
    return system.scalars[part.scalar].variables[variable - part.first_variable].role;
  };
  std::map<ComponentId, VariableRef> carried;  // a through variable of each component
  const auto carries = [&](uint32_t variable) {
    const Part& part = system.parts[system.PartOfVariable(variable)];
    carried.try_emplace(ComponentId(part.component), VariableRef{variable, 0});
  };
  for (const VariableRef& ref : c.undetermined) {
    if (ref.variable >= system.part_variables) return false;
    const ScalarVariable::Role role = role_of(ref.variable);
    if (role != ScalarVariable::Role::kThrough && role != ScalarVariable::Role::kAcross) return false;
    const Part& part = system.parts[system.PartOfVariable(ref.variable)];
    for (uint32_t k = 0; k < system.scalars[part.scalar].owned; ++k) {
      if (role == ScalarVariable::Role::kThrough
              ? part.first_variable + k == ref.variable
              : role_of(part.first_variable + k) == ScalarVariable::Role::kThrough)
        carries(part.first_variable + k);
    }
  }
  std::vector<std::pair<ComponentId, uint32_t>> demands;
  for (const CombinationTerm& t : c.terms) {
    if (system.IsRow(t.equation) || system.SourceOf(t.equation).part->first_equation == UINT32_MAX) continue;
    demands.emplace_back(ComponentId(system.SourceOf(t.equation).part->component), t.equation);
  }
  std::sort(demands.begin(), demands.end());
  // One alone that is joined to itself is no coupling beside another.
  if (demands.empty() || demands.front().first == demands.back().first) return false;
  for (size_t k = demands.size(); k-- > 0;) {
    const auto at = carried.find(demands[k].first);
    if (at == carried.end()) continue;
    DiagnoseRedundant(system, c.terms, demands[k].first, loaded_.diagnostics);
    ReleaseEquation(system, demands[k].second, at->second);
    return true;
  }
  return false;
}

// The same where there are so many that the structure shows it (three gears side by side): what is left open
// there, too, are the forces of those that demand the same.
bool Translator::LeaveOutSurplus() {
  EquationSystem& system = *out_->equations;
  Cancellation surplus = FindSurplus(system, out_->sorted->offsets);
  if (surplus.terms.empty() ||
      ReplaceEquation(system, surplus.terms, surplus.cancelled) != Combined::kSaysNothing)
    return false;
  std::set<uint32_t> demanding;
  for (const CombinationTerm& t : surplus.terms) {
    const EquationSystem::Source source = system.SourceOf(t.equation);
    if (source.part != nullptr) demanding.insert(source.part->component);
  }
  std::erase_if(surplus.undetermined, [&](const VariableRef& ref) {
    if (ref.variable >= system.part_variables) return true;
    const Part& part = system.parts[system.PartOfVariable(ref.variable)];
    return demanding.count(part.component) == 0 ||
           system.scalars[part.scalar].variables[ref.variable - part.first_variable].role !=
               ScalarVariable::Role::kThrough;
  });
  if (!LeaveOut(surplus)) return false;
  FindIncidence(system);
  return true;
}

// Whether what contradicts is what is left of a loop of signals that cancels itself.
bool Translator::SayGainOne(const std::map<uint32_t, std::vector<ComponentId>>& combined) {
  for (const uint32_t equation : out_->sorted->offsets.over_equations) {
    const auto at = combined.find(equation);
    if (at == combined.end()) continue;
    std::vector<ComponentId> loop = at->second;
    std::sort(loop.begin(), loop.end());
    loop.erase(std::unique(loop.begin(), loop.end()), loop.end());
    if (std::any_of(loop.begin(), loop.end(),
                    [&](ComponentId id) { return !out_->graph->ElementOf(id).edges.empty(); }))
      continue;
    DiagnoseGainOne(*out_->equations, loop, equation, loaded_.diagnostics);
    return true;
  }
  return false;
}

// Constraints that need not determine the same variables along the whole motion; false: there are none more.
bool Translator::KeepConstraints() {
  if (!options_.keep_constraints) return false;
  EquationSystem& system = *out_->equations;
  std::vector<uint32_t> varying = FindVaryingConstraints(*out_->program);
  std::erase_if(varying, [&](uint32_t e) { return not_kept_.count(e) > 0; });
  if (varying.empty()) return false;
  // Differentiations that only rates to be shown ask for are no demand on the states.
  std::vector<VariableRef> wanted;
  wanted.swap(system.wanted);
  const Offsets needed = FindOffsets(system, FindCausality(system));
  wanted.swap(system.wanted);
  bool any = false;
  ConstraintKeeper keeper(system);
  for (const uint32_t e : varying) {
    const bool kept = needed.equation[e] > 0 && keeper.Keep(e, needed.equation[e]);
    if (!kept) not_kept_.insert(e);
    any = any || kept;
  }
  if (any) FindIncidence(system);
  return any;
}

// What is wanted as states, for the order of the equations.
void Translator::Wish() {
  for (const StartEntry& start : out_->starts)
    out_->equations->state_wishes.emplace_back(start.variable.variable, WorthOf(start));
}

bool Translator::Sort() {
  EquationSystem& system = *out_->equations;
  std::map<uint32_t, std::vector<ComponentId>> combined;  // by the equation in whose place it stands: whose
  // Each round takes one differentiation of an equation away, so their number is bounded.
  for (;;) {
    out_->sorted = std::make_shared<SortedSystem>(SortEquations(system));
    EndStage("sort");
    if (out_->sorted->singular) {
      if (SayGainOne(combined)) return false;
      if (LeaveOutSurplus()) continue;
      DiagnoseSingular(system, out_->sorted->offsets, loaded_.diagnostics);
      return false;
    }
    if (LeaveOutRough()) continue;
    if (out_->sorted->endless_delay != UINT32_MAX) {
      DiagnoseEndlessDelay(*out_->sorted, loaded_.diagnostics);
      return false;
    }
    if (!options_.program) break;
    std::string problem;
    out_->program = BuildProgram(out_->sorted, &problem);
    EndStage("program");
    if (out_->program == nullptr) return false;
    const std::vector<Cancellation> cancellations = FindCancellations(*out_->program);
    if (cancellations.empty() && KeepConstraints()) continue;
    if (cancellations.empty()) break;
    // The same equations at another level of differentiation say the same: once a round.
    std::set<uint32_t> changed;
    for (const Cancellation& c : cancellations) {
      bool again = false;
      for (const CombinationTerm& t : c.terms) again = !changed.insert(t.equation).second || again;
      if (again) continue;
      ++out_->cancellations;
      std::vector<ComponentId> ids;
      for (const CombinationTerm& t : c.terms) {
        if (system.IsRow(t.equation)) continue;
        for (const ComponentId id : ComponentsOf(system, t.equation)) ids.push_back(id);
      }
      const Combined became = ReplaceEquation(system, c.terms, c.cancelled);
      if (became == Combined::kSaysNothing && LeaveOut(c)) continue;
      if (became == Combined::kReplaced) combined[c.terms.front().equation] = ids;
      if (became != Combined::kReplaced) {
        DiagnoseDependent(system, c.terms, c.cancelled, loaded_.diagnostics);
        return false;
      }
      if (options_.notes) SayCancelling(ids);
    }
    FindIncidence(system);
  }
  if (out_->program != nullptr) {
    out_->program->OverImplicit([&](const ImplicitBlock& block) {
      DiagnoseBooleanLoop(*out_->sorted, block.block, loaded_.diagnostics);
    });
    for (const Program::ModeGap& gap : out_->program->mode_gaps)
      DiagnoseMode(*out_->sorted, gap.equation, gap.parameters, loaded_.diagnostics);
    if (!loaded_.diagnostics.ok()) return false;
    if (!AssembleMechanism(loaded_, *out_, joint_motion_.get())) return false;
    out_->certificates = CertifyBlocks(*out_->program);
    for (const Cancellation& c : out_->certificates.dependent)
      DiagnoseDependent(system, c.terms, c.cancelled, loaded_.diagnostics);
    if (!out_->certificates.dependent.empty()) return false;
  }
  if (out_->sorted->states.size() < static_cast<size_t>(out_->graph->edges.size()))
    DiagnoseHeld(*out_->sorted, loaded_.diagnostics);
  DiagnoseDerivatives(*out_->sorted, loaded_.diagnostics);
  if (options_.notes && !out_->tree.singular) DiagnoseStates(*out_->sorted, loaded_.diagnostics);
  EndStage("checks");
  return true;
}

// Whether two graphs of one system differ in nothing but numbers: the same classes with the same structural
// parameters, joined in the same way.
bool SameStructure(const SystemGraph& a, const SystemGraph& b) {
  const auto same = [](const auto& x, const auto& y, const auto& equal) {
    return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), equal);
  };
  return a.refused == b.refused && a.shapes == b.shapes && a.vertex_of_terminal == b.vertex_of_terminal &&
         a.associations.size() == b.associations.size() &&
         same(a.elements, b.elements,
              [](const ElementClass& x, const ElementClass& y) {
                return x.class_id == y.class_id && x.values == y.values &&
                       x.zero_parameters == y.zero_parameters;
              }) &&
         same(a.components, b.components,
              [](const Component& x, const Component& y) {
                return x.element == y.element && x.scope == y.scope && x.index == y.index;
              }) &&
         same(a.edges, b.edges,
              [](const GraphEdge& x, const GraphEdge& y) {
                return x.component == y.component && x.from == y.from && x.to == y.to;
              }) &&
         same(a.drivers, b.drivers, [](const Driver& x, const Driver& y) {
           return x.component == y.component && x.symbol == y.symbol && x.index == y.index;
         });
}

// Whether the same variables have starts of the same kind, whatever their values.
bool SameStarts(const std::vector<StartEntry>& a, const std::vector<StartEntry>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const StartEntry& x, const StartEntry& y) {
    return x.variable.variable == y.variable.variable && x.variable.order == y.variable.order &&
           x.fixed == y.fixed && x.wish == y.wish && x.given == y.given;
  });
}

bool Translator::Change(Translation& translation) {
  out_->experiment = translation.experiment;
  system_ = translation.graph->system;
  // Equations that were combined hold factors that are numbers.
  if (translation.cancellations > 0 || translation.graphs.empty()) return false;
  // What parts and joints fit together, which are left out and where loops close hangs on numbers.
  if (!translation.motion.empty()) return false;
  std::vector<SystemSetting> settings;
  if (!Settings(settings)) return false;
  Diagnostics found;
  if (translation.known == nullptr) translation.known = std::make_shared<KnownElements>();
  const SystemGraph graph = BuildSystemGraph(model_, system_, found, {}, settings, translation.known.get());
  if (!found.ok() || !SameStructure(graph, *translation.graph)) return false;
  EquationSystem& system = *translation.equations;
  ParameterTable parameters = FindParameters(model_, graph, system.scalars);
  if (!parameters.missing.empty() || !parameters.broken.empty() ||
      parameters.first != system.parameters.first ||
      parameters.values.size() != system.parameters.values.size())
    return false;
  translation.graphs.front().settings = std::move(settings);
  system.parameters = std::move(parameters);
  std::vector<StartEntry> starts =
      FindStarts(system, out_->experiment != nullptr ? &out_->experiment->starts : nullptr, found);
  if (!found.ok() || !SameStarts(starts, translation.starts) || !CheckStarts(system, starts, found))
    return false;
  translation.starts = std::move(starts);
  return translation.program == nullptr ||
         (UseParameters(*translation.program) && FindCancellations(*translation.program).empty());
}

}  // namespace

std::optional<SystemSetting> FindParameter(const Model& model, ClassId system, const std::string& path) {
  Diagnostics ignored;
  const SyntaxTree tree = ParseExpressionText(path, FileId(0), ignored);
  if (!ignored.ok() || tree.kind(tree.root) != NodeKind::kPath) return std::nullopt;
  SystemSetting out;
  const ComponentClass* cls = &model[system];
  for (const NodeId segment : tree.Children(tree.root)) {
    const NameId name = model.names.Find(tree.Name(segment));
    const auto member = name.IsNone() ? std::nullopt : cls->members.Find(name);
    if (!member) return std::nullopt;
    ElementRanges elements;
    for (const NodeId index : tree.Children(segment)) {
      if (tree.kind(index) != NodeKind::kNumber) return std::nullopt;
      const double number = NumberValue(tree.Name(index));
      if (!(number >= 1 && number < 4e9)) return std::nullopt;
      elements.push_back({static_cast<uint32_t>(number) - 1, 1, 1});
    }
    if (member->kind == MemberKind::kParameter && tree[segment].next_sibling.IsNone()) {
      out.parameter = member->index;
      out.elements = std::move(elements);
      return out;
    }
    if (member->kind != MemberKind::kInstance) return std::nullopt;
    out.path.push_back({member->index, std::move(elements)});
    cls = &model[cls->instances[member->index].class_id];
  }
  return std::nullopt;
}

std::vector<std::string> PlotNames(const Translation& translation) {
  std::vector<std::string> out;
  if (translation.experiment == nullptr) return out;
  const NameFinder finder(*translation.equations->model, *translation.graph);
  for (const std::string& text : translation.experiment->plot_texts) {
    for (std::string& name : ElementNames(*translation.equations, finder, text))
      out.push_back(std::move(name));
  }
  return out;
}

bool ChangeParameters(LoadedModel& loaded, Translation& translation, const TranslateOptions& options) {
  return Translator(loaded, options).Change(translation);
}

std::unique_ptr<Translation> Translate(LoadedModel& loaded, const TranslateOptions& options) {
  std::unique_ptr<Translation> out = Translator(loaded, options).Run();
  if (!out->ok || options.foreign == ForeignAccess::kNone) return out;
  const bool unknown = HasUnknownStates(loaded.model, *out->graph);
  if (unknown && out->program == nullptr) {  // it tells the libraries and their parameters
    TranslateOptions whole = options;
    whole.program = true;
    out = Translator(loaded, whole).Run();
    if (!out->ok) return out;
  }
  if (options.foreign == ForeignAccess::kRun && !CheckConsent(loaded, *out, options.components)) {
    out->ok = false;
    out->foreign = true;
    return out;
  }
  if (!unknown || !AddForeignStates(loaded, options, *out)) return out;
  return Translator(loaded, options).Run();
}

std::unique_ptr<Translation> TranslateGraph(LoadedModel& loaded, const SystemGraph& graph,
                                            const TranslateOptions& options) {
  return Translator(loaded, options).RunFrom(graph);
}

}  // namespace cotree
