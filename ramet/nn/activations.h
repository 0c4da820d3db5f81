// Activation functions by Keras' names.
#pragma once
#include <array>

#include "ramet/base/config.h"
#include "ramet/ir/program.h"

namespace ramet {

inline constexpr std::array<std::string_view, 32> kActivationNames = {
    "linear",      "relu",        "relu6",          "sigmoid",     "tanh",        "softmax",     "log_softmax",
    "elu",         "selu",        "gelu",           "silu",        "swish",       "softplus",    "softsign",
    "exponential", "leaky_relu",  "hard_sigmoid",   "hard_silu",   "hard_swish",  "hard_tanh",   "mish",
    "celu",        "glu",         "log_sigmoid",    "hard_shrink", "soft_shrink", "tanh_shrink", "threshold",
    "squareplus",  "sparse_plus", "sparse_sigmoid", "sparsemax"};

// An activation. A literal that names none does not compile; `ActivationFunction::from` takes names known at run time
// only. (In `ramet`, Activation is the layer; layer configs in `ramet::layers` call this one Activation, as Keras names
// the argument.)
class ActivationFunction {
 public:
  static constexpr std::string_view kKind = "activation";
  constexpr ActivationFunction() = default;  // linear
  consteval ActivationFunction(const char* name) : index_(find(name)) {
    if (index_ < 0) throw "no activation has this name; see kActivationNames";
  }
  static ActivationFunction from(std::string_view name);  // UsageError with the nearest name

  constexpr std::string_view name() const { return kActivationNames[static_cast<std::size_t>(index_)]; }
  constexpr bool operator==(const ActivationFunction&) const = default;
  Value operator()(Value x) const;

 private:
  static constexpr int find(std::string_view name) {
    for (std::size_t i = 0; i < kActivationNames.size(); ++i)
      if (kActivationNames[i] == name) return static_cast<int>(i);
    return -1;
  }
  int index_ = 0;
};

Json encode(const ActivationFunction& activation);
void decode(const Json& json, ActivationFunction& out);  // null is linear

namespace layers {
using Activation = ActivationFunction;
}

}  // namespace ramet
