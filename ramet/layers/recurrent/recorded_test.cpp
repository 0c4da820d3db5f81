// What the test of all recorded layers (recorded_cases_test.cpp) leaves out: weight paths, layers that keep state, and
// masked calls where Keras on JAX, which made the recordings, departs from Keras on TensorFlow.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ramet/backend/backend.h"
#include "ramet/layers/recurrent/recurrent.h"
#include "tests/support/layer_case.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// Float32 on both sides, sums taken in other orders. An output is a chain of at most 8 steps; a step is a few dot
// products of at most 16 terms of size about 1 and activations with slope at most 1: 8 · 4 · 16 · 2⁻²⁴ ≈ 3e-5 of the
// largest magnitude in the tensor.
constexpr double kTolerance = 3e-5;

// Largest difference, relative to the largest magnitude (at least 1).
double distance(const Array& got, const Array& want) {
  if (got.shape() != want.shape()) return INFINITY;
  const auto a = got.to_doubles(), b = want.to_doubles();
  double scale = 1, worst = 0;
  for (const double v : b) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::isfinite(a[i]) ? std::abs(a[i] - b[i]) : INFINITY);
  return worst / scale;
}

// A sequence output with zeros in place of the masked steps. The rows of a backward layer lie in the order of reading.
Array only_valid(const Array& y, const Array& mask, bool backwards) {
  if (!mask.defined() || y.shape().size() < 3) return y;
  Array out = y.copy();
  const auto m = mask.to_doubles();
  const auto steps = y.dim(1), width = y.dim(2);
  for (std::int64_t b = 0; b < y.dim(0); ++b)
    for (std::int64_t t = 0; t < steps; ++t)
      if (m[static_cast<std::size_t>(b * steps + (backwards ? steps - 1 - t : t))] == 0)
        std::fill_n(out.data<float>().data() + (b * steps + t) * width, width, 0.0F);
  return out;
}

}  // namespace

TEST_CASE("recorded: recurrent and attention layers name their weights as Keras does") {
  for (const char* file : {"layer_random", "layer_attention"}) {
    const Recording recording(file);
    for (const Json& json : recording.cases()) {
      const LayerCase recorded = read_random_case(recording, json);
      // Windows larger than the input, which Keras lets through on real tensors, are refused.
      bool empty = false;
      for (const Array& y : recorded.outputs) empty = empty || y.size() == 0;
      if (empty || json.at("weight_paths").as_array().empty()) continue;
      const LayerRef layer = deserialize_layer(json.at("config"));
      layer->prepare(specs_of(recorded.call));
      std::vector<std::string> got, want;
      for (const auto& w : layer->weights()) got.push_back(w->path);
      for (const Json& path : json.at("weight_paths").as_array()) want.push_back(path.as_string());
      CHECK(got == want);
    }
  }
}

TEST_CASE("recorded: layers that keep state, and masked calls where backends of Keras disagree") {
  const Recording recording("layer_random");
  int line = 0, stateful = 0, quirks = 0;
  for (const Json& json : recording.cases()) {
    ++line;
    const Json *second = json.as_object().find("second_outputs"), *quirk = json.as_object().find("quirk");
    const bool is_quirk = quirk && !quirk->is_null();
    if (!second && !is_quirk) continue;
    stateful += second != nullptr;
    quirks += is_quirk;
    for (const Backend* backend : {&cpu_backend(), &reference_backend()}) {
      CAPTURE(line);
      const LayerCase recorded = read_random_case(recording, json);
      const LayerRef layer = deserialize_layer(json.at("config"));
      layer->prepare(specs_of(recorded.call));
      layer->set_weights(recorded.weights);
      LayerCall call = recorded.call;
      call.seeds = {};
      Array valid = call.masks.empty() ? Array() : call.masks[0];
      for (const auto& [key, value] : call.kwargs)
        if (key == "mask") valid = value.leaf();
      const auto* recurrent = dynamic_cast<layers::Recurrent*>(layer.get());
      // Before the first valid step JAX repeats the state, the rule says zeros; unrolled it forgets
      // zero_output_for_mask.
      const auto compare = [&](const Arrays& got, const Arrays& want, bool all) {
        const bool backwards = recurrent && recurrent->loop_options().go_backwards;
        for (std::size_t i = 0; i < want.size(); ++i)
          CHECK(distance(all ? got[i] : only_valid(got[i], valid, backwards),
                         all ? want[i] : only_valid(want[i], valid, backwards)) <= kTolerance);
      };
      compare(run_layer(layer, call, *backend).outputs, recorded.outputs, !is_quirk);
      if (second) compare(run_layer(layer, call, *backend).outputs, recording.arrays(*second), false);
    }
  }
  CHECK(stateful == 9);
  CHECK(quirks > 5);
}
