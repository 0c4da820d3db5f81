#include "ramet/graph/replicate.h"

#include <algorithm>
#include <map>
#include <set>

#include "ramet/base/strings.h"
#include "ramet/graph/batch_slice.h"
#include "ramet/ops/shape/shape_ops.h"

namespace ramet {
namespace {

// Names for the joined outputs: those of the outputs. One that occurs several times gets _1, _2, … at every occurrence,
// and so does one that the model or an input of it has already.
std::vector<std::string> joined_names(const Model& source) {
  const auto names = source.output_names();
  std::map<std::string, int> count, number;
  for (const auto& name : names) ++count[name];
  std::set<std::string> taken{source.name()};
  for (const Tensor& t : source.inputs()) taken.insert(t.node()->operation->name());
  std::vector<std::string> out;
  for (const auto& name : names) {
    std::string own = count[name] > 1 ? cat(name, "_", ++number[name]) : name;
    while (!taken.insert(own).second) own = cat(name, "_", ++number[name]);
    out.push_back(std::move(own));
  }
  return out;
}

void check_devices(const std::vector<Device>& devices) {
  require(devices.size() >= 2,
          "For multi-device usage to be effective, call `replicate` with `gpus >= 2`. Received: ", devices.size(),
          " device(s)");
  for (const Device& device : devices)
    require(device.index < device_count(device.kind), "To call `replicate` with ", devices.size(), " devices, ", device,
            " among them, we expect them to be available. However this machine only has: ", available_devices(),
            ". Try fewer devices.");
  for (std::size_t i = 0; i < devices.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      require(!(devices[i] == devices[k]), "replicate: device ", devices[i], " is listed twice");
}

}  // namespace

Value BatchSliceLayer::rows(Value x) const {
  require(x.rank() >= 1, describe(*this), ": a scalar has no batch");
  const auto batch = x.dim(0), step = batch / config().parts, begin = step * config().index;
  return ops::slice_axis(x, 0, begin, config().index + 1 == config().parts ? batch : begin + step);
}

Value BatchSliceLayer::call(const CallContext& ctx, Value x) const {
  const Value slice = rows(x);
  if (x.dim(0) > 0) ctx.trace().set_share(slice, static_cast<double>(slice.dim(0)) / static_cast<double>(x.dim(0)));
  return slice;
}

Values BatchSliceLayer::compute_mask(const CallContext& ctx, const std::vector<Traced>&) const {
  const Value mask = ctx.mask();
  return mask ? Values{rows(mask)} : Values{};
}

Values BatchJoinLayer::call_list(const CallContext&, const Values& xs) const {
  Values parts;
  for (const Value& x : xs)
    if (x.rank() == 0 || x.dim(0) > 0) parts.push_back(x);
  if (parts.empty()) return {xs.at(0)};
  return {ops::concat(parts, 0)};
}

Values BatchJoinLayer::compute_mask(const CallContext&, const std::vector<Traced>& inputs) const {
  Values masks;
  for (const Traced& t : inputs) {
    if (!t.mask) return {};
    if (t.mask.dim(0) > 0) masks.push_back(t.mask);
  }
  return {masks.empty() ? inputs.at(0).mask : ops::concat(masks, 0)};
}

Model replicate(const Model& model, const std::vector<Device>& devices, const ReplicateOptions& options) {
  check_devices(devices);
  for (const Tensor& t : model.inputs())
    require(t.shape().empty() || t.shape()[0] == None, "replicate: model '", model.name(),
            "' has the fixed batch size ", t.shape()[0], " (input '", t.name(),
            "'), which its replicas would not get; build it without `batch_size`");
  const Model source =
      options.cpu_relocation ? clone_model(model, {.weights = Weights::copy, .device = Device()}) : model;
  const Graph& graph = source.layer().graph();
  const auto count = static_cast<std::int64_t>(devices.size());

  // New inputs like the model's, so that the parallel model is a model of its own.
  std::map<Tensor, Tensor> fresh;
  for (const Tensor& t : graph.flat_inputs())
    fresh[t] =
        std::static_pointer_cast<InputLayer>(std::static_pointer_cast<Layer>(t.node()->operation)->clone())->output();

  std::vector<std::vector<Tensor>> parts(graph.flat_outputs().size());
  for (std::int64_t i = 0; i < count; ++i) {
    const DeviceScope scope(devices[static_cast<std::size_t>(i)]);
    const Arg slices = graph.inputs().map<Tensor>([&](const Tensor& t) { return BatchSlice(i, count)(fresh.at(t)); });
    const auto outputs = Arg(source(slices)).flatten();
    for (std::size_t k = 0; k < outputs.size(); ++k) parts[k].push_back(outputs[k]);
  }

  const DeviceScope scope(options.cpu_merge ? Device() : devices[0]);
  const auto names = joined_names(source);
  std::vector<Tensor> merged;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    BatchJoinConfig config;
    merged.push_back(BatchJoin(config, LayerOptions{names[k], true, "float32"})(Arg(parts[k])));
  }
  std::size_t at = 0;
  const Arg inputs = graph.inputs().map<Tensor>([&](const Tensor& t) { return fresh.at(t); });
  const Arg outputs = graph.outputs().map<Tensor>([&](const Tensor&) { return merged[at++]; });
  Model out(inputs, outputs);
  out.layer().mask_semantics = source.layer().mask_semantics;
  return out;
}

Model multi_gpu_model(const Model& model, int gpus, const MultiGpuOptions& options) {
  require(gpus >= 2,
          "For multi-gpu usage to be effective, call `multi_gpu_model` with `gpus >= 2`. Received: `gpus=", gpus, "`");
  std::vector<int> list;
  for (int i = 0; i < gpus; ++i) list.push_back(i);
  return multi_gpu_model(model, list, options);
}

Model multi_gpu_model(const Model& model, const std::vector<int>& gpus, const MultiGpuOptions& options) {
  require(gpus.size() >= 2,
          "For multi-gpu usage to be effective, call `multi_gpu_model` with `len(gpus) >= 2`. Received: ", gpus.size(),
          " device(s)");
  const auto kind = device_count(Device::Kind::gpu) > 0 ? Device::Kind::gpu : Device::Kind::cpu;
  std::vector<Device> devices;
  for (const int i : gpus) devices.emplace_back(kind, i);
  return replicate(model, devices, {.cpu_merge = options.cpu_merge, .cpu_relocation = options.cpu_relocation});
}

}  // namespace ramet
