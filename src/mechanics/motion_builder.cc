// SPDX-License-Identifier: Apache-2.0
#include "mechanics/motion_builder.h"

#include <algorithm>

#include "expr/dependence.h"
#include "mechanics/diagnostics.h"

namespace cotree {

// ---- Variables and readings ------------------------------------------------------------------------------

MotionBuilder::Home::Home(MotionBuilder& builder, uint32_t composite)
    : builder_(builder), before_(builder.home_) {
  const CompositeBody& body = builder.mechanism_.composites[composite];
  const ComponentId joint =
      body.joint == UINT32_MAX ? ComponentId() : builder.mechanism_.joints[body.joint].component;
  if (!joint.IsNone())
    builder.home_ = joint;
  else if (!body.bodies.empty())
    builder.home_ = body.bodies[0];
}

Sym MotionBuilder::NewUnknown(const std::string& name, uint32_t* local) {
  // Names are for people only; equal ones are told apart.
  std::string unique = name;
  while (pool_.FindSymbol(unique) && local_of_.count(pool_.FindSymbol(unique)->value) > 0) unique += "'";
  const SymbolId symbol = pool_.DeclareSymbol(unique, SymbolKind::kVariable);
  const auto number = static_cast<uint32_t>(main_.variables.size());
  local_of_[symbol.value] = number;
  main_.variables.push_back({ScalarVariable::Role::kVariable, 0, 0, symbol});
  homes_.push_back(home_);
  if (local != nullptr) *local = number;
  return {&pool_, pool_.Symbol(symbol)};
}

Sym MotionBuilder::Let(const std::string& name, const Sym& value) {
  if (value.IsNumber()) return value;
  const ExprId id = value.In(pool_);
  const auto plain = [&](ExprId e) { return pool_.IsSymbol(e) || pool_.IsNumber(e); };
  if (plain(id) || plain(pool_.Negate(id))) return value;
  const auto known = value_of_.find(id.value);
  if (known != value_of_.end()) return {&pool_, pool_.Symbol(main_.variables[known->second].symbol)};
  uint32_t local = 0;
  const Sym variable = NewUnknown("~" + name, &local);
  value_of_[id.value] = local;
  AddEquation(variable, value);
  return variable;
}

SymVec MotionBuilder::Let(const std::string& name, const SymVec& value) {
  SymVec out;
  for (size_t k = 0; k < 3; ++k) out[k] = Let(name + "[" + std::to_string(k + 1) + "]", value[k]);
  return out;
}

SymMat MotionBuilder::Let(const std::string& name, const SymMat& value, bool symmetric) {
  SymMat out;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      out[i][j] =
          symmetric && j < i
              ? out[j][i]
              : Let(name + "[" + std::to_string(i + 1) + "," + std::to_string(j + 1) + "]", value[i][j]);
    }
  }
  return out;
}

MassProperties<Sym> MotionBuilder::Let(const std::string& name, const MassProperties<Sym>& value) {
  return {Let(name + ".m", value.m), Let(name + ".h", value.h), Let(name + ".I", value.inertia, true)};
}

void MotionBuilder::AddEquation(const Sym& left, const Sym& right, bool initial) {
  ScalarEquation row;
  row.left = left.In(pool_);
  row.right = right.In(pool_);
  row.residual = pool_.Subtract(row.left, row.right);
  row.equation = UINT32_MAX;
  row.initial = initial;
  main_.equations.push_back(std::move(row));
}

Sym MotionBuilder::Read(ComponentId component, SymbolId symbol, uint32_t index, int order) {
  const auto [at, fresh] = read_.try_emplace({component.value, symbol.value, index});
  if (fresh) {
    // Its number tells elements of arrays apart.
    const std::string name = "@" + NameOf(component) + "." + std::string(pool_.SymbolName(symbol)) + "#" +
                             std::to_string(readings_.size());
    at->second = pool_.DeclareSymbol(name, SymbolKind::kVariable);
    local_of_[at->second.value] = kReading + static_cast<uint32_t>(readings_.size());
    readings_.push_back({ScalarVariable::Role::kInput, 0, 0, at->second});
    AddedReading reading;
    reading.driver = {component, symbol, index};
    reading_of_.push_back(reading);
  }
  return {&pool_, pool_.Symbol(at->second, order)};
}

