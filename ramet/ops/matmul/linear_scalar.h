// What the reference kernels do with a finished element of a product.
#pragma once
#include "ramet/ops/elementwise/scalar.h"
#include "ramet/ops/matmul/linear.h"

namespace ramet::ops {

inline float finished(const EpilogueActivation& activation, float v) {
  if (activation.code == 1) v = scalar::Relu{}(v);
  if (activation.code == 2) v = scalar::Sigmoid{}(v);
  if (activation.code == 3) v = scalar::Tanh{}(v);
  if (activation.code == 4) v = scalar::Gelu{}(v);
  return activation.ceiling < v ? activation.ceiling : v;
}

}  // namespace ramet::ops
