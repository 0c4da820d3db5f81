// Recurrent layers, wrappers and attention against recorded values of real Keras (tests/data).
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ramet/backend/backend.h"
#include "ramet/graph/registry.h"
#include "ramet/layers/recurrent/recurrent.h"
#include "tests/support/recording.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

const std::vector<std::string> kClasses = {"RNN", "SimpleRNN", "LSTM", "GRU", "SimpleRNNCell", "LSTMCell", "GRUCell", "StackedRNNCells", "Bidirectional", "TimeDistributed",
                                           "Attention", "MultiHeadAttention"};

// Float32 on both sides, sums taken in other orders. An output is a chain of at most 8 steps; a step is a few dot products of at most
// 16 terms of size about 1 and activations with slope at most 1: 8 · 4 · 16 · 2⁻²⁴ ≈ 3e-5 of the largest magnitude in the tensor.
// Gradients run through the chain twice, and sum over steps and batch (at most 32 terms): four times that.
constexpr double kOutput = 3e-5, kGradient = 1.2e-4;

// Largest difference, relative to the largest magnitude (at least 1).
double distance(const Array& got, const Array& want) {
  if (got.shape() != want.shape()) return INFINITY;
  const auto a = got.to_doubles(), b = want.to_doubles();
  double scale = 1, worst = 0;
  for (const double v : b) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::isfinite(a[i]) ? std::abs(a[i] - b[i]) : INFINITY);
  return worst / scale;
}

Nest<Array> nest(const Recording& recording, const Json& json) {
  if (json.is_null()) return {};
  if (json.is_object() && json.as_object().contains("offset")) return recording.array(json);
  if (!json.is_array()) return Nest<Array>(json);
  Nest<Array>::List list;
  for (const Json& item : json.as_array()) list.push_back(nest(recording, item));
  return Nest<Array>(std::move(list));
}

// Rows [batch, step] of a sequence output where the mask is true; everything else becomes zero.
Array only_valid(const Array& y, const Array& mask, bool backwards) {
  if (y.shape().size() < 3 || y.dim(0) != mask.dim(0) || y.dim(1) != mask.dim(1)) return y;
  Array out = y.copy();
  const auto m = mask.to_doubles();
  const auto width = y.size() / (y.dim(0) * y.dim(1));
  const auto steps = y.dim(1);
  for (std::int64_t b = 0; b < y.dim(0); ++b)
    for (std::int64_t t = 0; t < steps; ++t)
      if (m[static_cast<std::size_t>(b * steps + (backwards ? steps - 1 - t : t))] == 0) std::fill_n(out.data<float>().data() + (b * steps + t) * width, width, 0.0F);
  return out;
}

bool ours(const std::string& name) { return std::find(kClasses.begin(), kClasses.end(), name) != kClasses.end(); }

}  // namespace

TEST_CASE("recorded: Keras' own tests of sequence layers give the same outputs") {
  const Recording recording("layer_cases");
  for (const Json& c : recording.cases()) {
    const std::string& name = c.at("class").as_string();
    if (!ours(name)) continue;
    for (const Backend* backend : {&cpu_backend(), &reference_backend()}) {
      CAPTURE(c.at("id").dump());
      const LayerRef layer = deserialize_layer(c.at("config"));
      const Arrays in = recording.arrays(c.at("in"));
      LayerCall call;
      if (in.size() == 1) call.inputs = in[0];
      else if (c.at("inputs").as_array()[0].as_string() == "0") call.inputs = Nest<Array>(Nest<Array>::List(in.begin(), in.end()));
      else call.inputs = in[0], call.more.assign(in.begin() + 1, in.end());
      run_layer(layer, call, *backend);  // builds
      layer->set_weights(recording.arrays(c.at("weights")));
      const auto result = run_layer(layer, call, *backend);
      const Arrays want = nest(recording, c.at("out")).flatten();
      REQUIRE(result.outputs.size() == want.size());
      for (std::size_t i = 0; i < want.size(); ++i) CHECK(distance(result.outputs[i], want[i]) <= kOutput);
    }
  }
}

