// fuzz_seeds FOLDER: writes FOLDER/model and FOLDER/json, what the fuzzers of the same name begin with: the recorded
// attacks on configs, sound models of many kinds, and everything that the tests of growth double, in small numbers.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "ramet/ramet.h"
#include "tests/support/attacks.h"
#include "tests/support/model_text.h"

using namespace ramet;
using namespace ramet::testing;

namespace {

class Seeds {
 public:
  explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {
    for (const char* kind : {"model", "json"}) std::filesystem::create_directories(folder_ / kind);
  }
  // 'c' says that a config follows (fuzz/model_fuzz.cpp).
  void config(const std::string& name, const std::string& text) {
    write("model", name, "c" + text);
    write("json", name, text);
  }
  void model(const std::string& name, const Model& model) {
    config(name, model.to_json());
    write("model", name + ".keras", text_of(save_to_memory(model)));
  }

 private:
  void write(const char* kind, const std::string& name, const std::string& content) {
    put((folder_ / kind / name).string(), content);
  }
  std::filesystem::path folder_;
};

// Strides that meet shapes which are open, fixed, too small and odd.
Model strided_chain(const Shape& shape, int length) {
  const auto in = Input(shape);
  Tensor x = in;
  for (int i = 0; i < length; ++i)
    x = i % 2 ? Conv2D(1, {1, 1}, {.strides = {2, 2}, .padding = "same"})(x)
              : Conv2D(1, {1 + i % 3, 1}, {.strides = {1, 2}})(x);
  return Model(in, x);
}

void sound_models(Seeds& seeds) {
  seeds.model("strided_chain", strided_chain({64, 64, 1}, 5));
  seeds.model("strided_chain_open", strided_chain({None, None, 2}, 12));
  const auto a = Input({4}, {.name = "a"}), b = Input({4}, {.name = "b"});
  const Dense shared(4);
  const Model inner({a, b}, {{"sum", Add()({shared(a), shared(b)})}, {"all", Concatenate()({a, b})}},
                    {.name = "inner"});
  const auto parts = inner({a, b});
  Model outer({a, b}, {parts["sum"], Dense(2)(parts["all"])}, {.name = "outer"});
  outer.compile({.optimizer = Adam(), .loss = "mse", .metrics = {{"mae"}, {"mse"}}});
  seeds.model("nested_dict", outer);
  const auto words = Input({5}, {.dtype = "int32"});
  const auto e = Embedding(7, 4, {.mask_zero = true})(words);
  seeds.model("recurrent", Model(words, Bidirectional(LSTM(2))(GRU(3, {.return_sequences = true})(e))));
  seeds.model("attention", Model(words, LayerNormalization()(e + MultiHeadAttention(2, 2)(e, e))));
}

void large_things(Seeds& seeds) {
  const std::string dense = R"("units": 4)";
  const auto in = [](std::size_t) { return tensor("in"); };
  const auto x = layer("Dense", "x", dense, call_on(tensor("in")));
  seeds.config("inputs_of_add", model_of("Add", R"("trainable": true)", list_of(5, in)));
  seeds.config("outputs", model_text(x, list_of(5, [](auto) { return place("x"); })));
  seeds.config("outputs_by_name",
               model_text(x, cat("{", pieces(5, [](auto i) { return cat("\"y", i, "\": ", place("x")); }), "}")));
  seeds.config("calls",
               model_text(layer("Dense", "x", dense,
                                pieces(4, [](auto i) { return call_on(i ? tensor("x", i - 1) : tensor("in")); })),
                          place("x", 3)));
  seeds.config("keys", model_of("Dense", cat(dense, R"(, "k": null, "l": false, "m": null)")));
  seeds.config("axes", model_of("LayerNormalization", R"("axis": [-1, 1])"));
  seeds.config("reshape", model_of("Reshape", R"("target_shape": [2, 1, -1])"));
  seeds.config("index", model_text(op("GetItem", "x", "", call_on(cat(tensor("in"), ", [null, 0]"))), place("x")));
  seeds.config("split", model_text(op("Split", "x", R"("indices_or_sections": 2, "axis": 1)", call_on(tensor("in"))),
                                   "[[\"x\", 0, 0], [\"x\", 0, 1]]"));
}

void recorded_attacks(Seeds& seeds) {
  constexpr std::size_t kLongest = 4096;  // longer ones only slow a fuzzer down
  for (const Json& attack : attack_table("configs.jsonl"))
    if (const Json* config = attack.as_object().find("config"))
      if (const std::string text = config->dump(); text.size() <= kLongest)
        seeds.config(attack.at("name").as_string(), text);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: fuzz_seeds FOLDER\n";
    return 2;
  }
  Seeds seeds{std::filesystem::path(argv[1])};
  sound_models(seeds);
  large_things(seeds);
  recorded_attacks(seeds);
}
