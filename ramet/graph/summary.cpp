#include "ramet/graph/summary.h"

#include <algorithm>
#include <iostream>
#include <regex>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

// Keras builds these when they are made, because they never have weights; others are "(unbuilt)" until the first call.
constexpr std::string_view kBuiltWhenMade[] = {"Activation",
                                               "ActivityRegularization",
                                               "AlphaDropout",
                                               "AveragePooling1D",
                                               "AveragePooling2D",
                                               "AveragePooling3D",
                                               "Dropout",
                                               "ELU",
                                               "GaussianDropout",
                                               "GaussianNoise",
                                               "GlobalAveragePooling1D",
                                               "GlobalAveragePooling2D",
                                               "GlobalAveragePooling3D",
                                               "GlobalMaxPooling1D",
                                               "GlobalMaxPooling2D",
                                               "GlobalMaxPooling3D",
                                               "Identity",
                                               "LeakyReLU",
                                               "Masking",
                                               "MaxPooling1D",
                                               "MaxPooling2D",
                                               "MaxPooling3D",
                                               "ReLU",
                                               "Reshape",
                                               "Softmax",
                                               "SpatialDropout1D",
                                               "SpatialDropout2D",
                                               "SpatialDropout3D",
                                               "UnitNormalization"};

ParamTotal total_of(const VariableRefs& variables) {
  ParamTotal out;
  for (const auto& v : variables) {
    out.count += v->stored().size();
    out.bytes += static_cast<std::int64_t>(v->stored().byte_size());
  }
  return out;
}

// Keras' rule: one node at each depth, each with one input, no layer called twice.
bool is_chain(const Graph& graph) {
  std::map<int, int> nodes_at;
  for (const NodeRef& node : graph.nodes()) {
    if (++nodes_at[graph.depth(*node)] > 1 || node->arguments.tensors().size() > 1) return false;
    if (node->operation->is_layer() && graph.nodes_of(*node->operation).size() > 1) return false;
  }
  return true;
}

// Calls are counted within the model, as in its file; what a shared layer did in other models does not show.
std::vector<std::string> connections(const Graph& graph, const Operation& operation) {
  std::vector<std::string> out;
  for (const NodeRef& node : graph.nodes_of(operation))
    for (const Tensor& t : node->arguments.tensors())
      out.push_back(cat(t.node()->operation->name(), "[", graph.node_index(*t.node()), "][", t.index(), "]"));
  return out;
}

class Rows {
 public:
  Rows(const Graph* top, bool expand_nested) : top_(top), expand_nested_(expand_nested) {}

  void add(const Operation& operation, const Graph* graph, int depth) {
    SummaryRow row;
    row.name = operation.name();
    row.class_name = std::string(operation.class_name());
    row.depth = depth;
    const auto calls = graph ? graph->nodes_of(operation) : std::vector<NodeRef>();
    if (!calls.empty())
      for (const auto& output : calls.back()->outputs) row.output_shapes.push_back(output.spec.shape);
    if (top_) row.connected_to = connections(*top_, operation);
    const auto* layer = operation.is_layer() ? &static_cast<const Layer&>(operation) : nullptr;
    if (layer) {
      row.built = layer->built() || std::find(std::begin(kBuiltWhenMade), std::end(kBuiltWhenMade), row.class_name) !=
                                        std::end(kBuiltWhenMade);
      row.params = layer->count_params();
      if (!layer->weights().empty()) row.trainable = layer->trainable();
    }
    rows.push_back(std::move(row));
    if (const auto* model = dynamic_cast<const ModelLayer*>(layer); model && expand_nested_)
      for (const auto& inner : model->layers()) add(*inner, model->has_graph() ? &model->graph() : nullptr, depth + 1);
  }

  std::vector<SummaryRow> rows;

 private:
  const Graph* top_;
  bool expand_nested_;
};

