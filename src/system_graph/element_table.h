// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "model/check_sizes.h"
#include "system_graph/system_graph.h"

namespace cotree {

/** What of a class's parameters decides its structure. */
struct StructuralParameters {
  struct Entry {
    uint32_t parameter;
    bool by_value;  // its value counts: it sets a size or decides a condition; otherwise whether it is
                    // exactly zero
  };
  std::vector<Entry> entries;
  ElementId only;  // if there are none: the one element class
};

/** What was found out about classes, for further graphs of the same model: it hangs on no number but those of
the keys. */
struct KnownElements {
  std::unordered_map<uint32_t, std::vector<StructuralParameters::Entry>> entries;  // by class
  std::map<std::vector<double>, ElementClass> made;                                // by class and key
};

/** Makes element classes from component classes, each once per key of structural parameters (design §3.9).

Theory: docs/theory/system_graph.md, SG.2 to SG.5. A key holds for each structural parameter its value, or 0
or 1 for "is zero" and "is not". */
class ElementTable {
 public:
  /// `most`: a class with more slots of a kind is cut off there; the system is refused anyway (GraphLimits).
  /// `known`: used and added to, if there is one.
  ElementTable(Model& model, std::vector<ElementClass>& elements, uint64_t most,
               KnownElements* known = nullptr)
      : model_(model), elements_(elements), most_(most), known_(known != nullptr ? *known : own_) {}

  const StructuralParameters& ParametersOf(ClassId id);
  ElementId Find(ClassId id, std::span<const double> key);

 private:
  ElementClass Make(ClassId id, std::span<const double> key);
  bool ZeroMatters(const ComponentClass& cls, const Parameter& parameter);
  const std::vector<StructuralParameters::Entry>& EntriesOf(ClassId id);

  /// The number of elements of a shape, one more than `most` where there are more.
  uint32_t Limited(const Shape& shape, const ParameterValues& values) const;

  Model& model_;
  std::vector<ElementClass>& elements_;
  const uint64_t most_;
  KnownElements own_;
  KnownElements& known_;
  std::unordered_map<uint32_t, StructuralParameters> parameters_;
  std::map<std::vector<double>, ElementId> found_;
  std::vector<double> last_key_;  // of the last Find, class in front
  ElementId last_;
};

/// The number of elements of a shape, with the sizes known; 0 where one is not a number.
uint64_t CountElements(const Model& model, const Shape& shape, const ParameterValues& values,
                       std::vector<uint32_t>* sizes = nullptr,
                       std::span<const ArrayValue<double>> arrays = {});

}  // namespace cotree
