// Reads HDF5 files as Keras and h5py write them, without trusting them: our own reader of a bounded subset.
//
// The bytes stay where they are (a mapped file, a stored member of an archive) and must outlive every object made
// from them. Everything that is wrong with a file is a DataError of one line that gives the HDF5 path and the byte:
// "HDF5 '/layers/dense' at byte 1234: …". A file cannot make the reader loop, recurse deeply, do more work than its
// size justifies or allocate more than its size and the limits allow. All objects may be used by several threads.
//
// Taken: superblocks 0 to 3; old and new groups; contiguous, compact and chunked datasets (every chunk index) with
// deflate, shuffle and fletcher32; integers, IEEE floats, booleans, opaque bytes and strings.
// Refused by name: soft, external and user-defined links, groups with two names (hence loops), external storage,
// virtual datasets, shared and committed messages, references, compound, array and other types, other filters, cache
// images and file drivers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ramet/array/dtype.h"
#include "ramet/array/shape.h"

namespace ramet::hdf5 {

struct Limits {
  std::uint64_t max_bytes = std::uint64_t{1} << 40;  // the most that the elements of one dataset may take
  bool verify_checksums = true;                      // of the newer structures; off only to search for faults
};

enum class Kind : std::uint8_t { integer, floating, boolean, opaque, string };

// The type of an element.
struct Type {
  Kind kind = Kind::integer;
  std::uint32_t size = 0;    // bytes of an element in the file; a variable string is a reference of 12 or 16
  bool is_signed = false;    // integers
  bool big_endian = false;   // numbers; read_into turns them round
  bool brain = false;        // the floating type of two bytes that is bfloat16 and not float16
  bool variable = false;     // strings of any length, rather than all of `size` bytes
  std::uint8_t padding = 0;  // strings of fixed length: 0 ends at NUL, 1 filled with NUL, 2 filled with spaces
  std::optional<DType> dtype() const;  // Ramet's element type of the same values, if it has one
};

// "float32", "uint16", "bool", "opaque(2)", "string", "string(8)".
std::string to_string(const Type& type);

struct Context;
struct ObjectData;
struct AttributeData;

// A value attached to a group or a dataset.
class Attribute {
 public:
  const std::string& name() const;
  const Type& type() const;
  const Shape& shape() const;  // () for a single value
  bool null() const;           // has no value at all (h5py.Empty)

  std::vector<std::string> strings() const;  // DataError when it does not hold strings
  std::string text() const;                  // the same for a single one
  std::vector<double> numbers() const;       // DataError when it does not hold numbers or booleans
  std::span<const std::byte> raw() const;    // the elements in the file

 private:
  friend class Object;
  Attribute(std::shared_ptr<Context> context, std::shared_ptr<const AttributeData> data);
  std::shared_ptr<Context> context_;
  std::shared_ptr<const AttributeData> data_;
};

// What groups and datasets have in common.
class Object {
 public:
  const std::string& path() const { return path_; }  // "/" for the root, else "/layers/dense"
  std::vector<std::string> attribute_names() const;  // sorted as bytes
  bool has_attribute(std::string_view name) const;
  Attribute attribute(std::string_view name) const;  // DataError when there is none

 protected:
  Object(std::shared_ptr<Context> context, std::shared_ptr<const ObjectData> data, std::string path);
  std::shared_ptr<Context> context_;
  std::shared_ptr<const ObjectData> data_;
  std::string path_;
};

class Dataset : public Object {
 public:
  const Type& type() const;
  const Shape& shape() const;          // () for a single value
  bool null() const;                   // has no elements and no shape (h5py.Empty)
  std::optional<DType> dtype() const;  // as type().dtype(), and Keras' way to store bfloat16
  std::uint64_t byte_size() const;     // of all elements; at most Limits::max_bytes
  std::string storage() const;         // "contiguous", "chunked (deflate, shuffle)"

  // Copies the elements in row-major order and in this machine's byte order.
  // REQUIRES: out.size() == byte_size() and elements that are not variable strings.
  void read_into(std::span<std::byte> out) const;

  // The elements where they lie in the file, if they lie there as read_into would give them. No alignment is promised.
  std::optional<std::span<const std::byte>> raw() const;

  std::vector<std::string> strings() const;  // DataError when it does not hold strings

 private:
  friend class Group;
  using Object::Object;
};

class Group : public Object {
 public:
  const std::vector<std::string>& names() const;  // of the children, sorted as bytes as HDF5 stores them

  // `path` is relative to this group ("dense/vars/0"); a leading '/' and empty parts are ignored.
  bool contains(std::string_view path) const;
  bool is_group(std::string_view path) const;    // false for a dataset; DataError when there is no such child
  Group group(std::string_view path) const;      // DataError when there is none or it is a dataset
  Dataset dataset(std::string_view path) const;  // DataError when there is none or it is a group

 private:
  friend Group open(std::span<const std::byte> bytes, const Limits& limits);
  struct Found {
    std::shared_ptr<const ObjectData> data;  // null when there is none
    std::string path;
  };
  using Object::Object;
  Found find(std::string_view path, bool required) const;
};

// The root group of the file that `bytes` hold. Throws DataError when they do not hold one.
Group open(std::span<const std::byte> bytes, const Limits& limits = {});

}  // namespace ramet::hdf5
