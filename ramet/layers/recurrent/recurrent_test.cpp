#include "ramet/layers/recurrent/recurrent.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ramet/array/random.h"
#include "ramet/graph/input.h"
#include "ramet/graph/model.h"
#include "ramet/layers/core/dense.h"
#include "ramet/layers/recurrent/gru.h"
#include "ramet/layers/recurrent/lstm.h"
#include "ramet/layers/recurrent/rnn.h"
#include "ramet/layers/recurrent/simple_rnn.h"
#include "ramet/layers/recurrent/stacked_rnn_cells.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// A fixed sequence of numbers between -1 and 1.
Array numbers(const Shape& shape, DType dtype = DType::f32, int start = 1) {
  Array out(shape, DType::f64);
  int i = start;
  for (double& v : out.data<double>()) v = std::sin(1.7 * i++);
  return out.astype(dtype);
}

double largest_difference(const Array& a, const Array& b) {
  REQUIRE(a.shape() == b.shape());
  const auto x = a.to_doubles(), y = b.to_doubles();
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(x[i] - y[i]));
  return worst;
}

// Step t of [batch, steps, n], as [batch, n].
Array step_of(const Array& x, std::int64_t t) {
  Array out({x.dim(0), x.dim(2)}, x.dtype());
  for (std::int64_t b = 0; b < x.dim(0); ++b)
    for (std::int64_t i = 0; i < x.dim(2); ++i)
      out.data<double>()[static_cast<std::size_t>(b * x.dim(2) + i)] =
          x.data<double>()[static_cast<std::size_t>((b * x.dim(1) + t) * x.dim(2) + i)];
  return out;
}

struct MinimalConfig {
  std::int64_t units = 1;
  static constexpr auto fields = Fields{field("units", &MinimalConfig::units, positive)};
};
// A user's cell whose output is not a state: twice the state.
class MinimalCellLayer final : public layers::CellOf<MinimalCellLayer, MinimalConfig> {
 public:
  static constexpr std::string_view kClassName = "MinimalCell";
  using CellOf::CellOf;
  Nest<std::int64_t> state_size() const override { return config().units; }
  void build(Builder& b, const Spec& x) override {
    kernel_ = b.weight("kernel", {x.dim(-1), config().units}, Initializer("ones"));
  }
  layers::CellStep step(const CallContext& ctx, Value x, const Values& states,
                        const layers::CellConstants&) const override {
    const Value h = ops::matmul(x, ctx[kernel_]) + states[0];
    return {h * 2.0, {h}};
  }

 private:
  Weight kernel_;
};
using MinimalCell = Handle<MinimalCellLayer>;

std::vector<LayerRef> one_of_each(LayerOptions options, bool sequences, bool state) {
  const auto with = [&](auto config) {
    config.units = 3, config.return_sequences = sequences, config.return_state = state;
    config.bias_initializer = initializers::RandomUniform({-0.5, 0.5, 3});
    config.kernel_initializer = initializers::GlorotUniform({1});
    config.recurrent_initializer = initializers::GlorotUniform({2});
    return config;
  };
  layers::GRUConfig before = with(layers::GRUConfig{});
  before.reset_after = false;
  return {SimpleRNN(with(layers::SimpleRNNConfig{}), options), LSTM(with(layers::LSTMConfig{}), options),
          GRU(with(layers::GRUConfig{}), options), GRU(before, options)};
}

}  // namespace

TEST_CASE("recurrent: the loop equals its cell called step by step") {
  const Array x = numbers({2, 4, 3}, DType::f64);
  for (const LayerRef& layer : one_of_each({.dtype = "float64"}, true, false)) {
    CAPTURE(describe(*layer));
    const Array all = run_layer(layer, {.inputs = x}).outputs[0];
    const LayerRef cell = dynamic_cast<layers::Recurrent&>(*layer).cell_layer();
    const std::size_t count = layer->class_name() == "LSTM" ? 2 : 1;
    Nest<Array>::List states(count, Nest<Array>(Array::zeros({2, 3}, DType::f64)));
    for (std::int64_t t = 0; t < 4; ++t) {
      const Arrays r = run_layer(cell, {.inputs = step_of(x, t), .more = {Nest<Array>(states)}}).outputs;
      // The input's products are taken for all steps at once, so sums may round differently: a few units of 2⁻⁵³ on
      // values below 4.
      CHECK(largest_difference(r[0], step_of(all, t)) < 1e-14);
      for (std::size_t i = 0; i < count; ++i) states[i] = r[1 + i];
    }
  }
}

