// Every countable thing in the text of a model, doubled and doubled again: the work doubles, too, and no more.
#include "tests/support/growth.h"
#include "tests/support/attacks.h"
#include "tests/support/model_text.h"

namespace ramet::testing {
namespace {

const std::string kDense = R"("units": 4)";

void open_text(const std::string& text) { (void)Model::from_json(text, std::uint64_t{64} << 20); }

// "x0" on "in", "x1" on "x0", …; `order` says which stands where in the text.
std::string chain(std::size_t n, const std::string& class_name, const std::string& config, bool backwards = false) {
  const auto entry = [&](std::size_t at) {
    const std::size_t i = backwards ? n - 1 - at : at;
    return layer(class_name, numbered("x", i), config, call_on(tensor(i ? numbered("x", i - 1) : "in")));
  };
  return model_text(pieces(n, entry), place(numbered("x", n - 1)));
}

std::string layers_on_in(std::size_t n, const std::string& class_name, const std::string& config) {
  return pieces(n, [&](std::size_t i) { return layer(class_name, numbered("x", i), config, call_on(tensor("in"))); });
}

// One call of `class_name` on n tensors: of n layers, which stand before or after it, or n times the input.
std::string wide(std::size_t n, const std::string& class_name, const std::string& config, const char* where) {
  const bool same = std::string(where) == "same";
  const std::string arguments = list_of(n, [&](std::size_t i) { return tensor(same ? "in" : numbered("x", i)); });
  const std::string y = layer(class_name, "y", config, call_on(arguments));
  const std::string xs = same ? "" : layers_on_in(n, "Dense", kDense);
  return model_text(same ? y : std::string(where) == "before" ? cat(y, ", ", xs) : cat(xs, ", ", y), place("y"));
}

std::string shared(std::size_t n) {
  const auto calls = [](std::size_t i) { return call_on(i ? tensor("x", i - 1) : tensor("in")); };
  return model_text(layer("Dense", "x", kDense, pieces(n, calls)), place("x", n - 1));
}

// A nested model of n layers side by side, each an output, called once; every output is used, one by one.
std::string nested_outputs(std::size_t n) {
  const std::string inside = functional(cat(input("in"), ", ", layers_on_in(n, "Dense", kDense)), "[[\"in\", 0, 0]]",
                                        list_of(n, [](std::size_t i) { return place(numbered("x", i)); }), "inner");
  const std::string nested = cat("{", inside, R"(, "name": "inner", "inbound_nodes": [)", call_on(tensor("in")), "]}");
  const auto use = [](std::size_t i) {
    return layer("Dense", numbered("y", i), kDense, call_on(tensor("inner", 0, i)));
  };
  return model_text(cat(nested, ", ", pieces(n, use)),
                    list_of(n, [](std::size_t i) { return place(numbered("y", i)); }));
}

std::string nested_side_by_side(std::size_t n) {
  const auto one = [](std::size_t i) {
    const std::string inside = functional(cat(input("in"), ", ", layers_on_in(1, "Dense", kDense)), "[[\"in\", 0, 0]]",
                                          list_of(1, [](std::size_t) { return place("x0"); }), numbered("m", i));
    const std::string from = tensor(i ? numbered("m", i - 1) : "in");
    return cat("{", inside, R"(, "name": "m)", i, R"(", "inbound_nodes": [)", call_on(from), "]}");
  };
  return model_text(pieces(n, one), place(numbered("m", n - 1), 1));
}

std::string nested_deep(std::size_t n) {
  std::string inside = layer("Dense", "x", kDense, call_on(tensor("in")));
  std::string last = place("x");
  for (std::size_t i = 0; i < n; ++i) {
    const std::string model = functional(cat(input("in"), ", ", inside), "[[\"in\", 0, 0]]", cat("[", last, "]"), "m");
    inside = cat("{", model, R"(, "name": "m", "inbound_nodes": [)", call_on(tensor("in")), "]}");
    last = place("m", 1);
  }
  return model_text(inside, cat("[", last, "]"));
}

std::string sequential(std::size_t n) {
  const auto one = [](std::size_t i) { return layer("Dense", numbered("x", i), kDense, ""); };
  return cat(R"({"class_name": "Sequential", "config": {"name": "m", "layers": [)", input("in"), ", ", pieces(n, one),
             "]}}");
}

std::string many_inputs(std::size_t n, bool dict) {
  const auto name = [](std::size_t i) { return numbered("in", i); };
  const std::string inputs = pieces(n, [&](std::size_t i) { return input(name(i)); });
  const auto named = [&](std::size_t i) { return cat("\"", name(n - 1 - i), "\": ", place(name(n - 1 - i))); };
  const std::string places =
      dict ? cat("{", pieces(n, named), "}") : list_of(n, [&](std::size_t i) { return place(name(i)); });
  const std::string y = layer("Add", "y", "", call_on(list_of(n, [&](std::size_t i) { return tensor(name(i)); })));
  return cat("{", functional(cat(inputs, ", ", y), places, place("y")), "}");
}

std::string many_outputs(std::size_t n, bool dict) {
  const auto named = [&](std::size_t i) { return cat("\"out", n - i, "\": ", place("x0")); };
  return model_text(layers_on_in(1, "Dense", kDense),
                    dict ? cat("{", pieces(n, named), "}") : list_of(n, [](std::size_t) { return place("x0"); }));
}

std::string some(std::size_t n, const char* text) {
  return list_of(n, [&](std::size_t) { return text; });
}
std::string counted(std::size_t n) {
  return list_of(n, [](std::size_t i) { return std::to_string(i + 1); });
}
std::string letters(std::size_t n) { return std::string(n, 'x'); }

}  // namespace

TEST_CASE("growth: layers, calls, inputs, outputs and nested models take work in proportion to their number") {
  const std::vector<Countable> all = {
      {"layers in a row", 100, [](auto n) { return chain(n, "Dense", kDense); }},
      {"layers in a row, the last one first", 100, [](auto n) { return chain(n, "Dense", kDense, true); }},
      {"strided convolutions in a row", 50,
       [](auto n) {
         const std::string conv = R"("filters": 1, "kernel_size": 1, "strides": 2, "padding": "same")";
         const auto one = [&](std::size_t i) {
           return layer("Conv1D", numbered("x", i), conv, call_on(tensor(i ? numbered("x", i - 1) : "in")));
         };
         return cat("{",
                    functional(cat(input("in", "[null, null, 1]"), ", ", pieces(n, one)), "[[\"in\", 0, 0]]",
                               place(numbered("x", n - 1))),
                    "}");
       }},
      {"layers side by side", 100, [](auto n) { return wide(n, "Add", "", "after"); }},
      {"layers side by side after the one that needs them", 100, [](auto n) { return wide(n, "Add", "", "before"); }},
      {"calls of one layer", 100, shared},
      {"inputs of one Add", 200, [](auto n) { return wide(n, "Add", "", "same"); }},
      {"inputs of one Maximum", 200, [](auto n) { return wide(n, "Maximum", "", "same"); }},
      {"inputs of one Multiply", 200, [](auto n) { return wide(n, "Multiply", "", "same"); }},
      {"inputs of one Average", 200, [](auto n) { return wide(n, "Average", "", "same"); }},
      {"inputs of one Concatenate", 200, [](auto n) { return wide(n, "Concatenate", "", "same"); }},
      {"inputs of one Identity", 200, [](auto n) { return wide(n, "Identity", "", "same"); }},
      {"inputs of a model", 200, [](auto n) { return many_inputs(n, false); }},
      {"inputs of a model by name", 200, [](auto n) { return many_inputs(n, true); }},
      {"outputs of a model", 200, [](auto n) { return many_outputs(n, false); }},
      {"outputs of a model by name", 200, [](auto n) { return many_outputs(n, true); }},
      {"outputs of a nested model", 100, nested_outputs},
      {"nested models in a row", 50, nested_side_by_side},
      {"nested models in one another", 2, nested_deep},
      {"layers of a Sequential", 100, sequential},
      {"calls written as Keras 2 wrote them", 100,
       [](auto n) {
         const auto one = [](std::size_t i) {
           return layer("Dense", numbered("x", i), kDense,
                        list_of(1, [&](auto) { return i ? place(numbered("x", i - 1)) : place("in"); }));
         };
         return model_text(pieces(n, one), place(numbered("x", n - 1)));
       }},
  };
  for (Countable c : all) {
    c.open = open_text;
    check_growth(c);
  }
}

TEST_CASE("growth: keys, lists, names and numbers take work in proportion to their length") {
  const std::vector<Countable> all = {
      {"keys of a layer that are off", 1000,
       [](auto n) {
         return model_of("Dense", cat(kDense, ", ", pieces(n, [](auto i) { return cat("\"k", i, "\": null"); })));
       }},
      {"keys of a layer that are on", 1000,
       [](auto n) {
         return model_of("Dense", cat(kDense, ", ", pieces(n, [](auto i) { return cat("\"k", i, "\": 1"); })));
       }},
      {"keys beside a layer", 1000,
       [](auto n) {
         return model_of("Dense", kDense, tensor("in"),
                         cat(", ", pieces(n, [](auto i) { return cat("\"k", i, "\": 1"); })));
       }},
      {"keys of a model", 1000,
       [](auto n) {
         return model_text("", place("in"), cat(", ", pieces(n, [](auto i) { return cat("\"k", i, "\": 1"); })));
       }},
      {"keys of a call", 1000,
       [](auto n) { return model_text(layer("Dense", "x", kDense, call_on(tensor("in"), keys(n, "1"))), place("x")); }},
      {"keys of a call that are off", 1000,
       [](auto n) {
         return model_text(layer("Dense", "x", kDense, call_on(tensor("in"), keys(n, "null"))), place("x"));
       }},
      {"keys of an op", 1000,
       [](auto n) {
         return model_text(
             op("Absolute", "x", pieces(n, [](auto i) { return cat("\"k", i, "\": 1"); }), call_on(tensor("in"))),
             place("x"));
       }},
      {"keys of an initializer", 1000,
       [](auto n) {
         return model_of("Dense", cat(kDense, R"(, "kernel_initializer": {"class_name": "Zeros", "config": )",
                                      keys(n, "null"), "}"));
       }},
      {"keys of a build config", 1000,
       [](auto n) { return model_of("Dense", kDense, tensor("in"), cat(R"(, "build_config": )", keys(n, "1"))); }},
      {"sizes of a build config", 1000,
       [](auto n) {
         return model_of("Dense", kDense, tensor("in"), cat(R"(, "build_config": {"input_shape": )", counted(n), "}"));
       }},
      {"axes of a shape", 1000,
       [](auto n) { return cat("{", functional(input("in", some(n, "1")), "[[\"in\", 0, 0]]", place("in")), "}"); }},
      {"axes of a Reshape", 1000, [](auto n) { return model_of("Reshape", cat(R"("target_shape": )", some(n, "1"))); }},
      {"axes of a Reshape op", 1000,
       [](auto n) {
         return model_text(op("Reshape", "x", cat(R"("newshape": )", some(n, "1")), call_on(tensor("in"))), place("x"));
       }},
      {"axes of a Transpose op", 1000,
       [](auto n) {
         return model_text(op("Transpose", "x", cat(R"("axes": )", counted(n)), call_on(tensor("in"))), place("x"));
       }},
      {"axes of a Sum", 1000,
       [](auto n) {
         return model_text(op("Sum", "x", cat(R"("axis": )", some(n, "1")), call_on(tensor("in"))), place("x"));
       }},
      {"axes of a Permute", 1000, [](auto n) { return model_of("Permute", cat(R"("dims": )", counted(n))); }},
      {"axes of a LayerNormalization", 1000,
       [](auto n) { return model_of("LayerNormalization", cat(R"("axis": )", some(n, "-1"))); }},
      {"axes of an attention", 1000,
       [](auto n) {
         return model_of("MultiHeadAttention", cat(R"("num_heads": 1, "key_dim": 1, "attention_axes": )", some(n, "1")),
                         cat(tensor("in"), ", ", tensor("in")));
       }},
      {"sizes of a kernel", 1000,
       [](auto n) { return model_of("Conv1D", cat(R"("filters": 1, "kernel_size": )", some(n, "1"))); }},
      {"numbers of a Rescaling", 1000,
       [](auto n) { return model_of("Rescaling", cat(R"("scale": )", some(n, "0.5"))); }},
      {"letters of an equation", 1000,
       [](auto n) {
         return model_of("EinsumDense", cat(R"("equation": "ab,bc->a)", letters(n), R"(", "output_shape": [4])"));
       }},
      {"cells of a stack", 20,
       [](auto n) {
         const std::string cells = some(n, R"({"class_name": "LSTMCell", "config": {"units": 2}})");
         return cat(
             "{",
             functional(cat(input("in", "[null, 3, 4]"), ", ",
                            layer("RNN", "x",
                                  cat(R"("cell": {"class_name": "StackedRNNCells", "config": {"cells": )", cells, "}}"),
                                  call_on(tensor("in")))),
                        "[[\"in\", 0, 0]]", place("x")),
             "}");
       }},
      {"parts of an index", 500,
       [](auto n) {
         return model_text(op("GetItem", "x", "", call_on(cat(tensor("in"), ", ", some(n, "null")))), place("x"));
       }},
      {"sections of a Split", 100,
       [](auto n) {
         return cat("{",
                    functional(cat(input("in", cat("[null, ", n, "]")), ", ",
                                   op("Split", "x", cat(R"("indices_or_sections": )", n, R"(, "axis": 1)"),
                                      call_on(tensor("in")))),
                               "[[\"in\", 0, 0]]", list_of(n, [](auto i) { return place("x", 0, i); })),
                    "}");
       }},
      {"tensors of a Stack", 200,
       [](auto n) {
         return model_text(op("Stack", "x", R"("axis": 1)", call_on(list_of(n, [](auto) { return tensor("in"); }))),
                           place("x"));
       }},
      {"numbers of a constant", 10'000,
       [](auto n) {
         return model_text(
             op("Add", "x", "",
                call_on(cat(tensor("in"), R"(, {"class_name": "__numpy__", "config": {"dtype": "float32", "value": )",
                            some(n, "1.5"), "}}"))),
             place("x"));
       }},
      {"constants of a call", 1000,
       [](auto n) {
         return model_text(layer("Dense", "x", kDense, call_on(cat(tensor("in"), ", ", counted(n)))), place("x"));
       }},
      {"letters of a name", 1000,
       [](auto n) { return model_text(layer("Dense", letters(n), kDense, call_on(tensor("in"))), place(letters(n))); }},
      {"letters of a class", 1000, [](auto n) { return model_of(letters(n), kDense); }},
      {"letters of a key", 1000, [](auto n) { return model_of("Dense", cat(kDense, ", \"", letters(n), "\": 1")); }},
      {"letters of an activation", 1000,
       [](auto n) { return model_of("Dense", cat(kDense, R"(, "activation": ")", letters(n), "\"")); }},
      {"letters of a layer that is not there", 1000,
       [](auto n) { return model_of("Dense", kDense, tensor(letters(n))); }},
      {"digits of a number", 1000,
       [](auto n) { return model_of("Rescaling", cat(R"("scale": 0.)", std::string(n, '7'))); }},
      {"spaces", 1000, [](auto n) { return model_of("Dense", cat(kDense, std::string(n, ' '))); }},
      {"lists in lists", 10,
       [](auto n) { return model_of("Dense", cat(kDense, R"(, "k": )", std::string(n, '['), std::string(n, ']'))); }},
  };
  for (Countable c : all) {
    c.open = open_text;
    check_growth(c);
  }
}

}  // namespace ramet::testing
