// SPDX-License-Identifier: Apache-2.0
#include "drawing/find_layout.h"

#include <algorithm>
#include <cmath>

#include "base/text_metric.h"
#include "drawing/curve.h"
#include "drawing/run_dot.h"
#include "drawing/write_dot.h"

namespace cotree {
namespace {

// The places of the largest picture take a tenth of a second, those of a small one milliseconds.
size_t CountTrials(const Picture& picture) {
  return std::clamp<size_t>(4000 / (picture.links.size() + 1), 6, 40);
}

// Its own generator (Lehmer's), since the standard shuffle differs between libraries.
void Shuffle(std::vector<uint32_t>* list, uint64_t* state) {
  for (size_t i = list->size(); i > 1; --i) {
    *state = *state * 48271 % 2147483647;
    std::swap((*list)[i - 1], (*list)[*state % i]);
  }
}

struct Segment {
  Point a, b;
};

bool Cross(const Segment& p, const Segment& q, Point* at) {
  const Point r{p.b.x - p.a.x, p.b.y - p.a.y}, s{q.b.x - q.a.x, q.b.y - q.a.y};
  const double d = r.x * s.y - r.y * s.x;
  if (std::abs(d) < 1e-9) return false;
  const Point o{q.a.x - p.a.x, q.a.y - p.a.y};
  const double t = (o.x * s.y - o.y * s.x) / d, u = (o.x * r.y - o.y * r.x) / d;
  if (t < 0 || t >= 1 || u < 0 || u >= 1) return false;
  *at = {p.a.x + t * r.x, p.a.y + t * r.y};
  return true;
}

double CrossingWeight(PictureLink::Kind a, PictureLink::Kind b) {
  const auto rank = [](PictureLink::Kind kind) {
    if (kind == PictureLink::Kind::kTie || kind == PictureLink::Kind::kAssociation) return 0;
    return kind == PictureLink::Kind::kSignal ? 1 : 2;
  };
  constexpr double kWeights[3][3] = {{1, 1, 1}, {1, 5, 4}, {1, 4, 12}};
  return kWeights[rank(a)][rank(b)];
}

/** A line as straight pieces of some length, with the box around it. */
struct Polyline {
  std::vector<Point> points;
  Box box;
};

Polyline PolylineOf(const std::vector<Point>& curve) {
  Polyline line;
  const std::vector<PointOnCurve> samples = SampleCurve(curve);
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i % 3 == 0 || i + 1 == samples.size()) line.points.push_back(samples[i].at);
  }
  line.box = {line.points[0].x, line.points[0].y, line.points[0].x, line.points[0].y};
  for (const Point& p : line.points) {
    line.box = {std::min(line.box.left, p.x), std::min(line.box.top, p.y), std::max(line.box.right, p.x),
                std::max(line.box.bottom, p.y)};
  }
  return line;
}

}  // namespace

Box BoundsOf(const Picture& picture, const Layout& layout) {
  Box all{1e9, 1e9, -1e9, -1e9};
  const auto include = [&](const Box& b) {
    all = {std::min(all.left, b.left), std::min(all.top, b.top), std::max(all.right, b.right),
           std::max(all.bottom, b.bottom)};
  };
  for (size_t i = 0; i < layout.centres.size(); ++i) {
    const Point c = layout.centres[i];
    const double w = picture.nodes[i].width / 2, h = picture.nodes[i].height / 2;
    include({c.x - w, c.y - h, c.x + w, c.y + h});
  }
  for (const Box& frame : layout.frames) include(frame);
  return layout.centres.empty() ? Box{} : all;
}

double ScoreLayout(const Picture& picture, const Layout& layout) {
  std::vector<Polyline> lines;
  for (const auto& curve : layout.lines) lines.push_back(PolylineOf(curve));
  double score = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const PictureLink& link = picture.links[i];
    for (size_t k = 1; k < lines[i].points.size(); ++k) {
      const Point a = lines[i].points[k - 1], b = lines[i].points[k];
      score += std::hypot(b.x - a.x, b.y - a.y) * (link.kind == PictureLink::Kind::kTie ? 0.005 : 0.01);
    }
    for (size_t j = i + 1; j < lines.size(); ++j) {
      const Box& p = lines[i].box;
      const Box& q = lines[j].box;
      if (p.left > q.right || q.left > p.right || p.top > q.bottom || q.top > p.bottom) continue;
      const PictureLink& other = picture.links[j];
      for (size_t k = 1; k < lines[i].points.size(); ++k) {
        for (size_t l = 1; l < lines[j].points.size(); ++l) {
          Point at;
          if (!Cross({lines[i].points[k - 1], lines[i].points[k]},
                     {lines[j].points[l - 1], lines[j].points[l]}, &at))
            continue;
          // Lines that meet at a node do not cross there.
          const auto meets = [&](uint32_t node) {
            const Point c = layout.centres[node];
            return (node == other.tail || node == other.head) &&
                   std::abs(at.x - c.x) <= picture.nodes[node].width / 2 + 2 &&
                   std::abs(at.y - c.y) <= picture.nodes[node].height / 2 + 2;
          };
          if (!meets(link.tail) && !meets(link.head)) score += CrossingWeight(link.kind, other.kind);
        }
      }
    }
    // A line through the name of a domain.
    for (size_t d = 0; d < layout.frames.size(); ++d) {
      const Box& f = layout.frames[d];
      const double width = TextWidth(picture.domains[d].name, kTitleSize, true);
      for (const Point& p : lines[i].points) {
        if (p.x > f.left + 8 && p.x < f.left + 12 + width && p.y > f.top && p.y < f.top + 22) {
          score += 3;
          break;
        }
      }
    }
  }
  // Domains from left to right in their own order, as far as it costs nothing.
  for (size_t d = 0; d < layout.frames.size(); ++d) {
    for (size_t e = d + 1; e < layout.frames.size(); ++e)
      score += layout.frames[d].left > layout.frames[e].right ? 1 : 0;
  }
  const Box all = BoundsOf(picture, layout);
  return score + 0.01 * (all.right - all.left) + 0.015 * (all.bottom - all.top);
}

FoundLayout FindLayout(const Picture& picture) {
  FoundLayout found;
  if (picture.nodes.empty()) return found;
  const size_t trials = CountTrials(picture);
  std::string text;
  DotOrder order = NaturalOrder(picture);
  uint64_t state = 1;
  for (size_t t = 0; t < trials; ++t) {
    text += WriteDotOfPlaces(picture, order);
    Shuffle(&order.domains, &state);
    Shuffle(&order.nodes, &state);
    Shuffle(&order.links, &state);
  }
  const DotAnswer answer = RunDot(text);
  found.problem = answer.problem;
  if (!found.problem.empty()) return found;

  bool any = false;
  double best = 0;
  // The answers stand one behind the other; each ends with a brace at the beginning of a line.
  for (size_t at = 0; at < answer.json.size();) {
    size_t end = answer.json.find("\n}", at);
    end = end == std::string::npos ? answer.json.size() : end + 2;
    std::optional<Layout> layout = ReadLayout(picture, std::string_view(answer.json).substr(at, end - at));
    at = end;
    if (!layout) continue;
    const double score = ScoreLayout(picture, *layout);
    if (any && score >= best - 1e-6) continue;
    any = true;
    best = score;
    found.layout = std::move(*layout);
  }
  if (!any) {
    found.problem =
        "the answer of `dot` cannot be read: use --format dot, or install graphviz 2.40 or later (apt-get "
        "install "
        "graphviz)";
  }
  return found;
}

}  // namespace cotree
