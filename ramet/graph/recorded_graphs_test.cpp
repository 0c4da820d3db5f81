// Random functional models that real Keras made, rebuilt from their configs: order, names, values, masks and gradients.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ramet/base/strings.h"
#include "ramet/graph/model.h"
#include "ramet/graph/registry.h"
#include "tests/support/recording.h"
#include "tests/support/run_layer.h"

namespace ramet {
namespace {

using Names = std::vector<std::string>;

Names strings(const Json& json) {
  Names out;
  for (const Json& item : json.as_array()) out.push_back(item.as_string());
  return out;
}

// The largest difference, in units of the largest expected magnitude (at least one).
double distance(const Array& got, const Array& expected) {
  if (got.shape() != expected.shape()) return std::numeric_limits<double>::infinity();
  double difference = 0, size = 1;
  const auto a = got.to_doubles(), b = expected.to_doubles();
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference / size;
}

TEST_CASE("recorded graphs have Keras' order, names, weights, values, masks and gradients") {
  const testing::Recording recording("graphs");
  std::size_t models = 0, gradients = 0;
  for (const Json& c : recording.cases()) {
    CAPTURE(c.at("seed").as_int());
    std::shared_ptr<ModelLayer> layer;
    try {
      layer = std::dynamic_pointer_cast<ModelLayer>(deserialize_layer(c.at("config")));
    } catch (const Error& error) {
      FAIL_CHECK("not rebuilt: ", std::string(error.what()));
      continue;
    }
    const Model model(layer);
    ++models;
    Names layers, operations, paths;
    for (const auto& l : model.layers()) layers.push_back(l->name());
    for (const auto& op : layer->graph().operations()) operations.push_back(op->name());
    for (const auto& v : model.weights()) paths.push_back(v->path);
    CHECK(layers == strings(c.at("layers")));
    CHECK(operations == strings(c.at("operations")));
    CHECK(model.output_names() == strings(c.at("output_names")));
    CHECK(join(paths) == join(strings(c.at("weight_paths"))));
    CHECK(Model::from_json(model.to_json()).to_json() == model.to_json());

    try {
      layer->set_weights(recording.arrays(c.at("weights")));
      Nest<Array>::List inputs;
      for (const Json& input : c.at("inputs").as_array())
        inputs.push_back(Nest<Array>(recording.array(input.at("value"))));
      testing::LayerCall call{.inputs = Nest<Array>(std::move(inputs))};
      const bool with_gradients = c.as_object().contains("d_weights") && !c.at("d_weights").is_null();
      if (with_gradients) call.seeds = recording.arrays(c.at("r"));
      const auto result = testing::run_layer(layer, call);

      const auto& outputs = c.at("outputs").as_array();
      REQUIRE(result.outputs.size() == outputs.size());
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        CAPTURE(i);
        CHECK(distance(result.outputs[i], recording.array(outputs[i])) < 2e-5);
        const Json& mask = c.at("output_masks").as_array()[i];
        CHECK(result.masks[i].defined() == !mask.is_null());
        if (result.masks[i].defined() && !mask.is_null()) CHECK(distance(result.masks[i], recording.array(mask)) == 0);
      }
      if (!with_gradients) continue;
      ++gradients;
      // Recorded for all weights, null where Keras has none; ours are those of the trainable ones.
      std::size_t at = 0;
      const auto trainable = model.trainable_weights();
      const auto all = model.weights();
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::find(trainable.begin(), trainable.end(), all[i]) == trainable.end()) continue;
        const Json& expected = c.at("d_weights").as_array()[i];
        CAPTURE(all[i]->path);
        if (!expected.is_null()) CHECK(distance(result.weight_gradients[at], recording.array(expected)) < 1e-4);
        ++at;
      }
    } catch (const Error& error) { FAIL_CHECK("not run: ", std::string(error.what())); }
  }
  MESSAGE(models, " models, ", gradients, " with gradients");
  CHECK(models == recording.cases().size());
}

}  // namespace
}  // namespace ramet
