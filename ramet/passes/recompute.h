// What is cheaper to compute again than to keep in memory.
#pragma once
#include "ramet/ops/elementwise/elementwise.h"

namespace ramet::passes {

inline bool is_cheap(const OpDef& op) {
  return &op == &ops::add_op || &op == &ops::sub_op || &op == &ops::mul_op || &op == &ops::div_op;
}

}  // namespace ramet::passes
