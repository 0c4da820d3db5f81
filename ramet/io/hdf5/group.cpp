// Groups, attributes and opening a file.
#include <algorithm>
#include <bit>
#include <cstring>

#include "ramet/base/strings.h"
#include "ramet/io/hdf5/context.h"

namespace ramet::hdf5 {
namespace {

double element_value(const Type& type, std::span<const std::byte> bytes) {
  std::uint64_t bits = little_endian(bytes);
  if (type.big_endian) {
    bits = 0;
    for (const std::byte b : bytes) bits = bits << 8 | std::to_integer<std::uint64_t>(b);
  }
  if (type.kind == Kind::boolean) return bits != 0 ? 1 : 0;
  if (type.kind == Kind::integer) {
    if (!type.is_signed) return static_cast<double>(bits);
    const unsigned unused = 64 - 8 * type.size;
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  if (type.size == 8) return std::bit_cast<double>(bits);
  if (type.size == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type.brain) return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  // float16: shifted to where float32 has exponent and mantissa, it is too small by 2^112.
  const auto half = static_cast<std::uint32_t>(bits);
  if ((half & 0x7C00) == 0x7C00) return std::bit_cast<float>((half & 0x8000) << 16 | 0x7F800000 | (half & 0x3FF) << 13);
  return std::bit_cast<float>((half & 0x8000) << 16 | (half & 0x7FFF) << 13) * 0x1p112;
}

}  // namespace

Attribute::Attribute(std::shared_ptr<Context> context, std::shared_ptr<const AttributeData> data)
    : context_(std::move(context)), data_(std::move(data)) {}

const std::string& Attribute::name() const { return data_->name; }
const Type& Attribute::type() const { return data_->type; }
const Shape& Attribute::shape() const { return data_->space.shape; }
bool Attribute::null() const { return data_->space.null; }
std::span<const std::byte> Attribute::raw() const { return data_->bytes; }

std::vector<std::string> Attribute::strings() const {
  const Scope scope = context_->scope(data_->owner);
  if (data_->type.kind != Kind::string)
    scope.refuse(data_->address, "attribute '", data_->name, "' holds ", to_string(data_->type), ", not text");
  return decode_strings(scope, context_->heap, data_->type, data_->bytes, data_->address);
}

std::string Attribute::text() const {
  std::vector<std::string> all = strings();
  context_->scope(data_->owner)
      .check(all.size() == 1, data_->address, "attribute '", data_->name, "' holds ", all.size(), " strings, not one");
  return std::move(all[0]);
}

std::vector<double> Attribute::numbers() const {
  const Type& type = data_->type;
  if (type.kind == Kind::string || type.kind == Kind::opaque)
    context_->scope(data_->owner)
        .refuse(data_->address, "attribute '", data_->name, "' holds ", to_string(type), ", not numbers");
  std::vector<double> out;
  for (auto rest = data_->bytes; rest.size() >= type.size; rest = rest.subspan(type.size))
    out.push_back(element_value(type, rest.first(type.size)));
  return out;
}

Object::Object(std::shared_ptr<Context> context, std::shared_ptr<const ObjectData> data, std::string path)
    : context_(std::move(context)), data_(std::move(data)), path_(std::move(path)) {}

std::vector<std::string> Object::attribute_names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : data_->attributes) names.push_back(name);
  return names;
}

bool Object::has_attribute(std::string_view name) const { return data_->attributes.contains(name); }

Attribute Object::attribute(std::string_view name) const {
  const Scope scope = context_->scope(path_);
  const auto found = data_->attributes.find(name);
  scope.check(found != data_->attributes.end(), data_->address, "has no attribute '", name, "'");
  return Attribute(context_, std::make_shared<AttributeData>(read_attribute(scope, found->second)));
}

const std::vector<std::string>& Group::names() const { return data_->names; }

Group::Found Group::find(std::string_view path, bool required) const {
  Found at{data_, path_};
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (name.empty()) continue;
    const Scope scope = context_->scope(at.path);
    const auto& links = at.data->links;
    const auto link = std::lower_bound(links.begin(), links.end(), name,
                                       [](const Link& l, std::string_view wanted) { return l.name < wanted; });
    if (!at.data->group || link == links.end() || link->name != name) {
      if (!required) return {};
      if (!at.data->group) scope.refuse(at.data->address, "is a dataset and has no child '", name, "'");
      const std::vector<std::string>& all = at.data->names;
      const std::string known = join(std::span(all).first(std::min<std::size_t>(all.size(), 8)));
      scope.refuse(at.data->address, "has no child '", name, "'; it has ",
                   all.empty() ? "none" : cat(known, all.size() > 8 ? ", …" : ""));
    }
    if (at.path != "/") at.path += '/';
    at.path += name;
    at.data = context_->object(link->address, at.path);
  }
  return at;
}

bool Group::contains(std::string_view path) const { return find(path, false).data != nullptr; }

bool Group::is_group(std::string_view path) const { return find(path, true).data->group; }

Group Group::group(std::string_view path) const {
  Found found = find(path, true);
  if (!found.data->group) context_->scope(found.path).refuse(found.data->address, "is a dataset, not a group");
  return Group(context_, std::move(found.data), std::move(found.path));
}

Dataset Group::dataset(std::string_view path) const {
  Found found = find(path, true);
  if (found.data->group) context_->scope(found.path).refuse(found.data->address, "is a group, not a dataset");
  return Dataset(context_, std::move(found.data), std::move(found.path));
}

Group open(std::span<const std::byte> bytes, const Limits& limits) {
  auto context = std::make_shared<Context>(bytes, limits);
  // Nothing of the extension is needed; reading it refuses what would change the meaning of the rest.
  if (context->superblock.extension != kUndefined)
    read_object_header(context->scope("/"), context->superblock.extension);
  auto root = context->object(context->superblock.root, "/");
  if (!root->group) context->scope("/").refuse(root->address, "the root is not a group");
  return Group(std::move(context), std::move(root), "/");
}

}  // namespace ramet::hdf5
