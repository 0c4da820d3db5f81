// The order in which nodes run, against random graphs of real Keras (tests/data/orders).
#include <doctest/doctest.h>

#include "ramet/graph/model.h"
#include "ramet/graph/registry.h"
#include "tests/support/recording.h"

namespace ramet {
namespace {

// "dense:0 add:1 …"
std::string order_of(const Graph& graph) {
  std::string out;
  for (const NodeRef& node : graph.nodes())
    if (!node->is_input()) out += cat(node->operation->name(), ":", graph.node_index(*node), " ");
  return out;
}

void check(const ModelLayer& model, const Json& orders, std::size_t& models) {
  CAPTURE(model.name());
  std::string expected;
  for (const Json& node : orders.at(model.name()).as_array())
    expected += cat(node.as_array()[0].as_string(), ":", node.as_array()[1].as_int(), " ");
  CHECK(order_of(model.graph()) == expected);
  ++models;
  for (const LayerRef& layer : model.layers())
    if (const auto* inner = dynamic_cast<const ModelLayer*>(layer.get())) check(*inner, orders, models);
}

}  // namespace

TEST_CASE("nodes run in Keras' order in random graphs with shared layers, nested models and keyword tensors") {
  const testing::Recording recording("orders");
  std::size_t graphs = 0, models = 0;
  for (const Json& c : recording.cases()) {
    CAPTURE(c.at("seed").as_int());
    const auto model = std::dynamic_pointer_cast<ModelLayer>(deserialize_layer(c.at("config")));
    check(*model, c.at("orders"), models);
    // Cloning keeps it.
    CHECK(order_of(std::static_pointer_cast<ModelLayer>(model->clone())->graph()) == order_of(model->graph()));
    ++graphs;
  }
  MESSAGE(graphs, " graphs, ", models, " with the models inside");
  CHECK(graphs >= 200);
}

}  // namespace ramet
