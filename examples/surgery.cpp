// Cut a trained model, freeze what is kept, grow a new head on it and go on training.
#include <ramet/ramet.h>

#include <cmath>
#include <iostream>

using namespace ramet;

namespace {

// Points of a plane and the quarter, or the ring, they lie in.
struct Points {
  Array x, quarter, ring;
};
Points make_points(std::int64_t count) {
  Points out{Array::random_uniform({count, 2}, -1, 1), Array({count}, DType::i32), Array({count}, DType::i32)};
  const auto x = out.x.data<float>();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    out.quarter.data<std::int32_t>()[i] = (a > 0) + 2 * (b > 0);
    out.ring.data<std::int32_t>()[i] = static_cast<std::int32_t>(std::sqrt(a * a + b * b) * 2);
  }
  return out;
}

}  // namespace

int main() try {
  set_random_seed(7);
  const Points points = make_points(1000);

  auto in = Input({2}, {.name = "point"});
  auto h = Dense(32, {.activation = "relu"}, {.name = "hidden_1"})(in);
  h = Dense(32, {.activation = "relu"}, {.name = "hidden_2"})(h);
  Model base(in, Dense(4, {.activation = "softmax"}, {.name = "quarter"})(h), {.name = "base"});
  base.compile({.optimizer = Adam(1e-2), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  base.fit(points.x, points.quarter, {.epochs = 5, .verbose = 0});
  std::cout << "base:  quarters " << base.evaluate(points.x, points.quarter, {.verbose = 0})["accuracy"] << '\n';

  Model trunk = extract(base, "point", "hidden_2", {.weights = Weights::copy});
  trunk.freeze();
  Model mine(trunk.input(), Dense(3, {.activation = "softmax"}, {.name = "ring"})(trunk.output()), {.name = "mine"});
  for (const auto& layer : mine.layers())
    std::cout << "       " << layer->name() << (layer->trainable() ? "" : " (frozen)") << '\n';
  const Array kept = mine.get_layer("hidden_1")->get_weights()[0].copy();
  mine.compile({.optimizer = Adam(1e-2), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  mine.fit(points.x, points.ring, {.epochs = 15, .verbose = 0});
  const double accuracy = mine.evaluate(points.x, points.ring, {.verbose = 0})["accuracy"];
  const bool unchanged = mine.get_layer("hidden_1")->get_weights()[0].identical(kept);
  std::cout << "mine:  rings " << accuracy << ", the frozen layers " << (unchanged ? "unchanged" : "CHANGED") << '\n';

  const Model odd = replace_layer(base, "quarter", Dense(7, {}, {.name = "seven"}));
  const Model deeper = insert_after(base, "hidden_2", Dropout(0.1, {.name = "noise"}));
  const Model shallow = remove(base, "hidden_2");
  std::cout << "odd gives " << to_string(odd.output().shape()) << ", deeper has " << deeper.layers().size()
            << " layers, shallow " << shallow.layers().size() << '\n';
  return unchanged && accuracy > 0.6 ? 0 : 1;
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
