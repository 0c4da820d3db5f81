#include "ramet/graph/graph.h"

#include <doctest/doctest.h>

#include "ramet/graph/clone.h"
#include "ramet/graph/op_operation.h"
#include "ramet/layers/layers.h"

namespace ramet {
namespace {

using Names = std::vector<std::string>;

Names names(const std::vector<LayerRef>& layers) {
  Names out;
  for (const auto& layer : layers) out.push_back(layer->name());
  return out;
}

Dense dense(const char* name, int units = 4) { return Dense(units, LayerOptions{.name = name}); }

TEST_CASE("layers stand in Keras' order: by depth, then as a walk from the outputs meets them") {
  auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  auto d1 = dense("d1")(b), d2 = dense("d2")(a);
  auto d3 = dense("d3")(Add(LayerOptions{.name = "add"})({d1, d2}));
  const Graph graph({a, b}, {d3, dense("d4")(a)});
  CHECK(names(graph.layers()) == Names{"b", "a", "d1", "d2", "add", "d3", "d4"});
}

TEST_CASE("an operation between layers has a place among operations, not among layers") {
  auto x = Input({4}, {.name = "x"});
  auto y = dense("after")(ops::relu(dense("before")(x)));
  const Graph graph(x, y);
  CHECK(graph.operations().size() == 4);
  CHECK(names(graph.layers()) == Names{"x", "before", "after"});
}

TEST_CASE("a shared layer is as deep as its deepest call") {
  auto x = Input({4}, {.name = "x"});
  auto shared = dense("shared");
  auto once = shared(x);
  auto deep = shared(dense("middle")(once));
  const Graph graph(x, Add(LayerOptions{.name = "add"})({deep, once}));
  CHECK(names(graph.layers()) == Names{"x", "shared", "middle", "add"});
  const auto calls = graph.nodes_of(*shared.ref());
  REQUIRE(calls.size() == 2);
  CHECK(graph.depth(*calls[0]) == 3);
  CHECK(graph.depth(*calls[1]) == 1);
  CHECK(graph.depth(*graph.flat_outputs()[0].node()) == 0);
}

TEST_CASE("calls are counted within the graph") {
  auto x = Input({4}, {.name = "x"});
  auto shared = dense("shared");
  auto elsewhere = shared(Input({4}));
  auto first = shared(x), second = shared(first);
  const Graph graph(x, second);
  CHECK(first.node()->index == 1);
  CHECK(graph.node_index(*first.node()) == 0);
  CHECK(graph.node_index(*second.node()) == 1);
  CHECK(graph.nodes_of(*elsewhere.node()->operation).size() == 2);
}

TEST_CASE("inputs that nothing uses are kept, in front of depth 0") {
  auto x = Input({4}, {.name = "x"}), idle = Input({2}, {.name = "idle"});
  const Graph graph({x, idle}, dense("d")(x));
  CHECK(names(graph.layers()) == Names{"x", "idle", "d"});
  CHECK(graph.depth(*idle.node()) == 0);
}

TEST_CASE("tensors in keyword arguments are edges") {
  auto x = Input({5, 3}, {.name = "x"}), h = Input({2}, {.name = "h"});
  auto y = GRU(2, LayerOptions{.name = "gru"})(x, {.initial_state = {h}});
  const Graph graph({x, h}, y);
  CHECK(names(graph.layers()) == Names{"x", "h", "gru"});
  CHECK_THROWS_WITH_AS(Graph(x, y),
                       doctest::Contains("Graph disconnected: cannot find parent for tensor 'h' at operation 'h'"),
                       UsageError);
}

TEST_CASE("an output that needs another input is refused by name") {
  auto x = Input({4}, {.name = "x"}), other = Input({4}, {.name = "other"});
  auto y = Add(LayerOptions{.name = "add"})({x, other});
  CHECK_THROWS_WITH_AS(Graph(x, y),
                       "Graph disconnected: cannot find parent for tensor 'other' at operation 'other'. Every input "
                       "that the outputs need must be among the model's inputs (x).",
                       UsageError);
}

TEST_CASE("two operations of one name are refused") {
  auto x = Input({4}, {.name = "x"});
  auto y = dense("same")(dense("same")(x));
  CHECK_THROWS_WITH_AS(
      Graph(x, y), "The name \"same\" is used 2 times in the model. All operation names should be unique.", UsageError);
}

TEST_CASE("an input listed twice, and no inputs or outputs at all, are refused") {
  auto x = Input({4}, {.name = "x"});
  auto y = dense("d")(x);
  CHECK_THROWS_WITH_AS(Graph({x, x}, y), "the input tensor 'x' is listed twice", UsageError);
  CHECK_THROWS_WITH_AS(Graph(Arg(), y), "a model needs at least one input tensor", UsageError);
  CHECK_THROWS_WITH_AS(Graph(x, Arg()), "a model needs at least one output tensor", UsageError);
}

TEST_CASE("dicts are flattened by sorted key, lists as they stand") {
  auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"}), c = Input({4}, {.name = "c"});
  auto y = Add()({a, b, c});
  const Arg::List list = {Arg(c), Arg(Nest<Tensor>(Arg::Dict{{"z", Arg(a)}, {"m", Arg(b)}}))};
  const Graph graph(Arg(Nest<Tensor>(list)), Arg{{"q", y}, {"p", a}});
  CHECK(graph.flat_inputs() == std::vector<Tensor>{c, b, a});
  CHECK(graph.flat_outputs() == std::vector<Tensor>{a, y});
  CHECK(graph.outputs().is_dict());
}

TEST_CASE("an output may be given twice, lie in the middle, or be an input") {
  auto x = Input({4}, {.name = "x"});
  auto h = dense("h")(x), y = dense("y")(h);
  const Graph graph(x, {y, h, y, x});
  CHECK(graph.flat_outputs().size() == 4);
  CHECK(names(graph.layers()) == Names{"x", "h", "y"});
}

TEST_CASE("replay keeps sharing, devices, structure and the numbers of calls") {
  auto x = Input({4}, {.name = "x"}), z = Input({4}, {.name = "z"});
  auto shared = dense("shared");
  Tensor first = shared(x), second;
  {
    const DeviceScope scope("cpu:1");
    second = shared(z);
  }
  // The walk from the outputs meets the second call first.
  const Graph graph({x, z}, Arg{{"sum", Add(LayerOptions{.name = "add"})({second, first})}});
  const Model source({x, z}, graph.outputs());
  const Model clone = clone_model(source);
  const auto calls = clone.layer().graph().nodes_of(*clone.get_layer("shared"));
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]->arguments.tensors()[0].name() == "x");
  CHECK_FALSE(calls[0]->device.has_value());
  CHECK(calls[1]->device == second.node()->device);
  CHECK(clone.layer().graph().outputs().is_dict());
  JsonObject mine = clone.get_config(), theirs = source.get_config();
  mine.erase("name"), theirs.erase("name");
  CHECK(mine == theirs);
}