Sym MotionBuilder::ReadAdded(uint32_t part, uint32_t local, SymbolId symbol) {
  local_of_[symbol.value] = kReading + static_cast<uint32_t>(readings_.size());
  readings_.push_back({ScalarVariable::Role::kInput, 0, 0, symbol});
  AddedReading reading;
  reading.part = part;
  reading.local = local;
  reading_of_.push_back(reading);
  return {&pool_, pool_.Symbol(symbol)};
}

MotionInvariant& MotionBuilder::AddInvariant(const std::string& name, const Sym& value) {
  MotionInvariant& out = out_.invariants.emplace_back();
  const Sym own = NewUnknown("~" + name, &out.local);
  AddEquation(own, value);
  return out;
}

// A parameter is a number of the run, whatever its component; exactly zero it is left out.
Sym MotionBuilder::Constant(ComponentId component, std::string_view parameter, uint32_t element) {
  const uint32_t k = numbers_.Find(component, parameter, element);
  if (k == UINT32_MAX) return {};
  if (numbers_.Number(component, parameter, element) == 0) return {};
  const auto [part, fresh_part] =
      constants_part_.try_emplace(component.value, static_cast<uint32_t>(out_.parts.size()) + 1);
  const ScalarElement& own = scalars_[graph_.components[component.index()].element.index()];
  if (fresh_part) {
    out_.parts.emplace_back();
    out_.parts.back().component = component;
    out_.parts.back().scalar.parameters = own.parameters;
  }
  const auto [at, fresh] = read_.try_emplace({component.value, UINT32_MAX, k});
  if (fresh) {
    ScalarElement& scalar = out_.parts[part->second - 1].scalar;
    const SymbolId source = own.parameters[k].symbol;
    const std::string name = "~" + NameOf(component) + "." + std::string(pool_.SymbolName(source));
    at->second = pool_.DeclareSymbol(name, SymbolKind::kVariable);
    out_.constants.emplace_back(at->second, numbers_.Number(component, parameter, element));
    const auto local = static_cast<uint32_t>(scalar.variables.size());
    scalar.variables.push_back({ScalarVariable::Role::kVariable, 0, 0, at->second});
    ScalarEquation row;
    row.left = pool_.Symbol(at->second);
    row.right = pool_.Symbol(source);
    row.residual = pool_.Subtract(row.left, row.right);
    row.equation = UINT32_MAX;
    row.uses = {{local, 0}};
    scalar.equations.push_back(std::move(row));
    scalar.owned = scalar.continuous = scalar.always = local + 1;
    return ReadAdded(part->second, local, at->second);
  }
  return {&pool_, pool_.Symbol(at->second)};
}

SymVec MotionBuilder::ConstantVector(ComponentId component, std::string_view parameter) {
  return {{Constant(component, parameter, 0), Constant(component, parameter, 1),
           Constant(component, parameter, 2)}};
}

const Variable* MotionBuilder::FindVariable(ComponentId component, std::string_view name,
                                            uint32_t* index) const {
  const ComponentClass& cls = graph_.ClassOf(model_, component);
  for (uint32_t v = 0; v < cls.variables.size(); ++v) {
    if (model_.names.Text(cls.variables[v].name) != name) continue;
    if (index != nullptr) *index = v;
    return &cls.variables[v];
  }
  return nullptr;
}

bool MotionBuilder::Has(ComponentId component, std::string_view name) const {
  return FindVariable(component, name, nullptr) != nullptr;
}

