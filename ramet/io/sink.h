// Where a format writer puts its bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ramet/base/error.h"

namespace ramet {

// Bytes written in order; earlier ones may be put right afterwards. One thread at a time.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::span<const std::byte> bytes) = 0;
  // REQUIRES: the bytes replaced were all written before.
  virtual void patch(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  virtual std::uint64_t position() const = 0;  // how many bytes were written
};

class MemorySink final : public Sink {
 public:
  void write(std::span<const std::byte> more) override { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  void patch(std::uint64_t offset, std::span<const std::byte> part) override {
    ensure(offset <= bytes_.size() && part.size() <= bytes_.size() - offset, "patch outside of what was written");
    std::copy(part.begin(), part.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::uint64_t position() const override { return bytes_.size(); }

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace ramet
