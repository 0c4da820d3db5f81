// Attribute messages, in the object header or in a heap of their own.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ramet/io/hdf5/datatype.h"
#include "ramet/io/hdf5/global_heap.h"
#include "ramet/io/hdf5/object_header.h"

namespace ramet::hdf5 {

// An attribute, decoded.
struct AttributeData {
  std::string owner;  // path of the object
  std::string name;
  Type type;
  Dataspace space;
  std::span<const std::byte> bytes;
  std::uint64_t address = 0;  // of the bytes
};

// Where the attributes of an object lie, by name. Their types are looked at when they are asked for, so that an
// attribute of a kind that is not read disturbs nobody who does not want it.
using AttributePlaces = std::map<std::string, Message, std::less<>>;
AttributePlaces find_attributes(const Scope& scope, const std::vector<Message>& messages);

AttributeData read_attribute(const Scope& scope, const Message& message);

// Elements of type string, as text.
std::vector<std::string> decode_strings(const Scope& scope, GlobalHeap& heap, const Type& type,
                                        std::span<const std::byte> elements, std::uint64_t at);

}  // namespace ramet::hdf5
