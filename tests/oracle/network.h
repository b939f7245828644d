// SPDX-License-Identifier: Apache-2.0
// A network as plain data, and its text in the language with the standard library.
//
// Nothing here comes from src/. Node 0 of each domain is its reference. Each edge of a component is a Port;
// its across variable x is the potential of `plus` over that of `minus`, its through variable y goes in at
// `plus` and out at `minus`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cotree::oracle {

/** A number that its decimal text gives exactly: `den` has no prime factors but 2 and 5. */
struct Rational {
  int64_t num = 0, den = 1;
  friend bool operator==(const Rational&, const Rational&) = default;
};

inline Rational Reduced(int64_t num, int64_t den) {
  const int64_t g = std::gcd(num, den);
  if (g == 0) throw std::logic_error("0/0");
  const int64_t sign = den < 0 ? -1 : 1;
  return {sign * num / g, sign * den / g};
}

inline std::string DecimalText(Rational value) {
  int64_t num = value.num, den = value.den;
  size_t digits = 0;
  while (den != 1) {
    if (digits > 15) throw std::logic_error("not a short decimal");
    num *= 10;
    ++digits;
    const int64_t g = std::gcd(num, den);
    num /= g;
    den /= g;
  }  // the value is num/den*10^-digits throughout
  std::string text = std::to_string(std::abs(num));
  if (digits > 0) {
    if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
    text.insert(text.size() - digits, ".");
  }
  return (num < 0 ? "-" : "") + text;
}

enum class Domain : uint8_t { kElectrical, kRotational, kTranslational, kHydraulic };
constexpr size_t kDomains = 4;

inline const std::string& DomainName(Domain domain) {
  static const std::string names[kDomains] = {"electrical", "rotational", "translational", "hydraulic"};
  return names[static_cast<size_t>(domain)];
}
inline bool IsMechanical(Domain d) {
  return d == Domain::kRotational || d == Domain::kTranslational;
}

/** One edge of a component, between two nodes of a domain. */
struct Port {
  Domain domain = Domain::kElectrical;
  int plus = 0, minus = 0;
};

enum class Type : uint8_t {
  // electrical
  kResistor,
  kConductor,
  kCapacitor,
  kInductor,
  kVoltageSource,
  kCurrentSource,
  kTransformer,
  kGyrator,
  kCoupledInductors,  // L1, L2, k
  kVcvs,
  kVccs,
  kCcvs,
  kCccs,
  kOpAmp,
  // rotational
  kInertia,
  kTorsionSpring,
  kRotationalDamper,
  kTorqueSource,
  kAngleSource,
  kSpeedSource,
  kGear,
  kPlanetaryGear,
  kDifferential,
  // translational
  kMass,
  kSpring,
  kDamper,
  kForceSource,
  kPositionSource,
  kVelocitySource,
  kLever,
  kPulley,
  // hydraulic
  kTank,
  kLaminarResistance,
  kInertance,
  kPressureSource,
  kFlowSource,
  // between domains
  kDcMotor,          // as ideal: Kt
  kDcMotorStandard,  // R, L, Kt, J
  kLinearMotor,      // as ideal: Kf
  kPiezoStack,       // C, D, k, d, m
  kTachometer,       // K, R, J
  kRackAndPinion,
  kCylinder,
  kPump,
  // sensor, blocks, source: a controlled source that the graph does not show
  kSignalLink,
};

/** What a sensor measures, or a source prescribes. `kRate` exists in the mechanical domains. */
enum class Quantity : uint8_t { kAcross, kRate, kThrough };
/** What stands between them: y = k*u, y' = k*u, T*y' + y = k*u. */
enum class Block : uint8_t { kGain, kIntegrator, kFirstOrder };

struct Element {
  Type type = Type::kResistor;
  std::string name;
  std::vector<Port> ports;
  std::vector<Rational> values;
  bool by_signal = false;  // of an independent source: a Sine drives it instead of a parameter
  // Of a kSignalLink: ports[0] is the sensor's, ports[1] the source's; with `reads` >= 0 there is no sensor
  // and ports has the source's only: the variable of that element is read, whose only edge it is.
  Quantity sensed = Quantity::kAcross, driven = Quantity::kAcross;
  Block block = Block::kGain;
  int reads = -1;
};

struct Network {
  std::vector<Element> elements;
};

