#include "ramet/graph/graph.h"

#include <algorithm>
#include <set>

#include "ramet/base/strings.h"

namespace ramet {
namespace {

bool from_input_layer(const Tensor& t) { return t.node()->is_input(); }

// Depth first from some tensors, without recursion, because chains are as long as a file wants. `enter` is asked
// whether to go on to the inputs of a tensor's node; if so, `leave` follows after them.
void walk(const std::vector<Tensor>& from, const std::function<bool(const Tensor&)>& enter,
          const std::function<void(const NodeRef&)>& leave) {
  struct Step {
    NodeRef node;
    std::vector<Tensor> inputs;
    std::size_t next = 0;
  };
  std::vector<Step> steps;
  const auto meet = [&](const Tensor& t) {
    if (enter(t)) steps.push_back({t.node(), t.node()->arguments.tensors()});
  };
  for (const Tensor& t : from) {
    meet(t);
    while (!steps.empty()) {
      if (Step& step = steps.back(); step.next < step.inputs.size()) {
        const Tensor input = step.inputs[step.next++];
        meet(input);
      } else {
        const NodeRef node = step.node;
        steps.pop_back();
        leave(node);
      }
    }
  }
}

}  // namespace

Graph::Graph(Arg inputs, Arg outputs)
    : inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      flat_inputs_(inputs_.flatten()),
      flat_outputs_(outputs_.flatten()) {
  require(!flat_inputs_.empty(), "a model needs at least one input tensor");
  require(!flat_outputs_.empty(), "a model needs at least one output tensor");
  for (const Tensor& t : flat_inputs_) {
    require(from_input_layer(t), "internal: inputs must come from Input");
    require(input_set_.insert(t).second, "the input tensor '", t.name(), "' is listed twice");
  }
  std::map<const Operation*, int> index;
  const auto done = [&](const NodeRef& node) {
    state_[node.get()] = 2;
    nodes_.push_back(node);
  };
  walk(
      flat_outputs_, [&](const Tensor& t) { return enter(t, index); }, done);
  for (const Tensor& t : flat_inputs_)
    if (!state_.count(t.node().get())) {  // nothing uses it: kept, in front of the operations of depth 0
      nodes_.push_back(t.node());
      state_[t.node().get()] = 2;
      index[t.node()->operation.get()] = -1;
    }
  sort(index);
  check_names();
}

// An operation's index is the order of first sight, before its inputs are visited.
bool Graph::enter(const Tensor& tensor, std::map<const Operation*, int>& index) {
  const NodeRef& node = tensor.node();
  int& state = state_[node.get()];
  require(state != 1, "tensor '", tensor.name(), "' of layer '", node->operation->name(), "' is part of a cycle.");
  if (state == 2) return false;
  index.try_emplace(node->operation.get(), static_cast<int>(index.size()));
  if (input_set_.count(tensor)) {
    state = 2;
    nodes_.push_back(node);
    return false;
  }
  const auto names = [&] {
    std::vector<std::string> out;
    for (const Tensor& t : flat_inputs_) out.push_back(t.name());
    return join_some(out);
  };
  if (node->is_input())
    throw UsageError(cat("Graph disconnected: cannot find parent for tensor '", tensor.name(), "' at operation '",
                         node->operation->name(),
                         "'. Every input that the outputs need must be among the model's inputs (", names(), ")."));
  state = 1;
  return true;
}

// Keras' order. Nodes: by depth, deepest first; within a depth in the order in which a walk from the outputs backwards
// first meets them, as a node or as a parent of one. (A depth that grows later does not move a node: users see who runs
// first in moving statistics, random numbers and masks.) Operations: by the depth of their deepest node, then by index.
void Graph::sort(const std::map<const Operation*, int>& index) {
  std::map<const Operation*, int> depth;
  std::vector<NodeRef> met;
  const auto meet = [&](const NodeRef& node) -> int& {
    const auto [it, fresh] = node_depth_.try_emplace(node.get(), 0);
    if (fresh) met.push_back(node);
    return it->second;
  };
  for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) {
    const Node& node = **it;
    int& mine = meet(*it);
    mine = std::max(mine, depth[node.operation.get()]);
    depth[node.operation.get()] = mine;
    if (node.is_input()) continue;
    for (const Tensor& t : node.arguments.tensors()) {
      int& parent = meet(t.node());
      parent = std::max(parent, mine + 1);
    }
  }
  nodes_ = std::move(met);
  std::stable_sort(nodes_.begin(), nodes_.end(), [&](const NodeRef& a, const NodeRef& b) {
    return node_depth_.at(a.get()) > node_depth_.at(b.get());
  });
  for (const NodeRef& node : nodes_) {
    auto& calls = calls_[node->operation.get()];
    if (calls.empty()) operations_.push_back(node->operation);
    calls.push_back(node);
  }
  for (auto& [operation, calls] : calls_) {
    std::sort(calls.begin(), calls.end(), [](const NodeRef& a, const NodeRef& b) { return a->index < b->index; });
    for (std::size_t i = 0; i < calls.size(); ++i) node_index_[calls[i].get()] = static_cast<int>(i);
  }
  std::stable_sort(operations_.begin(), operations_.end(), [&](const OperationRef& a, const OperationRef& b) {
    const int da = depth.at(a.get()), db = depth.at(b.get());
    return da != db ? da > db : index.at(a.get()) < index.at(b.get());
  });
}

