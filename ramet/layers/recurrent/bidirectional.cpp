#include "ramet/layers/recurrent/bidirectional.h"

#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

std::string with_prefix(std::string_view prefix, std::string_view name) {
  return name.starts_with(prefix) ? std::string(name) : cat(prefix, name);
}

Recurrent* as_recurrent(const LayerRef& layer) { return dynamic_cast<Recurrent*>(layer.get()); }

Value merged(std::string_view mode, Value forward, Value backward) {
  if (mode == "concat") return ops::concat({forward, backward}, static_cast<int>(forward.rank()) - 1);
  if (mode == "mul") return forward * backward;
  const Value sum = forward + backward;
  return mode == "ave" ? sum / 2.0 : sum;
}

}  // namespace

BidirectionalLayer::BidirectionalLayer(BidirectionalConfig config, LayerOptions options)
    : LayerOf(std::move(config), std::move(options)) {
  BidirectionalConfig& c = mutable_config();
  require(c.layer != nullptr, describe(*this), ": needs a recurrent layer");
  for (const LayerRef& layer : {c.layer, c.backward_layer})
    require(!layer || as_recurrent(layer), describe(*this),
            ": takes a recurrent layer (RNN, SimpleRNN, LSTM, GRU); got ", layer ? describe(*layer) : "");
  const LayerRef given = c.layer;
  c.layer = as_recurrent(given)->variant(with_prefix("forward_", given->name()),
                                         as_recurrent(given)->loop_options().go_backwards);
  if (!c.backward_layer) c.backward_layer = as_recurrent(given)->variant(with_prefix("backward_", given->name()), true);
  const LoopOptions f = forward().loop_options(), b = backward().loop_options();
  require(
      f.go_backwards != b.go_backwards, describe(*this),
      ": one layer must go forwards and one backwards; both have go_backwards = ", f.go_backwards ? "true" : "false");
  const auto same = [&](std::string_view what, bool a, bool z) {
    require(a == z, describe(*this), ": the layers of both directions must agree in `", what, "`; got ",
            a ? "true" : "false", " forwards and ", z ? "true" : "false", " backwards");
  };
  same("stateful", f.stateful, b.stateful);
  same("return_sequences", f.return_sequences, b.return_sequences);
  same("return_state", f.return_state, b.return_state);
  forward().set_zero_output_for_mask(f.return_sequences);
  backward().set_zero_output_for_mask(f.return_sequences);
}

Recurrent& BidirectionalLayer::forward() const { return *as_recurrent(config().layer); }
Recurrent& BidirectionalLayer::backward() const { return *as_recurrent(config().backward_layer); }

void BidirectionalLayer::reset_state() {
  forward().reset_state();
  backward().reset_state();
}

void BidirectionalLayer::build(Builder& b, const Spec& x) {
  b.build(forward_layer(), x);
  b.build(backward_layer(), x);
}

TracedNest BidirectionalLayer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  require(args.args.size() == 1 && args.args[0].is_leaf(), describe(*this), ": takes one tensor [batch, steps, …]");
  TracedArgs each[2];
  for (TracedArgs& a : each) {
    a.args = {TracedNest(Traced{args.args[0].leaf().value, {}})};
    if (const Value mask = ctx.call_mask()) a.kwargs.emplace_back("mask", TracedNest(Traced{mask, {}}));
  }
  if (const TracedNest* given = args.find("initial_state"); given && !given->is_none()) {
    const std::size_t half = forward().cell().state_size().flatten().size(),
                      count = given->is_list() ? given->list().size() : given->flatten().size();
    require(given->is_list() && count == 2 * half, describe(*this), ": initial_state holds ", count,
            " tensor(s); it must be a list of the ", half, " forward and the ", half, " backward state(s)");
    for (std::size_t i = 0; i < 2; ++i) {
      const auto begin = given->list().begin() + static_cast<std::ptrdiff_t>(i * half);
      each[i].kwargs.emplace_back("initial_state",
                                  TracedNest(TracedNest::List(begin, begin + static_cast<std::ptrdiff_t>(half))));
    }
  }
  const LoopOptions options = forward().loop_options();
  TracedNest results[2] = {ctx.call(forward_layer(), each[0]), ctx.call(backward_layer(), each[1])};
  const auto output = [&](const TracedNest& r) {
    return ops::cast((options.return_state ? r.list()[0] : r).leaf().value, compute_dtype());
  };
  const Value y = output(results[0]);
  const Value z = options.return_sequences ? ops::reverse(output(results[1]), {1}) : output(results[1]);

  TracedNest::List out;
  if (config().merge_mode.name() == "None")
    out = {TracedNest(Traced{y, {}}), TracedNest(Traced{z, {}})};
  else
    out = {TracedNest(Traced{merged(config().merge_mode.name(), y, z), {}})};
  if (options.return_state)
    for (const TracedNest& r : results) out.insert(out.end(), r.list().begin() + 1, r.list().end());
  return out.size() == 1 ? out[0] : TracedNest(std::move(out));
}

Values BidirectionalLayer::compute_mask(const CallContext& ctx, const std::vector<Traced>&) const {
  const LoopOptions options = forward().loop_options();
  if (ctx.mask_semantics() == MaskSemantics::keras3_16 || !options.return_sequences) return {};
  const std::size_t outputs = config().merge_mode.name() == "None" ? 2 : 1;
  Values masks(outputs, ctx.mask());
  if (options.return_state)
    for (const Recurrent* r : {&forward(), &backward()})
      masks.resize(masks.size() + r->cell().state_size().flatten().size());
  return masks;
}

}  // namespace ramet::layers
