// Functions, names and members of one's own where Keras takes them.
#include <doctest/doctest.h>

#include <filesystem>

#include "ramet/ramet.h"
#include "tests/support/temporary_folder.h"

using namespace ramet;

namespace {

Value squared_error(Value y, Value p) { return ops::mean(ops::square(y - p), {.axis = -1}); }
Value within(Value y, Value p) { return ops::abs(y - p) < 0.5; }

struct Points {
  Array x = Array::of<float>({4, 2}, {0, 1, 1, 0, 1, 1, 2, -1}), y = Array::of<float>({4, 1}, {1, 2, 3, 1});
};

Model line(const Initializer& start = "ones", const ActivationFunction& activation = "linear",
           const Regularizer& penalty = nullptr) {
  const Tensor in = Input({2});
  return Model(in,
               Dense(1, {.activation = activation, .kernel_initializer = start, .kernel_regularizer = penalty})(in));
}

struct OwnConfig {
  int times = 2;
  float scale = 0.1f;
  unsigned short small = 3;
  std::optional<int> maybe = std::nullopt;
  std::vector<int> list = {1, 2};
  static constexpr auto fields =
      Fields{field("times", &OwnConfig::times, positive), field("scale", &OwnConfig::scale),
             field("small", &OwnConfig::small), field("maybe", &OwnConfig::maybe), field("list", &OwnConfig::list)};
};
class OwnLayer final : public LayerOf<OwnLayer, OwnConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "OwnNumbers";
  using LayerOf::LayerOf;
  Value call(const CallContext&, Value x) const override { return x * config().times + config().scale; }
};

}  // namespace

TEST_CASE("A loss and a metric may be plain functions or lambdas") {
  const Points data;
  const auto logs = [&](const CompileOptions& options) {
    Model m = line();
    m.compile(options);
    m.train_on_batch(data.x, data.y);
    return m.evaluate(data.x, data.y, {.verbose = 0});
  };
  const Logs keras = logs({.optimizer = SGD(0.1), .loss = "mse", .metrics = {"mse"}});
  const Logs own = logs({.optimizer = SGD(0.1), .loss = squared_error, .metrics = {Metric("mine", squared_error)}});
  const Logs lambda = logs({.optimizer = SGD(0.1),
                            .loss = [](Value y, Value p) { return squared_error(y, p); },
                            .metrics = {[](Value y, Value p) { return squared_error(y, p); }, within}});
  CHECK(own["loss"] == keras["loss"]);
  CHECK(own["mine"] == keras["mse"]);
  CHECK(lambda["loss"] == keras["loss"]);
  CHECK(lambda["<lambda>"] == keras["mse"]);  // as Python calls it
  CHECK(lambda.find("<lambda>_1") != nullptr);
}

TEST_CASE("A metric function of truth values is the share that is true") {
  const Points data;  // predictions x₀ + x₁ are 1, 1, 2, 1: two of four are right
  Model m = line();
  m.compile({.loss = "mse", .metrics = {Metric("within", within)}});
  CHECK(m.evaluate(data.x, data.y, {.verbose = 0})["within"] == doctest::Approx(0.5));
}

TEST_CASE("Activation, initializer and regularizer may be functions") {
  const Points data;
  Model m = line([](const Shape& shape, DType dtype) { return Array::full(shape, 2, dtype); },
                 [](Value v) { return v * v; }, [](Value w) { return ops::sum(ops::abs(w)) * 0.5; });
  const Array p = m.predict(data.x);
  CHECK(p.to_doubles() == std::vector<double>{4, 4, 16, 4});  // (2 x₀ + 2 x₁)²
  m.compile({.loss = "mse"});
  const double error = (9 + 4 + 169 + 9) / 4.0, penalty = 0.5 * 4;
  CHECK(m.evaluate(data.x, data.y, {.verbose = 0})["loss"] == doctest::Approx(error + penalty));
  Model twin = clone_model(m);
  CHECK(Array(twin.predict(data.x)).identical(p));
  CHECK_THROWS_WITH_AS(line([](const Shape&, DType) { return Array({3}); }),
                       doctest::Contains("initializer '<lambda>'"), UsageError);
}

TEST_CASE("A function without a name cannot be saved, one with a name is written by it") {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path / "m.keras").string();
  const auto square = [](Value v) { return v * v; };
  CHECK_THROWS_WITH_AS(line("ones", square).save(path), doctest::Contains("without a name"), UsageError);
  CHECK(!std::filesystem::exists(path));
  Model lossy = line();
  lossy.compile({.loss = squared_error});
  CHECK_THROWS_WITH_AS(lossy.save(path), doctest::Contains("without a name"), UsageError);
  const Model named = line("ones", ActivationFunction("mine>square", square));
  CHECK(named.to_json().find(R"("config": "mine>square")") != std::string::npos);
}

TEST_CASE("Names that are known at run time only are looked up at run time") {
  const std::string activation = "relu", padding = "same", optimizer = "adam", loss = "mse";
  const char* initializer = "ones";
  const Tensor in = Input({8, 2});
  const Tensor y = Conv1D(3, 3, {.padding = padding, .activation = activation, .kernel_initializer = initializer})(in);
  CHECK((y.shape() == Shape{None, 8, 3}));
  const std::string_view metric = "mae";
  Model m(in, y);
  m.compile({.optimizer = optimizer, .loss = loss, .metrics = {metric}});
  const std::string wrong = "rellu", crooked = "smae";
  CHECK_THROWS_WITH_AS(Dense(2, {.activation = wrong}), doctest::Contains("did you mean 'relu'?"), UsageError);
  CHECK_THROWS_WITH_AS(Conv1D(3, 3, {.padding = crooked}), doctest::Contains("unknown padding 'smae'"), UsageError);
  const std::string merge = "sum";
  CHECK((Bidirectional(LSTM(3), {.merge_mode = merge})(in).shape() == Shape{None, 3}));
}

TEST_CASE("Own configs may have int, float and other numbers as members") {
  const OwnConfig config{.times = 3, .scale = 0.25f, .maybe = 7};
  const JsonObject json = to_json(config);
  CHECK(Json(json).dump() == R"({"times": 3, "scale": 0.25, "small": 3, "maybe": 7, "list": [1, 2]})");
  CHECK(to_json(OwnConfig{}).at("scale").dump() == "0.1");
  const OwnConfig back = from_json<OwnConfig>(json);
  CHECK(back.times == 3);
  CHECK(back.scale == 0.25f);
  CHECK(back.maybe == 7);
  CHECK_THROWS_WITH_AS(from_json<OwnConfig>({{"times", Json(std::int64_t{1} << 40)}}),
                       "`times`: 1099511627776 is out of range", DataError);
  CHECK_THROWS_AS(from_json<OwnConfig>({{"small", Json(-1)}}), DataError);
  CHECK_THROWS_WITH_AS(Handle<OwnLayer>({.times = 0}), doctest::Contains("times=0"), UsageError);
  const Array y = Handle<OwnLayer>({.times = 3})(Array::of<float>({1, 2}, {1, 2}));
  CHECK(y.identical(Array::of<float>({1, 2}, {3.1f, 6.1f})));
}
