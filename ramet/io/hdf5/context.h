// An opened file: what its objects share, and what has been read of it so far.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ramet/io/hdf5/attributes.h"
#include "ramet/io/hdf5/filters.h"
#include "ramet/io/hdf5/global_heap.h"
#include "ramet/io/hdf5/layout.h"
#include "ramet/io/hdf5/links.h"
#include "ramet/io/hdf5/superblock.h"

namespace ramet::hdf5 {

// A group or a dataset, decoded but for its attributes and elements.
struct ObjectData {
  std::uint64_t address = 0;
  AttributePlaces attributes;

  bool group = false;
  std::vector<Link> links;         // of a group, sorted by name
  std::vector<std::string> names;  // of the links

  Type type;  // of a dataset, and all that follows
  Dataspace space;
  std::uint64_t size = 0;
  Layout layout;
  std::vector<Filter> filters;
  std::span<const std::byte> fill;
};

// Every object is read once, however often it is opened: the work a file can cause is bounded for its whole life.
struct Context {
  Context(std::span<const std::byte> bytes, const Limits& limits)
      : superblock(read_superblock(bytes, limits)), budget(superblock.source.bytes.size()) {}

  Scope scope(std::string path) { return Scope(superblock.source, budget, std::move(path)); }

  // The object at `address`, which `path` leads to. Refuses a group that another path led to before: the groups are a
  // tree, so whoever walks them comes to an end.
  std::shared_ptr<const ObjectData> object(std::uint64_t address, const std::string& path);

  const Superblock superblock;
  Budget budget;
  GlobalHeap heap;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<const ObjectData>> objects_;  // by address
  std::map<std::uint64_t, std::string> group_paths_;                    // by address
};

}  // namespace ramet::hdf5
