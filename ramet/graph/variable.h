// The state of layers: weights, moving statistics, seeds.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "ramet/array/array.h"
#include "ramet/ir/program.h"

namespace ramet {

class Variable {
 public:
  std::string name;  // "kernel"
  std::string path;  // "dense/kernel"
  bool trainable = true;
  bool is_weight = true;  // seeds are variables but not weights
  std::function<Value(Value)> regularizer, constraint;

  Variable(std::string n, Array v) : name(std::move(n)), value_(std::move(v)) {}
  const Array& value() const { return value_; }
  Spec spec() const { return {value_.shape(), value_.dtype()}; }
  // Copies the elements in. REQUIRES: same spec.
  void assign(const Array& value);
  // The elements themselves, for programs that update them in place; call `touched` after.
  Array& storage() { return value_; }
  void touched() { ++version_; }
  // Changes whenever the elements do.
  std::uint64_t version() const { return version_; }

 private:
  Array value_;
  std::uint64_t version_ = 1;
};
using VariableRef = std::shared_ptr<Variable>;
using VariableRefs = std::vector<VariableRef>;

// How a layer's code names one of its variables. Empty until build made it.
class Weight {
 public:
  Weight() = default;
  explicit Weight(VariableRef variable) : variable_(std::move(variable)) {}
  explicit operator bool() const { return variable_ != nullptr; }
  const VariableRef& variable() const { return variable_; }

 private:
  VariableRef variable_;
};

}  // namespace ramet
