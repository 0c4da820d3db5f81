// Gradients of the layers whose numbers depend on a mask, against differences, in double precision.
#include <doctest/doctest.h>

#include <cmath>

#include "ramet/array/random.h"
#include "ramet/layers/layers.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

// f = Σ y·r. The central difference (f(x+h) - f(x-h)) / 2h errs by about h² (cut off) and ε·|f|/h (rounding): 1e-10 and
// 1e-10 for h = 1e-5; 1e-7 leaves room for third derivatives.
void check_gradient(const LayerRef& layer, const Array& x, const Array& mask, const Shape& out, bool training) {
  const Array r = Array::random_normal(out).astype(DType::f64);
  const auto f = [&](const Array& at) {
    const auto y = run_layer(layer, {.inputs = at, .masks = {mask}, .training = training}).outputs[0].to_doubles();
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * r.to_doubles()[i];
    return sum;
  };
  const Array g =
      run_layer(layer, {.inputs = x, .masks = {mask}, .training = training, .seeds = {r}}).input_gradients[0];
  constexpr double h = 1e-5;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.size()); ++i) {
    Array more = x.copy(), less = x.copy();
    more.data<double>()[i] += h;
    less.data<double>()[i] -= h;
    CHECK(std::abs((f(more) - f(less)) / (2 * h) - g.to_doubles()[i]) < 1e-7);
  }
}

const Array kMask = Array::of<bool>({2, 3}, {true, true, false, false, true, false});

}  // namespace

TEST_CASE("masked gradients: pooling and batch statistics") {
  set_random_seed(5);
  const LayerOptions f64{.dtype = "float64"};
  // What the mask lets through of each channel lies apart: statistics of nearly equal numbers have huge derivatives.
  const Array x = Array::of<double>({2, 3, 2}, {0.3, -1.2, 1.1, 0.8, -0.7, 0.4, 0.9, -0.5, -1.3, 1.6, 0.2, -0.9});
  check_gradient(GlobalAveragePooling1D({}, f64), x, kMask, {2, 2}, false);
  check_gradient(BatchNormalization({}, f64), x, kMask, {2, 3, 2}, true);
  check_gradient(BatchNormalization({.epsilon = 0.1, .center = false}, f64), x, kMask, {2, 3, 2}, true);
  check_gradient(Masking(0.0, f64), x, kMask, {2, 3, 2}, false);
}
