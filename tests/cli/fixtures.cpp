// cli_fixtures FOLDER: the models and arrays that the tests of the program ramet work on.
#include <ramet/ramet.h>

using namespace ramet;

namespace {

// One input, one output, compiled.
Model chain() {
  const auto in = Input({6}, {.name = "features"});
  auto x = Dense(8, {.activation = "relu"}, {.name = "hidden"})(in);
  x = Dropout(0.25, {.name = "drop"})(x);
  Model model(in, Dense(3, {.activation = "softmax"}, {.name = "label"})(x), {.name = "chain"});
  model.compile({.optimizer = Adam(0.01), .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  return model;
}

// Two inputs, two outputs, a model inside that is used twice.
Model pair() {
  const auto inner = Input({4}, {.name = "inner"});
  const Model tower(inner, Dense(3, {.activation = "tanh"}, {.name = "squash"})(inner), {.name = "tower"});
  const auto left = Input({4}, {.name = "left"}), right = Input({4}, {.name = "right"});
  const auto both = Concatenate({.name = "both"})({tower(left), tower(right)});
  return Model({left, right}, {Dense(1, {.name = "near"})(both), Dense(2, {.name = "same"})(both)}, {.name = "pair"});
}

// The same layer gives both outputs.
Model repeated() {
  const auto in = Input({3}, {.name = "in"});
  const Dense d(2, {.name = "d"});
  return Model(in, {d(in), d(in * 2.0)}, {.name = "repeated"});
}

}  // namespace

int main(int, char** argv) {
  set_random_seed(11);
  const std::string folder = std::string(argv[1]) + "/";
  chain().save(folder + "chain.keras");
  pair().save(folder + "pair.keras");
  repeated().save(folder + "repeated.keras");

  const Array x = Array::random_normal({40, 6});
  Array y({40}, DType::i32);
  for (int i = 0; i < 40; ++i) y.data<std::int32_t>()[static_cast<std::size_t>(i)] = i % 3;
  save_npz(folder + "x.npz", {{"whatever", x}});
  save_npz(folder + "data.npz", {{"x", x}, {"y", y}});
  save_npz(folder + "wide.npz", {{"features", Array::random_normal({5, 7})}});
  const Array left = Array::random_normal({10, 4}), right = Array::random_normal({10, 4});
  save_npz(folder + "pair_x.npz", {{"right", right}, {"left", left}});
  save_npz(folder + "pair_half.npz", {{"right", right}});
  save_npz(folder + "only_x.npz", {{"x", x}});
  save_npz(folder + "pair_misspelt.npz", {{"right", right}, {"lefft", left}});
  save_npz(folder + "pair_data.npz", {{"x/left", left},
                                      {"x/right", right},
                                      {"y/near", Array::random_normal({10, 1})},
                                      {"y/same", Array::random_normal({10, 2})}});
  save_npz(folder + "three.npz", {{"in", Array::random_normal({4, 3})}});
}
