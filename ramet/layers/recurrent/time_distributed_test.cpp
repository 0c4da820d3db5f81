#include "ramet/layers/recurrent/time_distributed.h"

#include <doctest/doctest.h>

#include "ramet/graph/input.h"
#include "ramet/layers/core/dense.h"
#include "ramet/layers/recurrent/lstm.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// Takes the mean of the batch off and counts its calls: knows its whole batch, has state.
class CenterLayer final : public LayerOf<CenterLayer, NoConfig> {
 public:
  static constexpr std::string_view kClassName = "Center";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec&) override {
    calls_ = b.weight("calls", {}, Initializer("zeros"), {.trainable = false});
    gain_ = b.weight("gain", {}, Initializer("ones"));
  }
  Value call(const CallContext& ctx, Value x) const override {
    ctx.update(calls_, ctx.raw(calls_) + 1.0);
    ctx.add_loss(ops::reduce_sum(x, {0, 1}));
    return (x - ops::reduce_mean(x, {0}, true)) * ctx[gain_];
  }

 private:
  Weight calls_, gain_;
};

}  // namespace

TEST_CASE("TimeDistributed: a layer at every step, computed as one batch") {
  const TimeDistributed layer(Dense(1, {.kernel_initializer = "ones"}));
  const auto r = run_layer(layer, {.inputs = Array::of<float>({1, 3, 2}, {1, 2, 3, 4, 5, 6}),
                                   .masks = {Array::of<bool>({1, 3}, {true, false, true})}});
  CHECK(r.outputs[0].shape() == Shape{1, 3, 1});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{3, 7, 11});
  CHECK(r.masks[0].to_doubles() == std::vector<double>{1, 0, 1});
}

TEST_CASE("TimeDistributed: a layer that knows its whole batch sees one step at a time") {
  const LayerRef inner = std::make_shared<CenterLayer>(NoConfig{});
  const TimeDistributed layer(inner);
  const Array x = Array::of<float>({2, 3, 1}, {1, 10, 100, 3, 30, 300});
  const auto r = run_layer(layer, {.inputs = x, .seeds = {Array::of<float>({2, 3, 1}, {1, 2, 3, 4, 5, 6})}});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{-1, -10, -100, 1, 10, 100});
  CHECK(inner->weights()[1]->value().to_doubles() == std::vector<double>{3});  // called three times
  CHECK(r.weight_gradients[0].to_doubles() == std::vector<double>{3 + 30 + 300});
  CHECK(r.input_gradients[0].to_doubles() == std::vector<double>{-1.5, -1.5, -1.5, 1.5, 1.5, 1.5});
}

TEST_CASE("TimeDistributed: a stateful layer inside keeps its state from step to step") {
  const TimeDistributed layer(LSTM(1, {.stateful = true}));
  const Array x = Array::full({1, 2, 1, 1}, 1.0);
  const auto y = run_layer(layer, {.inputs = x}).outputs[0].to_doubles();
  CHECK(y[0] != y[1]);
}

TEST_CASE("TimeDistributed: masks reach a layer that takes them") {
  const LSTM lstm(2);
  const TimeDistributed layer(lstm);
  const Array x = Array::full({1, 2, 3, 1}, 1.0),
              mask = Array::of<bool>({1, 2, 3}, {true, true, true, true, false, false});
  const auto y = run_layer(layer, {.inputs = x, .masks = {mask}}).outputs[0].to_doubles();
  CHECK(y[0] != y[2]);
}

TEST_CASE("TimeDistributed: shapes, paths, config; refusals") {
  const TimeDistributed layer(Dense(4, {}, {.name = "dense"}), LayerOptions{.name = "td"});
  CHECK(to_string(layer(Input({None, 3})).shape()) == "(None, None, 4)");
  CHECK(layer->weights()[0]->path == "td/dense/kernel");
  CHECK(Json(layer->clone()->get_config()) == Json(layer->get_config()));
  CHECK_THROWS_WITH_AS(TimeDistributed(Dense(4), LayerOptions{.name = "td"})(Input({3})),
                       "Input 0 of layer 'td' is incompatible with the layer: expected min_ndim=3, "
                       "found ndim=2. Full shape received: (None, 3)",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      TimeDistributed(LSTM(2, {.return_state = true}, {.name = "l"}), LayerOptions{.name = "td"})(Input({2, 3, 4})),
      "TimeDistributed 'td': the inner layer must have one output; LSTM 'l' has 3", UsageError);
}