TEST_CASE("recurrent: gradients agree with differences") {
  const Array x = numbers({2, 3, 2}, DType::f64),
              mask = Array::of<bool>({2, 3}, {true, false, true, false, true, true});
  for (const LayerRef& layer : one_of_each({.dtype = "float64"}, true, true)) {
    CAPTURE(describe(*layer));
    const std::size_t outputs = run_layer(layer, {.inputs = x}).outputs.size();
    LayerCall call{.inputs = x, .kwargs = {{"mask", Nest<Array>(mask)}}};
    call.seeds = {numbers({2, 3, 3}, DType::f64, 50)};
    for (std::size_t i = 1; i < outputs; ++i)
      call.seeds.push_back(numbers({2, 3}, DType::f64, static_cast<int>(70 * i)));
    const auto result = run_layer(layer, call);
    const auto objective = [&](const Array& at) {
      LayerCall plain = call;
      plain.inputs = at, plain.seeds = {};
      const Arrays y = run_layer(layer, plain).outputs;
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const auto a = y[i].to_doubles(), r = call.seeds[i].to_doubles();
        for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * r[j];
      }
      return sum;
    };
    // Central differences with step h err by h²·f'''/6 + 2⁻⁵³·|f|/h ≈ 1e-10 + 1e-11·|f| at h = 1e-5; |f| is below 40.
    const double h = 1e-5, tolerance = 1e-8;
    for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
      Array up = x.copy(), down = x.copy();
      up.data<double>()[i] += h, down.data<double>()[i] -= h;
      CHECK(std::abs((objective(up) - objective(down)) / (2 * h) - result.input_gradients[0].to_doubles()[i]) <
            tolerance);
    }
    const VariableRefs weights = layer->trainable_weights();
    for (std::size_t w = 0; w < weights.size(); ++w) {
      CAPTURE(weights[w]->path);
      const Array before = weights[w]->value().copy();
      for (std::size_t i = 0; i < static_cast<std::size_t>(before.size()); ++i) {
        Array up = before.copy(), down = before.copy();
        up.data<double>()[i] += h, down.data<double>()[i] -= h;
        weights[w]->assign(up);
        const double high = objective(x);
        weights[w]->assign(down);
        const double low = objective(x);
        CHECK(std::abs((high - low) / (2 * h) - result.weight_gradients[w].to_doubles()[i]) < tolerance);
      }
      weights[w]->assign(before);
    }
  }
}