void MotionBuilder::SupplyTo(ComponentId component, std::string_view name, uint32_t element,
                             const Sym& value) {
  uint32_t v = 0;
  const Variable* variable = FindVariable(component, name, &v);
  if (variable == nullptr || variable->role != VariableRole::kExogenous) return;
  const Component& c = graph_.components[component.index()];
  const uint32_t first = graph_.elements[c.element.index()].input_first[v];
  uint32_t local = 0;
  const Home home(*this, component);
  std::string label = NameOf(component) + "." + std::string(name);
  if (!variable->shape.empty()) label += "[" + std::to_string(element + 1) + "]";
  const Sym own = NewUnknown("@" + label, &local);
  AddEquation(own, value);
  out_.supplies.push_back({c.first_input + first + element, 0, local});
}

void MotionBuilder::SupplyTo(ComponentId component, std::string_view name, const SymVec& value) {
  for (uint32_t k = 0; k < 3; ++k) SupplyTo(component, name, k, value[k]);
}

// The main part comes first; readings follow the variables it owns.
void MotionBuilder::Finish() {
  main_.owned = main_.continuous = static_cast<uint32_t>(main_.variables.size());
  if (!give_.IsNone()) {
    local_of_[give_.value] = main_.owned++;
    main_.variables.push_back({ScalarVariable::Role::kDiscrete, 0, 0, give_});
    homes_.push_back(ComponentId(0));
  }
  main_.variables.insert(main_.variables.end(), readings_.begin(), readings_.end());
  std::stable_partition(main_.equations.begin(), main_.equations.end(),
                        [](const ScalarEquation& e) { return !e.initial; });
  main_.always = static_cast<uint32_t>(std::count_if(main_.equations.begin(), main_.equations.end(),
                                                     [](const auto& e) { return !e.initial; }));
  for (ScalarEquation& row : main_.equations) {
    std::map<uint32_t, uint32_t> orders;
    for (const SymbolId symbol : FindSymbols(pool_, row.residual)) {
      const SymbolInfo& info = pool_.symbol(symbol);
      const auto at = local_of_.find(info.base.value);
      if (at == local_of_.end()) continue;
      const uint32_t v = at->second >= kReading ? main_.owned + (at->second - kReading) : at->second;
      uint32_t& order = orders[v];
      order = std::max(order, info.order);
    }
    for (const auto& [v, order] : orders) row.uses.push_back({v, order});
  }
  AddedPart main;
  main.scalar = std::move(main_);
  main.component = ComponentId(0);
  main.readings = std::move(reading_of_);
  main.homes = std::move(homes_);
  out_.parts.insert(out_.parts.begin(), std::move(main));
}

// ---- Kinematics ------------------------------------------------------------------------------------------

// Along the arms from the composite's own frame; orientations are numbers, lengths are parameters.
SymVec MotionBuilder::PlaceOf(uint32_t frame) {
  std::vector<uint32_t> way;
  for (uint32_t f = frame; !place_of_[f]; f = mechanism_.frames[f].via) {
    way.push_back(f);
    if (mechanism_.frames[f].via == UINT32_MAX) break;
  }
  for (size_t k = way.size(); k-- > 0;) {
    const FramePlace& at = mechanism_.frames[way[k]];
    if (at.via == UINT32_MAX) {
      place_of_[way[k]] = SymVec{};
      continue;
    }
    const FramePlace& before = mechanism_.frames[at.via];
    const ComponentId arm = at.step.arm;
    const SymVec r = ConstantVector(arm, "r");
    const SymVec place = at.step.backward ? *place_of_[at.via] - Lift<Sym>(at.R) * r
                                          : *place_of_[at.via] + Lift<Sym>(before.R) * r;
    place_of_[way[k]] = Let(NameOf(arm) + (at.step.backward ? ".a" : ".b"), place);
  }
  return *place_of_[frame];
}

