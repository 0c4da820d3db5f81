// A program of somebody else: builds a model, predicts, saves, loads, predicts the same.
#include <ramet/ramet.h>

#include <iostream>

using namespace ramet;

int main() {
  set_random_seed(1);
  const auto in = Input({4}, {.name = "in"});
  const Model model(in, Dense(2, {.activation = "relu"})(in));
  const Array x = Array::random_normal({3, 4});
  model.save("outside.keras");
  const double difference = max_difference(load_model("outside.keras").predict(x), model.predict(x));
  std::cout << "difference " << difference << '\n';
  return difference == 0 ? 0 : 1;
}