/** How a type is written in the language. */
struct TypeInfo {
  struct PortInfo {
    Domain domain;
    std::string plus, minus;  // terminals; minus is empty where the edge goes to the reference
  };
  struct ParameterInfo {
    std::string name, unit;
  };
  std::string cls, model, letter;
  std::vector<PortInfo> ports;
  std::vector<ParameterInfo> parameters;
  std::string signal_class;  // of an independent source
};

inline const TypeInfo& InfoOf(Type type) {
  constexpr Domain E = Domain::kElectrical, R = Domain::kRotational, T = Domain::kTranslational,
                   H = Domain::kHydraulic;
  static const std::map<Type, TypeInfo> infos = {
      {Type::kResistor, {"Resistor", "", "R", {{E, "p", "n"}}, {{"R", "ohm"}}, ""}},
      {Type::kConductor, {"Conductor", "", "G", {{E, "p", "n"}}, {{"G", "S"}}, ""}},
      {Type::kCapacitor, {"Capacitor", "", "C", {{E, "p", "n"}}, {{"C", "F"}}, ""}},
      {Type::kInductor, {"Inductor", "", "L", {{E, "p", "n"}}, {{"L", "H"}}, ""}},
      {Type::kVoltageSource,
       {"VoltageSource", "", "V", {{E, "p", "n"}}, {{"V", "V"}}, "SignalVoltageSource"}},
      {Type::kCurrentSource,
       {"CurrentSource", "", "I", {{E, "p", "n"}}, {{"I", "A"}}, "SignalCurrentSource"}},
      {Type::kTransformer, {"Transformer", "", "T", {{E, "p1", "n1"}, {E, "p2", "n2"}}, {{"n", ""}}, ""}},
      {Type::kGyrator, {"Gyrator", "", "Y", {{E, "p1", "n1"}, {E, "p2", "n2"}}, {{"r", "ohm"}}, ""}},
      {Type::kCoupledInductors,
       {"CoupledInductorPair",
        "",
        "K",
        {{E, "p1", "n1"}, {E, "p2", "n2"}},
        {{"L1", "H"}, {"L2", "H"}, {"k", ""}},
        ""}},
      {Type::kVcvs,
       {"VoltageControlledVoltageSource", "", "E", {{E, "p1", "n1"}, {E, "p2", "n2"}}, {{"gain", ""}}, ""}},
      {Type::kVccs,
       {"VoltageControlledCurrentSource",
        "",
        "S",
        {{E, "p1", "n1"}, {E, "p2", "n2"}},
        {{"transconductance", "S"}},
        ""}},
      {Type::kCcvs,
       {"CurrentControlledVoltageSource",
        "",
        "H",
        {{E, "p1", "n1"}, {E, "p2", "n2"}},
        {{"transresistance", "ohm"}},
        ""}},
      {Type::kCccs,
       {"CurrentControlledCurrentSource", "", "F", {{E, "p1", "n1"}, {E, "p2", "n2"}}, {{"gain", ""}}, ""}},
      {Type::kOpAmp, {"OpAmp", "", "A", {{E, "p", "n"}, {E, "out", ""}}, {}, ""}},
      {Type::kInertia, {"Inertia", "", "J", {{R, "a", ""}}, {{"J", "kg*m^2"}}, ""}},
      {Type::kTorsionSpring, {"TorsionSpring", "", "c", {{R, "a", "b"}}, {{"k", "N*m/rad"}}, ""}},
      {Type::kRotationalDamper, {"RotationalDamper", "", "d", {{R, "a", "b"}}, {{"d", "N*m*s/rad"}}, ""}},
      {Type::kTorqueSource,
       {"TorqueSource", "", "M", {{R, "a", "b"}}, {{"torque", "N*m"}}, "SignalTorqueSource"}},
      {Type::kAngleSource,
       {"AngleSource", "", "phi", {{R, "a", "b"}}, {{"angle", "rad"}}, "SignalAngleSource"}},
      {Type::kSpeedSource,
       {"SpeedSource", "", "w", {{R, "a", "b"}}, {{"speed", "rad/s"}}, "SignalSpeedSource"}},
      {Type::kGear, {"Gear", "", "N", {{R, "a", ""}, {R, "b", ""}}, {{"ratio", ""}}, ""}},
      {Type::kPlanetaryGear,
       {"PlanetaryGear", "", "Z", {{R, "sun", "carrier"}, {R, "ring", "carrier"}}, {{"ratio", ""}}, ""}},
      {Type::kDifferential,
       {"Differential", "", "D", {{R, "a", ""}, {R, "left", ""}, {R, "right", ""}}, {{"ratio", ""}}, ""}},
      {Type::kMass, {"Mass", "", "m", {{T, "a", ""}}, {{"m", "kg"}}, ""}},
      {Type::kSpring, {"Spring", "", "k", {{T, "a", "b"}}, {{"k", "N/m"}}, ""}},
      {Type::kDamper, {"Damper", "", "b", {{T, "a", "b"}}, {{"d", "N*s/m"}}, ""}},
      {Type::kForceSource, {"ForceSource", "", "f", {{T, "a", "b"}}, {{"force", "N"}}, "SignalForceSource"}},
      {Type::kPositionSource,
       {"PositionSource", "", "s", {{T, "a", "b"}}, {{"position", "m"}}, "SignalPositionSource"}},
      {Type::kVelocitySource,
       {"VelocitySource", "", "v", {{T, "a", "b"}}, {{"velocity", "m/s"}}, "SignalVelocitySource"}},
      {Type::kLever, {"Lever", "", "l", {{T, "a", ""}, {T, "b", ""}}, {{"ratio", ""}}, ""}},
      {Type::kPulley, {"Pulley", "", "p", {{T, "a", "axle"}, {T, "b", "axle"}}, {}, ""}},
      {Type::kTank, {"Tank", "", "tank", {{H, "a", ""}}, {{"C", "m^3/Pa"}}, ""}},
      {Type::kLaminarResistance,
       {"LaminarResistance", "", "throttle", {{H, "a", "b"}}, {{"R", "Pa*s/m^3"}}, ""}},
      {Type::kInertance, {"Inertance", "", "pipe", {{H, "a", "b"}}, {{"L", "Pa*s^2/m^3"}}, ""}},
      {Type::kPressureSource,
       {"PressureSource", "", "P", {{H, "a", "b"}}, {{"pressure", "Pa"}}, "SignalPressureSource"}},
      {Type::kFlowSource, {"FlowSource", "", "Q", {{H, "a", "b"}}, {{"flow", "m^3/s"}}, "SignalFlowSource"}},
      {Type::kDcMotor,
       {"DCMotor", "ideal", "motor", {{E, "p", "n"}, {R, "shaft", "housing"}}, {{"Kt", "N*m/A"}}, ""}},
      {Type::kDcMotorStandard,
       {"DCMotor",
        "standard",
        "motor",
        {{E, "p", "n"}, {R, "shaft", "housing"}},
        {{"R", "ohm"}, {"L", "H"}, {"Kt", "N*m/A"}, {"J", "kg*m^2"}},
        ""}},
      {Type::kLinearMotor,
       {"LinearMotor", "ideal", "coil", {{E, "p", "n"}, {T, "coil", "housing"}}, {{"Kf", "N/A"}}, ""}},
      {Type::kPiezoStack,
       {"PiezoStack",
        "",
        "piezo",
        {{E, "p", "n"}, {T, "tip", "base"}},
        {{"C", "F"}, {"D", "m/V"}, {"k", "N/m"}, {"d", "N*s/m"}, {"m", "kg"}},
        ""}},
      {Type::kTachometer,
       {"Tachometer",
        "",
        "tacho",
        {{E, "p", "n"}, {R, "shaft", "housing"}},
        {{"K", "V*s/rad"}, {"R", "ohm"}, {"J", "kg*m^2"}},
        ""}},
      {Type::kRackAndPinion,
       {"RackAndPinion", "", "rack", {{R, "a", ""}, {T, "b", ""}}, {{"radius", "m"}}, ""}},
      {Type::kCylinder, {"Cylinder", "", "cyl", {{H, "a", "b"}, {T, "rod", "housing"}}, {{"A", "m^2"}}, ""}},
      {Type::kPump,
       {"FixedPump", "ideal", "pump", {{H, "a", "b"}, {R, "shaft", "housing"}}, {{"D", "m^3/rad"}}, ""}},
  };
  return infos.at(type);
}