void MotionBuilder::MakeLinks() {
  const size_t count = mechanism_.composites.size();
  links_.resize(count);
  place_of_.resize(mechanism_.frames.size());
  world_axes_.resize(count);
  world_place_.resize(count);
  velocity_.resize(count);
  bias_.resize(count);
  acceleration_.resize(count);
  external_.resize(count);
  multipliers_.resize(count);
  for (const ComponentId id : mechanism_.gravity) gravity_ = gravity_ + ConstantVector(id, "g");
  world_axes_[0] = SymMat::Identity();
  world_place_[0] = SymVec{};
  velocity_[0] = Twist{};
  bias_[0] = acceleration_[0] = Twist{-gravity_, {}};
  for (uint32_t c = 1; c < count; ++c) MakeLink(c);
}

// r' = v, and the rates of a quaternion, as the library's `Free` has them; what moves it is the motion's.
MotionBuilder::PlaceVariables MotionBuilder::AddPlace(const std::string& name) {
  const auto number = static_cast<uint32_t>(out_.parts.size()) + 1;
  out_.parts.emplace_back();
  out_.parts.back().component = ComponentId(0);
  ScalarElement& scalar = out_.parts.back().scalar;
  PlaceVariables out;
  const auto variable = [&](const std::string& member, size_t k) {
    const SymbolId symbol = pool_.DeclareSymbol("~" + name + "." + member + "[" + std::to_string(k + 1) + "]",
                                                SymbolKind::kVariable);
    const auto local = static_cast<uint32_t>(scalar.variables.size());
    scalar.variables.push_back({ScalarVariable::Role::kVariable, 0, 0, symbol});
    return ReadAdded(number, local, symbol);
  };
  const auto rate = [&](const Sym& of) { return Sym(&pool_, pool_.Symbol(pool_.SymbolOf(of.In(pool_)), 1)); };
  for (size_t k = 0; k < 3; ++k) out.r[k] = variable("r", k);
  for (size_t k = 0; k < 3; ++k) out.v[k] = variable("v", k);
  for (size_t k = 0; k < 4; ++k) out.Q[k] = variable("Q", k);
  for (size_t k = 0; k < 3; ++k) out.w[k] = variable("w", k);
  const auto equation = [&](const Sym& of, const Sym& value) {
    ScalarEquation row;
    row.left = rate(of).In(pool_);
    row.right = value.In(pool_);
    row.residual = pool_.Subtract(row.left, row.right);
    row.equation = UINT32_MAX;
    for (uint32_t v = 0; v < scalar.variables.size(); ++v) {
      const bool left = scalar.variables[v].symbol == pool_.SymbolOf(of.In(pool_));
      if (left || DependsOn(pool_, row.right, scalar.variables[v].symbol))
        row.uses.push_back({v, left ? 1u : 0u});
    }
    scalar.equations.push_back(std::move(row));
  };
  const auto& [Q, w] = std::tie(out.Q, out.w);
  for (size_t k = 0; k < 3; ++k) equation(out.r[k], out.v[k]);
  equation(Q[0], (-Q[1] * w[0] - Q[2] * w[1] - Q[3] * w[2]) * Sym(0.5));
  equation(Q[1], (Q[0] * w[0] - Q[3] * w[1] + Q[2] * w[2]) * Sym(0.5));
  equation(Q[2], (Q[3] * w[0] + Q[0] * w[1] - Q[1] * w[2]) * Sym(0.5));
  equation(Q[3], (-Q[2] * w[0] + Q[1] * w[1] + Q[0] * w[2]) * Sym(0.5));
  scalar.owned = scalar.continuous = static_cast<uint32_t>(scalar.variables.size());
  scalar.always = static_cast<uint32_t>(scalar.equations.size());
  for (size_t k = 0; k < 3; ++k) {
    out.v_rate[k] = rate(out.v[k]);
    out.w_rate[k] = rate(out.w[k]);
  }
  return out;
}

