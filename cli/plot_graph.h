// A model as boxes and arrows, before it becomes a picture.
#pragma once
#include "ramet/graph/model.h"

namespace ramet::cli {

struct PlotBox {
  std::string id;  // path of the layer: "encoder/dense"; the same in every run
  std::string name, class_name;
  std::string shapes;  // "(None, 28, 28, 1)", several separated by commas; empty while unknown
  std::int64_t params = 0;
  bool trainable = true;
  int calls = 0;           // of the layer in its model
  bool is_output = false;  // of the whole model
};

// A model: its boxes, and the models inside it.
struct PlotGroup {
  std::string id, title;
  int calls = 1;
  std::vector<PlotBox> boxes;
  std::vector<PlotGroup> groups;
};

struct PlotArrow {
  std::string from, to;
};

struct PlotGraph {
  PlotGroup top;
  std::vector<PlotArrow> arrows;
};

PlotGraph plot_graph(const Model& model);

// Colour of a box, by what the class does.
std::string_view colour_of(std::string_view class_name);

std::string to_dot(const PlotGraph& graph, std::string_view rankdir, std::int64_t dpi);
std::string to_mermaid(const PlotGraph& graph, std::string_view rankdir);

}  // namespace ramet::cli
