// Losses, metrics, optimizers and schedules as configurable objects: names, configs, refusals.
#include <doctest/doctest.h>

#include "ramet/nn/losses.h"
#include "ramet/nn/metrics.h"
#include "ramet/nn/optimizers.h"

using namespace ramet;

namespace {

template <class Interface>
void check_round_trips(const JsonObject& arguments = {}) {
  for (const auto& c : Interface::classes()) {
    CAPTURE(c.class_name);
    JsonObject own;
    if (c.class_name == "PiecewiseConstantDecay")
      own = {{"boundaries", Json(JsonArray{Json(1)})}, {"values", Json(JsonArray{Json(0.5), Json(0.25)})}};
    else if (c.class_name == "CosineDecayRestarts")
      own = {{"initial_learning_rate", Json(0.5)}, {"first_decay_steps", Json(4)}};
    else
      own = arguments;
    if (c.class_name == "ExponentialDecay" || c.class_name == "InverseTimeDecay") own.set("decay_rate", Json(0.5));
    const auto object = c.from_config(own);
    CHECK(object->class_name() == c.class_name);
    const JsonObject config = object->get_config();
    CHECK(c.from_config(config)->get_config() == config);
    for (const auto alias : c.aliases) CHECK(Object<Interface>::make(alias, own)->class_name() == c.class_name);
  }
}

}  // namespace

TEST_CASE("every loss, metric, optimizer and schedule is the same again from its config") {
  check_round_trips<LossBase>();
  check_round_trips<MetricBase>();
  check_round_trips<OptimizerBase>();
  check_round_trips<ScheduleBase>({{"initial_learning_rate", Json(0.5)}, {"decay_steps", Json(4)}});
}

TEST_CASE("objects have Keras' names and say what they are") {
  CHECK(Loss("mse")->get_config() ==
        JsonObject{{"name", Json("mean_squared_error")}, {"reduction", Json("sum_over_batch_size")}});
  CHECK(Loss(losses::Huber({.delta = 0.5}))->get_config().at("name") == Json("huber_loss"));
  CHECK(Metric("mae")->name() == "mean_absolute_error");
  CHECK(Metric(metrics::LogCoshError())->name() == "logcosh");
  CHECK(Metric(metrics::TopKCategoricalAccuracy({.k = 3, .name = "top3"}))->name() == "top3");
  CHECK(Optimizer(Adam(0.5))->get_config().at("learning_rate") == Json(0.5));
  CHECK(Optimizer(Adam({.beta_1 = 0.8}))->get_config().at("beta_1") == Json(0.8));
  CHECK(Optimizer(SGD(0.25, {.momentum = 0.5}))->get_config().at("momentum") == Json(0.5));
  CHECK(Optimizer("rmsprop")->name() == "rm_sprop");
  const Json scheduled =
      encode(Optimizer(SGD(schedules::CosineDecay(0.5, 100, {.warmup_target = 1.0, .warmup_steps = 10}))));
  CHECK(scheduled.at("config").at("learning_rate").at("class_name") == Json("CosineDecay"));
}

TEST_CASE("objects refuse what they do not know") {
  CHECK_THROWS_WITH_AS(Optimizer("adamm"),
                       "unknown optimizer 'adamm'; did you mean 'adam'? (sgd, rm_sprop, rmsprop, adam, adam_w, adamw)",
                       UsageError);
  CHECK_THROWS_AS(Loss("msee"), UsageError);
  CHECK_THROWS_AS(Reduction::from("average"), UsageError);
  CHECK_THROWS_AS(SGD(0.1, {.momentum = 2}), UsageError);
  CHECK_THROWS_AS(schedules::PiecewiseConstantDecay({1, 2}, {0.5}), UsageError);
  CHECK_THROWS_AS(Metric::make("AUC", {}), UsageError);
}
