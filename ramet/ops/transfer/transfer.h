// Brings a value to another device. Instructions run where they are placed; values cross only by this op.
#pragma once
#include "ramet/ir/op.h"

namespace ramet::ops {

struct TransferAttrs {
  std::string to = "cpu:0", from = "cpu:0";
  static constexpr auto fields = Fields{field("to", &TransferAttrs::to), field("from", &TransferAttrs::from)};
};
extern const OpDef transfer_op;

Value transfer(Value x, const Device& from, const Device& to);

}  // namespace ramet::ops
