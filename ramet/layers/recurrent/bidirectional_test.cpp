#include "ramet/layers/recurrent/bidirectional.h"

#include <doctest/doctest.h>

#include "ramet/graph/input.h"
#include "ramet/layers/core/dense.h"
#include "ramet/layers/recurrent/gru.h"
#include "ramet/layers/recurrent/lstm.h"
#include "ramet/layers/recurrent/simple_rnn.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// Sums its inputs so far: easy to follow by eye.
SimpleRNN running_sum(bool sequences, bool state = false) {
  return SimpleRNN(1, {.activation = "linear",
                       .kernel_initializer = "ones",
                       .recurrent_initializer = "ones",
                       .return_sequences = sequences,
                       .return_state = state});
}
const Array x = Array::of<float>({1, 3, 1}, {1, 10, 100});

}  // namespace

TEST_CASE("Bidirectional: both directions, the backward one turned round again") {
  const Bidirectional layer(running_sum(true));
  CHECK(run_layer(layer, {.inputs = x}).outputs[0].to_doubles() == std::vector<double>{1, 111, 11, 110, 111, 100});
  CHECK(run_layer(Bidirectional(running_sum(false)), {.inputs = x}).outputs[0].to_doubles() ==
        std::vector<double>{111, 111});
}

TEST_CASE("Bidirectional: the directions are merged as asked, or stay two") {
  const auto merged = [](layers::MergeMode mode) {
    return run_layer(Bidirectional(running_sum(true), {.merge_mode = mode}), {.inputs = x}).outputs;
  };
  CHECK(merged("sum")[0].to_doubles() == std::vector<double>{112, 121, 211});
  CHECK(merged("ave")[0].to_doubles() == std::vector<double>{56, 60.5, 105.5});
  CHECK(merged("mul")[0].to_doubles() == std::vector<double>{111, 1210, 11100});
  CHECK(merged(nullptr)[1].to_doubles() == std::vector<double>{111, 110, 100});
}

TEST_CASE("Bidirectional: states come forward then backward, and so go in") {
  const Bidirectional layer(running_sum(false, true));
  const auto r = run_layer(
      layer, {.inputs = x,
              .kwargs = {{"initial_state", Nest<Array>(Nest<Array>::List{Array::of<float>({1, 1}, {1000}),
                                                                         Array::of<float>({1, 1}, {2000})})}}});
  REQUIRE(r.outputs.size() == 3);
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{1111, 2111});
  CHECK(r.outputs[1].to_doubles() == std::vector<double>{1111});
  CHECK(r.outputs[2].to_doubles() == std::vector<double>{2111});
}

TEST_CASE("Bidirectional: masked steps give zeros in sequences; the mask goes on") {
  const Array mask = Array::of<bool>({1, 3}, {true, true, false});
  const auto r = run_layer(Bidirectional(running_sum(true)), {.inputs = x, .masks = {mask}});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{1, 11, 11, 10, 0, 0});
  CHECK(r.masks[0].to_doubles() == std::vector<double>{1, 1, 0});
  CHECK_FALSE(run_layer(Bidirectional(running_sum(false)), {.inputs = x, .masks = {mask}}).masks[0].defined());
}

TEST_CASE("Bidirectional: names, a given backward layer, config and clone") {
  const Bidirectional layer(LSTM(3, {}, {.name = "lstm"}), {}, {.name = "b"});
  layer(Input({None, 2}));
  CHECK(layer->weights()[0]->path == "b/forward_lstm/lstm_cell/kernel");
  CHECK(layer->weights()[3]->path == "b/backward_lstm/lstm_cell/kernel");
  CHECK(layer->forward_layer()->name() == "forward_lstm");
  CHECK(Json(layer->clone()->get_config()) == Json(layer->get_config()));
  CHECK(serialize_layer(*deserialize_layer(serialize_layer(*layer))) == serialize_layer(*layer));

  const GRU back(3, {.go_backwards = true}, {.name = "back"});
  const Bidirectional mixed(LSTM(3, {}, {.name = "lstm"}), {.backward_layer = back});
  CHECK(mixed->backward_layer() == LayerRef(back));  // the very layer
  CHECK(Json(mixed->clone()->get_config()) == Json(mixed->get_config()));
}

TEST_CASE("Bidirectional: a clone in another type changes the layers inside") {
  const Bidirectional layer(LSTM(3, {}, {.name = "lstm"}));
  const LayerRef wide = layer->clone_as("float64");
  CHECK(wide->sublayers()[0]->compute_dtype() == DType::f64);
  CHECK(layer->clone()->sublayers()[0]->compute_dtype() == DType::f32);
}

TEST_CASE("Bidirectional: layers that do not fit are refused") {
  CHECK_THROWS_WITH_AS(Bidirectional(Dense(2, {}, {.name = "d"}), {}, {.name = "b"}),
                       "Bidirectional 'b': takes a recurrent layer (RNN, SimpleRNN, LSTM, GRU); got Dense 'd'",
                       UsageError);
  CHECK_THROWS_WITH_AS(Bidirectional(LSTM(2, {.go_backwards = true}), {}, {.name = "b"}),
                       "Bidirectional 'b': one layer must go forwards and one backwards; both have go_backwards = true",
                       UsageError);
  CHECK_THROWS_WITH_AS(
      Bidirectional(LSTM(2), {.backward_layer = LSTM(2, {.return_sequences = true, .go_backwards = true})},
                    {.name = "b"}),
      "Bidirectional 'b': the layers of both directions must agree in `return_sequences`; got false forwards and true "
      "backwards",
      UsageError);
}
