#include "ramet/layers/attention/attention.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ramet/graph/input.h"
#include "ramet/layers/attention/additive_attention.h"
#include "ramet/layers/attention/attention_mask.h"
#include "ramet/layers/attention/multi_head_attention.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {
Nest<Array> list(std::vector<Array> arrays) { return Nest<Array>(Nest<Array>::List(arrays.begin(), arrays.end())); }
const Nest<Array> kYes(Json(true));
}  // namespace

TEST_CASE("Attention: equal scores give the mean of the values; scores on request") {
  const Array q = Array::zeros({1, 2, 2}), v = Array::of<float>({1, 2, 2}, {1, 2, 3, 4});
  const auto r = run_layer(Attention(), {.inputs = list({q, v}), .kwargs = {{"return_attention_scores", kYes}}});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{2, 3, 2, 3});
  CHECK(r.outputs[1].to_doubles() == std::vector<double>{0.5, 0.5, 0.5, 0.5});
}

TEST_CASE("Attention: masks of value and query, causal order, the query's mask goes on") {
  const Array q = Array::zeros({1, 2, 1}), v = Array::of<float>({1, 2, 1}, {1, 3});
  const Array first = Array::of<bool>({1, 2}, {true, false});
  CHECK(run_layer(Attention(), {.inputs = list({q, v}), .masks = {Array(), first}}).outputs[0].to_doubles() ==
        std::vector<double>{1, 1});
  const auto r = run_layer(Attention(), {.inputs = list({q, v}), .masks = {first}});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{2, 0});
  CHECK(r.masks[0].to_doubles() == std::vector<double>{1, 0});
  CHECK(
      run_layer(Attention(), {.inputs = list({q, v}), .kwargs = {{"use_causal_mask", kYes}}}).outputs[0].to_doubles() ==
      std::vector<double>{1, 2});
  const auto given = run_layer(
      AdditiveAttention(), {.inputs = list({q, v}), .kwargs = {{"mask", Nest<Array>(Nest<Array>::List{{}, first})}}});
  CHECK(given.outputs[0].to_doubles() == std::vector<double>{1, 1});
}

TEST_CASE("Attention: dropout acts in training only") {
  const Array q = Array::zeros({1, 1, 1}), v = Array::full({1, 41, 1}, 1.0);  // an odd count: halves never sum to 1
  const Attention layer({.dropout = 0.5, .seed = 2});
  CHECK(std::abs(run_layer(layer, {.inputs = list({q, v})}).outputs[0].to_doubles()[0] - 1) < 1e-6);
  CHECK(run_layer(layer, {.inputs = list({q, v}), .training = true}).outputs[0].to_doubles()[0] != 1);
}

TEST_CASE("Attention: other than two or three tensors are refused") {
  CHECK_THROWS_WITH_AS(Attention({}, {.name = "a"})(Input({3, 4})),
                       "Attention 'a': takes a list of inputs, [query, value] or [query, value, key]; got 1 tensor(s)",
                       UsageError);
}

TEST_CASE("MultiHeadAttention: shapes, weights in Keras' order, config") {
  const MultiHeadAttention layer(2, 3, {.use_gate = true}, {.name = "mha"});
  const Tensor q = Input({None, 8}), v = Input({5, 6});
  const auto [y, scores] = layer(q, v, {.return_attention_scores = true}).unpack<2>();
  CHECK(to_string(y.shape()) == "(None, None, 8)");
  CHECK(to_string(scores.shape()) == "(None, 2, None, 5)");
  std::vector<std::string> paths;
  for (const auto& w : layer->weights()) paths.push_back(w->path);
  CHECK(paths == std::vector<std::string>{"mha/query/kernel", "mha/query/bias", "mha/key/kernel", "mha/key/bias",
                                          "mha/gate/kernel", "mha/gate/bias", "mha/value/kernel", "mha/value/bias",
                                          "mha/attention_output/kernel", "mha/attention_output/bias"});
  CHECK(to_string(layer->weights()[0]->value().shape()) == "(8, 2, 3)");
  CHECK(layer->get_config().at("value_dim") == Json(3));
  CHECK_FALSE(layer->get_config().contains("flash_attention"));
  CHECK(Json(layer->clone()->get_config()) == Json(layer->get_config()));
  CHECK(serialize_layer(*deserialize_layer(serialize_layer(*layer))) == serialize_layer(*layer));
}

