// The weights of SimpleRNN, LSTM and GRU cells: named, initialised, regularised and constrained alike.
#pragma once
#include "ramet/layers/recurrent/cell.h"

namespace ramet::layers {

template <class CellType>
Weight cell_kernel(Builder& b, const CellType& cell, const Spec& x, std::int64_t width) {
  const auto& c = cell.config();
  require(x.dim(-1) != None, describe(cell), ": the last dimension of the inputs must be known; got shape ",
          to_string(x.shape));
  return b.weight("kernel", {x.dim(-1), width}, c.kernel_initializer,
                  {.regularizer = as_function(c.kernel_regularizer), .constraint = as_function(c.kernel_constraint)});
}

template <class CellType>
Weight cell_recurrent_kernel(Builder& b, const CellType& cell, std::int64_t units, std::int64_t width) {
  const auto& c = cell.config();
  return b.weight(
      "recurrent_kernel", {units, width}, c.recurrent_initializer,
      {.regularizer = as_function(c.recurrent_regularizer), .constraint = as_function(c.recurrent_constraint)});
}

template <class CellType>
Weight cell_bias(Builder& b, const CellType& cell, const Shape& shape, const InitFunction& initializer) {
  const auto& c = cell.config();
  return b.weight("bias", shape, initializer,
                  {.regularizer = as_function(c.bias_regularizer), .constraint = as_function(c.bias_constraint)});
}

template <class CellType>
Weight cell_seed(Builder& b, const CellType& cell) {
  const auto& c = cell.config();
  return c.dropout > 0 || c.recurrent_dropout > 0 ? b.seed(c.seed) : Weight();
}

}  // namespace ramet::layers