TEST_CASE("recurrent: a masked row gives what the row without its masked steps gives") {
  const Array x = numbers({3, 5, 2}, DType::f64);
  const bool valid[3][5] = {
      {true, false, true, true, false}, {false, false, true, false, true}, {true, true, true, true, true}};
  Array mask({3, 5}, DType::boolean);
  for (std::size_t i = 0; i < 15; ++i) mask.data<bool>()[i] = valid[i / 5][i % 5];
  for (const LayerRef& layer : one_of_each({.dtype = "float64"}, true, true)) {
    CAPTURE(describe(*layer));
    const Arrays whole = run_layer(layer, {.inputs = x, .masks = {mask}}).outputs;
    for (std::int64_t b = 0; b < 3; ++b) {
      std::vector<double> kept;
      for (std::int64_t t = 0; t < 5; ++t)
        for (std::int64_t i = 0; i < 2 && valid[b][t]; ++i)
          kept.push_back(x.data<double>()[static_cast<std::size_t>((b * 5 + t) * 2 + i)]);
      const auto steps = static_cast<std::int64_t>(kept.size() / 2);
      Array row({1, steps, 2}, DType::f64);
      std::copy(kept.begin(), kept.end(), row.data<double>().begin());
      const Arrays alone = run_layer(layer, {.inputs = row}).outputs;
      std::int64_t seen = 0;
      for (std::int64_t t = 0; t < 5; ++t) {
        seen += valid[b][t];
        for (std::int64_t i = 0; i < 3; ++i) {
          // A masked step repeats the output before it, zeros at first. The same sums in the same order: equal but for
          // the product's blocks.
          const double want = seen == 0 ? 0 : alone[0].data<double>()[static_cast<std::size_t>((seen - 1) * 3 + i)];
          CHECK(std::abs(whole[0].data<double>()[static_cast<std::size_t>((b * 5 + t) * 3 + i)] - want) < 1e-14);
        }
      }
      for (std::size_t s = 1; s < whole.size(); ++s)
        for (std::int64_t i = 0; i < 3; ++i)
          CHECK(std::abs(whole[s].data<double>()[static_cast<std::size_t>(b * 3 + i)] -
                         alone[s].data<double>()[static_cast<std::size_t>(i)]) < 1e-14);
    }
  }
}

TEST_CASE("recurrent: zero_output_for_mask gives zeros at masked steps, the last one included") {
  const Array x = numbers({1, 3, 2}), mask = Array::of<bool>({1, 3}, {true, false, false});
  const SimpleRNN sequences(2, {.return_sequences = true, .zero_output_for_mask = true}),
      last(2, {.zero_output_for_mask = true});
  const auto y = run_layer(sequences, {.inputs = x, .masks = {mask}}).outputs[0].to_doubles();
  CHECK(y[0] != 0);
  CHECK(std::vector<double>(y.begin() + 2, y.end()) == std::vector<double>(4, 0.0));
  CHECK(run_layer(last, {.inputs = x, .masks = {mask}}).outputs[0].to_doubles() == std::vector<double>{0, 0});
}

TEST_CASE("recurrent: masks go on with sequences only, not to states, and stop in Keras 3.16") {
  const Array x = numbers({1, 2, 2}), mask = Array::of<bool>({1, 2}, {true, false});
  const auto both =
      run_layer(LSTM(2, {.return_sequences = true, .return_state = true}), {.inputs = x, .masks = {mask}});
  CHECK(both.masks[0].defined());
  CHECK_FALSE(both.masks[1].defined());
  CHECK_FALSE(both.masks[2].defined());
  CHECK_FALSE(run_layer(LSTM(2), {.inputs = x, .masks = {mask}}).masks[0].defined());

  const LSTM layer(2, {.return_sequences = true});
  layer->prepare({{Nest<Spec>(Spec{{1, 2, 2}})}, {}});
  Program program;
  Trace trace(program, false, MaskSemantics::keras3_16);
  const TracedArgs args{
      {TracedNest(Traced{program.input("x", {{1, 2, 2}}), program.input("m", {{1, 2}, DType::boolean})})}, {}};
  CHECK_FALSE(layer->trace(trace, args).leaf().mask);
}

TEST_CASE("recurrent: no steps give zeros and the states they began with") {
  const Array h = numbers({2, 3});
  const auto r = run_layer(GRU(3, {.return_state = true}),
                           {.inputs = Array::zeros({2, 0, 4}), .kwargs = {{"initial_state", Nest<Array>(h)}}});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>(6, 0.0));
  CHECK(r.outputs[1].to_doubles() == h.to_doubles());
  CHECK(run_layer(GRU(3, {.return_sequences = true}), {.inputs = Array::zeros({2, 0, 4})}).outputs[0].shape() ==
        Shape{2, 0, 3});
}