/** A class with one edge, by domain and quantity, and its terminals. */
struct OneEdgeClass {
  std::string cls, plus, minus;
};
inline OneEdgeClass SensorClass(Domain domain, Quantity quantity) {
  static const std::string names[kDomains][3] = {
      {"VoltageSensor", "", "CurrentSensor"},
      {"RelativeAngleSensor", "RelativeSpeedSensor", "TorqueSensor"},
      {"RelativePositionSensor", "RelativeVelocitySensor", "ForceSensor"},
      {"RelativePressureSensor", "", "FlowSensor"}};
  const bool pn = domain == Domain::kElectrical;
  return {names[static_cast<size_t>(domain)][static_cast<size_t>(quantity)], pn ? "p" : "a", pn ? "n" : "b"};
}
inline OneEdgeClass SignalSourceClass(Domain domain, Quantity quantity) {
  static const std::string names[kDomains][3] = {
      {"SignalVoltageSource", "", "SignalCurrentSource"},
      {"SignalAngleSource", "SignalSpeedSource", "SignalTorqueSource"},
      {"SignalPositionSource", "SignalVelocitySource", "SignalForceSource"},
      {"SignalPressureSource", "", "SignalFlowSource"}};
  const bool pn = domain == Domain::kElectrical;
  return {names[static_cast<size_t>(domain)][static_cast<size_t>(quantity)], pn ? "p" : "a", pn ? "n" : "b"};
}
inline std::string VariableName(Domain domain, Quantity quantity) {
  static const std::string names[kDomains][3] = {
      {"v", "", "i"}, {"phi", "w", "tau"}, {"s", "v", "f"}, {"p", "", "q"}};
  return names[static_cast<size_t>(domain)][static_cast<size_t>(quantity)];
}

