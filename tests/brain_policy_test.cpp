// Dtype policies with bfloat16: which types weights, values and results have, and what is refused.
#include <doctest/doctest.h>

#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;

namespace {

// Sets the policy of the process for a test.
struct WithPolicy {
  explicit WithPolicy(const std::string& name) { set_dtype_policy(name); }
  ~WithPolicy() { set_dtype_policy("float32"); }
};

Model mlp(const std::string& dtype) {
  const Tensor x = Input({6}, {.name = "x"});
  const Tensor h = Dense(32, {.activation = "relu"}, {.name = "h", .dtype = dtype})(x);
  return Model(x, Dense(8, {.activation = "softmax"}, {.name = "y", .dtype = dtype})(h), {.name = "mlp"});
}

std::string message_of(const auto& act) {
  try {
    act();
  } catch (const Error& error) { return error.what(); }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("mixed_bfloat16: weights are float32, values and predictions bfloat16") {
  const Tensor x = Input({6});
  const Dense dense(4, {}, {.dtype = "mixed_bfloat16"});
  const Tensor y = dense(x);
  CHECK(x.dtype() == DType::f32);
  CHECK(y.dtype() == DType::bf16);
  Model model(x, y);
  for (const Array& w : model.get_weights()) CHECK(w.dtype() == DType::f32);
  const Array p = model.predict(Array::random_normal({3, 6}));
  CHECK(p.dtype() == DType::bf16);
  CHECK(p.astype(DType::f32).shape() == Shape{3, 4});
}

TEST_CASE("bfloat16: weights and optimizer state are bfloat16, too, and so is a file of them") {
  Model model = mlp("bfloat16");
  for (const Array& w : model.get_weights()) CHECK(w.dtype() == DType::bf16);
  model.compile({.optimizer = SGD(0.5, {.momentum = 0.5}), .loss = "mse"});
  const Array x = Array::random_normal({4, 6}), y = Array::random_uniform({4, 8});
  const Arrays before = model.get_weights();
  model.train_on_batch(x, y);
  CHECK(!model.get_weights()[0].identical(before[0]));
  for (const auto& v : model.optimizer_variables())
    if (v->path.find("momentum") != std::string::npos) CHECK(v->value().dtype() == DType::bf16);
  const Model back = load_model(save_to_memory(model));
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(back.get_weights()[i].identical(model.get_weights()[i]));
}

TEST_CASE("dtype policy: layers that are not told take the policy of the process") {
  const WithPolicy policy("mixed_bfloat16");
  CHECK(dtype_policy() == "mixed_bfloat16");
  const Tensor x = Input({5});
  CHECK(x.dtype() == DType::f32);  // as in Keras: inputs are no layers that compute
  const Dense dense(3);
  CHECK(dense(x).dtype() == DType::bf16);
  CHECK(Dense(3, {}, {.dtype = "float32"})(x).dtype() == DType::f32);
  CHECK(LSTM(3)(Input({4, 2})).dtype() == DType::bf16);
}

TEST_CASE("mixed_bfloat16: a long training run learns, and learning goes on after a file") {
  Model model = mlp("mixed_bfloat16");
  model.compile({.optimizer = Adam(0.01), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  const Array x = Array::random_normal({64, 6});
  Array y({64}, DType::i32);
  for (std::int64_t i = 0; i < 64; ++i) y.data<std::int32_t>()[static_cast<std::size_t>(i)] = x.at({i, 0}) > 0 ? 1 : 0;
  const double first = model.train_on_batch(x, y)["loss"];
  model.fit(x, y, {.batch_size = 16, .epochs = 20, .verbose = 0});
  const double later = model.evaluate(x, y, {.verbose = 0})["loss"];
  CHECK(later < first / 2);
  Model back = load_model(save_to_memory(model));
  const double again = back.train_on_batch(x, y)["loss"];
  CHECK(again == doctest::Approx(model.train_on_batch(x, y)["loss"]).epsilon(1e-6));
}

TEST_CASE("mixed_bfloat16: one row and many give the same numbers, and so do replicas") {
  Model model = mlp("mixed_bfloat16");
  const Array x = Array::random_normal({20, 6});
  const Array all = model.predict(x);
  for (std::int64_t i = 0; i < 20; ++i)
    CHECK(max_difference(model.predict(x.rows(i, i + 1)), all.rows(i, i + 1)) <= 1.0 / 256);
  Model wide = replicate(model, {"cpu:0", "cpu:1"});
  CHECK(max_difference(wide.predict(x), all) <= 1.0 / 256);
}

TEST_CASE("clone_model: another policy for all layers") {
  Model whole = mlp("float32");
  Model brain = clone_model(whole, {.weights = Weights::copy, .dtype = "mixed_bfloat16"});
  const Array x = Array::random_normal({7, 6});
  const Array a = whole.predict(x), b = brain.predict(x);
  CHECK(b.dtype() == DType::bf16);
  CHECK(max_difference(a, b) < 0.03);
  CHECK(max_difference(a, b) > 0);
}

TEST_CASE("dtype policy: what is not supported is refused by name") {
  CHECK(message_of([] { Dense(3, {}, {.name = "d", .dtype = "mixed_float16"}); }) ==
        "layer 'd': dtype policy 'mixed_float16' is not supported: its small gradients need a loss that is scaled; use "
        "float32, float64, bfloat16 or mixed_bfloat16");
  CHECK(message_of([] { Dense(3, {}, {.name = "d", .dtype = "float16"}); }) ==
        "layer 'd': dtype policy 'float16' is not supported; use float32, float64, bfloat16 or mixed_bfloat16");
  CHECK(message_of([] { set_dtype_policy("mixed_int8"); }) ==
        "dtype policy 'mixed_int8' is not supported; use float32, float64, bfloat16 or mixed_bfloat16");
  CHECK(dtype_policy() == "float32");
}

TEST_CASE("bfloat16 arrays may be fed, and are cast to the input's type") {
  Model model = mlp("float32");
  const Array x = Array::random_normal({3, 6}).astype(DType::bf16);
  CHECK(max_difference(model.predict(x), model.predict(x.astype(DType::f32))) == 0);
}

TEST_CASE("files: brain floats that do not fit the model, or that lie about themselves, are a DataError") {
  const ramet::testing::TemporaryFolder folder;
  const auto path = folder / "w.weights.h5";
  Model model = mlp("bfloat16");
  model.save_weights(path);
  const std::string bytes = ramet::testing::content_of(path);
  const auto load = [&](const std::string& changed, Model into) {
    std::ofstream(path, std::ios::binary) << changed;
    into.load_weights(path);
  };
  const Arrays before = model.get_weights();
  load(bytes, model);
  CHECK(model.get_weights()[0].identical(before[0]));

  // The attribute that tells brain floats from any two bytes says something else.
  std::string other = bytes;
  for (std::size_t at; (at = other.find("bfloat16")) != std::string::npos;) other.replace(at, 8, "bfloat17");
  CHECK(message_of([&] { load(other, model); }).find("cannot be read from elements of type") != std::string::npos);

  const Tensor x = Input({6}, {.name = "x"});
  const Tensor h = Dense(31, {}, {.name = "h", .dtype = "bfloat16"})(x);
  const Model narrower(x, Dense(8, {}, {.name = "y", .dtype = "bfloat16"})(h), {.name = "mlp"});
  CHECK(message_of([&] { load(bytes, narrower); }).find("has shape (6, 31), the file has (6, 32)") !=
        std::string::npos);

  for (std::size_t size = 0; size < bytes.size(); size += 97)
    CHECK_THROWS_AS(load(bytes.substr(0, size), model), DataError);
  CHECK(model.get_weights()[0].identical(before[0]));

  // Into float32 they are widened.
  Model whole = mlp("mixed_bfloat16");
  load(bytes, whole);
  CHECK(whole.get_weights()[0].identical(before[0].astype(DType::f32)));
}
