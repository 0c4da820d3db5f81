#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ramet/array/array.h"

using namespace ramet;

namespace {

float float_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint16_t brain(float value) { return BFloat16(value).bits; }

}  // namespace

TEST_CASE("bfloat16: what it can hold comes back as it was") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_of(bits << 16);
    if (std::isnan(value))
      CHECK(std::isnan(static_cast<float>(BFloat16(value))));
    else
      CHECK(brain(value) == bits);
  }
}

TEST_CASE("bfloat16: rounds to the nearest, and ties to even") {
  CHECK(brain(float_of(0x3f800000)) == 0x3f80);  // 1
  CHECK(brain(float_of(0x3f808000)) == 0x3f80);  // a tie below an odd one
  CHECK(brain(float_of(0x3f808001)) == 0x3f81);
  CHECK(brain(float_of(0x3f818000)) == 0x3f82);  // a tie above an odd one
  CHECK(brain(float_of(0x3f817fff)) == 0x3f81);
  CHECK(brain(float_of(0xbf808001)) == 0xbf81);
}

TEST_CASE("bfloat16: the largest floats become infinite, denormal ones stay, NaN stays NaN") {
  CHECK(brain(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(brain(std::numeric_limits<float>::infinity()) == 0x7f80);
  CHECK(brain(-std::numeric_limits<float>::infinity()) == 0xff80);
  CHECK(brain(float_of(0x00010000)) == 0x0001);
  CHECK(brain(float_of(0x00007fff)) == 0x0000);
  CHECK(brain(-0.0f) == 0x8000);
  CHECK(std::isnan(static_cast<float>(BFloat16(float_of(0x7f800001)))));  // its payload is in the lower half alone
  CHECK(std::isnan(static_cast<float>(BFloat16(float_of(0xffffffff)))));
}

TEST_CASE("Array: bfloat16 converts from and to the other types, prints, and is read by element") {
  const Array x = Array::of<float>({2, 2}, {1.0f, -2.5f, 3.14159f, 1e30f}).astype(DType::bf16);
  CHECK(x.dtype() == DType::bf16);
  CHECK(x.byte_size() == 8);
  CHECK(x.at({0, 1}) == -2.5);
  CHECK(x.at({1, 0}) == 3.140625);
  CHECK(x.astype(DType::f32).data<float>()[2] == 3.140625f);
  CHECK(x.astype(DType::i32).data<std::int32_t>()[1] == -2);
  CHECK(x.astype(DType::f32).astype(DType::bf16).identical(x));
  CHECK(Array::scalar(0.1, DType::bf16).item() == 0.10009765625);
}

TEST_CASE("Array: bfloat16 arrays print as their numbers") {
  CHECK(cat(Array::of<float>({2}, {0.5f, -3}).astype(DType::bf16)) == "bf16(2,) [0.5, -3]");
  CHECK(Array::arange(3, DType::bf16).to_doubles() == std::vector<double>{0, 1, 2});
}
