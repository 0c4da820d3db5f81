// Runs one layer on arrays, outside any model: builds it, traces it, and runs the program on a backend.
#pragma once
#include "ramet/exec/executable.h"
#include "ramet/graph/layer.h"
#include "ramet/ir/gradients.h"
#include "ramet/ops/ops.h"

namespace ramet::testing {

struct LayerCall {
  Nest<Array> inputs;                                            // the first argument
  std::vector<Nest<Array>> more = {};                            // further positional arguments
  std::vector<std::pair<std::string, Nest<Array>>> kwargs = {};  // arrays, or constants as Json
  std::vector<Array> masks = {};  // masks travelling beside the positional tensors, flat (undefined or missing: none)
  bool training = false;
  Arrays seeds = {};  // with them: gradients of Σ outputs·seeds
};

struct LayerResult {
  Arrays outputs;
  std::vector<Array> masks;  // of the outputs; undefined where there is none
  Arrays input_gradients;    // of the floating tensors of all arguments, in flat order
  Arrays weight_gradients;   // in the order of trainable_weights()
};

inline SpecArgs specs_of(const LayerCall& call) {
  const auto spec = [](const Array& a) { return Spec{a.shape(), a.dtype()}; };
  SpecArgs specs;
  specs.args.push_back(call.inputs.map<Spec>(spec));
  for (const auto& a : call.more) specs.args.push_back(a.map<Spec>(spec));
  for (const auto& [key, a] : call.kwargs) specs.kwargs.emplace_back(key, a.map<Spec>(spec));
  return specs;
}

inline LayerResult run_layer(const LayerRef& layer, const LayerCall& call, const Backend& backend = cpu_backend()) {
  layer->prepare(specs_of(call));

  auto program = std::make_unique<Program>();
  Trace trace(*program, call.training);
  Arrays feed;
  Values tensors;
  std::size_t mask_at = 0;
  const auto enter = [&](const Array& a, bool positional) {
    Traced t{program->input(cat("x", feed.size()), {a.shape(), a.dtype()}), {}};
    feed.push_back(a);
    if (is_floating(a.dtype())) tensors.push_back(t.value);
    if (positional && mask_at < call.masks.size()) {
      if (const Array& m = call.masks[mask_at]; m.defined())
        t.mask = program->input(cat("mask", mask_at), {m.shape(), m.dtype()}), feed.push_back(m);
      ++mask_at;
    }
    return t;
  };
  TracedArgs args;
  args.args.push_back(call.inputs.map<Traced>([&](const Array& a) { return enter(a, true); }));
  for (const auto& a : call.more) args.args.push_back(a.map<Traced>([&](const Array& x) { return enter(x, true); }));
  for (const auto& [key, a] : call.kwargs)
    args.kwargs.emplace_back(key, a.map<Traced>([&](const Array& x) { return enter(x, false); }));
  const auto traced = layer->trace(trace, args).flatten();

  std::vector<bool> has_mask;
  for (const Traced& t : traced) program->output("y", t.value);
  for (const Traced& t : traced) {
    has_mask.push_back(static_cast<bool>(t.mask));
    if (t.mask) program->output("mask", t.mask);
  }
  std::vector<std::pair<bool, Spec>> gradient_specs;
  if (!call.seeds.empty()) {
    Values ys, dys, xs = tensors;
    for (std::size_t i = 0; i < traced.size(); ++i)
      if (is_floating(traced[i].value.dtype()) && i < call.seeds.size() && call.seeds[i].defined())
        ys.push_back(traced[i].value),
            dys.push_back(ops::constant(*program, call.seeds[i].astype(traced[i].value.dtype())));
    for (const auto& w : layer->trainable_weights()) xs.push_back(trace.value_of(w));
    const Values g = gradients(ys, dys, xs);
    for (std::size_t i = 0; i < xs.size(); ++i)
      program->output("g", g[i] ? g[i] : ops::zeros(*program, xs[i].shape(), xs[i].dtype()));
  }
  trace.finish();

  // Program inputs: data in the order of `feed`, state by its variable.
  Arrays inputs;
  std::size_t data = 0, state = 0;
  for (const auto& input : program->inputs())
    inputs.push_back(input.kind == InputKind::data ? feed[data++] : trace.variables()[state++]->storage());
  const auto executable = Executable::compile(std::move(program), backend);
  Arrays all = executable->run(inputs);
  for (const auto& v : trace.variables()) v->touched();

  LayerResult result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < traced.size(); ++i) result.outputs.push_back(all[at++]);
  for (const bool has : has_mask) result.masks.push_back(has ? all[at++] : Array());
  if (!call.seeds.empty()) {
    for (std::size_t i = 0; i < tensors.size(); ++i) result.input_gradients.push_back(all[at++]);
    while (at < all.size()) result.weight_gradients.push_back(all[at++]);
  }
  return result;
}

}  // namespace ramet::testing
