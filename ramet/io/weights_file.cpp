#include "ramet/io/weights_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "ramet/base/quoted.h"
#include "ramet/base/strings.h"

namespace ramet::io {
namespace {

// Numbers the members of a container by class: dense, dense_1, …
class Container {
 public:
  std::string next(const Layer& layer) {
    const std::string base = snake_case(layer.class_name());
    const int count = counts_[base]++;
    return count ? cat(base, "_", count) : base;
  }

 private:
  std::map<std::string, int> counts_;
};

class Walk {
 public:
  explicit Walk(bool every_place) : every_place_(every_place) {}
  std::vector<WeightGroup> groups;

  void visit(const Layer& layer, const std::string& path) {
    if (!seen_.insert(&layer).second && !every_place_) return;  // written where it was first
    WeightGroup own{path + "vars", layer.name(), {}};
    for (const bool parameter : {true, false})
      for (const auto& v : layer.own_variables())
        if (v->is_weight && v->is_parameter == parameter) own.variables.push_back(v);
    groups.push_back(std::move(own));
    const auto inside = layer.sublayers();
    const auto names = layer.sublayer_names();
    require(names.size() == inside.size(), describe(layer), ": has ", inside.size(), " layers inside and names ",
            names.size(), " of them for weights files; override sublayer_names()");
    std::map<std::string, Container> containers;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      const bool numbered = names[i].ends_with('/');
      const std::string name = numbered ? names[i] + containers[names[i]].next(*inside[i]) : names[i];
      visit(*inside[i], cat(path, name, "/"));
    }
  }

 private:
  bool every_place_;
  std::set<const Layer*> seen_;
};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Where a group may stand in files of other versions: Keras 2.13 had another word for the layers of a model, and
// attributes of attention layers came with and without an underscore.
std::vector<std::string> other_places(const std::string& path) {
  std::vector<std::string> out{path};
  const auto add = [&](std::string_view from, std::string_view to) {
    const std::size_t known = out.size();
    for (std::size_t i = 0; i < known; ++i) {
      std::string changed = replace_all(out[i], from, to);
      if (changed != out[i]) out.push_back(std::move(changed));
    }
  };
  add("layers/", "_layer_checkpoint_dependencies/");
  for (const char* part : {"query_dense", "key_dense", "value_dense", "output_dense"})
    add(cat("/", part, "/"), cat("/_", part, "/"));
  return out;
}

// Whether a floating array holds NaN or infinity: all bits of an exponent set.
template <class Bits, Bits kExponent>
bool any_nonfinite(std::span<const std::byte> bytes) {
  Bits found = 0;
  for (std::size_t at = 0; at + sizeof(Bits) <= bytes.size(); at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + at, sizeof bits);
    found |= (bits & kExponent) == kExponent;
  }
  return found != 0;
}

bool nonfinite(const Array& a) {
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(a.raw()), a.byte_size());
  if (a.dtype() == DType::f32) return any_nonfinite<std::uint32_t, 0x7f800000u>(bytes);
  if (a.dtype() == DType::bf16) return any_nonfinite<std::uint16_t, 0x7f80u>(bytes);
  if (a.dtype() == DType::f64) return any_nonfinite<std::uint64_t, 0x7ff0000000000000u>(bytes);
  return false;
}

Array decode(const hdf5::Dataset& dataset) {
  Array out = Array::uninitialized(dataset.shape(), *dataset.dtype());
  dataset.read_into({static_cast<std::byte*>(out.raw()), out.byte_size()});
  return out;
}

}  // namespace

std::vector<WeightGroup> weight_groups(const Model& model, bool optimizer, bool every_place) {
  Walk walk(every_place);
  walk.visit(model.layer(), "");
  if (optimizer && model.compiled())
    walk.groups.push_back({"optimizer/vars", "optimizer", model.optimizer_variables()});
  return std::move(walk.groups);
}

hdf5::FileWriter weights_writer(const std::vector<WeightGroup>& groups) {
  hdf5::FileWriter file;
  for (const auto& group : groups) {
    file.group(group.path);
    file.attribute(group.path, "name", group.name);
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      const Array& value = group.variables[i]->stored();
      file.dataset(cat(group.path, "/", i), value.dtype(), value.shape(),
                   {static_cast<const std::byte*>(value.raw()), value.byte_size()});
    }
  }
  return file;
}

Source match_variable(const hdf5::Dataset& dataset, const VariableRef& variable, std::string_view owner) {
  if (dataset.shape() != variable->stored().shape() || dataset.null())
    throw DataError(cat("layer '", owner, "': the weight '", variable->name, "' has shape ",
                        to_string(variable->stored().shape()), ", the file has ", to_string(dataset.shape()), " at ",
                        quoted(dataset.path())));
  const auto dtype = dataset.dtype();
  if (!dtype)
    throw DataError(cat("layer '", owner, "': the weight '", variable->name, "' cannot be read from elements of type ",
                        hdf5::to_string(dataset.type()), " at ", quoted(dataset.path())));
  return {variable, dataset};
}

void check_count(const WeightGroup& group, std::size_t count) {
  if (count == group.variables.size()) return;
  std::vector<std::string> names;
  for (const auto& v : group.variables) names.push_back(v->name);
  throw DataError(cat("Layer '", group.name, "' expected ", names.size(), " variables, but received ", count,
                      " variables during loading. Expected: ", join_some(names)));
}

std::vector<Source> match_weights(const hdf5::Group& root, const std::vector<WeightGroup>& groups) {
  std::vector<Source> out;
  for (const auto& group : groups) {
    if (group.variables.empty()) continue;
    const auto places = other_places(group.path);
    const auto place = std::find_if(places.begin(), places.end(), [&](const auto& p) { return root.contains(p); });
    if (place == places.end())
      throw DataError(cat("layer '", group.name, "': the weights file has no group '", group.path, "'"));
    const hdf5::Group found = root.group(*place);
    const std::size_t count = found.names().size();
    check_count(group, count);
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(match_variable(found.dataset(std::to_string(i)), group.variables[i], group.name));
  }
  return out;
}

std::vector<std::string> read_weights(const std::vector<Source>& sources,
                                      const std::function<void(std::span<const std::byte>)>& done) {
  // What must be unpacked or converted may fail, so it is done before any variable changes.
  std::vector<Array> converted(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (const auto& s = sources[i]; !s.dataset.raw() || *s.dataset.dtype() != s.variable->stored().dtype())
      converted[i] = decode(s.dataset).astype(s.variable->stored().dtype());
  std::vector<std::string> odd;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto& [variable, dataset] = sources[i];
    if (converted[i].defined()) {
      variable->assign(converted[i]);
      converted[i] = {};
    } else {
      const auto raw = *dataset.raw();
      constexpr std::size_t kPiece = std::size_t{4} << 20;  // a large weight is never in memory twice
      for (std::size_t at = 0; at < raw.size(); at += kPiece) {
        const auto piece = raw.subspan(at, std::min(kPiece, raw.size() - at));
        std::memcpy(static_cast<std::byte*>(variable->storage().raw()) + at, piece.data(), piece.size());
        if (done) done(piece);
      }
      variable->touched();
    }
    if (nonfinite(variable->stored())) odd.push_back(variable->path);
  }
  return odd;
}

void replace_weights(const std::vector<Source>& sources, const std::function<void()>& check) {
  std::vector<Array> values;
  for (const auto& [variable, dataset] : sources) values.push_back(decode(dataset).astype(variable->value().dtype()));
  check();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i].variable->assign(values[i]);
    values[i] = {};
  }
}

}  // namespace ramet::io
