// Training goes on from a file (tests/data/resume): models that Keras trained for two epochs and saved, with every
// optimizer, end their third epoch where Keras ends it.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "ramet/ramet.h"
#include "tests/support/recording.h"
#include "tests/support/run_distance.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

const Recording& recording() {
  static const Recording recorded("resume");
  return recorded;
}

std::string file_of(const Json& run) { return cat(RAMET_TEST_DATA, "/resume/", run.at("file").as_string(), ".keras"); }

Feed feed(const Json& run, const char* key) {
  const Json& arrays = run.at(key);
  return arrays.is_null() ? Feed() : Feed(recording().arrays(arrays));
}

// Epochs `first` to `last`, counted from 0, in the order of the data.
Logs fit(Model& model, const Json& run, std::int64_t first, std::int64_t last) {
  const History history = model.fit(feed(run, "x"), feed(run, "y"),
                                    {.batch_size = run.at("batch_size").as_int(),
                                     .epochs = last,
                                     .verbose = 0,
                                     .shuffle = false,
                                     .sample_weight = feed(run, "sample_weight"),
                                     .initial_epoch = first});
  Logs out;
  for (const auto& [name, values] : history.history) out.set(name, values.back());
  return out;
}

Arrays state_of(const Model& model) {
  Arrays out = model.get_weights();
  for (const auto& v : model.optimizer_variables()) out.push_back(v->value());
  return out;
}

constexpr double kAllowed = 3;

}  // namespace

TEST_CASE("resume: the third epoch of a model that Keras saved after two ends where Keras ends it") {
  double worst = 0;
  for (const Json& run : recording().cases()) {
    CAPTURE(run.at("file").as_string());
    Model model = load_model(file_of(run));
    CHECK(model.layer().file_info.warnings.empty());
    const Json &f32 = run.at("float32"), &f64 = run.at("float64");
    const Logs logs = fit(model, run, 2, 3);

    const Arrays state = state_of(model);
    const auto &single = f32.at("state").as_array(), &exact = f64.at("state").as_array();
    REQUIRE(state.size() == single.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
      CAPTURE(single[i].at("path").as_string());
      const double r = ratio(state[i].to_doubles(), recording().array(single[i].at("value")).to_doubles(),
                             recording().array(exact[i].at("value")).to_doubles());
      CHECK(r < kAllowed);
      worst = std::max(worst, r);
    }
    CHECK(logs.size() == f32.at("logs").as_object().size());
    for (const auto& [name, value] : f32.at("logs").as_object()) {
      CAPTURE(name);
      // Recorded with JAX, where the losses of single outputs count batches by their size (docs/differences.md).
      if (name.ends_with("_loss")) continue;
      CHECK(ratio({logs[name]}, {value.as_double()}, {f64.at("logs").at(name).as_double()}) < kAllowed);
    }
  }
  MESSAGE("at most " << worst << " times Keras' own rounding");
}

TEST_CASE("resume: every optimizer and every schedule is among the files") {
  std::set<std::string> found;
  for (const Json& run : recording().cases()) {
    const Json optimizer = load_model(file_of(run)).get_compile_config().at("optimizer");
    found.insert(optimizer.at("class_name").as_string());
    if (const Json& rate = optimizer.at("config").at("learning_rate"); rate.is_object())
      found.insert(rate.at("class_name").as_string());
  }
  for (const auto& c : OptimizerBase::classes()) CHECK(found.contains(std::string(c.class_name)));
  for (const auto& c : ScheduleBase::classes()) CHECK(found.contains(std::string(c.class_name)));
}

TEST_CASE("resume: two epochs with a file between them are the two epochs without it, bit by bit") {
  for (const Json& run : recording().cases()) {
    CAPTURE(run.at("file").as_string());
    Model at_once = load_model(file_of(run));
    // The averages become the weights when fit ends, so for them two calls of fit are what is to be repeated.
    if (at_once.get_compile_config().at("optimizer").at("config").at("use_ema") == Json(true)) {
      fit(at_once, run, 2, 3);
      fit(at_once, run, 3, 4);
    } else {
      fit(at_once, run, 2, 4);
    }
    Model model = load_model(file_of(run));
    fit(model, run, 2, 3);
    model = load_model(save_to_memory(model));
    fit(model, run, 3, 4);
    const Arrays a = state_of(at_once), b = state_of(model);
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i].to_doubles() == b[i].to_doubles());
  }
}
