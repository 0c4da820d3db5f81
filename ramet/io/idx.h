// IDX, the file format of MNIST and its relatives: a type, a shape and the elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ramet {

enum class IdxType : std::uint8_t {  // the values are those in the file
  u8 = 0x08,
  i8 = 0x09,
  i16 = 0x0B,
  i32 = 0x0C,
  f32 = 0x0D,
  f64 = 0x0E,
};

std::size_t size_of(IdxType type);  // bytes of one element

struct IdxArray {
  IdxType type = IdxType::u8;
  std::vector<std::int64_t> shape;  // at least one dimension; any may be 0
  std::vector<std::uint8_t> bytes;  // the elements in row-major order and in this machine's byte order
};

// Reads an IDX file, plain or compressed with gzip (its content tells, not its name). Throws DataError naming the file
// when it is missing, damaged, shorter or longer than its header says, or its elements take more than `limit` bytes.
// A header cannot make it allocate more than the file could hold.
IdxArray read_idx(const std::string& path, std::size_t limit = std::size_t{1} << 32);

}  // namespace ramet
