#include "ramet/io/hdf5/write_plan.h"

#include <algorithm>

#include "ramet/base/error.h"

namespace ramet::hdf5 {
namespace {

constexpr std::uint64_t kUndefinedAddress = ~std::uint64_t{0};
constexpr std::uint64_t kSuperblockBytes = 96, kHeaderPrefix = 16, kSmallestDatasetBlock = 256;
constexpr std::uint64_t kDataAlignment = 64;
constexpr unsigned kConstant = 1;  // message flag: never changes

constexpr std::uint64_t aligned(std::uint64_t at) {
  return (at + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
}

std::vector<std::string> names_of(const Node& node) {
  std::vector<std::string> names;
  for (const auto& [name, child] : node.children) names.push_back(name);
  return names;
}

// Messages of an object, each with its head of 8 bytes.
std::uint64_t message_bytes(const Node& node) {
  std::uint64_t bytes = 0;
  if (node.group)
    bytes = 8 + 16;
  else
    bytes = 8 + 8 + 16 * node.shape.size() + 8 + padded(encode_type(node.dtype).size()) + 8 + 8 + 8 + 24;
  for (const AttributeNode& attribute : node.attributes) bytes += 8 + padded(attribute.message_bytes);
  return bytes;
}

std::uint64_t block_bytes(const Node& node) {
  return node.group ? message_bytes(node) : std::max(kSmallestDatasetBlock, message_bytes(node));
}

// Strings packed into collections of 4096 bytes; a long one has a collection of its own.
class HeapBuilder {
 public:
  explicit HeapBuilder(std::uint64_t address) : address_(address) {}

  void put_reference(Output& out, const std::string& text) {
    const std::uint64_t bytes = 16 + padded(text.size());
    if (left_ < bytes) begin_collection(bytes);
    collection_.u16(++index_).u16(0).u32(0).u64(text.size()).text(text).pad();
    left_ -= bytes;
    out.u32(text.size()).u64(address_ + all_.bytes.size()).u32(index_);
  }

  std::vector<std::byte> finish() {
    end_collection();
    return std::move(all_.bytes);
  }

 private:
  static constexpr std::uint64_t kCollectionBytes = 4096;

  void begin_collection(std::uint64_t bytes) {
    end_collection();
    const std::uint64_t size = std::max(kCollectionBytes, 16 + bytes);
    collection_.text("GCOL").u8(1).zeros(3).u64(size);
    left_ = size - 16;
    index_ = 0;
  }

  void end_collection() {
    if (left_ >= 16) collection_.u16(0).u16(0).u32(0).u64(left_);  // free space counts its own head
    collection_.zeros(left_ >= 16 ? left_ - 16 : left_);
    all_.raw(collection_.bytes);
    collection_.bytes.clear();
    left_ = 0;
  }

  const std::uint64_t address_;
  Output all_, collection_;
  std::uint64_t left_ = 0;
  std::uint32_t index_ = 0;
};

void put_superblock(Output& out, const GroupPlace& root, std::uint64_t end) {
  out.text("\x89HDF\r\n\x1a\n").zeros(5).u8(8).u8(8).u8(0);  // versions 0; offsets and lengths of 8 bytes
  out.u16(4).u16(16).u32(0);                                 // half the children of a symbol node and of a tree node
  out.u64(0).u64(kUndefinedAddress).u64(end).u64(kUndefinedAddress);
  out.u64(0).u64(root.header).u32(1).u32(0).u64(root.tree).u64(root.names);
}

}  // namespace

FilePlan::FilePlan(const Node& root) : objects_end_(kSuperblockBytes) {
  place(root, "/");
  const std::vector<std::byte> heap = place_strings();
  const std::uint64_t metadata_end = objects_end_ + heap.size();
  size_ = metadata_end;
  for (Placed& object : objects_) {
    if (object.node->data_bytes == 0) continue;
    object.data = aligned(size_);
    size_ = object.data + object.node->data_bytes;
  }

  Output out;
  put_superblock(out, objects_[0].place, size_);
  for (const Placed& object : objects_) put(out, object);
  ensure(out.bytes.size() == objects_end_, "HDF5: objects end at ", out.bytes.size(), ", planned ", objects_end_);
  out.raw(heap);
  metadata_ = std::move(out.bytes);
}

std::size_t FilePlan::place(const Node& node, std::string path) {
  const std::size_t index = objects_.size();
  objects_.push_back({.path = path, .node = &node, .place = {.header = objects_end_, .group = node.group}});
  objects_end_ += kHeaderPrefix + block_bytes(node);
  if (!node.group) return index;
  const GroupTables tables(names_of(node));
  objects_[index].place.tree = objects_end_;
  objects_[index].place.names = objects_end_ + tables.names_offset();
  objects_end_ += tables.bytes();
  for (const auto& [name, child] : node.children) {
    const std::size_t at = place(child, (path == "/" ? "" : path) + "/" + name);
    objects_[index].children.push_back(at);
  }
  return index;
}

std::vector<std::byte> FilePlan::place_strings() {
  HeapBuilder heap(objects_end_);
  for (Placed& object : objects_)
    for (const AttributeNode& attribute : object.node->attributes) {
      Output references;
      for (const std::string& text : attribute.texts) heap.put_reference(references, text);
      object.references.push_back(std::move(references.bytes));
    }
  return heap.finish();
}

void FilePlan::put(Output& out, const Placed& object) const {
  const Node& node = *object.node;
  ensure(out.bytes.size() == object.place.header, "HDF5: '", object.path, "' is not where it was planned");
  const std::uint64_t unused = block_bytes(node) - message_bytes(node);
  const std::uint64_t count = (node.group ? 1 : 4) + node.attributes.size() + (unused >= 8 ? 1 : 0);
  out.u8(1).u8(0).u16(count).u32(1).u32(block_bytes(node)).u32(0);

  Output body;
  if (node.group) {
    put_message(out, 0x11, 0, body.u64(object.place.tree).u64(object.place.names).bytes);
  } else {
    put_message(out, 0x01, 0, encode_space(node.shape));
    put_message(out, 0x03, kConstant, encode_type(node.dtype));
    // Fill value: space taken late, filled only if a value is set, and the value is the default.
    put_message(out, 0x05, kConstant, body.u8(2).u8(2).u8(2).u8(1).u32(0).bytes);
    Output layout;
    layout.u8(3).u8(1).u64(node.data_bytes > 0 ? object.data : kUndefinedAddress).u64(node.data_bytes);
    put_message(out, 0x08, 0, layout.bytes);
  }
  for (std::size_t i = 0; i < node.attributes.size(); ++i) {
    const AttributeNode& attribute = node.attributes[i];
    const auto& elements = attribute.texts.empty() ? attribute.elements : object.references[i];
    put_message(out, 0x0C, 0, encode_attribute(attribute.name, attribute.type, attribute.space, elements));
  }
  if (unused >= 8) out.u16(0).u16(unused - 8).u32(0).zeros(unused - 8);

  if (!node.group) return;
  std::vector<ChildPlace> children;
  for (const auto& [name, child] : node.children)
    children.push_back({name, objects_[object.children[children.size()]].place});
  GroupTables(names_of(node)).put(out, children);
}

void FilePlan::write(const ByteSink& sink) const {
  sink(metadata_);
  std::uint64_t at = metadata_.size();
  for (const Placed& object : objects_) {
    const Node& node = *object.node;
    if (node.data_bytes == 0) continue;
    const std::vector<std::byte> gap(object.data - at);
    if (!gap.empty()) sink(gap);
    std::uint64_t given = 0;
    node.elements([&](std::span<const std::byte> part) {
      given += part.size();
      require(given <= node.data_bytes, "HDF5 '", object.path, "': has ", node.data_bytes, " bytes; got more");
      if (!part.empty()) sink(part);
    });
    require(given == node.data_bytes, "HDF5 '", object.path, "': has ", node.data_bytes, " bytes; got ", given);
    at = object.data + node.data_bytes;
  }
}

}  // namespace ramet::hdf5
