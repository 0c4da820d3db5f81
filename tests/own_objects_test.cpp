// Everything a user writes comes back from a file, or is refused when it would be saved.
#include "tests/support/own_objects.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

using namespace ramet;
using namespace ramet::testing;

namespace {

struct HalfMeanConfig {
  double factor = 0.5;
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields =
      Fields{field("factor", &HalfMeanConfig::factor), field("reduction", &HalfMeanConfig::reduction),
             field("name", &HalfMeanConfig::name)};
};
class HalfMean final : public LossOf<HalfMean, HalfMeanConfig> {
 public:
  static constexpr std::string_view kClassName = "HalfMean";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override {
    return {config().factor * ops::reduce_mean(ops::square(y_true - y_pred), {-1}), {}};
  }
};

class Within final : public MetricOf<Within, PlainMetricConfig> {
 public:
  static constexpr std::string_view kClassName = "Within";
  using MetricOf::MetricOf;
  void update(Trace& trace, const VariableRefs& state, Value y, Value p, Value weight, Value) const override {
    metrics::update_mean(trace, state, ops::abs(y - p), weight);
  }
};

class SignDescent final : public OptimizerOf<SignDescent, optimizers::SGDConfig> {
 public:
  static constexpr std::string_view kClassName = "SignDescent";
  using OptimizerOf::OptimizerOf;

 protected:
  std::vector<std::vector<std::string>> slot_groups() const override { return {{"last"}}; }
  Value update_step(Step& step, Value g, Value w) const override {
    step.set("last", g);
    return w - step.lr * ops::sign(g);
  }
};

struct EyeConfig {
  double by = 2;
  static constexpr auto fields = Fields{field("by", &EyeConfig::by)};
};
class TwoEverywhere final : public ObjectOf<TwoEverywhere, InitializerBase, EyeConfig> {
 public:
  static constexpr std::string_view kClassName = "TwoEverywhere";
  using ObjectOf::ObjectOf;
  Array operator()(const Shape& shape, DType dtype) const override { return Array::full(shape, config().by, dtype); }
};

class NotAbove final : public ObjectOf<NotAbove, ConstraintBase, EyeConfig> {
 public:
  static constexpr std::string_view kClassName = "NotAbove";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override { return ops::minimum(w, ops::scalar_like(w, config().by)); }
};

class OtherNotAbove final : public ObjectOf<OtherNotAbove, ConstraintBase, NoConfig> {
 public:
  static constexpr std::string_view kClassName = "NotAbove";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override { return w; }
};

class Unknown final : public ObjectOf<Unknown, InitializerBase, NoConfig> {
 public:
  static constexpr std::string_view kClassName = "Unknown";
  using ObjectOf::ObjectOf;
  Array operator()(const Shape& s, DType d) const override { return Array::zeros(s, d); }
};

class LateLoss final : public LossOf<LateLoss, HalfMeanConfig> {
 public:
  static constexpr std::string_view kClassName = "LateLoss";
  using LossOf::LossOf;
  Unreduced call(Value y_true, Value y_pred) const override {
    return {ops::reduce_mean(ops::abs(y_true - y_pred), {-1}), {}};
  }
};

class LateLayer final : public LayerOf<LateLayer, ScaleConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Late";
  using LayerOf::LayerOf;
  Value call(const CallContext&, Value x) const override { return x * config().initial; }
};
using Late = Handle<LateLayer>;

Model two_layers(Dense last) {
  const auto in = Input({4}, {.name = "x"});
  return Model(in, last(Dense(3, {}, {.name = "first"})(in)), {.name = "m"});
}

bool same(const Model& a, const Model& b, const Array& x) {
  const Array p = a.predict(x), q = b.predict(x);
  return p.identical(q);
}

std::string config_text(const Model& model) { return model.to_json() + Json(model.get_compile_config()).dump(); }

}  // namespace

