#include "ramet/layers/recurrent/time_distributed.h"

#include <algorithm>

#include "ramet/layers/input_rule.h"
#include "ramet/layers/recurrent/loop.h"
#include "ramet/layers/recurrent/recurrent.h"
#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

// Classes whose output for a row of the batch depends on that row alone.
constexpr std::string_view kRowByRow[] = {"Dense",
                                          "EinsumDense",
                                          "Embedding",
                                          "Masking",
                                          "Identity",
                                          "Activation",
                                          "ReLU",
                                          "LeakyReLU",
                                          "PReLU",
                                          "ELU",
                                          "Softmax",
                                          "Conv1D",
                                          "Conv2D",
                                          "Conv3D",
                                          "Conv1DTranspose",
                                          "Conv2DTranspose",
                                          "Conv3DTranspose",
                                          "DepthwiseConv1D",
                                          "DepthwiseConv2D",
                                          "SeparableConv1D",
                                          "SeparableConv2D",
                                          "MaxPooling1D",
                                          "MaxPooling2D",
                                          "MaxPooling3D",
                                          "AveragePooling1D",
                                          "AveragePooling2D",
                                          "AveragePooling3D",
                                          "GlobalMaxPooling1D",
                                          "GlobalMaxPooling2D",
                                          "GlobalMaxPooling3D",
                                          "GlobalAveragePooling1D",
                                          "GlobalAveragePooling2D",
                                          "GlobalAveragePooling3D",
                                          "Flatten",
                                          "Reshape",
                                          "Permute",
                                          "RepeatVector",
                                          "Cropping1D",
                                          "Cropping2D",
                                          "Cropping3D",
                                          "ZeroPadding1D",
                                          "ZeroPadding2D",
                                          "ZeroPadding3D",
                                          "UpSampling1D",
                                          "UpSampling2D",
                                          "UpSampling3D",
                                          "LayerNormalization",
                                          "GroupNormalization",
                                          "UnitNormalization",
                                          "RMSNormalization",
                                          "Dropout",
                                          "SpatialDropout1D",
                                          "SpatialDropout2D",
                                          "SpatialDropout3D",
                                          "GaussianNoise",
                                          "GaussianDropout",
                                          "AlphaDropout",
                                          "Rescaling",
                                          "Add",
                                          "Subtract",
                                          "Multiply",
                                          "Average",
                                          "Maximum",
                                          "Minimum",
                                          "Concatenate",
                                          "Dot",
                                          "SimpleRNN",
                                          "LSTM",
                                          "GRU",
                                          "RNN",
                                          "SimpleRNNCell",
                                          "LSTMCell",
                                          "GRUCell",
                                          "StackedRNNCells",
                                          "Bidirectional",
                                          "TimeDistributed",
                                          "Attention",
                                          "AdditiveAttention",
                                          "MultiHeadAttention",
                                          "InputLayer",
                                          "Functional",
                                          "Sequential"};

// Whether `layer` gives a row of a batch the same result whatever the other rows are. A penalty on activities is
// divided by the batch size, so it counts as mixing them.
bool row_by_row(const Layer& layer, bool training) {
  const bool known = std::find(std::begin(kRowByRow), std::end(kRowByRow), layer.class_name()) != std::end(kRowByRow) ||
                     (layer.class_name() == "BatchNormalization" && !training);
  if (!known) return false;
  const auto* recurrent = dynamic_cast<const Recurrent*>(&layer);
  if (recurrent && recurrent->loop_options().stateful) return false;
  for (const auto& inner : layer.sublayers())
    if (inner->activity_penalty() || !row_by_row(*inner, training)) return false;
  return true;
}

// [a, b, rest…] → [a·b, rest…]
Value join_two(Value x) {
  Shape shape(x.shape().begin() + 1, x.shape().end());
  shape[0] *= x.dim(0);
  return ops::reshape(x, shape);
}

}  // namespace

TimeDistributedLayer::TimeDistributedLayer(TimeDistributedConfig config, LayerOptions options)
    : LayerOf(std::move(config), std::move(options)) {
  require(this->config().layer != nullptr, describe(*this), ": needs a layer to apply at every step");
}

void TimeDistributedLayer::check(const std::vector<Spec>& inputs) const {
  check_inputs(*this, inputs, {.min_ndim = 3});
}

void TimeDistributedLayer::build(Builder& b, const Spec& x) {
  Spec step{{x.dim(0)}, x.dtype};
  step.shape.insert(step.shape.end(), x.shape.begin() + 2, x.shape.end());
  b.build(config().layer, step);
}

// Keras uses the inner layer's `call` alone: it sees the mask only where it takes one, its outputs carry none, and a
// penalty on its activity is not added.
Value TimeDistributedLayer::inner_call(const CallContext& ctx, Value x, Value mask) const {
  const LayerRef& layer = config().layer;
  const auto names = layer->call_arguments();
  TracedArgs args{{TracedNest(Traced{x, {}})}, {}};
  if (mask && std::find(names.begin(), names.end(), "mask") != names.end())
    args.kwargs.emplace_back("mask", TracedNest(Traced{mask, {}}));
  const TracedNest out = ctx.call(layer, args);
  if (layer->activity_penalty()) ctx.trace().losses.pop_back();
  require(out.is_leaf(), describe(*this), ": the inner layer must have one output; ", describe(*layer), " has ",
          out.flatten().size());
  return out.leaf().value;
}

TracedNest TimeDistributedLayer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  require(args.args.size() == 1 && args.args[0].is_leaf(), describe(*this), ": takes one tensor [batch, steps, …]");
  const Value x = args.args[0].leaf().value, mask = ctx.mask();
  const auto batch = x.dim(0), steps = x.dim(1);
  require(!mask || (mask.rank() >= 2 && mask.dim(0) == batch && mask.dim(1) == steps), describe(*this),
          ": the mask must begin with (batch, steps) = (", batch, ", ", steps, "); got shape ",
          mask ? to_string(mask.shape()) : "");
  if (steps == 0 || row_by_row(*config().layer, ctx.training())) {
    const Value y = inner_call(ctx, join_two(x), mask ? join_two(mask) : Value{});
    Shape shape = y.shape();
    shape[0] = steps;
    shape.insert(shape.begin(), batch);
    return TracedNest(Traced{ops::reshape(y, shape), {}});
  }

  Values sequences{ops::swap_axes(x, 0, 1)};
  if (mask) sequences.push_back(ops::swap_axes(mask, 0, 1));
  static const TracedArgs none;
  const LoopStep step = [&](Trace& trace, const Values& c, const Values& xs, const Values&) {
    const CallContext inner(trace, *this, none, ctx.training());
    return ops::ScanResult{c, {inner_call(inner, xs[0], mask ? xs[1] : Value{})}};
  };
  const Value nothing = ops::zeros(ctx.program(), {1}, compute_dtype());  // a loop carries something
  const ops::ScanResult done = loop(ctx.trace(), {nothing}, sequences, {}, steps, false, step);
  return TracedNest(Traced{ops::swap_axes(done.outputs[0], 0, 1), {}});
}

Values TimeDistributedLayer::compute_mask(const CallContext& ctx, const std::vector<Traced>&) const {
  return ctx.mask_semantics() == MaskSemantics::keras3_16 ? Values{} : Values{ctx.mask()};
}

}  // namespace ramet::layers
