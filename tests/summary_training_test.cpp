#include <doctest/doctest.h>

#include "ramet/ramet.h"

using namespace ramet;

TEST_CASE("after the first training step the summary knows the optimizer") {
  auto x = Input({32}, {.name = "x"});
  Model model(x, Dense(16)(x));
  model.compile({.optimizer = "adam", .loss = "mse"});
  CHECK_FALSE(model.summary_table({}).optimizer.has_value());
  model.train_on_batch(Array::zeros({2, 32}), Array::zeros({2, 16}));
  REQUIRE(model.summary_table({}).optimizer.has_value());
  CHECK(model.summary_table({}).optimizer->count == 2 * 528 + 2);
  CHECK(model.summary_table({}).total.count == 3 * 528 + 2);
}
