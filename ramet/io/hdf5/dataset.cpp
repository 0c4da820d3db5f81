#include <algorithm>
#include <bit>
#include <cstring>

#include "ramet/io/hdf5/chunks.h"
#include "ramet/io/hdf5/context.h"

namespace ramet::hdf5 {
namespace {

constexpr bool kLittleEndianMachine = std::endian::native == std::endian::little;

// All elements as the file has them, whatever their type.
void read_stored(Context& context, const std::string& path, const ObjectData& data, std::span<std::byte> out) {
  if (data.layout.storage == Storage::chunked) {
    // The chunk index is read each time and accounted for each time.
    Budget budget(context.superblock.source.bytes.size());
    const Scope scope = context.scope(path).with_budget(budget);
    read_chunks(scope, data.layout, data.type, data.space, data.filters, data.fill, out);
  } else if (data.layout.bytes.size() == out.size()) {
    if (!out.empty()) std::memcpy(out.data(), data.layout.bytes.data(), out.size());
  } else {
    fill_elements(data.fill, out);  // never written; Context lets only small ones through
  }
}

bool is_number(const Type& type) { return type.kind == Kind::integer || type.kind == Kind::floating; }

}  // namespace

const Type& Dataset::type() const { return data_->type; }
const Shape& Dataset::shape() const { return data_->space.shape; }
bool Dataset::null() const { return data_->space.null; }
std::uint64_t Dataset::byte_size() const { return data_->size; }

std::optional<DType> Dataset::dtype() const {
  if (data_->type.kind != Kind::opaque || data_->type.size != 2 || !has_attribute("dtype")) return data_->type.dtype();
  const Attribute name = attribute("dtype");
  const bool brain = name.type().kind == Kind::string && name.text() == "bfloat16";
  return brain ? std::optional(DType::bf16) : std::nullopt;
}

std::string Dataset::storage() const {
  switch (data_->layout.storage) {
    case Storage::compact: return "compact";
    case Storage::contiguous: return "contiguous";
    case Storage::chunked: break;
  }
  return data_->filters.empty() ? "chunked" : cat("chunked (", to_string(data_->filters), ")");
}

void Dataset::read_into(std::span<std::byte> out) const {
  require(out.size() == data_->size, "HDF5 '", path_, "': has ", data_->size, " bytes; got room for ", out.size());
  require(!data_->type.variable, "HDF5 '", path_, "': holds strings of variable length; use strings()");
  read_stored(*context_, path_, *data_, out);
  const std::size_t element = data_->type.size;
  if (is_number(data_->type) && element > 1 && data_->type.big_endian == kLittleEndianMachine)
    for (std::size_t i = 0; i + element <= out.size(); i += element)
      std::reverse(out.begin() + static_cast<std::ptrdiff_t>(i),
                   out.begin() + static_cast<std::ptrdiff_t>(i + element));
}

std::optional<std::span<const std::byte>> Dataset::raw() const {
  const Type& type = data_->type;
  const bool in_order = !is_number(type) || type.size == 1 || type.big_endian != kLittleEndianMachine;
  const bool in_place = data_->layout.storage != Storage::chunked && data_->layout.bytes.size() == data_->size;
  return in_order && in_place && !type.variable ? std::optional(data_->layout.bytes) : std::nullopt;
}

std::vector<std::string> Dataset::strings() const {
  const Scope scope = context_->scope(path_);
  if (data_->type.kind != Kind::string) scope.refuse(data_->address, "holds ", to_string(data_->type), ", not text");
  std::vector<std::byte> elements(data_->size);
  read_stored(*context_, path_, *data_, elements);
  return decode_strings(scope, context_->heap, data_->type, elements, data_->address);
}

}  // namespace ramet::hdf5
