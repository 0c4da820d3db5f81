// How much memory whole steps take.
#include <doctest/doctest.h>

#include "ramet/ramet.h"
#include "ramet/train/training.h"

using namespace ramet;

namespace {

Model images() {
  auto in = Input({28, 28, 1}, {.name = "image"});
  auto x = Conv2D(16, 3, {.activation = "relu"})(in);
  x = BatchNormalization()(MaxPooling2D(2)(x));
  x = Conv2D(32, 3, {.padding = "same", .activation = "relu"})(x);
  x = Dropout(0.25)(Flatten()(MaxPooling2D(2)(x)));
  return Model(in, Dense(10, {.activation = "softmax"})(x), {.name = "images"});
}

train::StepPlanRef plan_for(const Model& model, train::StepKind kind, std::int64_t batch) {
  train::BatchSignature signature{kind, {Spec{{batch, 28, 28, 1}}}, {Spec{{batch}, DType::i32}}, {std::nullopt}};
  if (kind == train::StepKind::predict) signature.y.clear(), signature.weight.clear();
  return train::Training::of(model.layer())->plan(model.layer(), signature);
}

}  // namespace

TEST_CASE("memory: a step of a CNN takes at most a twentieth more than what is alive at once") {
  Model model = images();
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  for (const auto kind : {train::StepKind::train, train::StepKind::test, train::StepKind::predict}) {
    const auto step = plan_for(model, kind, 32);
    const Plan& plan = step->executable->plan();
    INFO(plan.to_string());
    REQUIRE(plan.arena_bytes(0) > 0);
    CHECK(static_cast<double>(plan.arena_bytes(0)) <= 1.05 * static_cast<double>(plan.live_maximum()));
  }
}

TEST_CASE("memory: predicting takes less than training, and grows with the batch as it does") {
  Model model = images();
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  const auto bytes = [&](train::StepKind kind, std::int64_t batch) {
    return plan_for(model, kind, batch)->executable->plan().arena_bytes(0);
  };
  CHECK(bytes(train::StepKind::predict, 32) < bytes(train::StepKind::train, 32));
  CHECK(bytes(train::StepKind::train, 64) < 2.2 * static_cast<double>(bytes(train::StepKind::train, 32)));
}
