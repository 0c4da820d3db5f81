#include "ramet/layers/core/dense.h"

#include <doctest/doctest.h>

#include "ramet/graph/input.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

TEST_CASE("Dense: x·kernel + bias over the last axis") {
  const Dense dense(2, {.kernel_initializer = initializers::Constant(0.5), .bias_initializer = "ones"});
  const auto r = run_layer(dense, {.inputs = Array::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  CHECK(r.outputs[0].to_doubles() == std::vector<double>{4, 4, 8.5, 8.5});
}

TEST_CASE("Dense: a unit count of zero is refused by name") {
  CHECK_THROWS_WITH_AS(Dense(0),
                       "Dense: Received an invalid value for `units`, expected a positive integer. Received: units=0",
                       UsageError);
}

TEST_CASE("Dense: symbolic shapes keep the unknown batch") {
  const Tensor y = Dense(8, {.activation = "relu"})(Input({None, 4}));
  CHECK(to_string(y.shape()) == "(None, None, 8)");
}