TEST_CASE("recurrent: a stateful layer goes on where it stopped, until it is reset") {
  const Array x = numbers({2, 6, 3}, DType::f64);
  Array first({2, 3, 3}, DType::f64), second({2, 3, 3}, DType::f64);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < 9; ++i) {
      first.data<double>()[static_cast<std::size_t>(b * 9 + i)] =
          x.data<double>()[static_cast<std::size_t>(b * 18 + i)];
      second.data<double>()[static_cast<std::size_t>(b * 9 + i)] =
          x.data<double>()[static_cast<std::size_t>(b * 18 + 9 + i)];
    }
  const LSTM whole(2, {}, {.dtype = "float64"}), kept(2, {.stateful = true}, {.dtype = "float64"});
  const Array want = run_layer(whole, {.inputs = x}).outputs[0];
  run_layer(kept, {.inputs = first});
  kept->set_weights(whole->get_weights());
  kept->reset_states();
  const Array at_first = run_layer(kept, {.inputs = first}).outputs[0];
  CHECK(largest_difference(run_layer(kept, {.inputs = second}).outputs[0], want) < 1e-14);
  kept->reset_states();
  CHECK(run_layer(kept, {.inputs = first}).outputs[0].to_doubles() == at_first.to_doubles());
  CHECK(kept->weights().size() == 3);  // the states are not among them
}

TEST_CASE("recurrent: go_backwards reads from the end and gives outputs in the order of reading") {
  const Array x = Array::of<float>({1, 3, 1}, {1, 10, 100});
  const RNN sequences(MinimalCell(), {.return_sequences = true, .go_backwards = true});
  CHECK(run_layer(sequences, {.inputs = x}).outputs[0].to_doubles() == std::vector<double>{200, 220, 222});
}

TEST_CASE("recurrent: a cell of one's own; its output need not be a state") {
  const Array x = Array::of<float>({1, 3, 1}, {1, 10, 100}), mask = Array::of<bool>({1, 3}, {false, true, false});
  const auto r = run_layer(RNN(MinimalCell(), {.return_state = true}), {.inputs = x, .masks = {mask}});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{20});
  CHECK(r.outputs[1].to_doubles() == std::vector<double>{10});
  CHECK(run_layer(RNN(MinimalCell(), {.return_sequences = true}), {.inputs = x, .masks = {mask}})
            .outputs[0]
            .to_doubles() == std::vector<double>{0, 20, 20});
}

TEST_CASE("recurrent: dropout draws once per call, for all steps alike, and only in training") {
  const Array x = Array::full({1, 6, 51}, 1.0);
  // Without recurrence each output is the sum over kept inputs, 2 each: the same even number at every step.
  const SimpleRNN layer(1, {.activation = "linear",
                            .kernel_initializer = "ones",
                            .recurrent_initializer = "zeros",
                            .dropout = 0.5,
                            .return_sequences = true,
                            .seed = 3});
  const auto y = run_layer(layer, {.inputs = x, .training = true}).outputs[0].to_doubles();
  CHECK(y == std::vector<double>(6, y[0]));
  CHECK(y[0] != 51);
  CHECK(run_layer(layer, {.inputs = x, .training = true}).outputs[0].to_doubles() != y);
  CHECK(run_layer(layer, {.inputs = x}).outputs[0].to_doubles() == std::vector<double>(6, 51.0));
  for (const LayerRef& other : {LayerRef(LSTM(2, {.dropout = 0.3, .recurrent_dropout = 0.4})),
                                LayerRef(GRU(2, {.dropout = 0.3, .recurrent_dropout = 0.4})),
                                LayerRef(GRU(2, {.dropout = 0.3, .recurrent_dropout = 0.4, .reset_after = false}))})
    CHECK(run_layer(other, {.inputs = x, .training = true}).outputs[0].to_doubles() !=
          run_layer(other, {.inputs = x}).outputs[0].to_doubles());
}

TEST_CASE("recurrent: shapes with unknown batch and time; states and stacked cells keep their structure") {
  const Tensor x = Input({None, 4});
  const auto [y, h, c] = LSTM(3, {.return_sequences = true, .return_state = true})(x).unpack<3>();
  CHECK(to_string(y.shape()) == "(None, None, 3)");
  CHECK(to_string(c.shape()) == "(None, 3)");
  const Tensor all = RNN({LSTMCell(3), GRUCell(2)}, {.return_state = true})(x);
  CHECK(all.size() == 4);
  CHECK(all.structure().list()[1].is_list());  // h, c of the LSTM cell
  CHECK(all.structure().list()[2].is_leaf());
}

