#include "ramet/array/dtype.h"

#include <array>

namespace ramet {
namespace {

struct Row {
  std::string_view short_name, keras_name;
  std::size_t size;
  int rank;  // place in NumPy's promotion order within its kind
};

constexpr std::array<Row, 9> kRows = {{{"f32", "float32", 4, 2},
                                       {"f64", "float64", 8, 3},
                                       {"i32", "int32", 4, 3},
                                       {"i64", "int64", 8, 4},
                                       {"i8", "int8", 1, 1},
                                       {"u8", "uint8", 1, 0},
                                       {"bool", "bool", 1, 0},
                                       {"f16", "float16", 2, 0},
                                       {"bf16", "bfloat16", 2, 1}}};

const Row& row(DType dtype) { return kRows[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::size_t size_of(DType dtype) { return row(dtype).size; }
std::string_view short_name(DType dtype) { return row(dtype).short_name; }
std::string_view keras_name(DType dtype) { return row(dtype).keras_name; }

DType dtype_from(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (name == kRows[i].short_name || name == kRows[i].keras_name) return static_cast<DType>(i);
  throw UsageError(cat("unknown dtype '", name,
                       "'; use one of float32, float64, int32, int64, int8, uint8, bool, float16, bfloat16"));
}

bool is_floating(DType d) { return d == DType::f32 || d == DType::f64 || d == DType::f16 || d == DType::bf16; }
bool is_integer(DType d) { return !is_floating(d) && d != DType::boolean; }

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::boolean) return b;
  if (b == DType::boolean) return a;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if ((a == DType::f16 && b == DType::bf16) || (a == DType::bf16 && b == DType::f16)) return DType::f32;
  if ((a == DType::i8 && b == DType::u8) || (a == DType::u8 && b == DType::i8)) return DType::i32;
  return row(a).rank > row(b).rank ? a : b;
}

}  // namespace ramet