void MotionBuilder::MakeLink(uint32_t composite) {
  const Home home(*this, composite);
  const CompositeBody& body = mechanism_.composites[composite];
  const SpatialJoint& joint = mechanism_.joints[body.joint];
  const ComponentId id = joint.component;
  const bool placed = id.IsNone();
  const ComponentClass& cls = graph_.ClassOf(model_, placed ? ComponentId(0) : id);
  Link& link = links_[composite];
  link.name = NameOf(joint);
  const PlaceVariables place = placed ? AddPlace(link.name) : PlaceVariables{};
  link.first = joint.first_freedom;
  link.count = FreedomsOf(joint.kind);
  const double sign = joint.reversed ? -1 : 1;
  SymMat Q = SymMat::Identity();
  SymVec shift, shift_rate;  // of the child's origin, in axes of the joint's frame on the parent
  const SymVec n = Lift<Sym>(joint.n);
  std::vector<SymVec> angular(link.count), linear(link.count);
  std::vector<Sym> velocity(link.count), acceleration(link.count);
  std::vector<SymbolId> position(link.count);
  const auto symbol_of = [&](const Sym& s) { return pool_.SymbolOf(s.In(pool_)); };
  const auto edge = [&](std::string_view name, uint32_t k) -> Sym {
    for (const Edge& e : cls.edges) {
      if (!name.empty() && model_.names.Text(e.name) != name) continue;
      velocity[k] = Read(id, e.across, 0, 1);
      acceleration[k] = Read(id, e.across, 0, 2);
      position[k] = symbol_of(Read(id, e.across, 0, 0));
      return Read(id, e.across, 0, 0);
    }
    diagnostics_.Report(mechanics_messages::kMissingMember, model_.SpanOf(cls.origin),
                        {model_.Text(cls.name), model_.Text(cls.spatial), "edge for its coordinate"});
    return {};
  };
  const auto element = [&](std::string_view name, uint32_t k, int order) -> Sym {
    if (placed) {
      if (name == "Q") return place.Q[k];
      if (name == "r") return place.r[k];
      if (name == "v") return order == 0 ? place.v[k] : place.v_rate[k];
      return order == 0 ? place.w[k] : place.w_rate[k];
    }
    const Variable* variable = FindVariable(id, name, nullptr);
    if (variable != nullptr) return Read(id, variable->symbol, k, order);
    diagnostics_.Report(
        mechanics_messages::kMissingMember, model_.SpanOf(cls.origin),
        {model_.Text(cls.name), model_.Text(cls.spatial), "variable `" + std::string(name) + "`"});
    return {};
  };
  const auto turned = [&](const Sym& angle) {
    const Sym sine = Let(link.name + ".sin", Sin(angle)) * Sym(sign);
    const Sym cosine = Let(link.name + ".cos", Cos(angle));
    return AboutAxis<Sym>(joint.n, sine, cosine);
  };
  const auto quaternion = [&] {
    std::array<Sym, 4> q;
    for (uint32_t k = 0; k < 4; ++k) {
      q[k] = element("Q", k, 0);
      if (!q[k].IsNumber()) link.quaternion[k] = symbol_of(q[k]);
    }
    return OfQuaternion(q);
  };
  switch (joint.kind) {
    case SpatialKind::kRevolute: {
      Q = turned(edge("", 0));
      angular[0] = n * Sym(sign);
      break;
    }
    case SpatialKind::kPrismatic: {
      shift = n * (edge("", 0) * Sym(sign));
      shift_rate = n * (velocity[0] * Sym(sign));
      linear[0] = n * Sym(sign);
      break;
    }
    case SpatialKind::kScrew: {
      const Sym angle = edge("", 0);
      const Sym pitch = Constant(id, "pitch");
      Q = turned(angle);
      angular[0] = n * Sym(sign);
      shift = n * (angle * pitch * Sym(sign));
      shift_rate = n * (velocity[0] * pitch * Sym(sign));
      linear[0] = n * (pitch * Sym(sign));
      break;
    }
    case SpatialKind::kCylindrical: {
      Q = turned(edge("turn", 0));
      angular[0] = n * Sym(sign);
      shift = n * (edge("slide", 1) * Sym(sign));
      shift_rate = n * (velocity[1] * Sym(sign));
      linear[1] = n * Sym(sign);
      break;
    }
    case SpatialKind::kPlanar: {
      const SymVec u = Lift<Sym>(joint.u), v = Lift<Sym>(Cross(joint.n, joint.u));
      shift = u * edge("x", 0) + v * edge("y", 1);
      shift_rate = u * velocity[0] + v * velocity[1];
      Q = turned(edge("turn", 2));
      angular[2] = n;
      linear[0] = u;
      linear[1] = v;
      break;
    }
    case SpatialKind::kSpherical:
    case SpatialKind::kFree: {
      const bool free = joint.kind == SpatialKind::kFree;
      Q = quaternion();
      const uint32_t first = free ? 3 : 0;
      for (uint32_t k = 0; k < 3; ++k) {
        angular[first + k][k] = Sym(1);
        velocity[first + k] = element("w", k, 0);
        acceleration[first + k] = element("w", k, 1);
        if (!free) continue;
        linear[k][k] = Sym(1);
        velocity[k] = element("v", k, 0);
        acceleration[k] = element("v", k, 1);
        shift[k] = element("r", k, 0);
        if (!shift[k].IsNumber()) position[k] = symbol_of(shift[k]);
        shift_rate[k] = velocity[k];
      }
      if (joint.reversed) {
        // The angular velocity is given in axes of the parent's side.
        Q = Let(link.name + ".turn", Q);
        for (uint32_t k = 0; k < 3; ++k) {
          for (size_t i = 0; i < 3; ++i) angular[k][i] = -Q[i][k];
        }
        Q = Transpose(Q);
      }
      break;
    }
    default:
      break;
  }
  const bool fixed_ends = joint.kind == SpatialKind::kPlanar || joint.kind == SpatialKind::kFree;
  if (joint.reversed && fixed_ends)
    diagnostics_.Report(mechanics_messages::kReversed, ComponentPlace(model_, graph_, id), {link.name});
  const uint32_t on_parent = joint.reversed ? joint.b : joint.a;
  const SymMat Ra = Lift<Sym>(mechanism_.frames[on_parent].R);
  Q = Let(link.name + ".turn", Q);
  link.R = Let(link.name + ".axes_in_parent", Ra * Q);
  link.r = Let(link.name + ".origin", PlaceOf(on_parent) + Ra * shift);
  link.rate = Let(link.name + ".origin_rate", Ra * shift_rate);
  freedoms_.resize(std::max<size_t>(freedoms_.size(), link.first + link.count));
  for (uint32_t k = 0; k < link.count; ++k) {
    Freedom& freedom = freedoms_[link.first + k];
    freedom = {body.joint, k, velocity[k], acceleration[k], angular[k], Transpose(Q) * linear[k],
               position[k]};
    freedom.linear = Let(link.name + ".l" + std::to_string(k + 1), freedom.linear);
    link.turning = link.turning + angular[k] * velocity[k];
  }
  link.turning = Let(link.name + ".turning", link.turning);
}

