// A layer of one's own: what it is made of, which weights it has, what it computes. Cloning, JSON, gradients and the
// summary follow.
#include <ramet/ramet.h>

#include <iostream>

using namespace ramet;

namespace {

struct ScaleConfig {
  double initial = 1.0;
  static constexpr auto fields = Fields{field("initial", &ScaleConfig::initial)};
};

class ScaleLayer final : public LayerOf<ScaleLayer, ScaleConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Scale";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override {
    gamma_ = b.weight("gamma", {x.dim(-1)}, initializers::Constant({.value = config().initial}));
  }
  Value call(const CallContext& ctx, Value x) const override { return x * ctx[gamma_]; }

 private:
  Weight gamma_;
};
using Scale = Handle<ScaleLayer>;

}  // namespace

int main() try {
  auto in = Input({3}, {.name = "x"});
  Model model(in, Scale({.initial = 2}, {.name = "scale"})(in), {.name = "scaled"});
  model.summary();
  std::cout << "config  " << Json(model.get_layer("scale")->get_config()).dump() << '\n';

  // y = (1, 10, -3)·x is learned exactly.
  set_random_seed(7);
  const Array x = Array::random_normal({200, 3});
  Array y = x.copy();
  const auto values = y.data<float>();
  for (std::size_t i = 0; i < values.size(); i += 3) values[i + 1] *= 10, values[i + 2] *= -3;
  model.compile({.optimizer = SGD(0.5), .loss = "mse"});
  model.fit(x, y, {.epochs = 30, .verbose = 0});
  std::cout << "learned " << model.get_weights()[0] << '\n';

  const Model copy = clone_model(model, {.weights = Weights::copy});
  const double difference = max_difference(copy.predict(x), model.predict(x));
  std::cout << "clone differs by " << difference << '\n';
  return difference == 0 && max_difference(model.predict(x), y) < 1e-3 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