// From the first match of the beginning to the last match of the end, or the other way round when they lie so.
std::pair<std::size_t, std::size_t> range_of(const std::vector<OperationRef>& operations,
                                             const SummaryOptions& options) {
  if (!options.layer_range) return {0, operations.size()};
  std::vector<std::size_t> found[2];
  for (std::size_t end = 0; end < 2; ++end) {
    try {
      const std::regex pattern((*options.layer_range)[end]);
      for (std::size_t i = 0; i < operations.size(); ++i)
        if (std::regex_search(operations[i]->name(), pattern, std::regex_constants::match_continuous))
          found[end].push_back(i);
    } catch (const std::regex_error&) {
      throw UsageError(cat("summary: layer_range: '", (*options.layer_range)[end], "' is not a regular expression"));
    }
  }
  require(!found[0].empty() && !found[1].empty(),
          "Passed layer_names do not match the layer names in the model. Received: ['", (*options.layer_range)[0],
          "', '", (*options.layer_range)[1], "']");
  if (found[0].front() > found[1].back()) return {found[1].front(), found[0].back() + 1};
  return {found[0].front(), found[1].back() + 1};
}

Json shape_json(const Shape& shape) {
  JsonArray out;
  for (const auto size : shape) out.push_back(size == None ? Json(nullptr) : Json(size));
  return Json(std::move(out));
}

Json total_json(const ParamTotal& total) {
  return Json(JsonObject{{"count", Json(total.count)}, {"bytes", Json(total.bytes)}});
}

}  // namespace

Json SummaryTable::to_json() const {
  JsonArray layers;
  for (const SummaryRow& row : rows) {
    JsonArray shapes, links;
    for (const Shape& shape : row.output_shapes) shapes.push_back(shape_json(shape));
    for (const std::string& link : row.connected_to) links.push_back(Json(link));
    layers.push_back(Json(JsonObject{{"name", Json(row.name)},
                                     {"class_name", Json(row.class_name)},
                                     {"output_shapes", Json(std::move(shapes))},
                                     {"params", Json(row.params)},
                                     {"built", Json(row.built)},
                                     {"connected_to", Json(std::move(links))},
                                     {"depth", Json(row.depth)},
                                     {"trainable", row.trainable ? Json(*row.trainable) : Json(nullptr)}}));
  }
  return Json(JsonObject{{"model", Json(model)},
                         {"layers", Json(std::move(layers))},
                         {"total_params", total_json(total)},
                         {"trainable_params", total_json(trainable)},
                         {"non_trainable_params", total_json(non_trainable)},
                         {"optimizer_params", optimizer ? total_json(*optimizer) : Json(nullptr)}});
}

SummaryTable Model::summary_table(const SummaryOptions& options) const {
  const ModelLayer& model = layer();
  const Graph* graph = model.has_graph() ? &model.graph() : nullptr;
  const bool sequential = model.class_name() == "Sequential";  // shown as a list, and without its InputLayer
  std::vector<OperationRef> operations;
  if (graph && !sequential)
    operations = graph->operations();
  else
    for (const auto& l : model.layers()) operations.push_back(l);

  SummaryTable out;
  out.model = model.name();
  out.chain = sequential || is_chain(*graph);
  Rows rows(graph, options.expand_nested);
  const auto [begin, end] = range_of(operations, options);
  for (std::size_t i = begin; i < end; ++i) rows.add(*operations[i], graph, 0);
  out.rows = std::move(rows.rows);

  out.trainable = total_of(model.trainable_weights());
  out.non_trainable = total_of(model.non_trainable_weights());
  out.total = {out.trainable.count + out.non_trainable.count, out.trainable.bytes + out.non_trainable.bytes};
  if (model.optimizer_params)
    if (const auto [count, bytes] = model.optimizer_params(); count > 0) {
      out.optimizer = ParamTotal{count, bytes};
      out.total.count += count;
      out.total.bytes += bytes;
    }
  return out;
}

std::string Model::summary(const SummaryOptions& options) const { return to_text(summary_table(options), options); }
void Model::summary(std::ostream& out) const { out << summary(SummaryOptions{}); }
void Model::summary() const { summary(std::cout); }

}  // namespace ramet
