// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/name_parts.h"
#include "base/visible_text.h"

namespace cotree {
namespace {

struct Palette {
  const char *error, *warning, *note, *bold, *rule, *reset;
};
constexpr Palette kColours{"\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m", "\x1b[1m", "\x1b[1;34m", "\x1b[0m"};
constexpr Palette kPlain{"", "", "", "", "", ""};

const char* SeverityWord(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "";
}

std::string Shown(std::string_view text) {
  return VisibleText(text, LineEnds::kShown);
}

// Tabs become one blank, and control characters too, so that carets stand under what they mean.
std::string Printable(std::string_view line) {
  std::string out(line);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return out;
}

constexpr size_t kWidest = 160;  // source columns shown; a longer line is cut around the place

void RenderPlace(const Span& where, std::string_view label, const SourceFiles& files, size_t gutter,
                 const char* caret_colour, const Palette& palette, std::string& out) {
  const SourceFile& file = files[where.file];
  const Position at = file.PositionOf(where.begin);
  const std::string_view line = file.Line(at.line);
  const std::string number = file.is_option() ? "" : std::to_string(at.line);
  const Position end = file.PositionOf(std::max(where.begin, where.end));
  size_t width = end.line == at.line ? end.column - at.column : DisplayWidth(line) + 1 - at.column;
  width = std::max<size_t>(width, 1);
  std::string shown = Printable(line);
  size_t column = at.column;
  if (DisplayWidth(shown) > kWidest) {
    const size_t byte_at =
        std::min<size_t>(where.begin - static_cast<uint32_t>(line.data() - file.text().data()), shown.size());
    size_t from = byte_at > kWidest / 2 ? byte_at - kWidest / 2 : 0;
    while (from > 0 && (static_cast<unsigned char>(shown[from]) & 0xC0u) == 0x80u) --from;
    size_t to = std::min(shown.size(), from + kWidest);
    while (to < shown.size() && (static_cast<unsigned char>(shown[to]) & 0xC0u) == 0x80u) ++to;
    column = DisplayWidth(std::string_view(shown).substr(from, byte_at - from)) + 1;
    shown = shown.substr(from, to - from);
    if (from > 0) {
      shown = "..." + shown;
      column += 3;
    }
    width = std::min(width, kWidest);
  }
  const std::string bar = std::string(gutter, ' ') + palette.rule + " |" + palette.reset;
  out += bar + "\n";
  out += std::string(palette.rule) + std::string(gutter - number.size(), ' ') + number + " |" +
         palette.reset + " " + shown + "\n";
  out += bar + " " + std::string(column - 1, ' ') + caret_colour + std::string(width, '^');
  if (!label.empty()) out += " " + Shown(label);
  out += std::string(palette.reset) + "\n";
}

std::string PlaceText(const Span& where, const SourceFiles& files) {
  const SourceFile& file = files[where.file];
  if (file.is_option()) return file.path();
  const Position at = file.PositionOf(where.begin);
  return Shown(file.path()) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

}  // namespace

std::string FormatMessage(std::string_view pattern, std::initializer_list<std::string_view> arguments) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{' && i + 2 < pattern.size() && pattern[i + 2] == '}') {
      const auto k = static_cast<size_t>(pattern[i + 1] - '0');
      if (k < arguments.size()) out += *(arguments.begin() + k);
      i += 2;
    } else {
      out += pattern[i];
    }
  }
  return out;
}

std::string CodeText(const DiagnosticInfo& info) {
  const std::string digits = std::to_string(info.code);
  return "COT" + std::string(4 - std::min<size_t>(4, digits.size()), '0') + digits;
}

Diagnostic& Diagnostics::Report(const DiagnosticInfo& info, Span where,
                                std::initializer_list<std::string_view> arguments) {
  if (info.severity == Severity::kError) ++errors_;
  if (info.severity == Severity::kWarning) ++warnings_;
  if (list_.size() >= kMost) {
    ++left_out_;
    overflow_ = Diagnostic{};
    overflow_.info = &info;
    return overflow_;
  }
  Diagnostic& d = list_.emplace_back();
  d.info = &info;
  d.where = where;
  d.message = FormatMessage(info.message, arguments);
  if (info.help[0] != '\0') d.helps.push_back(FormatMessage(info.help, arguments));
  return d;
}

void Diagnostics::Sort() {
  const auto key = [](const Diagnostic& d) {
    return std::tuple(d.where.file.value, d.where.begin, d.info->code, std::string_view(d.message));
  };
  std::stable_sort(list_.begin(), list_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return key(a) < key(b); });
  const auto same = [&](const Diagnostic& a, const Diagnostic& b) { return key(a) == key(b); };
  const auto count = [&](Severity severity) {
    return static_cast<size_t>(std::count_if(
        list_.begin(), list_.end(), [&](const Diagnostic& d) { return d.info->severity == severity; }));
  };
  const size_t errors = count(Severity::kError), warnings = count(Severity::kWarning);
  list_.erase(std::unique(list_.begin(), list_.end(), same), list_.end());
  errors_ -= errors - count(Severity::kError);
  warnings_ -= warnings - count(Severity::kWarning);
}