TEST_CASE("own objects: one of every kind comes back from a file and trains on as if there had been none") {
  register_own();
  register_object<HalfMean>("mine");
  register_object<Within>("mine");
  register_object<SignDescent>("mine");
  register_object<TwoEverywhere>("mine");
  register_object<NotAbove>("mine");
  const auto in = Input({4}, {.name = "x"});
  const auto x = Scale({.initial = 2}, {.name = "scale"})(in);
  const auto y = Dense(3,
                       {.activation = ActivationFunction::from("squash"),
                        .kernel_initializer = TwoEverywhere({.by = 0.25}),
                        .kernel_regularizer = Sparse({.weight = 0.125}),
                        .kernel_constraint = NotAbove({.by = 0.5})},
                       {.name = "d"})(x);
  Model model(in, y, {.name = "m"});
  model.compile({.optimizer = SignDescent({.learning_rate = Halving({.start = 0.3, .every = 2})}),
                 .loss = HalfMean({.factor = 0.25}),
                 .metrics = {"mae", Within()}});
  const Array a = Array::random_normal({8, 4}), b = Array::random_normal({8, 3});
  model.fit(a, b, {.batch_size = 4, .epochs = 1, .verbose = 0, .shuffle = false});
  const auto file = save_to_memory(model);
  Model back = load_model(file);
  CHECK(back.layer().file_info.warnings.empty());
  REQUIRE(back.compiled());
  CHECK(config_text(back) == config_text(model));
  CHECK(save_to_memory(back) == file);
  for (Model* m : {&model, &back}) m->fit(a, b, {.batch_size = 4, .epochs = 1, .verbose = 0, .shuffle = false});
  const Arrays v = model.get_weights(), w = back.get_weights();
  REQUIRE(v.size() == w.size());
  for (std::size_t i = 0; i < v.size(); ++i) CHECK(v[i].identical(w[i]));
  const Logs p = model.evaluate(a, b, {.verbose = 0}), q = back.evaluate(a, b, {.verbose = 0});
  REQUIRE(p.size() == q.size());
  for (const auto& [name, value] : p) CHECK(value == q[name]);

  // As Keras names them, so that custom_objects or register_keras_serializable find them.
  const Json config = Json::parse(back.to_json());
  const Json& scale = config.at("config").at("layers").as_array()[1];
  CHECK(scale.at("module") == Json("mine"));
  CHECK(scale.at("class_name") == Json("Scale"));
  CHECK(scale.at("registered_name") == Json("mine>Scale"));
  const JsonObject compiled = back.get_compile_config();
  CHECK(compiled.at("loss").at("registered_name") == Json("mine>HalfMean"));
  CHECK(compiled.at("optimizer").at("config").at("learning_rate").at("registered_name") == Json("mine>Halving"));

  // The older form, too.
  const std::string path = (std::filesystem::temp_directory_path() / "ramet-own-objects.h5").string();
  model.save(path);
  const Model older = load_model(path);
  std::filesystem::remove(path);
  CHECK(older.compiled());
  CHECK(same(older, model, a));
}

TEST_CASE("own objects: what is not registered is refused when it would be saved, and given to one load it is known") {
  Model model = two_layers(Dense(3, {}, {.name = "d"}));
  model.compile({.loss = LateLoss()});
  CHECK_THROWS_WITH_AS(save_to_memory(model),
                       doctest::Contains("the loss 'LateLoss' is a class of your own that is not registered"),
                       UsageError);
  const auto in = Input({4});
  const Model layered(in, Late({.initial = 3}, {.name = "late"})(in));
  CHECK_THROWS_WITH_AS(save_to_memory(layered), doctest::Contains("Late 'late': the layer 'Late'"), UsageError);
  CHECK_THROWS_WITH_AS(save_to_memory(two_layers(Dense(3, {.bias_initializer = Unknown()}, {.name = "d"}))),
                       doctest::Contains("Dense 'd': the initializer 'Unknown'"), UsageError);
  // Clones and texts need no file.
  CHECK_NOTHROW(layered.to_json());
  CHECK_NOTHROW(clone_model(layered));

  register_object<LateLoss>("mine");
  const auto file = save_to_memory(model);
  CHECK(load_model(file).compiled());
}

