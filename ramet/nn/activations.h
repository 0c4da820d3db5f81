// Activation functions by Keras' names.
#pragma once
#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "ramet/base/config.h"
#include "ramet/ir/program.h"

namespace ramet {

inline constexpr std::array<std::string_view, 32> kActivationNames = {
    "linear",      "relu",        "relu6",          "sigmoid",     "tanh",        "softmax",     "log_softmax",
    "elu",         "selu",        "gelu",           "silu",        "swish",       "softplus",    "softsign",
    "exponential", "leaky_relu",  "hard_sigmoid",   "hard_silu",   "hard_swish",  "hard_tanh",   "mish",
    "celu",        "glu",         "log_sigmoid",    "hard_shrink", "soft_shrink", "tanh_shrink", "threshold",
    "squareplus",  "sparse_plus", "sparse_sigmoid", "sparsemax"};

// What an activation is when it is not one of Keras' functions: a layer (LeakyReLU(0.1)), or the caller's function.
class OwnActivation {
 public:
  virtual ~OwnActivation() = default;
  virtual Value operator()(Value x) const = 0;
  virtual Json written() const = 0;  // UnregisteredError where a file cannot hold it
  virtual std::string_view name() const = 0;

 private:
  friend class ActivationFunction;
  mutable std::atomic<int> holders_{0};
};

// An activation: one of Keras' names, a layer or a function of one's own. A literal that names none does not compile; a
// name known at run time only is refused by UsageError. (In `ramet`, Activation is the layer; layer configs in
// `ramet::layers` call this one Activation, as Keras names
// the argument.)
class ActivationFunction {
 public:
  static constexpr std::string_view kKind = "activation";
  constexpr ActivationFunction() = default;  // linear
  template <std::size_t N>
  consteval ActivationFunction(const char (&name)[N]) : index_(find(name)) {
    if (index_ < 0) throw "no activation has this name; see kActivationNames";
  }
  explicit ActivationFunction(std::unique_ptr<const OwnActivation> own) : index_(-1), own_(own.release()) { hold(); }
  template <RunTimeString S>
  ActivationFunction(const S& name) : ActivationFunction(from(name)) {}
  // A function of one's own; a file can hold one that has a name.
  template <class F>
  requires(std::is_invocable_r_v<Value, F&, Value> && !std::same_as<F, ActivationFunction>)
      ActivationFunction(F function)
      : ActivationFunction("", std::move(function)) {}
  ActivationFunction(std::string name, std::function<Value(Value)> function);
  // A name of Keras', or of a function of the caller's (register_function); UsageError with the nearest name.
  static ActivationFunction from(std::string_view name);

  // Copies share what is not Keras'. By hand, because the literal's constructor needs a type that can be a constant.
  constexpr ActivationFunction(const ActivationFunction& o) : index_(o.index_), own_(o.own_) { hold(); }
  constexpr ActivationFunction& operator=(const ActivationFunction& o) {
    ActivationFunction copy(o);
    std::swap(index_, copy.index_), std::swap(own_, copy.own_);
    return *this;
  }
  constexpr ~ActivationFunction() {
    if (own_) let_go();
  }

  constexpr std::string_view name() const {
    return own_ ? own_->name() : kActivationNames[static_cast<std::size_t>(index_)];
  }
  const OwnActivation* own() const { return own_; }  // null when it is one of Keras' functions
  constexpr bool operator==(const ActivationFunction&) const = default;
  Value operator()(Value x) const;

 private:
  static constexpr int find(std::string_view name) {
    for (std::size_t i = 0; i < kActivationNames.size(); ++i)
      if (kActivationNames[i] == name) return static_cast<int>(i);
    return -1;
  }
  constexpr void hold() const {
    if (own_) ++own_->holders_;
  }
  void let_go() const;
  int index_ = 0;
  const OwnActivation* own_ = nullptr;
};

Json encode(const ActivationFunction& activation);
void decode(const Json& json, ActivationFunction& out);  // null is linear

namespace layers {
using Activation = ActivationFunction;
}

}  // namespace ramet
