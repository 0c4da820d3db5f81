// Every op there is. The text parser, the verifier and the conformance suite go by this list.
#pragma once
#include <span>

#include "ramet/ir/op.h"

namespace ramet::ops {

std::span<const OpDef* const> all_ops();
const OpDef* find_op(std::string_view name);  // null when there is none

}  // namespace ramet::ops
