// Files cut short and files changed at random: whatever happens is an answer or a DataError, in time and in memory.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>

#include "ramet/io/hdf5/hdf5_read.h"
#include "tests/support/hdf5_files.h"

using namespace ramet;
using namespace ramet::hdf5;

namespace {

// How much could be read; 0 when the file was refused as a whole.
std::size_t try_everything(std::span<const std::byte> bytes, const Limits& limits) {
  try {
    return read_everything(open(bytes, limits));
  } catch (const DataError&) { return 0; }
}

void put(Buffer& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<std::byte>(value >> 8 * i);
}

// Changes a few places, preferring those that say something, and can put them back.
class Mutant {
 public:
  Mutant(Buffer& bytes, std::mt19937_64& random) : bytes_(bytes), random_(random) {
    const std::size_t changes = 1 + below(3);
    for (std::size_t i = 0; i < changes; ++i) change();
  }
  ~Mutant() {
    while (!saved_.empty()) {
      const auto& [at, old] = saved_.back();
      std::copy(old.begin(), old.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(at));
      saved_.pop_back();
    }
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  std::size_t place() {
    std::size_t at = below(bytes_.size());
    for (int tries = 0; tries < 8 && bytes_[at] == std::byte{0}; ++tries) at = below(bytes_.size());
    return at;
  }

  void change() {
    const std::size_t kind = below(5);
    const std::size_t at = kind == 3 ? place() / 8 * 8 : place();
    const std::size_t end = std::min(at + 8, bytes_.size());
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(at);
    saved_.emplace_back(at, Buffer(begin, bytes_.begin() + static_cast<std::ptrdiff_t>(end)));
    const std::uint64_t kValues[] = {0,
                                     1,
                                     0x7F,
                                     0xFF,
                                     0xFFFF,
                                     0x7FFFFFFF,
                                     0xFFFFFFFF,
                                     0x7FFFFFFFFFFFFFFF,
                                     0xFFFFFFFFFFFFFFFF,
                                     bytes_.size(),
                                     bytes_.size() - 8,
                                     std::uint64_t{1} << 40};
    switch (kind) {
      case 0: bytes_[at] ^= static_cast<std::byte>(1 << below(8)); break;
      case 1: bytes_[at] = static_cast<std::byte>(below(256)); break;
      case 2: put(bytes_, at, kValues[below(std::size(kValues))], std::size_t{1} << below(4)); break;
      case 3: put(bytes_, at, kValues[below(std::size(kValues))], 8); break;
      default: {  // something from elsewhere: an address, a signature, a length
        const std::size_t from = place();
        for (std::size_t i = 0; i < end - at && from + i < bytes_.size(); ++i) bytes_[at + i] = bytes_[from + i];
      }
    }
  }

  Buffer& bytes_;
  std::mt19937_64& random_;
  std::vector<std::pair<std::size_t, Buffer>> saved_;
};

constexpr Limits kSmall{.max_bytes = 1 << 22, .verify_checksums = true};
constexpr Limits kUnchecked{.max_bytes = 1 << 22, .verify_checksums = false};

}  // namespace

TEST_CASE("hdf5: a file cut at any byte is refused") {
  for (const char* name : {"user_block", "small_latest"}) {
    const Buffer whole = recorded_file(name);
    std::size_t refused = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      try {
        open(cut);
      } catch (const DataError&) { ++refused; }
    }
    CHECK(refused == whole.size());
  }
}

TEST_CASE("hdf5: a file cut at any byte, and saying so, is read as far as it goes") {
  struct Cut {
    const char* name;
    std::size_t end_at;  // where the superblock says how long the file is
  };
  for (const auto& [name, end_at] : {Cut{"user_block", 1024 + 40}, Cut{"small_latest", 28}}) {
    const Buffer whole = recorded_file(name);
    const std::size_t all = try_everything(whole, kUnchecked);
    CHECK(all >= 4);
    for (std::size_t size = end_at + 8; size < whole.size(); ++size) {
      Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      put(cut, end_at, size, 8);
      CHECK(try_everything(cut, kUnchecked) <= all);
    }
  }
}

TEST_CASE("hdf5: random changes do no harm") {
  struct Case {
    const char* name;
    int count;
  };
  // RAMET_MUTANTS multiplies the counts, for long runs. A sanitizer makes each ten times slower.
#ifdef __SANITIZE_ADDRESS__
  constexpr int kShare = 8;
#else
  constexpr int kShare = 1;
#endif
  const char* more = std::getenv("RAMET_MUTANTS");
  const int times = more != nullptr ? std::atoi(more) : 1;
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  for (const Case& file :
       {Case{"user_block", 20'000}, Case{"small_latest", 20'000}, Case{"keras.weights", 20'000},
        Case{"keras_legacy", 20'000}, Case{"types", 20'000}, Case{"types_latest", 20'000}, Case{"attributes", 20'000},
        Case{"attributes_latest", 20'000}, Case{"chunks", 2'000}, Case{"chunks_latest", 2'000}, Case{"groups", 1'000},
        Case{"groups_latest", 1'000}, Case{"refused_loop", 2'000}, Case{"refused_external_storage", 2'000},
        Case{"refused_virtual", 2'000}, Case{"refused_lzf", 2'000}, Case{"refused_compound", 2'000}}) {
    CAPTURE(file.name);
    Buffer bytes = recorded_file(file.name);
    const Buffer original = bytes;
    std::mt19937_64 random(2024);
    std::size_t sum = 0;
    for (int i = 0; i < file.count * times / kShare; ++i) {
      const Mutant mutant(bytes, random);
      sum += try_everything(bytes, i % 2 == 0 ? kSmall : kUnchecked);
    }
    CHECK(sum > 0);
    CHECK(bytes == original);
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  if (kShare == 1) CHECK(after.ru_maxrss - before.ru_maxrss < 100'000);  // kB; a sanitizer keeps freed memory
}
