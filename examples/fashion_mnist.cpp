// Trains a small CNN on Fashion-MNIST, clones it, replicates it over two devices, and shows that all three predict the
// same. With paths as arguments, saves the trained model and test images: example_fashion_mnist [MODEL.keras [X.npz]].
#include <ramet/ramet.h>

#include <iostream>

using namespace ramet;

namespace {

// Test accuracy of a compiled model.
double accuracy_of(const Model& model, const datasets::Samples& test) {
  for (const auto& [name, value] : model.evaluate(test.x, test.y, {.batch_size = 500}))
    if (name == "accuracy") return value;
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  set_random_seed(7);
  auto [train, test] = datasets::fashion_mnist();

  auto in = Input({28, 28, 1}, {.name = "image"});
  auto x = Rescaling(1.0 / 255)(in);
  x = Conv2D(32, 3, {.activation = "relu"})(x);
  x = MaxPooling2D(2)(x);
  x = Conv2D(48, 3, {.activation = "relu"})(x);
  x = MaxPooling2D(2)(x);
  x = Dropout(0.25)(Flatten()(x));
  auto y = Dense(10, {.activation = "softmax"}, {.name = "label"})(x);
  Model model(in, y, {.name = "fashion"});

  model.summary();
  model.compile({.optimizer = Adam(1e-3), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  model.fit(train.x, train.y, {.batch_size = 128, .epochs = 8, .validation_split = 0.1});
  const double accuracy = accuracy_of(model, test);
  std::cout << "test accuracy " << accuracy << '\n';

  const Model copy = clone_model(model, {.weights = Weights::copy});
  const Model wide = replicate(model, {"cpu:0", "cpu:1"});
  const Array images = test.x.rows(0, 1000);
  const Array ours = model.predict(images);
  std::cout << "clone:    largest difference " << max_difference(copy.predict(images), ours) << '\n'
            << "replicas: largest difference " << max_difference(wide.predict(images), ours) << '\n';
  if (argc > 1) model.save(argv[1]);
  if (argc > 2) save_npz(argv[2], {{"image", images}});
  return accuracy > 0.88 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