/** A terminal that is joined with a node. */
struct Terminal {
  size_t element = 0;
  std::string
      name;  // "R1.p": without the instance's name it is not unique, as sensor and source have their own
  Domain domain = Domain::kElectrical;
  int node = 0;
};

/// Every terminal of every component, once; names as in NetworkText without renaming.
inline std::vector<Terminal> TerminalsOf(const Network& network,
                                         const std::map<std::string, std::string>& renamed = {}) {
  const auto named = [&](const std::string& name) {
    const auto at = renamed.find(name);
    return at == renamed.end() ? name : at->second;
  };
  std::vector<Terminal> terminals;
  for (size_t k = 0; k < network.elements.size(); ++k) {
    const Element& e = network.elements[k];
    std::set<std::string> done;
    const auto add = [&](const std::string& instance, const std::string& terminal, Domain domain, int node) {
      const std::string name = named(instance) + "." + terminal;
      if (done.insert(name).second) terminals.push_back({k, name, domain, node});
    };
    if (e.type == Type::kSignalLink) {
      if (e.reads < 0) {
        const OneEdgeClass sensor = SensorClass(e.ports[0].domain, e.sensed);
        add(e.name + "_sensor", sensor.plus, e.ports[0].domain, e.ports[0].plus);
        add(e.name + "_sensor", sensor.minus, e.ports[0].domain, e.ports[0].minus);
      }
      const Port& out = e.ports.back();
      const OneEdgeClass source = SignalSourceClass(out.domain, e.driven);
      add(e.name, source.plus, out.domain, out.plus);
      add(e.name, source.minus, out.domain, out.minus);
      continue;
    }
    const TypeInfo& info = InfoOf(e.type);
    for (size_t p = 0; p < e.ports.size(); ++p) {
      add(e.name, info.ports[p].plus, info.ports[p].domain, e.ports[p].plus);
      if (!info.ports[p].minus.empty())
        add(e.name, info.ports[p].minus, info.ports[p].domain, e.ports[p].minus);
    }
  }
  return terminals;
}

struct TextOptions {
  std::mt19937* shuffle = nullptr;  // reorder declarations, connections, ends of connections, arguments
  bool split_connections = false;   // a node as several `connect`s of two ends each
  bool rename = false;  // other names for all instances, in another alphabetical order (needs shuffle)
};

inline size_t Below(std::mt19937& random, size_t n) {
  return static_cast<size_t>(random()) % n;
}
template <typename T>
void Shuffle(std::vector<T>& items,
             std::mt19937& random) {  // the same on every platform, unlike std::shuffle
  for (size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[Below(random, k)]);
}