TEST_CASE("own objects: classes and functions given to one load stay known for saving") {
  const auto in = Input({4}, {.name = "x"});
  const Model model(in, Late({.initial = 3}, {.name = "late"})(in), {.name = "m"});
  const JsonObject config = Json::parse(model.to_json()).as_object();
  CHECK_THROWS_WITH_AS(Model::from_json(Json(config).dump()), doctest::Contains("register_object"), DataError);
  struct Held {
    LoadContext context;
    LoadScope scope{context};
    Held() { context.objects = {object<Late>("theirs")}, context.weight_bytes = 1000; }
  };
  Model back;
  {
    const Held held;
    back = Model(deserialize_model(Json(config)));
  }
  CHECK(back.get_layer("late")->class_name() == "Late");
}

TEST_CASE("own objects: a name stands for one class or function") {
  register_function("tests>once", [](Value x) { return x; });
  CHECK_THROWS_WITH_AS(register_function("tests>once", [](Value x) { return x; }),
                       doctest::Contains("'tests>once' is registered already"), UsageError);
  register_object<NotAbove>("tests");
  CHECK_NOTHROW(register_object<NotAbove>("tests"));
  CHECK_THROWS_WITH_AS(register_object<OtherNotAbove>("tests"), doctest::Contains("already for another class"),
                       UsageError);
  CHECK_THROWS_WITH_AS(register_object<NotAbove>(""), doctest::Contains("package"), UsageError);
  CHECK_THROWS_WITH_AS(register_object<NotAbove>("a>b"), doctest::Contains("package"), UsageError);
}

TEST_CASE("own objects: a replicated model is the same after a file") {
  const Model model = two_layers(Dense(3, {.activation = "tanh"}, {.name = "d"}));
  const Model wide = replicate(model, {"cpu:0", "cpu:1"});
  const auto file = save_to_memory(wide);
  const Model back = load_model(file);
  const Array x = Array::random_normal({5, 4});
  CHECK(same(back, wide, x));
  CHECK(save_to_memory(back) == file);
}

TEST_CASE("own objects: a layer that stands in several models is one layer after a file") {
  const auto in = Input({3}, {.name = "x"}), inner_in = Input({3}, {.name = "i"});
  const Dense shared(3, {.activation = "tanh"}, {.name = "shared"});
  const Model inner(inner_in, shared(inner_in), {.name = "inner"});
  const Sequential chain({shared, Dense(3, {}, {.name = "own"})}, {.name = "chain"});
  const Model model(in, Add({.name = "sum"})({inner(in), shared(in), chain(in)}), {.name = "m"});
  const auto file = save_to_memory(model);
  const Model back = load_model(file);
  const Array x = Array::random_normal({5, 3});
  CHECK(same(back, model, x));
  CHECK(back.weights().size() == 4);
  CHECK(save_to_memory(back) == file);
}

TEST_CASE("own objects: metrics by output name are written as a dict") {
  const auto in = Input({4}, {.name = "x"});
  Model model(in, {Dense(2, {}, {.name = "a"})(in), Dense(2, {}, {.name = "b"})(in)}, {.name = "m"});
  model.compile({.loss = {{"a", "mse"}, {"b", "mae"}}, .metrics = {{"a", {"mae", "mse"}}, {"b", "mse"}}});
  const JsonObject config = model.get_compile_config();
  CHECK(config.at("metrics").dump() == R"({"a": ["mae", "mse"], "b": "mse"})");
  CHECK(config.at("loss").dump() == R"({"a": "mse", "b": "mae"})");
}
