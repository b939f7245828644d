// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "base/text_metric.h"
#include "cli/files.h"
#include "cli/profile_report.h"
#include "cli/text_table.h"
#include "plot/cairo_canvas.h"
#include "plot/svg_canvas.h"

namespace cotree {
namespace {

using Anchor = TextStyle::Anchor;
// Okabe and Ito (2008), and the same paler.
constexpr const char *kBlue = "#0072B2", *kPaleBlue = "#99C7E0", *kGreen = "#009E73", *kPaleGreen = "#99D8C7",
                     *kOrange = "#D55E00", *kPaleOrange = "#EEBF99";
constexpr const char *kInk = "#222222", *kGrey = "#777777", *kLine = "#DDDDDD";
constexpr double kWidth = 900, kMargin = 24, kRow = 24, kThick = 14, kText = 12, kSmall = 11;
constexpr size_t kMostKernels = 12;

/** A column of bars: from `left`, at most `width` long, with the number behind each. */
struct Column {
  double left, width, largest;
  double Length(double value) const {
    return largest > 0 ? std::max(value > 0 ? 1.0 : 0.0, width * value / largest) : 0;
  }
};

class ProfilePainter {
 public:
  ProfilePainter(const Profile& profile, Canvas& canvas) : p_(profile), canvas_(canvas) {}

  static double HeightOf(const Profile& p) {
    double height = 2 * kMargin + 44 + 34 + kRow * static_cast<double>(p.stages.size());
    if (p.evaluation)
      height += 84 + kRow * static_cast<double>(std::min(p.evaluation->kernels.size(), kMostKernels + 1));
    return height;
  }

  void Paint() {
    canvas_.Fill({0, 0, kWidth, HeightOf(p_)}, "#ffffff");
    double y = kMargin + 14;
    canvas_.Text({kMargin, y}, p_.system, {17, Anchor::kStart, kInk, true});
    y += 20;
    canvas_.Text(
        {kMargin, y},
        fmt::format("{}, {}, {}; {} in all, peak {}", Plural(p_.states, "state"), Plural(p_.steps, "step"),
                    Plural(p_.evaluations, "evaluation"), TimeText(p_.sum.wall), Bytes(p_.sum.peak)),
        {kText, Anchor::kStart, kGrey});
    y = PaintStages(y + 32);
    if (p_.evaluation) PaintKernels(y + 34);
  }

 private:
  static std::string Bytes(uint64_t bytes) { return BytesText(static_cast<double>(bytes)); }
  void Number(double x, double y, const std::string& text) {
    canvas_.Text({x + 5, y + 4}, text, {kSmall, Anchor::kStart, kInk});
  }
  void BarAt(double left, double y, double length, const char* colour, double thick = kThick) {
    if (length > 0) canvas_.Fill({left, y - thick / 2, left + length, y + thick / 2}, colour);
  }
  void Rule(double x, double top, double bottom) {
    const PlotPoint points[] = {{x, top}, {x, bottom}};
    canvas_.Line(points, {kLine, 1});
  }
  void Key(double x, double y, const char* colour, const char* text) {
    canvas_.Fill({x, y - 9, x + 10, y + 1}, colour);
    canvas_.Text({x + 14, y}, text, {kSmall, Anchor::kStart, kGrey});
  }
  // The beginning of it that has room.
  static std::string Fitting(std::string text, double room) {
    if (TextWidth(text, kText) <= room) return text;
    while (!text.empty() && TextWidth(text + "...", kText) > room) {
      while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
      text.pop_back();
    }
    return text + "...";
  }

  double PaintStages(double y) {
    Column time{kMargin + 130, 330, 0}, memory{kMargin + 560, 190, 0};
    for (const StageCost& s : p_.stages) {
      time.largest = std::max(time.largest, s.wall);
      memory.largest = std::max(memory.largest, static_cast<double>(s.peak));
    }
    canvas_.Text({time.left, y}, "time", {kText, Anchor::kStart, kInk, true});
    canvas_.Text({memory.left, y}, "memory", {kText, Anchor::kStart, kInk, true});
    Key(memory.left + 70, y, kGreen, "at its end");
    Key(memory.left + 156, y, kPaleGreen, "at most");
    const double top = y + 8;
    y += 24;
    for (const StageCost& s : p_.stages) {
      canvas_.BeginGroup(
          "stage", fmt::format("{}: {}, {} of processors, {} at its end, at most {}", StageTitle(s.name),
                               TimeText(s.wall), TimeText(s.cpu), Bytes(s.memory), Bytes(s.peak)));
      canvas_.Text({time.left - 8, y + 4}, StageTitle(s.name), {kText, Anchor::kEnd, kInk});
      const double length = time.Length(s.wall), most = memory.Length(static_cast<double>(s.peak));
      BarAt(time.left, y, length, kBlue);
      Number(time.left + length, y,
             fmt::format("{}  ({})", TimeText(s.wall), PercentText(s.wall / std::max(1e-12, p_.sum.wall))));
      BarAt(memory.left, y, most, kPaleGreen);
      BarAt(memory.left, y, memory.Length(static_cast<double>(s.memory)), kGreen);
      Number(memory.left + most, y, Bytes(s.peak));
      canvas_.EndGroup();
      y += kRow;
    }
    Rule(time.left, top, y - 10);
    Rule(memory.left, top, y - 10);
    return y - 10;
  }

