// Constants as passes see them.
#pragma once
#include <optional>

#include "ramet/ops/constant/constant.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet::passes {

// The number a constant holds everywhere, looking through broadcasts.
inline std::optional<double> splat(const Program& p, int value) {
  int producer = p.producer(value);
  while (producer >= 0 && (p.instr(producer).op == &ops::broadcast_to_op || p.instr(producer).op == &ops::reshape_op))
    producer = p.producer(p.instr(producer).inputs[0]);
  if (producer < 0 || p.instr(producer).op != &ops::constant_op) return std::nullopt;
  const Array& a = p.instr(producer).attrs.as<ops::ConstantAttrs>().value;
  return a.size() == 1 ? std::optional(a.item()) : std::nullopt;
}

}  // namespace ramet::passes
