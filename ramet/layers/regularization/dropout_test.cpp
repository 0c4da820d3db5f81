#include "ramet/layers/regularization/dropout.h"

#include <doctest/doctest.h>

#include <cmath>

#include "ramet/layers/regularization/noise.h"
#include "tests/support/run_layer.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

constexpr int kCount = 100'000;

Arrays train(const LayerRef& layer, const Array& x) {
  return run_layer(layer, {.inputs = x, .training = true}).outputs;
}

double mean(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

double deviation(const std::vector<double>& v) {
  const double m = mean(v);
  double sum = 0;
  for (const double x : v) sum += (x - m) * (x - m);
  return std::sqrt(sum / static_cast<double>(v.size()));
}

// Five standard errors of a mean of kCount numbers with this deviation: wrong once in two million seeds, and the seeds
// are fixed.
double five_errors(double sigma) { return 5 * sigma / std::sqrt(kCount); }

}  // namespace

TEST_CASE("Dropout drops the rate and scales up the rest") {
  const auto y = train(Dropout(0.25, {.seed = 7}), Array::full({kCount}, 3))[0].to_doubles();
  double dropped = 0;
  for (const double v : y) {
    dropped += v == 0;
    CHECK_MESSAGE((v == 0 || v == 4), v);
    if (v != 0 && v != 4) break;
  }
  CHECK(std::abs(dropped / kCount - 0.25) < five_errors(std::sqrt(0.25 * 0.75)));
}

TEST_CASE("Dropout does nothing outside training, nor with rate 0; rate 1 leaves zeros") {
  const Array x = Array::arange(10);
  CHECK(run_layer(Dropout(0.5), {.inputs = x}).outputs[0].identical(x));
  CHECK(train(Dropout(0.0), x)[0].identical(x));
  CHECK(train(Dropout(1.0), x)[0].identical(Array::zeros({10})));
}

TEST_CASE("Dropout: the seed decides, and every call draws anew") {
  const Array x = Array::full({64}, 1);
  const Dropout a(0.5, {.seed = 3}), b(0.5, {.seed = 3}), c(0.5, {.seed = 4});
  const Array first = train(a, x)[0], second = train(a, x)[0];
  CHECK_FALSE(first.identical(second));
  CHECK(first.identical(train(b, x)[0]));
  CHECK_FALSE(first.identical(train(c, x)[0]));
  CHECK(a->weights().empty());
}

TEST_CASE("Dropout: noise_shape shares a decision along axes of size 1") {
  const Array y = train(Dropout(0.5, {.noise_shape = {{std::nullopt, 1}}, .seed = 1}), Array::full({50, 4}, 1))[0];
  for (int i = 0; i < 50; ++i)
    for (int j = 1; j < 4; ++j) CHECK(y.at({i, j}) == y.at({i, 0}));
  CHECK_THROWS_AS(train(Dropout(0.5, {.noise_shape = {{3, 1}}}), Array::full({50, 4}, 1)), UsageError);
}

TEST_CASE("Dropout's gradient is its mask") {
  const Array x = Array::full({1000}, 1), r = Array::full({1000}, 1);
  const auto result = run_layer(Dropout(0.5, {.seed = 9}), {.inputs = x, .training = true, .seeds = {r}});
  CHECK(result.input_gradients[0].identical(result.outputs[0]));
}

TEST_CASE("SpatialDropout drops whole channels") {
  const Array line = train(SpatialDropout1D(0.5, {.seed = 2}), Array::full({3, 5, 8}, 1))[0];
  const Array image = train(SpatialDropout2D(0.5, {.seed = 2}), Array::full({3, 4, 5, 8}, 1))[0];
  const Array first =
      train(SpatialDropout2D(0.5, {.data_format = "channels_first", .seed = 2}), Array::full({3, 8, 4, 5}, 1))[0];
  for (int b = 0; b < 3; ++b)
    for (int c = 0; c < 8; ++c)
      for (int t = 0; t < 4; ++t) {
        CHECK(line.at({b, t, c}) == line.at({b, 0, c}));
        CHECK(image.at({b, t, t + 1, c}) == image.at({b, 0, 0, c}));
        CHECK(first.at({b, c, t, t + 1}) == first.at({b, c, 0, 0}));
      }
}

TEST_CASE("AlphaDropout keeps mean 0 and deviation 1") {
  const Array x = Array::random_normal({kCount});
  const auto y = train(AlphaDropout(0.3, {.seed = 5}), x)[0].to_doubles();
  CHECK(std::abs(mean(y)) < five_errors(1) + std::abs(mean(x.to_doubles())));
  CHECK(std::abs(deviation(y) - 1) < 0.02);
}

TEST_CASE("GaussianNoise and GaussianDropout have the deviation asked for") {
  const auto noise = train(GaussianNoise(0.5, {.seed = 1}), Array::full({kCount}, 2))[0].to_doubles();
  CHECK(std::abs(mean(noise) - 2) < five_errors(0.5));
  CHECK(std::abs(deviation(noise) - 0.5) < five_errors(0.5));
  const auto dropout =
      train(GaussianDropout(0.2, {.seed = 1}), Array::full({kCount}, 2))[0].to_doubles();  // 2·N(1, 0.25)
  CHECK(std::abs(mean(dropout) - 2) < five_errors(1));
  CHECK(std::abs(deviation(dropout) - 1) < five_errors(1));
}

TEST_CASE("ActivityRegularization adds its penalty per sample") {
  const ActivityRegularization layer({.l1 = 0.5, .l2 = 0.25});
  Program program;
  Trace trace(program, true);
  layer->prepare({{Nest<Spec>(Spec{{2, 2}, DType::f32})}, {}});
  const Value x = program.input("x", {{2, 2}, DType::f32});
  layer->trace(trace, {{TracedNest(Traced{x, {}})}, {}});
  CHECK(trace.losses.size() == 1);
}
