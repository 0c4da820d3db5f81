// Activation functions by Keras' names.
#pragma once
#include <array>
#include <functional>

#include "ramet/base/config.h"
#include "ramet/ir/program.h"

namespace ramet {

inline constexpr std::array<std::string_view, 32> kActivationNames = {
    "linear",      "relu",        "relu6",          "sigmoid",     "tanh",        "softmax",     "log_softmax",
    "elu",         "selu",        "gelu",           "silu",        "swish",       "softplus",    "softsign",
    "exponential", "leaky_relu",  "hard_sigmoid",   "hard_silu",   "hard_swish",  "hard_tanh",   "mish",
    "celu",        "glu",         "log_sigmoid",    "hard_shrink", "soft_shrink", "tanh_shrink", "threshold",
    "squareplus",  "sparse_plus", "sparse_sigmoid", "sparsemax"};

// An activation: one of Keras' names or a function of one's own. A literal that names none does not compile; a name known
// at run time only is refused by UsageError. (In `ramet`, Activation is the layer; layer configs in `ramet::layers` call this one Activation, as Keras names
// the argument.)
class ActivationFunction {
 public:
  static constexpr std::string_view kKind = "activation";
  constexpr ActivationFunction() = default;  // linear
  template <std::size_t N>
  consteval ActivationFunction(const char (&name)[N]) : index_(find(name)) {
    if (index_ < 0) throw "no activation has this name; see kActivationNames";
  }
  template <RunTimeString S>
  ActivationFunction(const S& name) : ActivationFunction(from(name)) {}
  // A function of one's own. Kept until the process ends, as its configs may be; a file can hold one that has a name.
  template <class F>
  requires(std::is_invocable_r_v<Value, F&, Value> && !std::same_as<F, ActivationFunction>)
      ActivationFunction(F function)
      : ActivationFunction("", std::move(function)) {}
  ActivationFunction(std::string name, std::function<Value(Value)> function);
  static ActivationFunction from(std::string_view name);  // UsageError with the nearest name

  constexpr std::string_view name() const {
    return own_ ? std::string_view(own_->name) : kActivationNames[static_cast<std::size_t>(index_)];
  }
  constexpr bool is_own() const { return own_ != nullptr; }
  constexpr bool operator==(const ActivationFunction&) const = default;
  Value operator()(Value x) const;

 private:
  struct Own {
    std::string name;
    std::function<Value(Value)> function;
  };
  static constexpr int find(std::string_view name) {
    for (std::size_t i = 0; i < kActivationNames.size(); ++i)
      if (kActivationNames[i] == name) return static_cast<int>(i);
    return -1;
  }
  int index_ = 0;
  const Own* own_ = nullptr;
};

Json encode(const ActivationFunction& activation);
void decode(const Json& json, ActivationFunction& out);  // null is linear

namespace layers {
using Activation = ActivationFunction;
}

}  // namespace ramet
