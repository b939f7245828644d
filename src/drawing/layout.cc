// SPDX-License-Identifier: Apache-2.0
#include "drawing/layout.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text_metric.h"
#include "drawing/write_dot.h"

namespace cotree {
namespace {

using Json = nlohmann::json;

// All numbers of "e,10,20 1,2 3,4"; letters and commas only separate.
std::vector<double> Numbers(std::string_view text) {
  std::vector<double> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) {
      ++at;
      continue;
    }
    out.push_back(value);
    at = next;
  }
  return out;
}

std::string TextOf(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// "s,x,y e,x,y p0 p1 p2 p3 ...": tips of arrows, then the curve; the tips are joined to it by straight
// pieces.
std::vector<Point> Curve(const std::string& text) {
  std::optional<Point> start, end;
  std::vector<Point> curve;
  const std::string_view view = std::string_view(text).substr(0, text.find(';'));
  const auto straight = [](Point a, Point b) {
    return std::pair(Point{a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3},
                     Point{a.x + (b.x - a.x) * 2 / 3, a.y + (b.y - a.y) * 2 / 3});
  };
  size_t at = 0;
  while (at < view.size()) {
    const size_t blank = std::min(view.find(' ', at), view.size());
    const std::string_view word = view.substr(at, blank - at);
    const std::vector<double> xy = Numbers(word);
    if (xy.size() == 2) {
      const Point p{xy[0], xy[1]};
      if (word[0] == 's') {
        start = p;
      } else if (word[0] == 'e') {
        end = p;
      } else {
        curve.push_back(p);
      }
    }
    at = blank + 1;
  }
  if (curve.size() < 4 || curve.size() % 3 != 1) return {};
  if (start) {
    const auto [a, b] = straight(*start, curve.front());
    curve.insert(curve.begin(), {*start, a, b});
  }
  if (end) {
    const auto [a, b] = straight(curve.back(), *end);
    curve.insert(curve.end(), {a, b, *end});
  }
  return curve;
}

// Moves everything right of `cut` by `by`: what stood apart stays apart. Nodes move as a whole, and the ends
// of lines with them.
void Insert(const Picture& picture, double cut, double by, Layout* layout) {
  const auto moved = [&](double x) { return x > cut ? x + by : x; };
  std::vector<double> shift;
  for (Point& c : layout->centres) {
    shift.push_back(c.x > cut ? by : 0);
    c.x += shift.back();
  }
  for (size_t i = 0; i < layout->lines.size(); ++i) {
    std::vector<Point>& line = layout->lines[i];
    for (size_t k = 1; k + 1 < line.size(); ++k) line[k].x = moved(line[k].x);
    line.front().x += shift[picture.links[i].tail];
    line.back().x += shift[picture.links[i].head];
  }
  for (Box& frame : layout->frames) {
    frame.left = moved(frame.left);
    frame.right = moved(frame.right);
  }
}

// Graphviz is not told the names of domains: where a frame is narrower than its name, it is made wider, and
// what stands to the right of it moves.
void MakeRoomForNames(const Picture& picture, Layout* layout) {
  for (size_t d = 0; d < layout->frames.size(); ++d) {
    const Box frame = layout->frames[d];
    const double missing =
        frame.left + TextWidth(picture.domains[d].name, kTitleSize, true) + 20 - frame.right;
    if (missing > 0) Insert(picture, frame.right - 1e-6, missing, layout);
  }
}

}  // namespace

std::optional<Layout> ReadLayout(const Picture& picture, std::string_view json) {
  const Json root = Json::parse(json, nullptr, false);
  if (!root.is_object() || !root.contains("objects")) return std::nullopt;
  const std::vector<double> bounds = Numbers(TextOf(root, "bb"));
  if (bounds.size() != 4) return std::nullopt;
  const double height = bounds[3];

  std::map<std::string, size_t> node_of;
  for (size_t i = 0; i < picture.nodes.size(); ++i) node_of[DotName(picture.nodes[i])] = i;
  Layout layout;
  layout.centres.resize(picture.nodes.size());
  layout.lines.resize(picture.links.size());
  layout.frames.resize(picture.domains.size());
  size_t found = 0;
  for (const Json& object : root["objects"]) {
    const std::string name = TextOf(object, "name");
    if (name.rfind("cluster_", 0) == 0) {
      const std::vector<double> box = Numbers(TextOf(object, "bb"));
      const std::vector<double> index = Numbers(std::string_view(name).substr(8));
      if (box.size() != 4 || index.size() != 1 || index[0] >= static_cast<double>(layout.frames.size()))
        return std::nullopt;
      layout.frames[static_cast<size_t>(index[0])] = {box[0], height - box[3], box[2], height - box[1]};
      continue;
    }
    const auto at = node_of.find(name);
    const std::vector<double> place = Numbers(TextOf(object, "pos"));
    if (at == node_of.end() || place.size() != 2) continue;
    layout.centres[at->second] = {place[0], height - place[1]};
    ++found;
  }
  if (found != picture.nodes.size()) return std::nullopt;

  found = 0;
  if (root.contains("edges")) {
    for (const Json& object : root["edges"]) {
      const std::vector<double> index = Numbers(TextOf(object, "id"));
      if (index.size() != 1 || index[0] < 0 || index[0] >= static_cast<double>(layout.lines.size()))
        return std::nullopt;
      const auto i = static_cast<size_t>(index[0]);
      std::vector<Point> curve = Curve(TextOf(object, "pos"));
      if (curve.empty()) return std::nullopt;
      for (Point& p : curve) p.y = height - p.y;
      if (picture.links[i].upwards) std::reverse(curve.begin(), curve.end());
      layout.lines[i] = std::move(curve);
      ++found;
    }
  }
  if (found != picture.links.size()) return std::nullopt;
  MakeRoomForNames(picture, &layout);
  return layout;
}

}  // namespace cotree
