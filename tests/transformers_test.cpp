// Transformer-like models over padded sequences beside real Keras (tests/data/transformers): MultiHeadAttention takes
// masks away, so outputs, masks and losses depend on the order of execution and on what was recorded at the calls.
#include <doctest/doctest.h>

#include <cmath>

#include "ramet/ramet.h"
#include "tests/support/recording.h"
#include "tests/support/run_layer.h"

using namespace ramet;

namespace {

const ramet::testing::Recording& recording() {
  static const ramet::testing::Recording r("transformers");
  return r;
}

// The largest difference in units of the largest expected magnitude (at least one).
double distance(const Array& got, const Array& expected) {
  double size = 1;
  for (const double v : expected.to_doubles()) size = std::max(size, std::abs(v));
  return max_difference(got, expected) / size;
}

void check_outputs(const Json& c, const Model& model) {
  const auto& expected = c.at("outputs").as_array();
  const Arrays predicted = model.predict(recording().arrays(c.at("inputs")));
  REQUIRE(predicted.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(distance(predicted[i], recording().array(expected[i])) < 2e-5);
  }
}

std::vector<Array> masks_of(const Json& c, const Model& model, bool training) {
  Nest<Array>::List inputs;
  for (const Array& a : recording().arrays(c.at("inputs"))) inputs.push_back(Nest<Array>(a));
  return ramet::testing::run_layer(model.ref(), {.inputs = Nest<Array>(std::move(inputs)), .training = training}).masks;
}

Model model_of(const Json& c, const Json& config) {
  Model model = Model::from_json(config.dump());
  model.set_weights(recording().arrays(c.at("weights")));
  return model;
}

// Without the masks that Keras recorded in calls nobody passed one to: as a file that Ramet saved.
Json without_recorded_masks(const Json& json) {
  if (json.is_array()) {
    JsonArray out;
    for (const Json& item : json.as_array()) out.push_back(without_recorded_masks(item));
    return Json(std::move(out));
  }
  if (!json.is_object()) return json;
  JsonObject out;
  for (const auto& [key, value] : json.as_object()) {
    if (key == "kwargs" && value.is_object()) {
      JsonObject kwargs;
      for (const auto& [name, argument] : value.as_object())
        if (name != "mask" && name != "training") kwargs.set(name, argument);
      out.set(key, Json(std::move(kwargs)));
    } else
      out.set(key, without_recorded_masks(value));
  }
  return Json(std::move(out));
}

}  // namespace

TEST_CASE("transformers: outputs and their masks are Keras'") {
  CHECK(recording().cases().size() >= 30);
  for (const Json& c : recording().cases()) {
    CAPTURE(c.at("name").as_string());
    const Model model = model_of(c, c.at("config"));
    check_outputs(c, model);
    const auto masks = masks_of(c, model, false), training_masks = masks_of(c, model, true);
    for (std::size_t i = 0; i < masks.size(); ++i) {
      CAPTURE(i);
      const Json& expected = c.at("output_masks").as_array()[i];
      CHECK(masks[i].defined() == !expected.is_null());
      if (masks[i].defined() && !expected.is_null()) CHECK(max_difference(masks[i], recording().array(expected)) == 0);
      CHECK(training_masks[i].defined() == c.at("training_masks").as_array()[i].as_bool());
    }
  }
}

TEST_CASE("transformers: a clone, and a model whose calls record no masks, compute the same") {
  for (const Json& c : recording().cases()) {
    CAPTURE(c.at("name").as_string());
    check_outputs(c, clone_model(model_of(c, c.at("config")), {.weights = Weights::copy}));
    if (c.at("name").as_string() == "mask_by_hand") continue;  // its masks were passed
    check_outputs(c, model_of(c, without_recorded_masks(c.at("config"))));
  }
}

TEST_CASE("transformers: losses, metrics and three steps of training are Keras'") {
  std::size_t trained = 0;
  for (const Json& c : recording().cases()) {
    const Json& run = c.at("training");
    if (run.is_null()) continue;
    CAPTURE(c.at("name").as_string());
    Model model = model_of(c, c.at("config"));
    const Arrays x = recording().arrays(c.at("inputs")), y = recording().arrays(run.at("y"));
    const std::size_t outputs = y.size();
    model.compile({.optimizer = SGD(0.125),
                   .loss = std::vector<Named<LossBase>>(outputs, "mse"),
                   .metrics = std::vector<MetricArgs>(outputs, MetricArgs{"mae"}),
                   .weighted_metrics = std::vector<MetricArgs>(outputs, MetricArgs{"mse"})});
    const auto same = [](const Logs& got, const Json& expected) {
      CHECK(got.size() == expected.as_object().size());
      for (const auto& [name, value] : expected.as_object()) {
        CAPTURE(name);
        CHECK(got[name] == doctest::Approx(value.as_double()).epsilon(2e-5));
      }
    };
    same(model.evaluate(x, y, {.batch_size = x[0].dim(0), .verbose = 0}), run.at("evaluate"));
    for (const Json& step : run.at("logs").as_array()) same(model.train_on_batch(x, y), step);
    const Arrays after = model.get_weights(), expected = recording().arrays(run.at("weights_after"));
    for (std::size_t i = 0; i < after.size(); ++i) {
      CAPTURE(model.weights()[i]->path);
      CHECK(distance(after[i], expected[i]) < 2e-5);
    }
    ++trained;
  }
  CHECK(trained >= 30);
}

TEST_CASE("transformers: attention leaves masks alone for files of Keras before 3.8") {
  const auto ids = Input({4}, {.dtype = "int32", .name = "ids"});
  const auto e = Embedding(6, 3, {.mask_zero = true})(ids);
  const Model masked(ids, Dense(2)(Add()({e, MultiHeadAttention(1, 2)(e, e)})));
  const auto has_mask = [&](MaskSemantics semantics) {
    Program program;
    Trace trace(program, false, semantics);
    const Value x = program.input("x", {{2, 4}, DType::i32});
    return static_cast<bool>(masked.layer().trace(trace, TracedArgs{{TracedNest(Traced{x, {}})}, {}}).leaf().mask);
  };
  CHECK(has_mask(MaskSemantics::keras3));
  CHECK(!has_mask(MaskSemantics::keras3_8));
  CHECK(!has_mask(MaskSemantics::keras3_16));
}
