// Layers called on arrays.
#include "ramet/exec/executable.h"
#include "ramet/graph/model.h"

namespace ramet {
namespace {

// The arrays in the structure they were given in.
Nest<Array> nest_of(const Layer& layer, const Feed& feed) {
  for (const Array& a : feed.arrays()) require(a.defined(), describe(layer), ": called on an undefined Array");
  if (feed.single()) return Nest<Array>(feed.arrays()[0]);
  if (!feed.by_name()) return Nest<Array>(Nest<Array>::List(feed.arrays().begin(), feed.arrays().end()));
  Nest<Array>::Dict dict;
  for (std::size_t i = 0; i < feed.names().size(); ++i) dict.emplace_back(feed.names()[i], feed.arrays()[i]);
  return Nest<Array>(std::move(dict));
}

// With an open batch size, so that the layer takes other batches later.
Spec open_spec(const Array& a) {
  Spec spec{a.shape(), a.dtype()};
  if (!spec.shape.empty()) spec.shape[0] = None;
  return spec;
}

std::vector<std::string> names_of(const Layer& layer, const TracedNest& outputs) {
  std::vector<std::string> names;
  if (outputs.is_dict())
    for (const auto* entry : outputs.sorted()) names.push_back(entry->first);
  else
    names.assign(outputs.flatten().size(), layer.name());
  return names;
}

}  // namespace

Predictions call_on_arrays(Layer& layer, const std::vector<Feed>& args,
                           const std::vector<std::pair<std::string, Arg>>& kwargs) {
  auto program = std::make_unique<Program>();
  const auto* model = dynamic_cast<const ModelLayer*>(&layer);
  Trace trace(*program, false, model ? model->mask_semantics : kMaskSemantics);
  SpecArgs specs;
  TracedArgs traced;
  Arrays arrays;
  for (const Feed& feed : args) {
    const Nest<Array> nest = nest_of(layer, feed);
    specs.args.push_back(nest.map<Spec>(open_spec));
    traced.args.push_back(nest.map<Traced>([&](const Array& a) {
      arrays.push_back(a);
      return Traced{program->input(cat("x", arrays.size()), {a.shape(), a.dtype()}), {}};
    }));
  }
  for (const auto& [key, value] : kwargs) {
    require(value.flatten().empty(), describe(layer), ": called on arrays, `", key, "` cannot be a Tensor");
    specs.kwargs.emplace_back(key, value.map<Spec>([](const Tensor& t) { return t.spec(); }));
    traced.kwargs.emplace_back(key, value.map<Traced>([](const Tensor&) { return Traced{}; }));
  }

  TracedNest result;
  layer.guarded([&] {
    layer.prepare(specs);
    result = layer.trace(trace, traced);
  });
  trace.finish();
  const std::vector<Traced> outputs = result.flatten();
  for (const Traced& y : outputs) program->output("y", y.value);
  // As `predict` has it made, so that the numbers are the same.
  const auto executable = Executable::compile(std::move(program), cpu_backend(), {.frozen_state = true});

  std::vector<void*> external;
  for (const Array& a : arrays) external.push_back(const_cast<void*>(a.raw()));
  for (const VariableRef& v : trace.variables()) external.push_back(v->storage().raw());
  Arrays out;
  const Program& final = executable->program();
  for (const auto& output : final.outputs()) {
    out.emplace_back(final.spec(output.value).shape, final.spec(output.value).dtype);
    external.push_back(out.back().raw());
  }
  VariableRefs updated;
  for (std::size_t i = 0; i < trace.variables().size(); ++i)
    if (final.inputs()[arrays.size() + i].update >= 0) updated.push_back(trace.variables()[i]);
  std::optional<Gate::Read> reading;
  std::optional<Gate::Write> writing;
  if (updated.empty())
    reading.emplace(Variable::gate());
  else
    writing.emplace(Variable::gate());
  executable->run(external.data());
  for (const VariableRef& v : updated) v->touched();
  return Predictions(std::move(out), names_of(layer, result));
}

}  // namespace ramet
