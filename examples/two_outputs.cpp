// A layer with two outputs in a model that is cloned, copied and replicated over three devices.
#include <ramet/ramet.h>

#include <iostream>

using namespace ramet;

int main() try {
  set_random_seed(7);
  auto in = Input({4}, {.name = "x"});
  auto both = Lambda([](Value x) { return Values{x + 1, x * 2}; })(in);
  auto [a, b] = both.unpack<2>();
  auto y = Dense(3, {.activation = "tanh"}, {.name = "head"})(Add()({a, b}));
  const Model model(in, y, {.name = "two_outputs"});
  model.summary();

  const Model twin = clone_model(model);                              // new layers, fresh weights
  const Model copy = clone_model(model, {.weights = Weights::copy});  // new layers, equal weights
  const Model wide = replicate(model, {"cpu:0", "cpu:1", "cpu:2"}, {.cpu_relocation = true});  // batch 10: 3, 3, 4

  const Array x = Array::random_normal({10, 4});
  const Array expected = model.predict(x);
  const double fresh = max_difference(twin.predict(x), expected), copied = max_difference(copy.predict(x), expected),
               replicated = max_difference(wide.predict(x), expected);
  std::cout << "twin, fresh weights:   differs by " << fresh << '\n'
            << "copy, equal weights:   differs by " << copied << '\n'
            << "replicas on 3 devices: differ by  " << replicated << '\n';
  return fresh > 0 && copied == 0 && replicated < 1e-6 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
