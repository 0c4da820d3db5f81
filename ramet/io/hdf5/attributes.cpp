#include "ramet/io/hdf5/attributes.h"

#include "ramet/io/hdf5/btree_v2.h"
#include "ramet/io/hdf5/fractal_heap.h"

namespace ramet::hdf5 {
namespace {

struct Head {
  unsigned version = 0;
  std::uint64_t name = 0, datatype = 0, dataspace = 0;  // sizes
  // Version 1 fills each part to a multiple of 8 bytes.
  std::uint64_t padded(std::uint64_t size) const { return version == 1 ? (size + 7) / 8 * 8 : size; }
};

Head read_head(Cursor& cursor) {
  Head head;
  head.version = cursor.u8();
  cursor.check(head.version >= 1 && head.version <= 3, "has version ", head.version, "; 1 to 3 are known");
  const unsigned flags = cursor.u8();
  cursor.check(head.version == 1 || (flags & 3) == 0, "has a shared or committed type, which is not read");
  head.name = cursor.u16();
  head.datatype = cursor.u16();
  head.dataspace = cursor.u16();
  if (head.version == 3) cursor.skip(1);  // character set of the name
  return head;
}

std::string read_name(Cursor& cursor, const Head& head) {
  const std::string_view name = cursor.text(head.padded(head.name)).substr(0, head.name);
  return std::string(name.substr(0, name.find('\0')));
}

void add_place(const Scope& scope, const Message& message, AttributePlaces& places) {
  Cursor cursor(scope, message.body, message.address, "attribute");
  const Head head = read_head(cursor);
  const std::string name = read_name(cursor, head);
  scope.charge(128 + name.size(), message.address);
  cursor.check(places.emplace(name, message).second, "has the name '", name, "' of another one");
}

}  // namespace

AttributePlaces find_attributes(const Scope& scope, const std::vector<Message>& messages) {
  AttributePlaces places;
  for (const Message& message : messages)
    if (message.type == MessageType::attribute) add_place(scope, message, places);

  const Message* info = find_message(scope, messages, MessageType::attribute_info);
  if (info == nullptr) return places;
  Cursor cursor(scope, info->body, info->address, "attribute information");
  cursor.version(0);
  if (cursor.u8() & 1) cursor.skip(2);  // highest creation order
  const std::uint64_t heap_address = cursor.address(), tree = cursor.address();
  if (heap_address == kUndefined) return places;
  FractalHeap heap(scope, heap_address);
  walk_btree_v2(scope, tree, BTreeV2Kind::attribute_name, [&](Cursor record) {
    const std::uint64_t at = record.at();
    const HeapObject object = heap.object(record.take(8), at);
    record.check((record.u8() & 2) == 0, "is a shared attribute, which is not read");
    add_place(scope, {MessageType::attribute, object.bytes, object.address}, places);
  });
  return places;
}

AttributeData read_attribute(const Scope& scope, const Message& message) {
  Cursor cursor(scope, message.body, message.address, "attribute");
  const Head head = read_head(cursor);
  AttributeData out;
  out.owner = scope.path();
  out.name = read_name(cursor, head);
  const std::string type_of = "type of attribute '" + out.name + "'";
  const std::string shape_of = "shape of attribute '" + out.name + "'";

  const std::uint64_t type_at = cursor.at();
  const auto type = cursor.take(head.padded(head.datatype)).first(head.datatype);
  const std::uint64_t space_at = cursor.at();
  const auto space = cursor.take(head.padded(head.dataspace)).first(head.dataspace);
  out.type = read_datatype(Cursor(scope, type, type_at, type_of));
  out.space = read_dataspace(Cursor(scope, space, space_at, shape_of));

  std::uint64_t size = 0;
  if (!multiply(out.space.count, out.type.size, size) || size > cursor.left())
    cursor.refuse("'", out.name, "' of shape ", ramet::to_string(out.space.shape), " declares more than the ",
                  cursor.left(), " bytes it has");
  out.address = cursor.at();
  out.bytes = cursor.take(size);
  return out;
}

std::vector<std::string> decode_strings(const Scope& scope, GlobalHeap& heap, const Type& type,
                                        std::span<const std::byte> elements, std::uint64_t at) {
  if (type.variable) return heap.strings(scope, elements, at);
  std::vector<std::string> out;
  for (; elements.size() >= type.size; elements = elements.subspan(type.size)) {
    std::string_view text(reinterpret_cast<const char*>(elements.data()), type.size);
    if (type.padding == 0)
      text = text.substr(0, text.find('\0'));
    else
      text = text.substr(0, text.find_last_not_of(type.padding == 1 ? '\0' : ' ') + 1);
    out.emplace_back(text);
  }
  return out;
}

}  // namespace ramet::hdf5
