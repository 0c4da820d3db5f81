// Element types, with the names Keras gives them and the short ones used in programs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string_view>

#include "ramet/array/bfloat16.h"
#include "ramet/base/error.h"

namespace ramet {

enum class DType : std::uint8_t { f32, f64, i32, i64, i8, u8, boolean, f16, bf16 };

std::size_t size_of(DType dtype);          // bytes of one element
std::string_view short_name(DType dtype);  // "f32"
std::string_view keras_name(DType dtype);  // "float32"
DType dtype_from(std::string_view name);   // either name; UsageError with the choices otherwise
bool is_floating(DType dtype);
bool is_integer(DType dtype);  // signed or unsigned, not boolean

// The type NumPy and Keras give to an operation on both (float wins over int, wider over narrower).
DType promote(DType a, DType b);

inline std::ostream& operator<<(std::ostream& out, DType dtype) { return out << keras_name(dtype); }

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DType::i64;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DType::u8;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return DType::bf16;
  else {
    static_assert(std::is_same_v<T, bool>, "no Ramet element type for this C++ type");
    return DType::boolean;
  }
}

// Calls visit(T{}) with the C++ type of `dtype`. Half precision has no arithmetic type and is refused: programs compute
// bfloat16 in float32 (passes::widen).
template <class Visit>
decltype(auto) visit_dtype(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::f32: return visit(float{});
    case DType::f64: return visit(double{});
    case DType::i32: return visit(std::int32_t{});
    case DType::i64: return visit(std::int64_t{});
    case DType::i8: return visit(std::int8_t{});
    case DType::u8: return visit(std::uint8_t{});
    case DType::boolean: return visit(bool{});
    default: break;
  }
  throw UsageError(cat("dtype ", dtype, " cannot be computed with yet; use float32 or float64"));
}

// As visit_dtype, and bfloat16: for code that reads, writes and converts elements.
template <class Visit>
decltype(auto) visit_element(DType dtype, Visit&& visit) {
  if (dtype == DType::bf16) return visit(BFloat16{});
  return visit_dtype(dtype, visit);
}

}  // namespace ramet
