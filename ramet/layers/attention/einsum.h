// Sums of products by letters, of two operands: "abc,cd->abd".
#pragma once
#include <string>

#include "ramet/ir/program.h"

namespace ramet::layers {

// Letters of the two operands and of the result.
struct Einsum {
  std::string a, b, out;
};

// Σ a·b over the letters that the result lacks, as one matrix product. UsageError when a letter stands for two sizes.
// REQUIRES: no letter twice in one place; every letter of `out` in `a` or `b`; ranks as the letters say.
Value einsum(const Einsum& letters, Value a, Value b);

}  // namespace ramet::layers