TEST_CASE("a graph beginning in the middle of another gets new inputs and keeps the operations") {
  auto x = Input({4}, {.name = "x"});
  auto h = dense("h", 3)(x);
  auto last = dense("last", 2);
  const auto [inputs, outputs] = with_proper_inputs(h, last(h));
  const Graph graph(inputs, outputs);
  CHECK(graph.flat_inputs()[0].name() == h.name() + "CLONE");
  CHECK(to_string(graph.flat_inputs()[0].shape()) == "(None, 3)");
  CHECK(graph.operations()[1].get() == last.ref().get());
}

TEST_CASE("a result of several tensors must be taken apart before it is used as one") {
  auto x = Input({4}, {.name = "x"});
  auto both = Lambda([](Value v) { return Values{v, v}; }, LayerOptions{.name = "both"})(x);
  CHECK(both.size() == 2);
  CHECK_THROWS_WITH_AS(
      both.shape(),
      "a call returned 2 tensors and its result was used as one; take them apart with .unpack<2>() or [i]", UsageError);
  CHECK_THROWS_WITH_AS(both.unpack<3>(), "unpack<3>: the call returned 2 tensors", UsageError);
  CHECK_THROWS_WITH_AS(dense("d")(Tensor()), "Layer 'd' expected 1 input(s). Received 0 instead.", UsageError);
  CHECK_THROWS_WITH_AS(Tensor().shape(),
                       "an undefined Tensor was used; a tensor comes from Input or from calling a layer", UsageError);
}

}  // namespace
}  // namespace ramet
