#include "ramet/io/hdf5/context.h"

namespace ramet::hdf5 {
namespace {

void read_dataset(const Scope& scope, const std::vector<Message>& messages, ObjectData& out) {
  const Message* type = find_message(scope, messages, MessageType::datatype);
  const Message* space = find_message(scope, messages, MessageType::dataspace);
  const Message* layout = find_message(scope, messages, MessageType::layout);
  scope.check(type != nullptr && space != nullptr && layout != nullptr, out.address,
              "is neither a group nor a dataset");
  out.type = read_datatype(Cursor(scope, type->body, type->address, "type"));
  out.space = read_dataspace(Cursor(scope, space->body, space->address, "shape"));

  const std::uint64_t limit = scope.source().limits.max_bytes;
  if (!multiply(out.space.count, out.type.size, out.size) || out.size > limit)
    scope.refuse(space->address, "declares ", to_string(out.type), ramet::to_string(out.space.shape),
                 ", more than the limit of ", limit, " bytes");
  out.layout = read_layout(scope, *layout, out.type, out.space, out.size);
  out.filters = read_filters(scope, messages);
  out.fill = read_fill_value(scope, messages, out.type);

  const bool chunked = out.layout.storage == Storage::chunked;
  scope.check(chunked || out.filters.empty(), layout->address, "has filters without chunks");
  scope.check(!chunked || !out.space.shape.empty(), layout->address, "has chunks without dimensions");
  // Nobody shall allocate for what cannot be there; how much of it is, is found when it is read.
  const std::uint64_t stored = chunked ? scope.file_size() : out.layout.bytes.size();
  if (out.size > most_bytes_from(stored))
    scope.refuse(layout->address, "declares ", to_string(out.type), ramet::to_string(out.space.shape), ", ", out.size,
                 " bytes, but at most ", stored, " are stored");
}

}  // namespace

std::shared_ptr<const ObjectData> Context::object(std::uint64_t address, const std::string& path) {
  const std::lock_guard lock(mutex_);
  const Scope scope = this->scope(path);
  auto& known = objects_[address];
  if (!known) {
    const std::vector<Message> messages = read_object_header(scope, address);
    auto data = std::make_shared<ObjectData>();
    data->address = address;
    data->group = is_group(messages);
    if (data->group) {
      data->links = read_links(scope, messages);
      for (const Link& link : data->links) data->names.push_back(link.name);
    } else {
      read_dataset(scope, messages, *data);
    }
    data->attributes = find_attributes(scope, messages);
    known = std::move(data);
  }
  if (known->group) {
    const auto [first, is_new] = group_paths_.emplace(address, path);
    scope.check(is_new || first->second == path, address, "is the same group as '", first->second,
                "': groups with two names (and so loops) are refused");
  }
  return known;
}

}  // namespace ramet::hdf5
