// A tree of groups and datasets, and its way into a file.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ramet/io/hdf5/hdf5_write.h"
#include "ramet/io/hdf5/write_group.h"

namespace ramet::hdf5 {

struct AttributeNode {
  std::string name;
  std::vector<std::byte> type = {}, space = {};  // encoded
  std::vector<std::byte> elements = {};          // of numbers; strings are references, made when the heap is
  std::vector<std::string> texts = {};
  std::uint64_t message_bytes = 0;  // of its body
};

struct Node {
  bool group = true;
  std::map<std::string, Node, std::less<>> children;  // sorted as bytes
  std::vector<AttributeNode> attributes;

  DType dtype = DType::f32;  // of a dataset, and all that follows
  Shape shape;
  std::uint64_t data_bytes = 0;
  Elements elements;
};

// Where everything of a tree comes to lie: superblock; objects with their tables, each group before its children; the
// heap with all strings; the elements of all datasets. Only the last part is not kept in memory.
class FilePlan {
 public:
  explicit FilePlan(const Node& root);
  std::uint64_t size() const { return size_; }
  void write(const ByteSink& sink) const;

 private:
  struct Placed {
    std::string path;
    const Node* node = nullptr;
    GroupPlace place;
    std::uint64_t data = 0;
    std::vector<std::size_t> children = {};               // indexes into objects_, in the order of names
    std::vector<std::vector<std::byte>> references = {};  // elements of each attribute that holds strings
  };
  std::size_t place(const Node& node, std::string path);
  std::vector<std::byte> place_strings();
  void put(Output& out, const Placed& object) const;

  std::vector<Placed> objects_;
  std::uint64_t objects_end_ = 0;
  std::vector<std::byte> metadata_;
  std::uint64_t size_ = 0;
};

}  // namespace ramet::hdf5
