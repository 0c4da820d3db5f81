// clone_model with one's own functions: Dropout becomes Identity, calls are watched, and a map says who became whom.
#include <ramet/ramet.h>

#include <iostream>

using namespace ramet;

int main() try {
  set_random_seed(7);
  auto in = Input({8}, {.name = "x"});
  auto h = Dense(16, {.activation = "relu"}, {.name = "hidden"})(in);
  h = Dropout(0.5, {.name = "noise"})(h);
  const Model model(in, Dense(2, {}, {.name = "out"})(h), {.name = "model"});

  LayerMap twin;
  int calls = 0;
  const Model small = clone_model(model, {.clone_function = [](const LayerRef& layer) -> LayerRef {
                                            if (layer->class_name() == "Dropout")
                                              return Identity({}, {.name = layer->name()});
                                            return layer->clone();
                                          },
                                          .call_function =
                                              [&](const LayerRef& layer, const CallArgs& args) {
                                                ++calls;
                                                return layer->call(args);
                                              },
                                          .weights = Weights::copy,
                                          .layer_map = &twin});

  for (const auto& layer : model.layers())
    if (const auto it = twin.find(layer); it != twin.end())
      std::cout << layer->class_name() << " '" << layer->name() << "' became " << it->second->class_name() << '\n';
  const Array x = Array::random_normal({5, 8});
  const double difference = max_difference(small.predict(x), model.predict(x));
  std::cout << calls << " calls; predictions differ by " << difference << '\n';
  return difference == 0 && calls == 3 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
