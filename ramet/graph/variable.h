// The state of layers: weights, moving statistics, seeds.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "ramet/array/array.h"
#include "ramet/base/gate.h"
#include "ramet/ir/program.h"

namespace ramet {

class Variable {
 public:
  std::string name;          // "kernel"
  std::string path;          // "dense/kernel"
  bool is_parameter = true;  // made to be trained; moving statistics and states are not
  // Whether training changes it now. What optimizers, regularization and summaries go by, whatever the layers around it
  // say (Layer::set_trainable).
  bool trainable = true;
  bool is_weight = true;  // seeds are variables but not weights
  std::function<Value(Value)> regularizer, constraint;

  Variable(std::string n, Array v)
      : name(std::move(n)), storage_(std::make_shared<Storage>(Storage{std::move(v), 1})) {}
  // A copy: what is done to it does not reach the variable, and training does not reach it.
  Array value() const { return stored().copy(); }
  // The elements as they are now and will be, for whoever only looks.
  const Array& stored() const { return storage_->value; }
  const Shape& shape() const { return stored().shape(); }
  std::int64_t size() const { return stored().size(); }
  Spec spec() const { return {stored().shape(), stored().dtype()}; }
  // Copies the elements in, cast to the variable's type, when no prediction or training step runs. UsageError when the
  // shape is another.
  void assign(const Array& value);
  // The elements themselves, for programs that update them in place; call `touched` after.
  Array& storage() { return storage_->value; }
  void touched() { ++storage_->version; }
  // Changes whenever the elements do.
  std::uint64_t version() const { return storage_->version; }
  // Held for reading by whoever runs a program, for writing by `assign`. One for all variables, because models share
  // them.
  static Gate& gate();
  // From now on the elements of the other variable are this one's too. REQUIRES: same spec.
  void share(const Variable& other) { storage_ = other.storage_; }
  const void* identity() const { return storage_.get(); }  // the same for variables that share

 private:
  struct Storage {
    Array value;
    std::uint64_t version;
  };
  std::shared_ptr<Storage> storage_;
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
