#include "ramet/io/hdf5/hdf5_write.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ramet/io/hdf5/write_plan.h"

namespace ramet::hdf5 {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

constexpr std::size_t kDeepestPath = 256;

std::uint64_t bytes_of(std::string_view who, DType dtype, const Shape& shape) {
  require(shape.size() <= 32, "HDF5 '", who, "': has ", shape.size(), " dimensions; HDF5 allows 32");
  require(fully_known(shape), "HDF5 '", who, "': the shape ", to_string(shape), " is not known");
  return static_cast<std::uint64_t>(element_count(shape)) * size_of(dtype);
}

}  // namespace

struct FileWriter::State {
  Node root;
  mutable std::optional<FilePlan> plan;  // of the tree as it is

  // The node at `path`; `make` makes what is missing, otherwise that is refused.
  Node& at(std::string_view path, bool make, bool* made = nullptr) {
    Node* node = &root;
    std::size_t depth = 0;
    for (std::string_view rest = path; !rest.empty();) {
      const std::string_view name = rest.substr(0, rest.find('/'));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
      if (name.empty()) continue;
      require(name != "." && name.find('\0') == name.npos, "HDF5 '", path, "': '", name, "' cannot name a child");
      require(++depth <= kDeepestPath, "HDF5 '", path, "': has more than ", kDeepestPath, " levels");
      require(node->group, "HDF5 '", path, "': a dataset has no child '", name, "'");
      auto child = node->children.find(name);
      require(make || child != node->children.end(), "HDF5 '", path, "': there is no such group or dataset");
      const bool missing = child == node->children.end();
      if (missing) child = node->children.try_emplace(std::string(name)).first;
      if (made != nullptr) *made = missing;
      node = &child->second;
    }
    return *node;
  }

  void add(std::string_view path, AttributeNode attribute) {
    Node& node = at(path, false);
    const std::string& name = attribute.name;
    require(!name.empty() && name.find('\0') == name.npos, "HDF5 '", path, "': '", name, "' cannot name an attribute");
    for (const AttributeNode& other : node.attributes)
      require(other.name != name, "HDF5 '", path, "': has two attributes '", name, "'");
    require(node.attributes.size() < 60'000, "HDF5 '", path, "': has more attributes than HDF5 allows");
    const std::uint64_t elements = attribute.elements.size() + 16 * attribute.texts.size();
    attribute.message_bytes =
        8 + padded(name.size() + 1) + padded(attribute.type.size()) + padded(attribute.space.size()) + padded(elements);
    require(elements <= kLargestAttribute && attribute.message_bytes <= 0xFFF8, "HDF5 '", path, "': attribute '",
            name.substr(0, 100), "' has ", elements, " bytes; HDF5 allows ", kLargestAttribute,
            " (a string counts 16): split it");
    node.attributes.push_back(std::move(attribute));
    plan.reset();
  }

  const FilePlan& planned() const {
    if (!plan) plan.emplace(root);
    return *plan;
  }
};

FileWriter::FileWriter() : state_(std::make_unique<State>()) {}
FileWriter::~FileWriter() = default;
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter& FileWriter::operator=(FileWriter&&) noexcept = default;

void FileWriter::group(std::string_view path) {
  require(state_->at(path, true).group, "HDF5 '", path, "': is a dataset, not a group");
  state_->plan.reset();
}

void FileWriter::dataset(std::string_view path, DType dtype, const Shape& shape, std::span<const std::byte> elements) {
  const std::uint64_t bytes = bytes_of(path, dtype, shape);
  require(elements.size() == bytes, "HDF5 '", path, "': ", dtype, to_string(shape), " has ", bytes, " bytes; got ",
          elements.size());
  dataset(path, dtype, shape, [elements](const ByteSink& sink) { sink(elements); });
}

void FileWriter::dataset(std::string_view path, DType dtype, const Shape& shape, Elements elements) {
  const std::uint64_t bytes = bytes_of(path, dtype, shape);
  bool made = false;
  Node& node = state_->at(path, true, &made);
  require(made, "HDF5 '", path, "': exists already");
  node.group = false;
  node.dtype = dtype;
  node.shape = shape;
  node.data_bytes = bytes;
  node.elements = std::move(elements);
  state_->plan.reset();
  if (dtype == DType::bf16) attribute(path, "dtype", "bfloat16");
}

void FileWriter::attribute(std::string_view path, std::string_view name, std::string_view text) {
  state_->add(path, {.name = std::string(name),
                     .type = encode_string_type(true),
                     .space = encode_space({}),
                     .texts = {std::string(text)}});
}

void FileWriter::attribute(std::string_view path, std::string_view name, std::span<const std::string> texts) {
  state_->add(path, {.name = std::string(name),
                     .type = encode_string_type(false),
                     .space = encode_space({static_cast<std::int64_t>(texts.size())}),
                     .texts = {texts.begin(), texts.end()}});
}

void FileWriter::attribute(std::string_view path, std::string_view name, DType dtype, const Shape& shape,
                           std::span<const std::byte> elements) {
  const std::uint64_t bytes = bytes_of(path, dtype, shape);
  require(elements.size() == bytes, "HDF5 '", path, "': attribute '", name, "' has ", bytes, " bytes; got ",
          elements.size());
  state_->add(path, {.name = std::string(name),
                     .type = encode_type(dtype),
                     .space = encode_space(shape),
                     .elements = {elements.begin(), elements.end()}});
}

std::uint64_t FileWriter::size() const { return state_->planned().size(); }

void FileWriter::write(const ByteSink& sink) const { state_->planned().write(sink); }

}  // namespace ramet::hdf5