const SymMat& MotionBuilder::WorldAxes(uint32_t c) {
  if (!world_axes_[c]) {
    const SymMat above = WorldAxes(mechanism_.composites[c].parent);
    const Home home(*this, c);
    world_axes_[c] = Let(links_[c].name + ".axes", above * links_[c].R);
  }
  return *world_axes_[c];
}

const SymVec& MotionBuilder::WorldPlace(uint32_t c) {
  if (!world_place_[c]) {
    const uint32_t parent = mechanism_.composites[c].parent;
    const SymVec above = WorldPlace(parent);
    const SymMat axes = WorldAxes(parent);
    const Home home(*this, c);
    world_place_[c] = Let(links_[c].name + ".place", above + axes * links_[c].r);
  }
  return *world_place_[c];
}

const Twist& MotionBuilder::Velocity(uint32_t c) {
  if (!velocity_[c]) {
    const Twist above = Velocity(mechanism_.composites[c].parent);
    const Home home(*this, c);
    const Link& link = links_[c];
    const SymMat back = Transpose(link.R);
    Twist out;
    out.angular = Let(link.name + ".omega", back * above.angular + link.turning);
    out.linear =
        Let(link.name + ".origin_velocity", back * (above.linear + Cross(above.angular, link.r) + link.rate));
    velocity_[c] = out;
  }
  return *velocity_[c];
}

