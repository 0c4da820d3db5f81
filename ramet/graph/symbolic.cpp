// The symbolic call: what an operation's outputs look like is found by tracing it on a scratch program. Sizes that are
// None stand in as a number; tracing twice with different numbers shows which sizes of the outputs depend on them.
// Where no number will do, because an open size meets a fixed one, the open one must be that: it is tried with the
// fixed sizes of its axis, then with small numbers.
#include <algorithm>
#include <map>

#include "ramet/graph/layer.h"

namespace ramet {
namespace {

// With many divisors, so that a reshape of an open size works out.
constexpr std::int64_t kProbes[] = {2520, 5040};

struct Probe {
  TracedNest structure;
  std::vector<Spec> specs;
  std::vector<std::optional<Spec>> masks;
};

// No number stands for a size that decides what the outputs are.
struct DependsOnSize : UsageError {
  using UsageError::UsageError;
};

// What stands for None.
struct StandIn {
  std::map<std::size_t, std::int64_t> of_axis = {};  // on this axis
  std::optional<std::int64_t> inner = std::nullopt;  // on other axes than the first
};

Spec with_probe(Spec spec, std::int64_t n, const StandIn& stand_in) {
  for (std::size_t axis = 0; axis < spec.rank(); ++axis) {
    if (spec.shape[axis] != None) continue;
    const auto known = stand_in.of_axis.find(axis);
    spec.shape[axis] = known != stand_in.of_axis.end() ? known->second : axis > 0 ? stand_in.inner.value_or(n) : n;
  }
  return spec;
}

Probe probe(Operation& operation, const CallArgs& args, std::int64_t n, const StandIn& stand_in) {
  Program program;
  Trace trace(program, false);
  std::map<Tensor, Traced> placed;
  const auto place = [&](const Tensor& t) {
    auto [it, fresh] = placed.try_emplace(t);
    if (fresh) {
      it->second.value = program.input(t.name(), with_probe(t.spec(), n, stand_in));
      if (t.masked()) it->second.mask = program.input(cat(t.name(), "_mask"), with_probe(*t.mask_spec(), n, stand_in));
    }
    return it->second;
  };
  TracedArgs traced;
  for (const Arg& a : args.args) traced.args.push_back(a.map<Traced>(place));
  for (const auto& [key, a] : args.kwargs) traced.kwargs.emplace_back(key, a.map<Traced>(place));
  Probe out{operation.trace(trace, traced), {}, {}};
  out.structure.each([&](const Traced& t) {
    require(static_cast<bool>(t.value), describe(operation), ": `call` returned an undefined Value");
    out.specs.push_back(t.value.spec());
    out.masks.push_back(t.mask ? std::optional(t.mask.spec()) : std::nullopt);
  });
  return out;
}

// Sizes that differ between the probes are not known.
void merge(Spec& a, const Spec& b) {
  if (a.rank() != b.rank()) throw DependsOnSize("the rank of an output depends on an unknown size");
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (a.shape[i] != b.shape[i]) a.shape[i] = None;
}

bool any_none(const CallArgs& args) {
  for (const Tensor& t : args.tensors())
    if (!fully_known(t.shape())) return true;
  return false;
}

// A probe's number in a message means a size that is not known.
std::string with_none(std::string message) {
  for (const auto n : kProbes) {
    const std::string number = std::to_string(n);
    for (std::size_t at = 0; (at = message.find(number, at)) != std::string::npos;) {
      const bool alone = (at == 0 || !std::isalnum(static_cast<unsigned char>(message[at - 1]))) &&
                         (at + number.size() == message.size() ||
                          !std::isalnum(static_cast<unsigned char>(message[at + number.size()])));
      if (alone)
        message.replace(at, number.size(), "None"), at += 4;
      else
        at += number.size();
    }
  }
  return message;
}

// Traced with both numbers, and what differs made None.
Probe probe_twice(Operation& operation, const CallArgs& args, const StandIn& stand_in) {
  Probe result = probe(operation, args, kProbes[0], stand_in);
  if (!any_none(args)) return result;
  const Probe second = probe(operation, args, kProbes[1], stand_in);
  if (second.specs.size() != result.specs.size())
    throw DependsOnSize(cat(describe(operation), ": the number of outputs depends on an unknown size"));
  for (std::size_t i = 0; i < result.specs.size(); ++i) {
    merge(result.specs[i], second.specs[i]);
    if (result.masks[i]) merge(*result.masks[i], *second.masks[i]);
  }
  return result;
}

// Sizes that an axis open in one tensor has in another. 1 broadcasts, so it binds nobody.
std::map<std::size_t, std::int64_t> sizes_next_to_none(const CallArgs& args) {
  std::map<std::size_t, std::int64_t> known;
  for (const Tensor& t : args.tensors())
    for (std::size_t axis = 0; axis < t.shape().size(); ++axis)
      if (t.shape()[axis] > 1) known.try_emplace(axis, t.shape()[axis]);
  return known;
}

std::int64_t values_in(const Json& json) {
  std::int64_t count = 1;
  if (json.is_array())
    for (const Json& item : json.as_array()) count += values_in(item);
  if (json.is_object())
    for (const auto& [key, item] : json.as_object()) count += values_in(item);
  return count;
}
std::int64_t values_in(const Nest<Tensor>& nest) {
  std::int64_t count = 1;
  if (nest.is_constant()) return values_in(nest.constant());
  if (nest.is_list())
    for (const auto& item : nest.list()) count += values_in(item);
  if (nest.is_dict())
    for (const auto& [key, item] : nest.dict()) count += values_in(item);
  return count;
}
// Tensors, numbers and whatever else a call was given.
std::int64_t values_in(const CallArgs& args) {
  std::int64_t count = 0;
  for (const Arg& a : args.args) count += values_in(static_cast<const Nest<Tensor>&>(a));
  for (const auto& [key, a] : args.kwargs) count += values_in(static_cast<const Nest<Tensor>&>(a));
  return count;
}

Probe find_specs(Operation& operation, const CallArgs& args) {
  try {
    return probe_twice(operation, args, {});
  } catch (const DependsOnSize&) { throw; } catch (const UsageError&) {
    if (!any_none(args)) throw;
    std::vector<StandIn> others;
    if (args.tensors().size() > 1) others.push_back({sizes_next_to_none(args), std::nullopt});
    // Fewer where a call has very many tensors or numbers, so that a refusal costs no more than some ten thousand.
    constexpr std::int64_t kMost = 256, kMany = 128;
    const std::int64_t most = kMost / std::max<std::int64_t>(1, values_in(args) / kMany);
    for (std::int64_t n = 1; n <= most; ++n) others.push_back({{}, n});
    for (const StandIn& other : others) {
      try {
        return probe_twice(operation, args, other);
      } catch (const UsageError&) {  // the first one says what is wrong
      }
    }
    throw;
  }
}

SpecArgs specs_of(const CallArgs& args) {
  SpecArgs out;
  const auto spec = [](const Tensor& t) { return t.spec(); };
  for (const Arg& a : args.args) out.args.push_back(a.map<Spec>(spec));
  for (const auto& [key, a] : args.kwargs) out.kwargs.emplace_back(key, a.map<Spec>(spec));
  return out;
}

// No machine holds more. Sizes that are not known count as one.
void check_elements(const Operation& operation, const Spec& spec) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t count = 1;
  for (const auto size : spec.shape)
    require(size == None || (!__builtin_mul_overflow(count, size, &count) && count <= kMost), describe(operation),
            ": an output of shape ", to_string(spec.shape), " has too many elements");
}

}  // namespace

void Operation::guarded(const std::function<void()>& call) {
  const bool was_built = is_built();
  try {
    call();
  } catch (const UsageError& error) {
    if (!was_built) forget_build();
    std::string message = with_none(error.what());
    if (message.find(cat("'", name(), "'")) == std::string::npos) message = cat(describe(*this), ": ", message);
    throw UsageError(message);
  } catch (...) {
    if (!was_built) forget_build();
    throw;
  }
}

Tensor Operation::call(const CallArgs& args) {
  Probe result;
  guarded([&] {
    prepare(specs_of(args));
    result = find_specs(*this, args);
  });

  for (const Spec& spec : result.specs) check_elements(*this, spec);
  auto node = std::make_shared<Node>();
  node->operation = shared_from_this();
  node->index = nodes_++;
  node->arguments = args;
  node->device = DeviceScope::current();
  int count = 0;
  node->structure = result.structure.map<int>([&](const Traced&) { return count++; });
  for (std::size_t i = 0; i < result.specs.size(); ++i)
    node->outputs.push_back({result.specs[i], unique_name("KerasTensor"), result.masks[i]});
  return outputs_of(node);
}

}  // namespace ramet
