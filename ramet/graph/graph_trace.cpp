// Running a graph: every node's operation emits its ops, in the order of the nodes.
#include <algorithm>

#include "ramet/graph/graph.h"
#include "ramet/graph/load_context.h"
#include "ramet/graph/model.h"

namespace ramet {
namespace {

using TensorKey = std::pair<const Node*, int>;
TensorKey key_of(const Tensor& t) { return {t.node().get(), t.index()}; }

// The arguments of a node with what stands for each tensor.
TracedArgs arguments_of(const Node& node, const std::function<Traced(const Tensor&)>& now) {
  const auto traced = [&](const Arg& a) {
    // An optional input that was not given is Python's None for whoever takes it.
    TracedNest out = a.map<Traced>(now);
    return out.is_leaf() && !out.leaf().value ? TracedNest() : out;
  };
  TracedArgs args;
  for (const Arg& a : node.arguments.args) args.args.push_back(traced(a));
  for (const auto& [key, a] : node.arguments.kwargs) args.kwargs.emplace_back(key, traced(a));
  return args;
}

}  // namespace

bool records_mask(const Node& node) {
  if (!node.operation->is_layer() || !node.arguments.kwargs.empty() || node.arguments.args.size() != 1) return false;
  const auto& layer = static_cast<const Layer&>(*node.operation);
  const auto names = layer.call_arguments();
  if (std::find(names.begin(), names.end(), "mask") == names.end()) return false;
  if (dynamic_cast<const ModelLayer*>(&layer)) return true;
  return node.arguments.args[0].is_leaf() && node.arguments.args[0].leaf().dtype() == layer.compute_dtype();
}

namespace {

class GraphRun {
 public:
  GraphRun(const Graph& graph, Trace& trace, const std::vector<Traced>& inputs) : graph_(graph), trace_(trace) {
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[key_of(graph.flat_inputs()[i])] = inputs[i];
  }

  TracedNest run() {
    LoadContext* const loading = LoadContext::current();
    for (const NodeRef& node : graph_.nodes()) {
      if (node->is_input()) continue;
      if (loading && ++loading->calls_traced > kMostCallsTraced)
        throw DataError(cat("models that call models several times make more than ", kMostCallsTraced, " calls"));
      call(*node);
    }
    return graph_.outputs().map<Traced>([&](const Tensor& t) {
      const Traced& out = values_.at(key_of(t));
      return Traced{out.value, trace_.mask_of(out)};
    });
  }

 private:
  void call(const Node& node) {
    TracedArgs args = arguments_of(node, [&](const Tensor& t) { return values_.at(key_of(t)); });
    if (trace_.masks_changed() && records_mask(node)) {
      const TracedNest recorded = node.arguments.args[0].map<Traced>([&](const Tensor& t) {
        return Traced{recorded_mask(t), {}};
      });
      const auto masks = recorded.flatten();
      if (std::any_of(masks.begin(), masks.end(), [](const Traced& m) { return static_cast<bool>(m.value); }))
        args.kwargs.emplace_back("mask", none_where_undefined(recorded));
    }
    const Device before = trace_.program.device;
    if (node.device) trace_.program.device = *node.device;
    const auto results = node.operation->trace(trace_, args).flatten();
    trace_.program.device = before;
    require(results.size() == node.outputs.size(), describe(*node.operation), ": returned ", results.size(),
            " outputs; it returned ", node.outputs.size(), " when the model was built");
    for (std::size_t i = 0; i < results.size(); ++i) values_[{&node, static_cast<int>(i)}] = results[i];
  }

  static TracedNest none_where_undefined(const TracedNest& nest) {
    if (nest.is_leaf()) return nest.leaf().value ? nest : TracedNest();
    if (!nest.is_list()) return nest;
    TracedNest::List out;
    for (const auto& item : nest.list()) out.push_back(none_where_undefined(item));
    return TracedNest(std::move(out));
  }

  // The mask a tensor had while the graph was built, when no layer had run and taken one away. Models and ops gave none
  // then. Found for all nodes so far, in their order, since chains are as long as a file wants.
  Value recorded_mask(const Tensor& wanted) {
    for (; !recorded_.count(key_of(wanted)) && recorded_until_ < graph_.nodes().size(); ++recorded_until_) {
      const Node& node = *graph_.nodes()[recorded_until_];
      Values masks;
      if (!node.is_input() && node.operation->is_layer() && !dynamic_cast<const ModelLayer*>(node.operation.get())) {
        const TracedArgs args = arguments_of(node, [&](const Tensor& t) {
          return Traced{values_.at(key_of(t)).value, recorded_.at(key_of(t))};
        });
        masks = static_cast<Layer&>(*node.operation).output_masks(trace_, args);
      }
      for (std::size_t i = 0; i < std::max<std::size_t>(node.outputs.size(), 1); ++i)
        recorded_[{&node, static_cast<int>(i)}] = masks.empty() ? Value{} : masks.size() == 1 ? masks[0] : masks.at(i);
    }
    const auto found = recorded_.find(key_of(wanted));
    return found == recorded_.end() ? Value{} : found->second;
  }

  const Graph& graph_;
  Trace& trace_;
  std::map<TensorKey, Traced> values_;
  std::map<TensorKey, Value> recorded_;
  std::size_t recorded_until_ = 0;
};

}  // namespace

TracedNest Graph::trace(Trace& trace, const std::vector<Traced>& inputs) const {
  ensure(inputs.size() == flat_inputs_.size(), "graph traced with ", inputs.size(), " inputs");
  return GraphRun(*this, trace, inputs).run();
}

}  // namespace ramet