// The acceleration of a composite from that of its parent; with the freedoms' own, or as if they were 0.
// `plain`: as an expression.
Twist MotionBuilder::Carry(uint32_t c, const Twist& above, bool accelerated, bool plain) {
  const Link& link = links_[c];
  const SymMat back = Transpose(link.R);
  const SymVec w = Velocity(mechanism_.composites[c].parent).angular;
  const Home home(*this, c);
  Twist out;
  out.angular = back * above.angular + Cross(back * w, link.turning);
  out.linear = back * (above.linear + Cross(above.angular, link.r) + Cross(w, Cross(w, link.r)) +
                       Cross(w, link.rate) * Sym(2));
  if (accelerated) {
    for (uint32_t k = link.first; k < link.first + link.count; ++k) {
      out.angular = out.angular + freedoms_[k].angular * freedoms_[k].acceleration;
      out.linear = out.linear + freedoms_[k].linear * freedoms_[k].acceleration;
    }
  }
  return plain ? out : Let(link.name + (accelerated ? ".full" : ".bias"), out);
}

const Twist& MotionBuilder::Acceleration(uint32_t c) {
  if (!acceleration_[c])
    acceleration_[c] = Carry(c, Twist(Acceleration(mechanism_.composites[c].parent)), true);
  return *acceleration_[c];
}

std::vector<uint32_t> MotionBuilder::PathTo(uint32_t c, uint32_t ancestor) const {
  std::vector<uint32_t> path;
  for (; c != ancestor; c = mechanism_.composites[c].parent) path.push_back(c);
  return path;
}

// Parents have smaller numbers.
uint32_t MotionBuilder::CommonAncestor(uint32_t a, uint32_t b) const {
  while (a != b) {
    if (a > b)
      a = mechanism_.composites[a].parent;
    else
      b = mechanism_.composites[b].parent;
  }
  return a;
}

MotionBuilder::FrameMotion MotionBuilder::MotionOf(uint32_t frame) {
  const FramePlace& at = mechanism_.frames[frame];
  const SymMat axes = WorldAxes(at.composite);
  const SymVec local = PlaceOf(frame);
  const Twist velocity = Velocity(at.composite);
  FrameMotion out;
  out.axes = axes * Lift<Sym>(at.R);
  out.place = WorldPlace(at.composite) + axes * local;
  out.velocity = axes * (velocity.linear + Cross(velocity.angular, local));
  out.turning = axes * velocity.angular;
  return out;
}

MotionBuilder::FrameAcceleration MotionBuilder::AccelerationOf(uint32_t frame, bool bias) {
  const FramePlace& at = mechanism_.frames[frame];
  const SymMat axes = WorldAxes(at.composite);
  const SymVec local = PlaceOf(frame);
  const SymVec w = Velocity(at.composite).angular;
  const Twist a = bias ? *bias_[at.composite] : Acceleration(at.composite);
  return {axes * (a.linear + Cross(a.angular, local) + Cross(w, Cross(w, local))), axes * a.angular};
}

void MotionBuilder::Exert(uint32_t c, const Wrench& wrench) {
  external_[c].force = external_[c].force + wrench.force;
  external_[c].torque = external_[c].torque + wrench.torque;
}

}  // namespace cotree