TEST_CASE("recurrent: weights have Keras' paths, and the forget gate's bias starts at one") {
  const LSTM layer(2, {}, {.name = "lstm"});
  layer(Input({5, 3}));
  std::vector<std::string> paths;
  for (const auto& w : layer->weights()) paths.push_back(w->path);
  CHECK(paths ==
        std::vector<std::string>{"lstm/lstm_cell/kernel", "lstm/lstm_cell/recurrent_kernel", "lstm/lstm_cell/bias"});
  CHECK(layer->get_weights()[2].to_doubles() == std::vector<double>{0, 0, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("recurrent: config, clone and JSON agree") {
  for (const LayerRef& layer : {LayerRef(LSTM(3, {.go_backwards = true})), LayerRef(GRU(2, {.reset_after = false})),
                                LayerRef(SimpleRNN(2, {.seed = 4})), LayerRef(RNN({LSTMCell(2), GRUCell(3)}))}) {
    CHECK(Json(layer->clone()->get_config()) == Json(layer->get_config()));
    CHECK(serialize_layer(*deserialize_layer(serialize_layer(*layer))) == serialize_layer(*layer));
  }
  CHECK_FALSE(LSTM(3)->get_config().contains("use_cudnn"));
}

TEST_CASE("recurrent: what cannot be is refused with a reason") {
  CHECK_THROWS_WITH_AS(LSTM(0),
                       "LSTM: Received an invalid value for `units`, expected a positive integer. Received: units=0",
                       UsageError);
  CHECK_THROWS_WITH_AS(LSTM(2, {.use_cudnn = true}), "LSTM: use_cudnn=true is not supported; leave it at \"auto\"",
                       UsageError);
  CHECK_THROWS_WITH_AS(RNN(Dense(3, {}, {.name = "d"}), {}, {.name = "r"}),
                       "RNN 'r': Dense 'd' is not a cell; a cell derives from CellOf and says its state_size and step",
                       UsageError);
  CHECK_THROWS_WITH_AS(GRU(2, {}, {.name = "g"})(Input({4})),
                       "Input 0 of layer 'g' is incompatible with the layer: expected ndim=3, found "
                       "ndim=2. Full shape received: (None, 4)",
                       UsageError);
  CHECK_THROWS_WITH_AS(GRU(2, {.stateful = true}, {.name = "g"})(Input({4, 3})),
                       "GRU 'g': stateful = true needs a fixed batch size; got inputs of shape (None, 4, 3); use "
                       "Input({…}, {.batch_size = n})",
                       UsageError);
  const Tensor x = Input({4, 3}), h = Input({2});
  CHECK_THROWS_WITH_AS(LSTM(2, {}, {.name = "l"})(x, {.initial_state = {h}}),
                       "LSTM 'l': initial_state holds 1 tensor(s); the cell has 2 state(s)", UsageError);
  CHECK_THROWS_WITH_AS(GRU(3, {}, {.name = "g"})(x, {.initial_state = {h}}),
                       "GRU 'g': initial_state 0 has shape (None, 2); expected (None, 3)", UsageError);
  const GRU built(2, {}, {.name = "g"});
  built(x);
  CHECK_THROWS_WITH_AS(built(Input({4, 5})),
                       "GRU 'g': was built for steps of shape (3,); got inputs of shape (None, 4, 5)", UsageError);
}

TEST_CASE("recurrent: a refused call leaves the cell unbuilt too") {
  const LSTM layer(2);
  CHECK_THROWS_AS(layer(Input({4, 3}), {.initial_state = {Input({2})}}), UsageError);
  CHECK(to_string(layer(Input({4, 7})).shape()) == "(None, 2)");
}
