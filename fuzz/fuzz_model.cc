// SPDX-License-Identifier: Apache-2.0
// Any text as a model: built and checked without harm; what is built can be described; the findings do not
// depend on being asked twice. Behind a line `====` a second file follows, which the first may import or read
// as a table.
#include <string>
#include <string_view>

#include "allocation_limit.h"
#include "model/describe_model.h"
#include "pipeline/load_model.h"

namespace cotree {
namespace {

class SecondFile : public TextReader {
 public:
  explicit SecondFile(std::string text) : text_(std::move(text)) {}
  std::optional<std::string> Read(const std::string& path) override {
    if (path == "second.cot" || path == "data.csv") return text_;
    return std::nullopt;
  }

 private:
  std::string text_;
};

std::string Findings(const LoadedModel& loaded) {
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics.list()) {
    const bool placed = !d.where.file.IsNone();
    if (placed)
      FUZZ_ASSERT(d.where.begin <= d.where.end &&
                  d.where.end <= loaded.model.files[d.where.file].text().size());
    if (out.size() < 20000) out += RenderText(d, loaded.model.files, false);
  }
  return out;
}

void CheckModel(const std::string& text, const std::string& second) {
  SecondFile reader(second);
  const auto loaded = LoadModelText("input.cot", text, reader, {.library = "", .udunits = false});
  const std::string findings = Findings(*loaded);
  Model& model = loaded->model;
  if (loaded->diagnostics.ok()) {
    for (const auto* list : {&model.systems, &model.own_classes}) {
      for (const ClassId id : *list) {
        ListInferredUnits(model, id);
        ListParameters(model, id);
        CountComponents(model, id);
        size_t shown = 0;
        for (const Equation& e : model[id].equations) {
          if (++shown <= 20)
            FUZZ_ASSERT(!ExpressionText(model, e.left).empty() && !ExpressionText(model, e.right).empty());
        }
        // What a checked model promises.
        for (const Instance& i : model[id].instances) FUZZ_ASSERT(!i.class_id.IsNone());
        for (const Connection& c : model[id].connections) FUZZ_ASSERT(c.endpoint_count >= 2);
      }
    }
  }
  if (text.size() < 1500 && text.size() % 8 == 0) {
    const auto again = LoadModelText("input.cot", text, reader, {.library = "", .udunits = false});
    FUZZ_ASSERT(Findings(*again) == findings);
  }
}

}  // namespace
}  // namespace cotree

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const cotree::fuzz::InputLimits limits;
  std::string text(reinterpret_cast<const char*>(data), size), second;
  const size_t cut = text.find("\n====\n");
  if (cut != std::string::npos) {
    second = text.substr(cut + 6);
    text.resize(cut + 1);
  }
  cotree::CheckModel(text, second);
  return 0;
}
