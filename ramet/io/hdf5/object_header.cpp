#include "ramet/io/hdf5/object_header.h"

#include <deque>

namespace ramet::hdf5 {
namespace {

struct Block {
  std::uint64_t address = 0, length = 0;
};

// How a message is framed; version 2 saves bytes, has checksums and may number the messages.
struct Framing {
  int version = 1;
  bool creation_order = false;
  std::uint64_t prefix() const { return version == 1 ? 8 : creation_order ? 6 : 4; }
};

void admit(const Cursor& at, std::uint16_t type, std::uint8_t flags) {
  switch (MessageType{type}) {
    case MessageType::external_files: at.refuse("stores its elements in external files, which are not read");
    case MessageType::shared_table: at.refuse("has a table of shared messages, which are not read");
    case MessageType::driver_info: at.refuse("belongs to a file of several parts (driver information)");
    case MessageType::cache_image: at.refuse("has a metadata cache image, which is not read");
    default: break;
  }
  at.check(type <= 0x18 && type != 0x09, "has a message of unknown type ", type);
  at.check((flags & 0x02) == 0, "has a shared or committed message (type ", type, "), which is not read");
}

class HeaderReader {
 public:
  HeaderReader(const Scope& scope, std::uint64_t address) : scope_(scope), address_(address) {}

  std::vector<Message> read() {
    const auto start = scope_.bytes(address_, 4, "object header");
    if (start[0] == std::byte{'O'})
      read_version2();
    else
      read_version1();
    while (!blocks_.empty()) {
      const Block block = blocks_.front();
      blocks_.pop_front();
      visited_.enter(scope_, block.address, "object header block");
      Cursor cursor(scope_, block.address, block.length, "object header block");
      if (framing_.version == 2) {
        cursor.signature("OCHK");
        cursor.checksum_at_end();
        read_messages(cursor, cursor.left());
      } else {
        read_messages(cursor, block.length);
      }
    }
    return std::move(messages_);
  }

 private:
  void read_version1() {
    Cursor prefix(scope_, address_, 16, "object header");
    prefix.version(1);
    prefix.skip(7);  // reserved, count of messages, count of links to it
    blocks_.push_back({address_ + 16, prefix.u32()});
  }

  void read_version2() {
    Cursor prefix(scope_, address_, std::min<std::uint64_t>(34, scope_.file_size() - address_), "object header");
    prefix.signature("OHDR");
    prefix.version(2);
    const unsigned flags = prefix.u8();
    if (flags & 0x20) prefix.skip(16);  // times
    if (flags & 0x10) prefix.skip(4);   // when attributes become dense
    const std::uint64_t size = prefix.number(1u << (flags & 3));
    framing_ = {.version = 2, .creation_order = (flags & 0x04) != 0};

    visited_.enter(scope_, address_, "object header");
    prefix.check(size <= scope_.file_size(), "says it has ", size, " bytes, more than the file");
    Cursor cursor(scope_, address_, prefix.position() + size + 4, "object header");
    cursor.skip(prefix.position());
    cursor.checksum_at_end();
    read_messages(cursor, size);
  }

  // The messages in the next `length` bytes; a rest too short for a message is unused.
  void read_messages(Cursor& cursor, std::uint64_t length) {
    scope_.charge(length + 64, cursor.at());
    const std::uint64_t end = cursor.position() + length;
    while (end - cursor.position() >= framing_.prefix()) {
      const bool old = framing_.version == 1;
      const std::uint16_t type = old ? cursor.u16() : cursor.u8();
      const std::uint16_t size = cursor.u16();
      const std::uint8_t flags = cursor.u8();
      cursor.skip(framing_.prefix() - (old ? 5 : 4));
      cursor.check(size <= end - cursor.position(), "has a message of ", size, " bytes that goes beyond its block");
      if (type != 0) admit(cursor, type, flags);
      Message message{MessageType{type}, {}, cursor.at()};
      message.body = cursor.take(size);
      if (message.type == MessageType::continuation) {
        Cursor body(scope_, message.body, message.address, "continuation message");
        const std::uint64_t address = body.address();
        blocks_.push_back({address, body.length()});
      } else if (message.type != MessageType::nil) {
        scope_.charge(sizeof message, message.address);
        messages_.push_back(message);
      }
    }
  }

  const Scope& scope_;
  std::uint64_t address_;
  Framing framing_;
  std::deque<Block> blocks_;
  Visited visited_;
  std::vector<Message> messages_;
};

}  // namespace

std::vector<Message> read_object_header(const Scope& scope, std::uint64_t address) {
  return HeaderReader(scope, address).read();
}

const Message* find_message(const Scope& scope, const std::vector<Message>& messages, MessageType type) {
  const Message* found = nullptr;
  for (const Message& message : messages) {
    if (message.type != type) continue;
    scope.check(found == nullptr, message.address, "has two messages of type ", static_cast<int>(type));
    found = &message;
  }
  return found;
}

}  // namespace ramet::hdf5
