#include "ramet/io/crc32.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <random>
#include <string_view>
#include <vector>

using namespace ramet;

TEST_CASE("crc32: the check value of the standard") {
  const std::string_view digits = "123456789";
  CHECK(crc32_of(std::as_bytes(std::span(digits))) == 0xCBF43926);
  CHECK(crc32_of({}) == 0);
}

TEST_CASE("crc32: equals zlib's for every length, alignment and split") {
  std::mt19937_64 random(1);
  std::vector<std::byte> bytes(70'000);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  for (int i = 0; i < 4000; ++i) {
    const std::size_t begin = random() % 70, length = i < 1000 ? static_cast<std::size_t>(i) : random() % 69'000;
    const std::span<const std::byte> part(bytes.data() + begin, length);
    const auto expected = ::crc32(0, reinterpret_cast<const Bytef*>(part.data()), static_cast<uInt>(length));
    REQUIRE(crc32_of(part) == expected);
    const std::size_t cut = length ? random() % length : 0;
    REQUIRE(extend_crc32(crc32_of(part.first(cut)), part.subspan(cut)) == expected);
  }
}