std::string RenderText(const Diagnostic& d, const SourceFiles& files, bool colours) {
  const Palette& palette = colours ? kColours : kPlain;
  const char* colour = d.info->severity == Severity::kError     ? palette.error
                       : d.info->severity == Severity::kWarning ? palette.warning
                                                                : palette.note;
  std::string out = std::string(colour) + SeverityWord(d.info->severity) + "[" + CodeText(*d.info) + "]" +
                    palette.reset + palette.bold + ": " + Shown(d.message) + palette.reset + "\n";
  size_t gutter = 1;
  const auto widen = [&](const Span& span) {
    if (!span.file.IsNone())
      gutter = std::max(gutter, std::to_string(files[span.file].PositionOf(span.begin).line).size());
  };
  widen(d.where);
  for (const auto& other : d.others) widen(other.where);
  const std::string margin(gutter, ' ');
  if (!d.where.file.IsNone()) {
    out += margin + palette.rule + "--> " + palette.reset + PlaceText(d.where, files) + "\n";
    RenderPlace(d.where, d.label, files, gutter, colour, palette, out);
  }
  FileId shown = d.where.file;
  for (const auto& other : d.others) {
    if (other.where.file.IsNone()) continue;
    if (other.where.file != shown)
      out += margin + palette.rule + "::: " + palette.reset + PlaceText(other.where, files) + "\n";
    shown = other.where.file;
    RenderPlace(other.where, other.label, files, gutter, palette.rule, palette, out);
  }
  if (!d.where.file.IsNone() && (!d.notes.empty() || !d.helps.empty()))
    out += margin + palette.rule + " |" + palette.reset + "\n";
  for (const std::string& note : d.notes)
    out += margin + palette.rule + " = " + palette.reset + Shown(note) + "\n";
  for (const std::string& help : d.helps)
    out += margin + palette.rule + " = " + palette.reset + palette.bold + "help: " + palette.reset +
           Shown(help) + "\n";
  return out;
}

namespace {

size_t EditDistance(std::string_view a, std::string_view b, size_t most) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() - a.size() > most) return most + 1;
  std::vector<size_t> before_last(a.size() + 1), last(a.size() + 1), row(a.size() + 1);
  for (size_t i = 0; i <= a.size(); ++i) last[i] = i;
  for (size_t j = 1; j <= b.size(); ++j) {
    row[0] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
      row[i] = std::min({last[i] + 1, row[i - 1] + 1, last[i - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[i] = std::min(row[i], before_last[i - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[a.size()];
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// How many letters may be wrong for a word to be meant.
size_t MostWrong(size_t letters) {
  return letters <= 1 ? 0 : letters <= 4 ? 1 : letters <= 7 ? 2 : 3;
}

/// How far a candidate is from a word; none: it cannot be meant. A wrong letter counts 2, so that a name of
/// which the word is a part lies between one wrong letter and two.
std::optional<size_t> DistanceOf(std::string_view word, const std::string& lower,
                                 std::string_view candidate) {
  const size_t most = MostWrong(word.size());
  const std::string other = LowerCase(candidate);
  if (other == lower) return 1;
  std::optional<size_t> best;
  const auto take = [&](size_t distance) { best = std::min(best.value_or(distance), distance); };
  const size_t whole = EditDistance(word, candidate, most);
  if (whole <= most && whole < candidate.size()) take(2 * whole);
  if (lower.size() < 3) return best;
  for (const std::string& part : PartsOf(candidate)) {
    if (part == lower) take(3);
    const size_t distance = lower.size() < 4 || part.size() < 4 ? most + 1 : EditDistance(lower, part, most);
    if (part != other && distance <= most) take(3 + 2 * distance);
  }
  if (lower.size() >= 4 && other.find(lower) != std::string::npos) take(4);
  return best;
}

}  // namespace

std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > 64) return {};
  std::string_view best;
  size_t best_distance = 0;
  const std::string lower = LowerCase(word);
  for (const std::string_view candidate : candidates) {
    if (candidate == word || candidate.empty() || candidate.size() > 256) continue;
    const auto distance = DistanceOf(word, lower, candidate);
    if (!distance) continue;
    const auto key = [&](size_t d, std::string_view name) {
      const size_t longer = std::max(name.size(), word.size()), shorter = std::min(name.size(), word.size());
      return std::tuple(d, d < 3 ? 0 : longer - shorter, name);
    };
    if (best.empty() || key(*distance, candidate) < key(best_distance, best)) {
      best = candidate;
      best_distance = *distance;
    }
  }
  return best;
}

std::string Suggestion(std::string_view word, const std::vector<std::string_view>& candidates,
                       std::string_view list) {
  const std::string_view near = Nearest(word, candidates);
  // Any letter is near any other one: a list says more.
  if (!near.empty() && (word.size() > 1 || list.empty())) return "did you mean `" + std::string(near) + "`?";
  if (list.empty() || candidates.empty()) return {};
  constexpr size_t kMost = 12;
  std::string out(list);
  for (size_t k = 0; k < candidates.size() && k < kMost; ++k)
    out += (k == 0 ? " " : ", ") + std::string(candidates[k]);
  return candidates.size() > kMost ? out + ", ..." : out;
}

}  // namespace cotree