inline std::string NetworkText(const Network& network, const TextOptions& options = {}) {
  std::vector<std::string> instances;
  for (const Element& e : network.elements) {
    instances.push_back(e.name);
    if (e.type == Type::kSignalLink) {
      if (e.reads < 0) instances.push_back(e.name + "_sensor");
      instances.push_back(e.name + "_block");
      if (e.block == Block::kIntegrator) instances.push_back(e.name + "_integrator");
    }
    if (e.by_signal) instances.push_back(e.name + "_u");
  }
  std::map<std::string, std::string> renamed;
  if (options.rename) {
    std::vector<size_t> numbers(instances.size());
    std::iota(numbers.begin(), numbers.end(), size_t{0});
    Shuffle(numbers, *options.shuffle);
    for (size_t k = 0; k < instances.size(); ++k) {
      renamed[instances[k]] =
          std::string(1, static_cast<char>('z' - numbers[k] % 26)) + "x" + std::to_string(numbers[k]);
    }
  }
  const auto named = [&](const std::string& name) { return renamed.empty() ? name : renamed.at(name); };

  std::vector<std::string> lines;
  const auto declare = [&](const std::string& name, const std::string& cls,
                           std::vector<std::string> arguments, const std::string& model) {
    if (options.shuffle != nullptr) Shuffle(arguments, *options.shuffle);
    std::string line = named(name) + " : " + cls;
    for (size_t k = 0; k < arguments.size(); ++k) line += (k == 0 ? "(" : ", ") + arguments[k];
    if (!arguments.empty()) line += ")";
    if (!model.empty()) line += " as " + model;
    lines.push_back(line);
  };
  for (const Element& e : network.elements) {
    if (e.type == Type::kSignalLink) {
      const Port& out = e.ports.back();
      std::string from;
      if (e.reads < 0) {
        declare(e.name + "_sensor", SensorClass(e.ports[0].domain, e.sensed).cls, {}, "");
        from = named(e.name + "_sensor") + ".y";
      } else {
        const Element& read = network.elements[static_cast<size_t>(e.reads)];
        from = named(read.name) + "." + VariableName(read.ports[0].domain, e.sensed);
      }
      declare(e.name, SignalSourceClass(out.domain, e.driven).cls, {}, "");
      std::string to = named(e.name + "_block");
      const std::string gain = "k = " + DecimalText(e.values[0]);
      lines.push_back("connect " + from + " -> " + to + ".u");
      if (e.block == Block::kFirstOrder) {
        declare(e.name + "_block", "FirstOrder", {gain, "T = " + DecimalText(e.values[1]) + " s"}, "");
      } else {
        declare(e.name + "_block", "Gain", {gain}, "");
      }
      if (e.block == Block::kIntegrator) {
        declare(e.name + "_integrator", "Integrator", {}, "");
        lines.push_back("connect " + to + ".y -> " + named(e.name + "_integrator") + ".u");
        to = named(e.name + "_integrator");
      }
      lines.push_back("connect " + to + ".y -> " + named(e.name) + ".u");
      continue;
    }
    const TypeInfo& info = InfoOf(e.type);
    std::vector<std::string> arguments;
    for (size_t k = 0; k < info.parameters.size(); ++k) {
      const auto& p = info.parameters[k];
      const std::string value = DecimalText(e.values[k]) + (p.unit.empty() ? "" : " " + p.unit);
      arguments.push_back(p.name + " = " + value);
      if (!e.by_signal) continue;
      declare(e.name + "_u", "Sine", {"amplitude = " + value, "frequency = 1 Hz"}, "");
      lines.push_back("connect " + named(e.name + "_u") + ".y -> " + named(e.name) + ".u");
    }
    declare(e.name, e.by_signal ? info.signal_class : info.cls,
            e.by_signal ? std::vector<std::string>{} : arguments, info.model);
  }
  std::map<std::pair<Domain, int>, std::vector<std::string>> nets;
  for (const Terminal& t : TerminalsOf(network, renamed)) nets[{t.domain, t.node}].push_back(t.name);
  for (auto& [node, ends] : nets) {
    if (node.second == 0) ends.push_back(DomainName(node.first) + ".ground");
    if (options.shuffle != nullptr) Shuffle(ends, *options.shuffle);
    if (options.split_connections) {
      for (size_t k = 1; k < ends.size(); ++k) {
        const size_t other = options.shuffle != nullptr ? Below(*options.shuffle, k) : k - 1;
        lines.push_back("connect " + ends[k] + " -- " + ends[other]);
      }
      continue;
    }
    std::string line = "connect ";
    for (size_t k = 0; k < ends.size(); ++k) line += (k > 0 ? " -- " : "") + ends[k];
    lines.push_back(line);
  }
  if (options.shuffle != nullptr) Shuffle(lines, *options.shuffle);
  std::string text = "system Random {\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text + "}\n";
}

}  // namespace cotree::oracle