TEST_CASE("recorded: sequence layers with random arguments: paths, outputs, masks, gradients, state") {
  const Recording recording("layer_random");
  std::map<std::string, int> count;
  int number = 0;
  for (const Json& c : recording.cases()) {
    const std::string& name = c.at("class").as_string();
    ++number;
    if (!ours(name)) continue;
    // The wrapped class may live on another branch yet.
    const Json& config = c.at("config");
    try {
      deserialize_layer(config);
    } catch (const DataError& error) {
      MESSAGE("case ", number, " ", name, " left out: ", error.what());
      continue;
    }
    // Keras' sparsemax is wrong for rows with more than one winner (they sum to less than 1); ours is the published one.
    if (config.dump().find("sparsemax") != std::string::npos) continue;
    ++count[name];
    const bool quirk = c.as_object().contains("quirk") && !c.at("quirk").is_null();
    for (const Backend* backend : {&cpu_backend(), &reference_backend()}) {
      CAPTURE(number);
      CAPTURE(name);
      const LayerRef layer = deserialize_layer(config);
      LayerCall call;
      const auto& args = c.at("args").as_array();
      call.inputs = nest(recording, args[0]);
      for (std::size_t i = 1; i < args.size(); ++i) call.more.push_back(nest(recording, args[i]));
      Array valid;
      for (const auto& [key, value] : c.at("kwargs").as_object()) {
        if (value.is_null()) continue;
        call.kwargs.emplace_back(key, nest(recording, value));
        if (key == "mask") valid = recording.array(value);
      }
      if (!c.at("masks").is_null())
        for (const Json& m : c.at("masks").as_array()) call.masks.push_back(m.is_null() ? Array() : recording.array(m));
      if (!valid.defined() && !call.masks.empty()) valid = call.masks[0];

      auto plain = call;
      run_layer(layer, plain, *backend);  // builds
      const VariableRefs weights = layer->weights();
      const auto& paths = c.at("weight_paths").as_array();
      REQUIRE(weights.size() == paths.size());
      for (std::size_t i = 0; i < paths.size(); ++i) CHECK(weights[i]->path == paths[i].as_string());
      layer->set_weights(recording.arrays(c.at("weights")));
      if (auto* stateful = dynamic_cast<layers::Recurrent*>(layer.get())) stateful->reset_state();

      // Where JAX departs from the rule for masked steps, only valid steps are compared (`valid` in the order of processing).
      const auto* recurrent = dynamic_cast<layers::Recurrent*>(layer.get());
      const auto compared = [&](const Array& y) { return valid.defined() ? only_valid(y, valid, recurrent && recurrent->loop_options().go_backwards) : y; };
      const bool gradients = c.as_object().contains("r") && !c.at("r").is_null() && !quirk;
      if (gradients) call.seeds = recording.arrays(c.at("r"));
      const auto result = run_layer(layer, call, *backend);
      const Arrays want = recording.arrays(c.at("outputs"));
      REQUIRE(result.outputs.size() == want.size());
      for (std::size_t i = 0; i < want.size(); ++i) {
        CAPTURE(i);
        if (quirk) CHECK(distance(compared(result.outputs[i]), compared(want[i])) <= kOutput);
        else CHECK(distance(result.outputs[i], want[i]) <= kOutput);
      }
      const auto& masks = c.at("output_masks").as_array();
      for (std::size_t i = 0; i < masks.size(); ++i) {
        CHECK(result.masks[i].defined() == !masks[i].is_null());
        if (!masks[i].is_null() && result.masks[i].defined()) CHECK(result.masks[i].to_doubles() == recording.array(masks[i]).to_doubles());
      }
      if (c.as_object().contains("second_outputs") && !c.at("second_outputs").is_null()) {
        const Arrays second = recording.arrays(c.at("second_outputs"));
        const auto again = run_layer(layer, plain, *backend);
        for (std::size_t i = 0; i < second.size(); ++i) CHECK(distance(compared(again.outputs[i]), compared(second[i])) <= kOutput);
      }
      if (!gradients) continue;
      const auto& d_inputs = c.at("d_inputs").as_array();
      std::size_t at = 0;
      for (std::size_t i = 0; i < d_inputs.size(); ++i)
        if (!d_inputs[i].is_null()) CHECK(distance(result.input_gradients.at(at++), recording.array(d_inputs[i])) <= kGradient);
      const auto& d_weights = c.at("d_weights").as_array();
      at = 0;
      for (std::size_t i = 0; i < d_weights.size(); ++i) {
        CAPTURE(paths[i].as_string());
        if (!d_weights[i].is_null()) CHECK(distance(result.weight_gradients.at(at++), recording.array(d_weights[i])) <= kGradient);
      }
    }
  }
  for (const auto& [name, n] : count) MESSAGE(name, ": ", n, " cases");
}