void Graph::check_names() const {
  std::map<std::string, int> count;
  for (const auto& op : operations_) ++count[op->name()];
  for (const auto& [name, n] : count)
    require(n == 1, "The name \"", name, "\" is used ", n,
            " times in the model. All operation names should be unique.");
}

std::vector<LayerRef> Graph::layers() const {
  std::vector<LayerRef> out;
  for (const auto& op : operations_)
    if (op->is_layer()) out.push_back(std::static_pointer_cast<Layer>(op));
  return out;
}

std::vector<NodeRef> Graph::nodes_of(const Operation& operation) const {
  const auto found = calls_.find(&operation);
  return found == calls_.end() ? std::vector<NodeRef>() : found->second;
}

Arg replay(const Graph& graph, std::map<Tensor, Tensor> start, const ReplayHooks& hooks) {
  return replay(graph.nodes(), std::move(start), graph.outputs(), hooks);
}

Arg replay(std::vector<NodeRef> nodes, std::map<Tensor, Tensor> start, const Arg& outputs, const ReplayHooks& hooks) {
  std::map<const Operation*, OperationRef> twins;   // one for each, so that what was shared stays shared
  std::map<const Operation*, std::set<int>> calls;  // not made yet
  for (const NodeRef& node : nodes)
    if (!node->is_input()) calls[node->operation.get()].insert(node->index);
  const auto known = [&](const Tensor& t) { return start.count(t) > 0; };
  const auto ready = [&](const Node& node) {
    const auto tensors = node.arguments.tensors();
    return *calls.at(node.operation.get()).begin() == node.index && std::all_of(tensors.begin(), tensors.end(), known);
  };
  const auto call = [&](const NodeRef& node) {
    OperationRef& twin = twins[node->operation.get()];
    if (!twin) twin = hooks.twin(node->operation);
    const auto now = [&](const Tensor& t) { return start.at(t); };
    CallArgs args;
    for (const Arg& a : node->arguments.args) args.args.push_back(a.map<Tensor>(now));
    for (const auto& [key, a] : node->arguments.kwargs) args.kwargs.emplace_back(key, a.map<Tensor>(now));
    std::optional<DeviceScope> scope;
    if (node->device) scope.emplace(*node->device);
    const auto results = Arg(hooks.call(twin, args)).flatten();
    require(results.size() == node->outputs.size(), describe(*twin), ": the new call returned ", results.size(),
            " outputs, the old one ", node->outputs.size());
    for (std::size_t i = 0; i < results.size(); ++i) start[Tensor(node, static_cast<int>(i))] = results[i];
    calls.at(node->operation.get()).erase(node->index);
  };
  // The order in which the source was written fits both rules (producers first, calls in order), so every sweep gets
  // on.
  std::erase_if(nodes, [](const NodeRef& node) { return node->is_input(); });
  while (!nodes.empty()) {
    std::vector<NodeRef> later;
    for (const NodeRef& node : nodes) {
      if (ready(*node))
        call(node);
      else
        later.push_back(node);
    }
    require(later.size() < nodes.size(), "Could not compute the inputs of ", describe(*nodes[0]->operation));
    nodes = std::move(later);
  }
  return outputs.map<Tensor>([&](const Tensor& t) {
    require(known(t), "Could not compute output '", t.name(), "'");
    return start.at(t);
  });
}

std::pair<Arg, Arg> with_proper_inputs(const Arg& inputs, const Arg& outputs) {
  const auto flat = inputs.flatten();
  if (std::all_of(flat.begin(), flat.end(), from_input_layer)) return {inputs, outputs};
  std::map<Tensor, Tensor> start;
  const Arg fresh = inputs.map<Tensor>([&](const Tensor& t) {
    Tensor& twin = start[t];
    if (!twin) {
      if (from_input_layer(t))
        twin = t;
      else {
        InputLayer::Config config;
        config.batch_shape = t.shape();
        config.dtype = keras_name(t.dtype());
        config.name = t.name() + "CLONE";
        twin = InputLayer::create(config);
      }
    }
    return twin;
  });
  // A depth-first walk that stops at the given tensors, calling the same operations again on what stands for them.
  const auto now = [&](const Tensor& t) { return start.at(t); };
  const auto enter = [&](const Tensor& t) {
    if (start.count(t)) return false;
    require(!t.node()->is_input(), "Graph disconnected: cannot find parent for tensor '", t.name(), "' at operation '",
            t.node()->operation->name(), "'.");
    return true;
  };
  const auto call_again = [&](const NodeRef& node) {
    CallArgs args;
    for (const Arg& a : node->arguments.args) args.args.push_back(a.map<Tensor>(now));
    for (const auto& [key, a] : node->arguments.kwargs) args.kwargs.emplace_back(key, a.map<Tensor>(now));
    const auto results = Arg(node->operation->call(args)).flatten();
    for (std::size_t i = 0; i < results.size(); ++i) start[Tensor(node, static_cast<int>(i))] = results[i];
  };
  walk(outputs.flatten(), enter, call_again);
  return {fresh, outputs.map<Tensor>(now)};
}

}  // namespace ramet
