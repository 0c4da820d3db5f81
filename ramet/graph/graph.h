// What lies between some tensors and others: nodes in the order they can run, operations and layers in Keras' order.
#pragma once
#include <map>
#include <set>

#include "ramet/graph/input.h"
#include "ramet/graph/layer.h"

namespace ramet {

using NodeRef = std::shared_ptr<Node>;

class Graph {
 public:
  // UsageError when an output does not depend on the inputs alone, two operations share a name, or there is a cycle.
  Graph(Arg inputs, Arg outputs);

  const Arg& inputs() const { return inputs_; }
  const Arg& outputs() const { return outputs_; }
  const std::vector<Tensor>& flat_inputs() const { return flat_inputs_; }
  const std::vector<Tensor>& flat_outputs() const { return flat_outputs_; }
  const std::vector<NodeRef>& nodes() const { return nodes_; }  // in the order they run; input nodes too
  int depth(const Node& node) const { return node_depth_.at(&node); }
  const std::vector<OperationRef>& operations() const { return operations_; }
  std::vector<LayerRef> layers() const;
  // Place of a node among the calls of its operation that belong to this graph.
  int node_index(const Node& node) const { return node_index_.at(&node); }
  std::vector<NodeRef> nodes_of(const Operation& operation) const;  // in the order they were made

  // Emits the whole graph. `inputs` in flat order; an undefined value stands for an optional input that was not given.
  TracedNest trace(Trace& trace, const std::vector<Traced>& inputs) const;

 private:
  bool enter(const Tensor& tensor, std::map<const Operation*, int>& index);
  void sort(const std::map<const Operation*, int>& index);
  void check_names() const;

  Arg inputs_, outputs_;
  std::vector<Tensor> flat_inputs_, flat_outputs_;
  std::set<Tensor> input_set_;  // the same as flat_inputs_, to be searched
  std::vector<NodeRef> nodes_;
  std::map<const Node*, int> node_depth_, node_index_, state_;  // state: 1 in progress, 2 done
  std::map<const Operation*, std::vector<NodeRef>> calls_;      // that belong to this graph, in order
  std::vector<OperationRef> operations_;
};

// Whether Keras, when it makes this call, writes the mask that the tensor has then into it, as if it had been passed:
// it does so for layers with a `mask` argument that are called with one tensor of their own type and nothing else, and
// for models.
bool records_mask(const Node& node);

// Calls the operations of a graph again: `twin` says which operation stands for one, `call` calls it. `start` maps the
// graph's inputs to new tensors. Returns the new outputs, in the old structure. What cloning, cutting and rewiring are
// made of. The calls of a shared operation are made in the order of the source, so they keep their numbers.
struct ReplayHooks {
  std::function<OperationRef(const OperationRef&)> twin;
  std::function<Tensor(const OperationRef&, const CallArgs&)> call;
};
Arg replay(const Graph& graph, std::map<Tensor, Tensor> start, const ReplayHooks& hooks);
// The same for some nodes of a graph: those that `outputs` need beyond `start`.
Arg replay(std::vector<NodeRef> nodes, std::map<Tensor, Tensor> start, const Arg& outputs, const ReplayHooks& hooks);

// The same graph on new inputs where an input is not an Input's tensor: Keras' way to take a model out of the middle of
// another. Operations are shared.
std::pair<Arg, Arg> with_proper_inputs(const Arg& inputs, const Arg& outputs);

}  // namespace ramet
