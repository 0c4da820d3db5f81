#include "ramet/io/hdf5/links.h"

#include <algorithm>

#include "ramet/io/hdf5/btree_v1.h"
#include "ramet/io/hdf5/btree_v2.h"
#include "ramet/io/hdf5/fractal_heap.h"

namespace ramet::hdf5 {
namespace {

void add_link(const Scope& scope, std::vector<Link>& links, std::string_view name, std::uint64_t address,
              std::uint64_t at) {
  scope.charge(sizeof(Link) + name.size(), at);
  const bool sound = !name.empty() && name != "." && name.find('/') == name.npos && name.find('\0') == name.npos;
  scope.check(sound, at, "has a child named '", name, "', which cannot stand in a path");
  scope.check(address != kUndefined, at, "has a child '", name, "' without an address");
  links.push_back({std::string(name), address});
}

// The names of an old group.
Cursor read_local_heap(const Scope& scope, std::uint64_t address) {
  const unsigned length = scope.source().length_size;
  Cursor head(scope, address, 8 + 2 * length + scope.source().offset_size, "local heap");
  head.signature("HEAP");
  head.version(0);
  head.skip(3);
  const std::uint64_t size = head.length();
  head.length();  // free space
  return Cursor(scope, head.address(), size, "local heap's data");
}

void read_symbol_node(const Scope& scope, std::uint64_t address, const Cursor& heap, std::vector<Link>& links) {
  const std::uint64_t entry_size = 2 * scope.source().offset_size + 24;
  Cursor head(scope, address, 8, "symbol table node");
  head.signature("SNOD");
  head.version(1);
  head.skip(1);
  const std::uint64_t count = head.u16();
  Cursor entries(scope, address + 8, count * entry_size, "symbol table node");
  scope.charge(8 + count * entry_size, address);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = entries.at();
    const std::uint64_t name_at = entries.address();
    const std::uint64_t child = entries.address();
    const std::uint32_t cached = entries.u32();
    entries.skip(4 + 16);
    entries.check(name_at < heap.all().size(), "has a name at ", name_at, " in a local heap of ", heap.all().size(),
                  " bytes");
    Cursor names = heap;
    names.skip(name_at);
    const std::string_view name = names.text_to_nul();
    scope.check(cached != 2, at, "has a soft link '", name, "'; links are not followed");
    scope.check(cached <= 1, at, "has a child '", name, "' of unknown kind ", cached);
    add_link(scope, links, name, child, at);
  }
}

void read_link_message(Cursor cursor, std::vector<Link>& links) {
  const std::uint64_t at = cursor.at();
  cursor.version(1);
  const unsigned flags = cursor.u8();
  const unsigned type = flags & 0x08 ? cursor.u8() : 0;
  if (flags & 0x04) cursor.skip(8);  // creation order
  if (flags & 0x10) cursor.skip(1);  // character set
  const std::uint64_t length = cursor.number(1u << (flags & 3));
  const std::string_view name = cursor.text(length);
  cursor.check(type != 1, "'", name, "' is a soft link; links are not followed");
  cursor.check(type != 64, "'", name, "' is an external link; other files are not read");
  cursor.check(type == 0, "'", name, "' is a link of unknown kind ", type);
  add_link(cursor.scope(), links, name, cursor.address(), at);
}

void read_dense_links(const Scope& scope, const Message& info, std::vector<Link>& links) {
  Cursor cursor(scope, info.body, info.address, "link information");
  cursor.version(0);
  if (cursor.u8() & 1) cursor.skip(8);  // highest creation order
  const std::uint64_t heap_address = cursor.address(), tree = cursor.address();
  if (heap_address == kUndefined) return;
  FractalHeap heap(scope, heap_address);
  walk_btree_v2(scope, tree, BTreeV2Kind::link_name, [&](Cursor record) {
    record.u32();  // hash of the name
    const std::uint64_t at = record.at();
    const HeapObject object = heap.object(record.take(record.left()), at);
    read_link_message(Cursor(scope, object.bytes, object.address, "link"), links);
  });
}

}  // namespace

bool is_group(const std::vector<Message>& messages) {
  return std::any_of(messages.begin(), messages.end(), [](const Message& m) {
    return m.type == MessageType::symbol_table || m.type == MessageType::link_info || m.type == MessageType::link;
  });
}

std::vector<Link> read_links(const Scope& scope, const std::vector<Message>& messages) {
  std::vector<Link> links;
  if (const Message* table = find_message(scope, messages, MessageType::symbol_table)) {
    Cursor cursor(scope, table->body, table->address, "symbol table");
    const std::uint64_t tree = cursor.address();
    const Cursor heap = read_local_heap(scope, cursor.address());
    Visited visited;
    walk_btree_v1(scope, tree, BTreeV1Kind::group, scope.source().length_size, [&](Cursor, std::uint64_t child) {
      visited.enter(scope, child, "symbol table node");
      read_symbol_node(scope, child, heap, links);
    });
  }
  if (const Message* info = find_message(scope, messages, MessageType::link_info))
    read_dense_links(scope, *info, links);
  for (const Message& message : messages)
    if (message.type == MessageType::link)
      read_link_message(Cursor(scope, message.body, message.address, "link"), links);

  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.name == b.name; });
  if (twice != links.end()) scope.refuse(twice->address, "has two children named '", twice->name, "'");
  return links;
}

}  // namespace ramet::hdf5
