#include "cli/plot_graph.h"

#include <algorithm>

#include "ramet/base/strings.h"

namespace ramet::cli {
namespace {

// Walks the graphs. A layer that is called several times is one box with several arrows; so is a model inside.
class Walk {
 public:
  PlotGraph run(const ModelLayer& model) {
    out_.top.title = model.name();
    if (model.has_graph())
      mark_outputs(out_.top, draw(model.graph(), "", out_.top).outputs);
    else
      draw_list(model, out_.top);
    return std::move(out_);
  }

 private:
  struct Ends {
    std::vector<std::string> inputs, outputs;  // boxes of a model inside, in flat order
  };

  static void mark_outputs(PlotGroup& group, const std::vector<std::string>& ids) {
    for (PlotBox& b : group.boxes) b.is_output = std::find(ids.begin(), ids.end(), b.id) != ids.end();
    for (PlotGroup& inner : group.groups) mark_outputs(inner, ids);
  }

  static std::string shapes_of(const Node& node) {
    std::vector<std::string> shapes;
    for (const auto& output : node.outputs) shapes.push_back(to_string(output.spec.shape));
    return join(shapes);
  }

  static PlotBox box(const Operation& operation, const std::string& prefix) {
    PlotBox out;
    out.id = prefix + operation.name();
    out.name = operation.name();
    out.class_name = operation.class_name();
    if (operation.is_layer()) {
      const auto& layer = static_cast<const Layer&>(operation);
      out.params = layer.count_params();
      out.trainable = layer.trainable();
    }
    return out;
  }

  void arrow(const std::string& from, const std::string& to) {
    const auto same = [&](const PlotArrow& a) { return a.from == from && a.to == to; };
    if (std::none_of(out_.arrows.begin(), out_.arrows.end(), same)) out_.arrows.push_back({from, to});
  }

  // The boxes that each flat output of the graph comes from, and each flat input goes to.
  Ends draw(const Graph& graph, const std::string& prefix, PlotGroup& group) {
    std::map<const Node*, std::vector<std::string>> made_by;  // box of each output
    std::map<const Operation*, Ends> inside;
    std::map<const Operation*, std::size_t> drawn;  // place among the boxes or groups
    for (const NodeRef& node : graph.nodes()) {
      const Operation& operation = *node->operation;
      const auto* model = dynamic_cast<const ModelLayer*>(&operation);
      std::vector<std::string> from;
      for (const Tensor& t : node->arguments.tensors())
        from.push_back(made_by.at(t.node().get())[static_cast<std::size_t>(t.index())]);
      if (model && model->has_graph()) {
        if (!inside.contains(&operation)) {
          PlotGroup part{prefix + model->name(), model->name(), 0, {}, {}};
          inside[&operation] = draw(model->graph(), prefix + model->name() + "/", part);
          drawn[&operation] = group.groups.size();
          group.groups.push_back(std::move(part));
        }
        ++group.groups[drawn[&operation]].calls;
        const Ends& ends = inside[&operation];
        for (std::size_t i = 0; i < from.size(); ++i) arrow(from[i], ends.inputs[std::min(i, ends.inputs.size() - 1)]);
        made_by[node.get()] = ends.outputs;
        continue;
      }
      if (!drawn.contains(&operation)) {
        drawn[&operation] = group.boxes.size();
        group.boxes.push_back(box(operation, prefix));
      }
      PlotBox& b = group.boxes[drawn[&operation]];
      b.shapes = shapes_of(*node);
      ++b.calls;
      for (const std::string& id : from) arrow(id, b.id);
      made_by[node.get()].assign(node->outputs.size(), b.id);
    }
    Ends ends;
    for (const Tensor& t : graph.flat_inputs()) ends.inputs.push_back(made_by.at(t.node().get())[0]);
    for (const Tensor& t : graph.flat_outputs())
      ends.outputs.push_back(made_by.at(t.node().get())[static_cast<std::size_t>(t.index())]);
    return ends;
  }

  // A Sequential without input shape: one layer after another.
  void draw_list(const ModelLayer& model, PlotGroup& group) {
    for (const LayerRef& layer : model.layers()) {
      group.boxes.push_back(box(*layer, ""));
      if (group.boxes.size() > 1) arrow(group.boxes[group.boxes.size() - 2].id, group.boxes.back().id);
    }
  }

  PlotGraph out_;
};

struct Colour {
  std::string_view part;  // of the class name
  std::string_view colour;
};
// The first that fits.
constexpr Colour kColours[] = {
    {"InputLayer", "#334155"},
    {"Embedding", "#7c3aed"},
    {"Attention", "#be185d"},
    {"Conv", "#0f766e"},
    {"Pooling", "#0891b2"},
    {"UpSampling", "#0891b2"},
    {"LSTM", "#6d28d9"},
    {"GRU", "#6d28d9"},
    {"RNN", "#6d28d9"},
    {"Bidirectional", "#6d28d9"},
    {"TimeDistributed", "#6d28d9"},
    {"Normalization", "#b45309"},
    {"Dropout", "#78716c"},
    {"Noise", "#78716c"},
    {"ReLU", "#4d7c0f"},
    {"ELU", "#4d7c0f"},
    {"Softmax", "#4d7c0f"},
    {"Activation", "#4d7c0f"},
    {"Dense", "#1d4ed8"},
    {"Flatten", "#64748b"},
    {"Reshape", "#64748b"},
    {"Permute", "#64748b"},
    {"Repeat", "#64748b"},
    {"Padding", "#64748b"},
    {"Cropping", "#64748b"},
    {"Rescaling", "#64748b"},
    {"Add", "#a16207"},
    {"Subtract", "#a16207"},
    {"Multiply", "#a16207"},
    {"Average", "#a16207"},
    {"Maximum", "#a16207"},
    {"Minimum", "#a16207"},
    {"Concatenate", "#a16207"},
    {"Dot", "#a16207"},
};

}  // namespace

PlotGraph plot_graph(const Model& model) { return Walk().run(model.layer()); }

std::string_view colour_of(std::string_view class_name) {
  for (const auto& [part, colour] : kColours)
    if (class_name.find(part) != class_name.npos) return colour;
  return "#475569";
}

}  // namespace ramet::cli
