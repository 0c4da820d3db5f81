// Six models trained for 50 steps beside real Keras (tests/data/training_runs).
//
// Keras was run in float32 and in float64; the distance of the two says what rounding alone does to a run. Ours is
// judged by its own distance from the float64 run, in units of Keras' distance: the same order of magnitude is as good
// as float32 gets.
#include <doctest/doctest.h>

#include <cmath>

#include "ramet/ramet.h"
#include "tests/support/recording.h"
#include "tests/support/run_distance.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

const Recording& runs() {
  static const Recording recording("training_runs");
  return recording;
}

struct Worst {
  double value = 0;
  std::string where;
  void add(double v, const std::string& what) {
    if (v > value) value = v, where = what;
  }
};

constexpr double kAllowed = 3;

}  // namespace

TEST_CASE("training runs follow Keras for 50 steps") {
  for (const Json& run : runs().cases()) {
    const std::string name = run.at("name").as_string();
    CAPTURE(name);
    Model model = Model::from_json(run.at("config").dump());
    model.set_weights(runs().arrays(run.at("initial")));
    model.compile_from_config(run.at("compile").as_object());
    const Json &f32 = run.at("float32"), &f64 = run.at("float64");
    Worst worst;

    const auto feed = [&](const Json& batch, const char* key) {
      const Json* found = batch.as_object().find(key);
      return found && !found->is_null() ? Feed(runs().arrays(*found)) : Feed();
    };
    const auto& batches = run.at("batches").as_array();
    std::map<std::string, std::vector<double>> logs;
    for (int step = 0; step < 50; ++step) {
      const Json& batch = batches[static_cast<std::size_t>(step) % batches.size()];
      for (const auto& [key, value] :
           model.train_on_batch(feed(batch, "x"), feed(batch, "y"), feed(batch, "sample_weight")))
        logs[key].push_back(value);
      const std::string done = std::to_string(step + 1);
      if (!f32.at("weights_after").as_object().contains(done)) continue;
      const Arrays w = model.get_weights(), a = runs().arrays(f32.at("weights_after").at(done)),
                   b = runs().arrays(f64.at("weights_after").at(done));
      for (std::size_t i = 0; i < w.size(); ++i) {
        const std::string path = run.at("weight_paths").as_array()[i].as_string();
        if (path.find("key/bias") != std::string::npos)
          continue;  // its true gradient is 0: Adam makes steps of rounding noise
        worst.add(ratio(w[i].to_doubles(), a[i].to_doubles(), b[i].to_doubles()), cat(path, " after ", done));
      }
    }
    for (const auto& [key, value] : f32.at("logs").as_object()) {
      INFO(key);
      REQUIRE(logs.contains(key));
      const auto a = runs().array(value).to_doubles(), b = runs().array(f64.at("logs").at(key)).to_doubles();
      // An accuracy is a count; it is the same unless a prediction lies on the edge.
      if (key.ends_with("accuracy"))
        CHECK(distance(logs[key], a) < 1e-6);
      else
        worst.add(ratio(logs[key], a, b), key);
    }
    CHECK(logs.size() == f32.at("logs").as_object().size());

    const Arrays predictions = model.predict(feed(batches[0], "x"));
    const Arrays a = runs().arrays(f32.at("predictions")), b = runs().arrays(f64.at("predictions"));
    for (std::size_t i = 0; i < predictions.size(); ++i)
      worst.add(ratio(predictions[i].to_doubles(), a[i].to_doubles(), b[i].to_doubles()), "predictions");
    const Logs final = model.evaluate(feed(batches[0], "x"), feed(batches[0], "y"),
                                      {.verbose = 0, .sample_weight = feed(batches[0], "sample_weight")});
    for (const auto& [key, value] : f32.at("evaluate").as_object())
      worst.add(ratio({final[key]}, {value.as_double()}, {f64.at("evaluate").at(key).as_double()}), "evaluate " + key);

    const VariableRefs state = model.optimizer_variables();
    const auto& recorded = f32.at("optimizer_state").as_array();
    REQUIRE(state.size() == recorded.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
      const std::string path = recorded[i].at("path").as_string();
      CHECK(state[i]->path == path);
      if (path.find("key_bias") != std::string::npos) continue;
      worst.add(ratio(state[i]->value().to_doubles(), runs().array(recorded[i].at("value")).to_doubles(),
                      runs().array(f64.at("optimizer_state").as_array()[i].at("value")).to_doubles()),
                path);
    }
    MESSAGE(name << ": at most " << worst.value << " times Keras' own rounding (" << worst.where << ")");
    CHECK(worst.value < kAllowed);
  }
}

TEST_CASE("training runs: the mask reaches metrics") {
  for (const Json& run : runs().cases()) {
    const Json* masked = run.at("float32").as_object().find("masked_accuracy");
    if (!masked) continue;
    Model model = Model::from_json(run.at("config").dump());
    model.set_weights(runs().arrays(run.at("initial")));
    model.compile_from_config(run.at("compile").as_object());
    model.compile({.optimizer =
                       [&] {
                         Optimizer o;
                         decode(run.at("compile").at("optimizer"), o);
                         return o;
                       }(),
                   .metrics = {"sparse_categorical_accuracy"}});
    const auto want = runs().array(*masked).to_doubles();
    const auto& batches = run.at("batches").as_array();
    for (std::size_t step = 0; step < 50; ++step) {
      const Json& batch = batches[step % batches.size()];
      const Logs logs = model.train_on_batch(runs().arrays(batch.at("x")), runs().arrays(batch.at("y")));
      CHECK(logs["sparse_categorical_accuracy"] == doctest::Approx(want[step]).epsilon(1e-6));
    }
  }
}
