// The global heap: where strings of variable length lie.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "ramet/io/hdf5/source.h"

namespace ramet::hdf5 {

// Remembers the collections that were read, each once for the whole file. Safe to use from several threads.
class GlobalHeap {
 public:
  // The strings that `references` (length, collection, index, one after the other) point to; together they may not be
  // longer than the file.
  std::vector<std::string> strings(const Scope& scope, std::span<const std::byte> references, std::uint64_t at);

 private:
  using Collection = std::map<std::uint16_t, std::span<const std::byte>>;  // by index
  const Collection& collection(const Scope& scope, std::uint64_t address);

  std::mutex mutex_;
  std::map<std::uint64_t, Collection> collections_;  // by address
};

}  // namespace ramet::hdf5
