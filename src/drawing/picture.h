// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mechanics/mechanism.h"

namespace cotree {

/** A thing with a place of its own: a rectangle that no other one overlaps. */
struct PictureNode {
  enum class Kind : uint8_t { kVertex, kReference, kEdgeLabel, kSignalBox, kBody };
  Kind kind = Kind::kVertex;
  uint32_t id = 0;               // VertexId, EdgeId or ComponentId; in space, numbered on from these
  uint32_t domain = 0;           // in Picture::domains; of no meaning for a signal box
  std::string text;              // what is written there, in lines
  std::string tooltip;           // lines for people
  double width = 0, height = 0;  // pixels
};

/** A line between two nodes. An edge of the graph is two lines: to its label and on from there. */
struct PictureLink {
  enum class Kind : uint8_t { kFromHalf, kToHalf, kSignal, kTie, kAssociation };
  Kind kind = Kind::kFromHalf;
  uint32_t tail = 0, head = 0;  // in Picture::nodes, as the line is directed
  uint32_t edge = 0;            // EdgeId of a half; of no meaning otherwise
  bool upwards = false;         // its head stands above its tail
  bool loose = false;           // it has no say in what stands above what
  std::string text;             // signal: the input's own name
  std::string tooltip;
};

/** An edge of the linear graph, or what joins bodies in space: a joint by its role, or an element that exerts
forces. */
enum class EdgeStyle : uint8_t { kLinear, kBranch, kChord, kLeftOut, kForce };

/** The small signs before an edge's label: what the component does with energy. Storage has the sign of what
it stores by: its across variable (plates), motion (a block), its through variable (a coil; a spring, too). */
enum class Glyph : uint8_t { kPlates, kBlock, kCoil, kDissipates, kDrives, kCouples, kMeasures };

/** What an edge is in the normal tree; the one-way branches are those of couplers whose two trees differ. */
enum class TreeRole : uint8_t { kBranch, kChord, kCircuitsOnly, kCutSetsOnly };

struct PictureDomain {
  std::string name;
  std::string colour;  // "#1f6fd6"
};

/** Everything a drawing of a system graph shows, but for the places.

Always true: one vertex node a vertex and one label node an edge, in the order of their ids; nodes and links
are in an order that depends on the graph alone. A vertex stands above another if more edges lie between it
and the reference, so the reference is the lowest of its domain; the label of an edge stands between its
vertices, or above them if they are equally far.

What the system has in space is one domain more, behind the others: the world is its reference, a rigid body a
node each, joints and elements that exert forces are edges. They are numbered on from the vertices and edges
of the graph. */
struct Picture {
  std::string title;
  bool sideways =
      false;  // the reference to the right instead of below: for graphs that would be much too wide
  std::vector<PictureDomain> domains;
  std::vector<PictureNode> nodes;
  std::vector<PictureLink> links;
  std::vector<std::string> edge_names, edge_components;  // by EdgeId
  std::vector<uint8_t> edge_kinds;                       // by EdgeId: EdgeKind
  std::vector<EdgeStyle> edge_styles;                    // by EdgeId
  std::vector<std::vector<Glyph>> edge_glyphs;           // by EdgeId; none in space
  std::vector<TreeRole> tree;                            // by EdgeId of the graph; empty: not shown
  std::vector<bool> dependent;                           // with a tree: storage without a state of its own
};

constexpr double kLabelSize = 11;  // font sizes
constexpr double kVertexSize = 9;
constexpr double kTitleSize = 12;
constexpr double kLineHeight = 14;  // of texts with several lines
constexpr double kVertexHeight = 18;
constexpr double kReferenceRadius = 6;
constexpr double kGlyphWidth = 16;   // a sign before an edge's label, with the room behind it
constexpr size_t kTitleLength = 90;  // characters of a heading
constexpr const char* kSignalColour = "#c2188f";

/// "Positioner: position drive with a DC motor".
std::string TitleOf(const Model& model, const SystemGraph& graph);
Picture BuildPicture(const Model& model, const SystemGraph& graph, const Mechanism& mechanism = {});
/// The lines of a text; at least one.
std::vector<std::string> LinesOf(const std::string& text);
/// The same, with the reference to the right and everything "above" it to the left.
Picture Sideways(Picture picture);

}  // namespace cotree