TEST_CASE("MultiHeadAttention: key and value by name, masks by name or with the tensors, give the same") {
  const MultiHeadAttention layer(2, 3);
  Array q({2, 4, 5}), v({2, 3, 5});
  for (Array* a : {&q, &v})
    for (std::size_t i = 0; i < static_cast<std::size_t>(a->size()); ++i)
      a->data<float>()[i] = std::sin(static_cast<float>(3 * i + 1));
  const Array mask = Array::of<bool>({2, 3}, {true, true, false, true, false, false});
  const auto carried = run_layer(layer, {.inputs = q, .more = {v}, .masks = {Array(), mask}});
  const auto named = run_layer(layer, {.inputs = q, .kwargs = {{"value", v}, {"value_mask", mask}}});
  const auto keyed = run_layer(layer, {.inputs = q, .kwargs = {{"value", v}, {"key", v}, {"key_mask", mask}}});
  Array wide({2, 4, 3}, DType::boolean);
  for (std::size_t i = 0; i < 24; ++i) wide.data<bool>()[i] = mask.data<bool>()[i / 12 * 3 + i % 3];
  const auto attended = run_layer(layer, {.inputs = q, .more = {v}, .kwargs = {{"attention_mask", wide}}});
  for (const auto* other : {&named, &keyed, &attended})
    CHECK(other->outputs[0].to_doubles() == carried.outputs[0].to_doubles());
  CHECK(run_layer(layer, {.inputs = q, .more = {v}}).outputs[0].to_doubles() != carried.outputs[0].to_doubles());
}

TEST_CASE("MultiHeadAttention: sliding window and causal order restrict which keys are seen") {
  const Array q = Array::zeros({1, 3, 1});
  const auto scores = [&](const layers::MultiHeadAttentionConfig& config, bool causal) {
    return run_layer(MultiHeadAttention(1, 1, config),
                     {.inputs = q,
                      .more = {q},
                      .kwargs = {{"use_causal_mask", Nest<Array>(Json(causal))}, {"return_attention_scores", kYes}}})
        .outputs[1]
        .to_doubles();
  };
  CHECK(scores({.sliding_window = 1}, false) == std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK(scores({.sliding_window = 2}, true) == std::vector<double>{1, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5});
}

TEST_CASE("MultiHeadAttention: arguments that cannot be are refused") {
  CHECK_THROWS_WITH_AS(MultiHeadAttention(0, 3),
                       "MultiHeadAttention: Received an invalid value for `num_heads`, expected a positive integer. "
                       "Received: num_heads=0",
                       UsageError);
  CHECK_THROWS_WITH_AS(MultiHeadAttention(1, 3, {.flash_attention = true}),
                       "MultiHeadAttention: flash_attention=true is not supported; leave it out", UsageError);
  const MultiHeadAttention layer(1, 2, {}, {.name = "m"});
  CHECK_THROWS_WITH_AS(layer(Input({3, 4})), "MultiHeadAttention 'm': needs a query and a value", UsageError);
  CHECK_THROWS_WITH_AS(
      layer(Input({3, 4}), Input({5, 4}), Input({6, 4})),
      "MultiHeadAttention 'm': value and key must agree in all axes but the last; got (None, 5, 4) and (None, 6, 4)",
      UsageError);
  CHECK_THROWS_WITH_AS(MultiHeadAttention(1, 2, {.attention_axes = 2}, {.name = "m"})(Input({3, 4}), Input({5, 4})),
                       "MultiHeadAttention 'm': attention_axes [2] do not fit a query of shape (None, 3, 4)",
                       UsageError);
}
