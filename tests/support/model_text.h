// The text of model configs that no program would write: any layers, calls and lists, in any number.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ramet/base/error.h"

namespace ramet::testing {

// `piece` of 0 to n - 1, with commas between.
inline std::string pieces(std::size_t n, const std::function<std::string(std::size_t)>& piece) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += (i ? ", " : "") + piece(i);
  return out;
}
inline std::string list_of(std::size_t n, const std::function<std::string(std::size_t)>& piece) {
  return "[" + pieces(n, piece) + "]";
}
inline std::string numbered(const std::string& name, std::size_t i) { return name + std::to_string(i); }

// {"k0": value, "k1": value, …}, after what stands before.
inline std::string keys(std::size_t n, const std::string& value, const std::string& before = "") {
  const std::string more = pieces(n, [&](std::size_t i) { return cat("\"k", i, "\": ", value); });
  return cat("{", before, before.empty() || n == 0 ? "" : ", ", more, "}");
}

// A tensor of 4 elements per sample, as a call names it.
inline std::string tensor(const std::string& layer, std::size_t call = 0, std::size_t output = 0) {
  return cat(R"({"class_name": "__keras_tensor__", "config": {"shape": [null, 4], "dtype": "float32", )",
             R"("keras_history": [")", layer, "\", ", call, ", ", output, "]}}");
}
inline std::string place(const std::string& layer, std::size_t call = 0, std::size_t output = 0) {
  return cat("[\"", layer, "\", ", call, ", ", output, "]");
}
inline std::string call_on(const std::string& arguments, const std::string& kwargs = "{}") {
  return cat(R"({"args": [)", arguments, R"(], "kwargs": )", kwargs, "}");
}

// `config` without its braces and name; `more` stands beside it.
inline std::string layer(const std::string& class_name, const std::string& name, const std::string& config,
                         const std::string& calls, const std::string& more = "") {
  return cat(R"({"class_name": ")", class_name, R"(", "config": {"name": ")", name, "\"", config.empty() ? "" : ", ",
             config, R"(}, "name": ")", name, R"(", "inbound_nodes": [)", calls, "]", more, "}");
}
inline std::string input(const std::string& name, const std::string& shape = "[null, 4]") {
  return layer("InputLayer", name, cat(R"("batch_shape": )", shape, R"(, "dtype": "float32")"), "");
}
inline std::string op(const std::string& class_name, const std::string& name, const std::string& config,
                      const std::string& calls) {
  return layer(class_name, name, config, calls, R"(, "module": "keras.src.ops.numpy")");
}

inline std::string functional(const std::string& layers, const std::string& inputs, const std::string& outputs,
                              const std::string& name = "m", const std::string& more = "") {
  return cat(R"("class_name": "Functional", "config": {"name": ")", name, R"(", "layers": [)", layers,
             R"(], "input_layers": )", inputs, R"(, "output_layers": )", outputs, more, "}");
}
// A model of one input, "in", and these layers besides.
inline std::string model_text(const std::string& layers, const std::string& outputs, const std::string& more = "") {
  return cat("{", functional(cat(input("in"), layers.empty() ? "" : ", ", layers), "[[\"in\", 0, 0]]", outputs), more,
             "}");
}
// One layer, "x", called on "in".
inline std::string model_of(const std::string& class_name, const std::string& config,
                            const std::string& arguments = tensor("in"), const std::string& more = "") {
  return model_text(layer(class_name, "x", config, call_on(arguments), more), place("x"));
}

}  // namespace ramet::testing
