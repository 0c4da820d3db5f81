// SimpleRNN, GRU and LSTM as one op over the sequence, in float32 and around it in bfloat16, against the loop over
// steps, which float64 still is.
#include <doctest/doctest.h>

#include <cmath>

#include "ramet/layers/recurrent/gru.h"
#include "ramet/layers/recurrent/lstm.h"
#include "ramet/layers/recurrent/simple_rnn.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// The same in every type.
Array numbers(const Shape& shape, DType dtype, int start) {
  Array out(shape, DType::f64);
  int i = start;
  for (double& v : out.data<double>()) v = std::sin(1.7 * i++);
  return out.astype(DType::f32).astype(DType::bf16).astype(dtype);
}

struct Options {
  bool return_sequences, go_backwards, zero_output, masked, given_state;
};

// Outputs, then gradients of the inputs and of the weights.
template <class Layer, class Config>
Arrays run_as(const std::string& dtype, const Options& o, const Arrays& weights, std::size_t states) {
  Config config;
  config.units = 5, config.return_sequences = o.return_sequences, config.return_state = true;
  config.go_backwards = o.go_backwards, config.zero_output_for_mask = o.zero_output;
  const auto layer = std::make_shared<Layer>(config, LayerOptions{"layer", true, dtype});
  const DType type = dtype == "float64" ? DType::f64 : dtype == "bfloat16" ? DType::bf16 : DType::f32;
  LayerCall call{.inputs = numbers({3, 4, 2}, type, 1)};
  if (o.masked) call.masks = {Array::of<bool>({3, 4}, {0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0})};
  if (o.given_state) {
    Nest<Array>::List list;
    for (std::size_t i = 0; i < states; ++i) list.push_back(numbers({3, 5}, type, 50 + 20 * static_cast<int>(i)));
    call.kwargs.emplace_back("initial_state", Nest<Array>(std::move(list)));
  }
  layer->prepare(specs_of(call));
  Arrays typed;
  for (const Array& w : weights) typed.push_back(w.astype(type));
  layer->set_weights(typed);
  call.seeds.push_back(numbers(o.return_sequences ? Shape{3, 4, 5} : Shape{3, 5}, type, 200));
  for (std::size_t i = 0; i < states; ++i) call.seeds.push_back(numbers({3, 5}, type, 300 + static_cast<int>(i)));
  const LayerResult r = run_layer(layer, call);
  Arrays all = r.outputs;
  all.insert(all.end(), r.input_gradients.begin(), r.input_gradients.end());
  all.insert(all.end(), r.weight_gradients.begin(), r.weight_gradients.end());
  return all;
}

template <class Layer, class Config>
void compare(const Arrays& weights, std::size_t states) {
  for (int bits = 0; bits < 32; ++bits) {
    const Options o{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
    CAPTURE(bits);
    const Arrays one = run_as<Layer, Config>("float32", o, weights, states),
                 brain = run_as<Layer, Config>("bfloat16", o, weights, states),
                 loop = run_as<Layer, Config>("float64", o, weights, states);
    REQUIRE(one.size() == loop.size());
    REQUIRE(brain.size() == loop.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      CAPTURE(i);
      const auto a = one[i].to_doubles(), b = loop[i].to_doubles(), c = brain[i].to_doubles();
      REQUIRE(a.size() == b.size());
      REQUIRE(c.size() == b.size());
      // Brain floats are rounded once, unless the output is a state, too: then their gradients are added as brain
      // floats.
      const bool once = o.return_sequences || i <= states;
      for (std::size_t k = 0; k < a.size(); ++k) {
        const double error =
            5e-6 * std::max(1.0, std::abs(b[k]));  // sums of at most sixty terms of order one in float32
        CHECK(std::abs(a[k] - b[k]) <= error);
        if (once) CHECK(std::abs(c[k] - b[k]) <= error + std::abs(b[k]) * 0x1p-8);
      }
    }
  }
}

// How often an op stands in the program of a layer's call.
std::size_t count_op(const LayerRef& layer, std::string_view op, DType dtype = DType::f32) {
  const Spec x{{2, 3, 4}, dtype};
  layer->prepare({{Nest<Spec>(x)}, {}});
  Program program;
  Trace trace(program, true);
  layer->trace(trace, {{TracedNest(Traced{program.input("x", x), {}})}, {}});
  std::size_t count = 0;
  for (const Instr& instr : program.instrs()) count += instr.op->name == op;
  return count;
}

}  // namespace

TEST_CASE("LSTM: one op and the loop give the same outputs, states and gradients") {
  compare<layers::LSTMLayer, layers::LSTMConfig>(
      {numbers({2, 20}, DType::f32, 400), numbers({5, 20}, DType::f32, 500), numbers({20}, DType::f32, 600)}, 2);
}

TEST_CASE("GRU: one op and the loop give the same outputs, states and gradients") {
  compare<layers::GRULayer, layers::GRUConfig>(
      {numbers({2, 15}, DType::f32, 400), numbers({5, 15}, DType::f32, 500), numbers({2, 15}, DType::f32, 600)}, 1);
}

TEST_CASE("SimpleRNN: one op and the loop give the same outputs, states and gradients") {
  compare<layers::SimpleRNNLayer, layers::SimpleRNNConfig>(
      {numbers({2, 5}, DType::f32, 400), numbers({5, 5}, DType::f32, 500), numbers({5}, DType::f32, 600)}, 1);
}

TEST_CASE("SimpleRNN, LSTM, GRU: are one op where the cell is Keras' own, a loop otherwise") {
  CHECK(count_op(LSTM(3), "lstm") == 1);
  CHECK(count_op(LSTM(3, {.dropout = 0.5}), "lstm") == 1);
  CHECK(count_op(LSTM(3, {.unroll = true}), "lstm") == 1);
  CHECK(count_op(GRU(3), "gru") == 1);
  CHECK(count_op(GRU(3, {.use_bias = false}), "gru") == 1);
  CHECK(count_op(SimpleRNN(3), "simple_rnn") == 1);
  CHECK(count_op(LSTM(3, {}, {.dtype = "mixed_bfloat16"}), "lstm", DType::bf16) == 1);
  CHECK(count_op(GRU(3, {}, {.dtype = "bfloat16"}), "gru", DType::bf16) == 1);
  CHECK(count_op(SimpleRNN(3, {.activation = "relu"}), "scan") == 1);
  CHECK(count_op(SimpleRNN(3, {.recurrent_dropout = 0.5}), "scan") == 1);
  CHECK(count_op(LSTM(3, {.activation = "relu"}), "scan") == 1);
  CHECK(count_op(LSTM(3, {.recurrent_dropout = 0.5}), "scan") == 1);
  CHECK(count_op(GRU(3, {.recurrent_activation = "hard_sigmoid"}), "scan") == 1);
  CHECK(count_op(GRU(3, {.reset_after = false}), "scan") == 1);
}
