// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system_graph/system_graph.h"

namespace cotree {

/** A thing with a place of its own: a rectangle that no other one overlaps. */
struct PictureNode {
  enum class Kind : uint8_t { kVertex, kReference, kEdgeLabel, kSignalBox };
  Kind kind = Kind::kVertex;
  uint32_t id = 0;               // VertexId, EdgeId or ComponentId
  uint32_t domain = 0;           // in Picture::domains; of no meaning for a signal box
  std::string text;              // what is written there
  std::string tooltip;           // lines for people
  double width = 0, height = 0;  // pixels
};

/** A line between two nodes. An edge of the graph is two lines: to its label and on from there. */
struct PictureLink {
  enum class Kind : uint8_t { kFromHalf, kToHalf, kSignal, kTie };
  Kind kind = Kind::kFromHalf;
  uint32_t tail = 0, head = 0;  // in Picture::nodes, as the line is directed
  uint32_t edge = 0;            // EdgeId of a half; of no meaning otherwise
  bool upwards = false;         // its head stands above its tail
  bool loose = false;           // it has no say in what stands above what
  std::string text;             // signal: the input's own name
  std::string tooltip;
};

struct PictureDomain {
  std::string name;
  std::string colour;  // "#1f6fd6"
};

/** Everything a drawing of a system graph shows, but for the places.

Always true: one vertex node a vertex and one label node an edge, in the order of their ids; nodes and links
are in an order that depends on the graph alone. A vertex stands above another if more edges lie between it
and the reference, so the reference is the lowest of its domain; the label of an edge stands between its
vertices, or above them if they are equally far. */
struct Picture {
  std::string title;
  bool sideways =
      false;  // the reference to the right instead of below: for graphs that would be much too wide
  std::vector<PictureDomain> domains;
  std::vector<PictureNode> nodes;
  std::vector<PictureLink> links;
  std::vector<std::string> edge_names, edge_components;  // by EdgeId
  std::vector<uint8_t> edge_kinds;                       // by EdgeId: EdgeKind
};

constexpr double kLabelSize = 11;  // font sizes
constexpr double kVertexSize = 9;
constexpr double kTitleSize = 12;
constexpr double kVertexRadius = 9;
constexpr double kReferenceRadius = 6;
constexpr double kGlyphWidth = 16;   // a sign before an edge's label, with the room behind it
constexpr size_t kTitleLength = 90;  // characters of a heading
constexpr const char* kSignalColour = "#c2188f";

/// The number of signs before an edge's label: one a kind, one for a sensor.
int CountGlyphs(uint8_t kinds);

/// "Positioner: position drive with a DC motor".
std::string TitleOf(const Model& model, const SystemGraph& graph);
Picture BuildPicture(const Model& model, const SystemGraph& graph);
/// The same, with the reference to the right and everything "above" it to the left.
Picture Sideways(Picture picture);

}  // namespace cotree
