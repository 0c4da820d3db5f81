// Object headers: the list of messages that describes a group or a dataset.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "ramet/io/hdf5/source.h"

namespace ramet::hdf5 {

enum class MessageType : std::uint16_t {
  nil = 0x00,
  dataspace = 0x01,
  link_info = 0x02,
  datatype = 0x03,
  old_fill_value = 0x04,
  fill_value = 0x05,
  link = 0x06,
  external_files = 0x07,
  layout = 0x08,
  group_info = 0x0A,
  filters = 0x0B,
  attribute = 0x0C,
  comment = 0x0D,
  old_time = 0x0E,
  shared_table = 0x0F,
  continuation = 0x10,
  symbol_table = 0x11,
  time = 0x12,
  btree_k = 0x13,
  driver_info = 0x14,
  attribute_info = 0x15,
  reference_count = 0x16,
  file_space = 0x17,
  cache_image = 0x18,
};

struct Message {
  MessageType type = MessageType::nil;
  std::span<const std::byte> body;
  std::uint64_t address = 0;  // of the body
};

// The messages of the object at `address` in their order, through all continuation blocks. Refuses shared messages,
// messages that only an application knows, and those that move data out of the file.
std::vector<Message> read_object_header(const Scope& scope, std::uint64_t address);

// The only message of its type, null when there is none, refused when there are several.
const Message* find_message(const Scope& scope, const std::vector<Message>& messages, MessageType type);

}  // namespace ramet::hdf5
