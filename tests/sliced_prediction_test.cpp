// Prediction of images in parts of the batch: the same numbers as image by image.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "ramet/ramet.h"
#include "ramet/train/training.h"

using namespace ramet;

namespace {

constexpr std::int64_t kRows = 12;

Array images() {
  Array x({kRows, 32, 32, 16});
  for (std::int64_t i = 0; i < x.size(); ++i)
    x.data<float>()[static_cast<std::size_t>(i)] = static_cast<float>(i * 7919 % 1009) / 1009.0f - 0.5f;
  return x;
}

Array row(const Array& all, std::int64_t i) {
  Shape shape = all.shape();
  shape[0] = 1;
  Array out(shape);
  std::copy_n(all.data<float>().begin() + i * out.size(), out.size(), out.data<float>().begin());
  return out;
}

bool same(const Array& a, const Array& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw(), b.raw(), a.byte_size()) == 0;
}

std::int64_t slices_of(const Model& model) {
  const train::BatchSignature signature{train::StepKind::predict, {Spec{{kRows, 32, 32, 16}}}, {}, {}};
  return train::Training::of(model.layer())->plan(model.layer(), signature)->slices;
}

Tensor block(Tensor in) {
  auto x = Conv2D(48, 3, {.padding = "same", .use_bias = false})(in);
  x = ReLU()(BatchNormalization()(x));
  auto y = DepthwiseConv2D(3, {.padding = "same"})(x);
  return MaxPooling2D(2)(Add()({x, y}));
}

}  // namespace

TEST_CASE("sliced prediction: several outputs, each row as it comes alone") {
  auto in = Input({32, 32, 16});
  auto x = block(in);
  auto pooled = GlobalAveragePooling2D()(x);
  const Model model(in, {Dense(5, {.activation = "softmax"})(pooled), x});
  CHECK(slices_of(model) > 1);
  const Array data = images();
  const auto whole = model.predict_on_batch(data);
  const auto batches = model.predict(data, {.batch_size = kRows});
  Predictor predictor = model.predictor({{kRows, 32, 32, 16}});
  Array first({kRows, 5}), second(whole[1].shape());
  const void* from[] = {data.raw()};
  void* to[] = {first.raw(), second.raw()};
  for (int again = 0; again < 2; ++again) predictor.run(from, to);
  for (std::int64_t i = 0; i < kRows; ++i) {
    const auto alone = model.predict_on_batch(row(data, i));
    for (const Array& all : {whole[0], batches[0], first}) CHECK(same(row(all, i), alone[0]));
    for (const Array& all : {whole[1], batches[1], second}) CHECK(same(row(all, i), alone[1]));
  }
}

TEST_CASE("sliced prediction: a model whose rows meet is not cut") {
  auto in = Input({32, 32, 16});
  const Model model(in, Lambda([](Value x) { return x - ops::reduce_mean(x, {0}, true); })(block(in)));
  CHECK(slices_of(model) == 1);
  const Array y = model.predict_on_batch(images())[0];
  double sum = 0;
  for (std::int64_t i = 0; i < kRows; ++i) sum += static_cast<double>(row(y, i).data<float>()[3]);
  CHECK(std::abs(sum) < 1e-4);  // what is left after the mean over the batch was taken off
}

TEST_CASE("sliced prediction: a profile counts the whole batch") {
  auto in = Input({32, 32, 16});
  const Model model(in, block(in));
  const Array data = images();
  CHECK(inspect(model, data).slices == slices_of(model));
  double flops = 0, alone = 0;
  for (const auto& step : profile(model, data, {}, 1).steps) flops += step.flops;
  for (const auto& step : profile(model, row(data, 0), {}, 1).steps) alone += step.flops;
  CHECK(flops == doctest::Approx(kRows * alone));
}
