#include "ramet/io/hdf5/global_heap.h"

namespace ramet::hdf5 {

const GlobalHeap::Collection& GlobalHeap::collection(const Scope& scope, std::uint64_t address) {
  const auto known = collections_.find(address);
  if (known != collections_.end()) return known->second;

  const std::uint64_t head_size = 8 + scope.source().length_size;
  const std::uint64_t object_head = 8 + scope.source().length_size;
  Cursor head(scope, address, head_size, "global heap");
  head.signature("GCOL");
  head.version(1);
  head.skip(3);
  const std::uint64_t size = head.length();
  head.check(size >= head_size, "says it has ", size, " bytes");

  Collection objects;
  Cursor cursor(scope, address, size, "global heap");
  cursor.skip(head_size);
  while (cursor.left() >= object_head) {
    const std::uint16_t index = cursor.u16();
    cursor.skip(2 + 4);  // count of references, reserved
    const std::uint64_t length = cursor.length();
    if (index == 0) break;  // the rest is free
    scope.charge(64, cursor.at());
    const auto bytes = cursor.take(length);
    cursor.check(objects.emplace(index, bytes).second, "has two objects of index ", index);
    cursor.skip(std::min<std::uint64_t>((8 - length % 8) % 8, cursor.left()));
  }
  return collections_.emplace(address, std::move(objects)).first->second;
}

std::vector<std::string> GlobalHeap::strings(const Scope& scope, std::span<const std::byte> references,
                                             std::uint64_t at) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t reference_size = 8 + scope.source().offset_size;
  std::vector<std::string> out;
  out.reserve(references.size() / reference_size);
  std::uint64_t total = 0;
  Cursor cursor(scope, references, at, "variable string");
  while (cursor.left() >= reference_size) {
    const std::uint64_t length = cursor.u32();
    const std::uint64_t address = cursor.address();
    const std::uint32_t index = cursor.u32();
    if (length == 0) {
      out.emplace_back();
      continue;
    }
    const Collection& objects = collection(scope, address);
    const auto found = index <= 0xFFFF ? objects.find(static_cast<std::uint16_t>(index)) : objects.end();
    cursor.check(found != objects.end(), "points to object ", index, " of the global heap at ", address,
                 ", which has no such object");
    const auto bytes = found->second;
    cursor.check(length <= bytes.size(), "has ", length, " bytes, but its heap object has ", bytes.size());
    total += length;
    cursor.check(total <= scope.file_size(), "and those before it are together longer than the file");
    std::string text(reinterpret_cast<const char*>(bytes.data()), length);
    text.resize(std::min(text.find('\0'), text.size()));  // as the library, which ends strings at a NUL
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace ramet::hdf5