  void PaintKernels(double y) {
    const EvaluationCost& e = *p_.evaluation;
    const bool machine = e.compiled.has_value();
    canvas_.Text(
        {kMargin, y},
        fmt::format("An evaluation of the derivatives: {}{}", TimeText(machine ? *e.compiled : e.interpreted),
                    machine ? " in machine code, " + TimeText(e.interpreted) + " interpreted" : ""),
        {kText + 1, Anchor::kStart, kInk, true});
    if (machine) Key(kWidth - kMargin - 190, y, kOrange, "machine code");
    Key(kWidth - kMargin - 84, y, machine ? kPaleOrange : kOrange, "interpreted");
    y += 18;
    canvas_.Text(
        {kMargin, y},
        fmt::format("{}, {}; code {}, tables {}", Plural(e.instances, "instance"),
                    Plural(e.instructions, "instruction"), Bytes(e.code_bytes), Bytes(e.table_bytes)),
        {kText, Anchor::kStart, kGrey});
    const double top = y + 10;
    y += 26;
    struct Row {
      std::string what, tooltip;
      double slow = 0, fast = 0;
    };
    std::vector<Row> rows;
    for (size_t n = 0; n < e.kernels.size(); ++n) {
      const KernelCost& k = e.kernels[n];
      if (n < kMostKernels) {
        const std::string count = k.instances > 1 ? fmt::format(" × {}", k.instances) : "";
        rows.push_back({Fitting(k.what, 300 - TextWidth(count, kText)) + count,
                        fmt::format("{}: {} of {}", k.what, Plural(k.instances, "instance"),
                                    Plural(k.instructions, "instruction"))});
      } else if (n == kMostKernels) {
        rows.push_back({fmt::format("{} more", e.kernels.size() - n), ""});
      }
      rows.back().slow += k.interpreted;
      rows.back().fast += k.compiled.value_or(0);
    }
    Column time{kMargin + 310, 350, 0};
    for (const Row& row : rows) time.largest = std::max({time.largest, row.slow, row.fast});
    const double all = e.of_kernels(machine);
    for (const Row& row : rows) {
      canvas_.BeginGroup("kernel", row.tooltip);
      canvas_.Text({time.left - 8, y + 4}, row.what, {kText, Anchor::kEnd, kInk});
      BarAt(time.left, y, time.Length(row.slow), machine ? kPaleOrange : kOrange);
      if (machine)
        BarAt(time.left, y, time.Length(row.fast), kOrange, row.fast > row.slow ? kThick / 2 : kThick);
      const double shown = machine ? row.fast : row.slow;
      Number(time.left + std::max(time.Length(row.slow), time.Length(row.fast)), y,
             fmt::format("{}  ({})", TimeText(shown), PercentText(all > 0 ? shown / all : 0)));
      canvas_.EndGroup();
      y += kRow;
    }
    Rule(time.left, top, y - 10);
  }

  const Profile& p_;
  Canvas& canvas_;
};

}  // namespace

int SaveProfilePicture(const Profile& profile, const std::string& path) {
  const double height = ProfilePainter::HeightOf(profile);
  bool ok = false;
  if (path.ends_with(".svg")) {
    SvgCanvas canvas(kWidth, height, "Profile of " + profile.system);
    ProfilePainter(profile, canvas).Paint();
    ok = WriteFileSafely(path, canvas.Finish());
  } else {
    ok = ReplaceFile(path, [&](const std::string& beside, std::string* problem) {
      if (!CairoCanvas::Available()) {
        *problem =
            "the library Cairo (libcairo.so.2) is not installed: apt-get install libcairo2, or draw a .svg";
        return false;
      }
      CairoCanvas canvas(kWidth, height, 2);
      ProfilePainter(profile, canvas).Paint();
      return canvas.WritePng(beside);
    });
  }
  return ok ? kExitOk : kExitForeign;
}

}  // namespace cotree
