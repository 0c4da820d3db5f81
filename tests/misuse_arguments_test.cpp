// What layers are given: numbers out of range, words that mean nothing.
#include "tests/support/misuse.h"

using namespace ramet;

namespace ramet::testing {
namespace {

LayerOptions named(const char* name) { return {.name = name}; }

// Words that are only known when the program runs, as in a file; a misspelt literal would not compile.
void configured(const char* class_name, JsonObject config) {
  deserialize_layer(Json(JsonObject{{"class_name", Json(class_name)}, {"config", Json(std::move(config))}}));
}

}  // namespace

std::vector<Misuse> argument_misuses() {
  return {
      {"Dense with no units", [](Model&) { Dense(0); }, {"Dense", "units", "positive", "0"}},
      {"Dense with negative units", [](Model&) { Dense(-3); }, {"Dense", "units", "-3"}},
      {"Dense with a misspelt activation",
       [](Model&) {
         configured("Dense", {{"units", 4}, {"activation", "rellu"}});
       },
       {"unknown activation 'rellu'", "did you mean 'relu'?"}},
      {"Activation with a misspelt word",
       [](Model&) { Activation(ActivationFunction::from("sofmax")); },
       {"unknown activation 'sofmax'", "did you mean 'softmax'?"}},
      {"Dense with a misspelt initializer",
       [](Model&) { Dense(4, {.kernel_initializer = "glorot_unifrom"}); },
       {"unknown initializer 'glorot_unifrom'", "did you mean 'glorot_uniform'?"}},
      {"Dense with a misspelt regularizer",
       [](Model&) { Dense(4, {.kernel_regularizer = "l3"}); },
       {"unknown regularizer 'l3'", "did you mean"}},
      {"Dense with a misspelt constraint",
       [](Model&) { Dense(4, {.kernel_constraint = "nonneg"}); },
       {"unknown constraint 'nonneg'", "did you mean 'non_neg'?"}},
      {"Dense in a type there is not", [](Model&) { Dense(4, {}, {.dtype = "float33"}); }, {"float33"}},
      {"a layer's name with a slash", [](Model&) { Dense(4, named("a/b")); }, {"name", "a/b", "/"}},
      {"L2 with a negative factor", [](Model&) { regularizers::L2(-0.1); }, {"L2", "l2", "-0.1"}},
      {"RandomUniform upside down",
       [](Model&) {
         initializers::RandomUniform({.minval = 1, .maxval = -1})({4, 4}, DType::f32);
       },
       {"RandomUniform", "minval", "1", "-1"}},
      {"Orthogonal for a vector",
       [](Model&) { Dense(4, {.bias_initializer = "orthogonal"})(Input({3})); },
       {"Orthogonal", "two-dimensional", "(4,)"}},
      {"VarianceScaling with scale zero",
       [](Model&) { initializers::VarianceScaling({.scale = 0}); },
       {"VarianceScaling", "scale", "0"}},
      {"Conv2D without filters", [](Model&) { Conv2D(0, 3); }, {"Conv2D", "filters", "0"}},
      {"Conv2D with three kernel sizes",
       [](Model&) {
         Conv2D(4, {3, 3, 3});
       },
       {"Conv2D", "kernel_size", "(3, 3, 3)"}},
      {"Conv2D with stride zero", [](Model&) { Conv2D(4, 3, {.strides = 0}); }, {"Conv2D", "strides", "0"}},
      {"Conv1D with a negative kernel", [](Model&) { Conv1D(4, -3); }, {"Conv1D", "kernel_size", "-3"}},
      {"Conv2D with a padding there is not",
       [](Model&) {
         configured("Conv2D", {{"filters", 4}, {"kernel_size", 3}, {"padding", "sane"}});
       },
       {"padding", "sane", "'same'"}},
      {"Conv2D with causal padding",
       [](Model&) {
         configured("Conv2D", {{"filters", 4}, {"kernel_size", 3}, {"padding", "causal"}});
       },
       {"padding", "causal", "'valid'", "'same'"}},
      {"Conv2D with a data format there is not",
       [](Model&) {
         configured("Conv2D", {{"filters", 4}, {"kernel_size", 3}, {"data_format", "channel_last"}});
       },
       {"data_format", "channel_last", "'channels_last'"}},
      {"Conv2D with groups that do not divide",
       [](Model&) { Conv2D(4, 3, {.groups = 3}); },
       {"Conv2D", "groups=3", "filters=4"}},
      {"Conv2D with stride and dilation",
       [](Model&) { Conv2D(4, 3, {.strides = 2, .dilation_rate = 2}); },
       {"Conv2D", "strides", "dilation_rate"}},
      {"DepthwiseConv2D without a multiplier",
       [](Model&) { DepthwiseConv2D(3, {.depth_multiplier = 0}); },
       {"DepthwiseConv2D", "depth_multiplier", "0"}},
      {"SeparableConv2D without filters", [](Model&) { SeparableConv2D(0, 3); }, {"SeparableConv2D", "filters", "0"}},
      {"Conv2DTranspose with too much output padding",
       [](Model&) { Conv2DTranspose(4, 3, {.strides = 2, .output_padding = 2}); },
       {"Conv2DTranspose", "output_padding", "strides"}},
      {"MaxPooling2D with an empty window", [](Model&) { MaxPooling2D(0); }, {"MaxPooling2D", "pool_size", "0"}},
      {"AveragePooling1D with stride zero",
       [](Model&) { AveragePooling1D(2, {.strides = 0}); },
       {"AveragePooling1D", "strides", "0"}},
      {"MaxPooling2D with a padding there is not",
       [](Model&) {
         configured("MaxPooling2D", {{"pool_size", 2}, {"padding", "sane"}});
       },
       {"padding", "sane"}},
      {"Dropout with rate 1.5", [](Model&) { Dropout(1.5); }, {"Dropout", "rate", "1.5", "between 0 and 1"}},
      {"Dropout with a negative rate", [](Model&) { Dropout(-0.1); }, {"Dropout", "rate", "-0.1"}},
      {"AlphaDropout with rate 2", [](Model&) { AlphaDropout(2); }, {"AlphaDropout", "rate", "2"}},
      {"SpatialDropout1D with rate 2", [](Model&) { SpatialDropout1D(2); }, {"SpatialDropout1D", "rate", "2"}},
      {"GaussianDropout with rate 1", [](Model&) { GaussianDropout(1.5); }, {"GaussianDropout", "rate", "1.5"}},
      {"GaussianNoise with a negative deviation", [](Model&) { GaussianNoise(-1); }, {"GaussianNoise", "stddev", "-1"}},
      {"LSTM without units", [](Model&) { LSTM(0); }, {"LSTM", "units", "0"}},
      {"SimpleRNN without units", [](Model&) { SimpleRNN(-2); }, {"SimpleRNN", "units", "-2"}},
      {"Embedding without words", [](Model&) { Embedding(0, 4); }, {"Embedding", "input_dim", "0"}},
      {"Embedding without dimensions", [](Model&) { Embedding(4, 0); }, {"Embedding", "output_dim", "0"}},
      {"RepeatVector zero times", [](Model&) { RepeatVector(0); }, {"RepeatVector", "n", "0"}},
      {"Reshape with two unknown sizes",
       [](Model&) {
         Reshape({-1, -1});
       },
       {"Reshape", "target_shape", "-1"}},
      {"Reshape to a negative size",
       [](Model&) {
         Reshape({-2, 3})(Input({6}));
       },
       {"Reshape", "-2"}},
      {"Permute that leaves an axis out",
       [](Model&) {
         Permute({1, 3});
       },
       {"Permute", "dims=(1, 3)"}},
      {"Cropping2D by a negative number",
       [](Model&) {
         Cropping2D({-1, 0});
       },
       {"Cropping2D", "negative"}},
      {"ZeroPadding2D by a negative number", [](Model&) { ZeroPadding2D(-1); }, {"ZeroPadding2D", "-1"}},
      {"UpSampling2D by zero", [](Model&) { UpSampling2D(0); }, {"UpSampling2D", "size", "0"}},
      {"UpSampling1D by a negative number", [](Model&) { UpSampling1D(-2); }, {"UpSampling1D", "size", "-2"}},
      {"ReLU with a negative maximum", [](Model&) { ReLU(-1.0); }, {"ReLU", "max_value", "-1"}},
      {"LeakyReLU with a negative slope",
       [](Model&) { LeakyReLU({.negative_slope = -0.5}); },
       {"LeakyReLU", "negative_slope", "-0.5"}},
      {"BatchNormalization along an axis there is not",
       [](Model&) {
         BatchNormalization({.axis = 4}, named("bn"))(Input({3, 4}));
       },
       {"BatchNormalization 'bn'", "axis", "4"}},
      {"LayerNormalization along an axis there is not",
       [](Model&) { LayerNormalization({.axis = 3}, named("ln"))(Input({4})); },
       {"LayerNormalization 'ln'", "3"}},
      {"GroupNormalization without groups",
       [](Model&) { GroupNormalization(0); },
       {"GroupNormalization", "groups", "0"}},
      {"GroupNormalization with groups that do not divide",
       [](Model&) {
         GroupNormalization(3, named("gn"))(Input({2, 4}));
       },
       {"GroupNormalization 'gn'", "3", "4"}},
      {"Softmax along an axis there is not",
       [](Model&) { Softmax({.axis = 5}, named("s"))(Input({4})); },
       {"Softmax 's'", "axis", "5"}},
      {"MultiHeadAttention without heads",
       [](Model&) { MultiHeadAttention(0, 4); },
       {"MultiHeadAttention", "num_heads", "0"}},
      {"MultiHeadAttention without key size",
       [](Model&) { MultiHeadAttention(2, 0); },
       {"MultiHeadAttention", "key_dim", "0"}},
      {"MultiHeadAttention with dropout 2",
       [](Model&) { MultiHeadAttention(2, 4, {.dropout = 2}); },
       {"MultiHeadAttention", "dropout", "2"}},
      {"EinsumDense without an arrow", [](Model&) { EinsumDense("ab,bc", {8})(Input({4})); }, {"EinsumDense", "ab,bc"}},
      {"Dot along three axes",
       [](Model&) {
         Dot({1, 2, 3});
       },
       {"Dot", "axes", "(1, 2, 3)"}},
      {"Dot along the batch",
       [](Model&) {
         Dot(0, named("d"))({Input({4}), Input({4})});
       },
       {"Dot 'd'", "0"}},
      {"StackedRNNCells of nothing",
       [](Model&) { StackedRNNCells(std::vector<LayerRef>{}); },
       {"StackedRNNCells", "cell"}},
      {"RNN over what is no cell", [](Model&) { RNN(Dense(4)); }, {"RNN", "cell", "Dense"}},
      {"Bidirectional around a Dense", [](Model&) { Bidirectional(Dense(4)); }, {"Bidirectional", "Dense"}},
      {"Bidirectional with both directions forward",
       [](Model&) { Bidirectional(LSTM(4), {.backward_layer = LSTM(4)}); },
       {"Bidirectional", "go_backwards"}},
      {"Bidirectional with a backward layer of another kind of output",
       [](Model&) {
         Bidirectional(LSTM(4), {.backward_layer = LSTM(4, {.return_sequences = true, .go_backwards = true})});
       },
       {"Bidirectional", "return_sequences"}},
      {"Bidirectional joined by a word there is not",
       [](Model&) {
         configured("Bidirectional", {{"layer", serialize_layer(*LSTM(4))}, {"merge_mode", "plus"}});
       },
       {"merge_mode", "plus"}},
      {"TimeDistributed around nothing",
       [](Model&) {
         const LayerRef none;
         TimeDistributed{none};
       },
       {"TimeDistributed", "layer"}},
      {"SGD with momentum 2", [](Model&) { SGD(0.1, {.momentum = 2}); }, {"momentum", "2"}},
      {"an optimizer that clips twice",
       [](Model&) { SGD(0.1, {.clipnorm = 1.0, .clipvalue = 1.0}); },
       {"SGD", "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set", "clipnorm=1", "clipvalue=1",
        "global_clipnorm=None"}},
      {"an optimizer with an average beyond one",
       [](Model&) { Adam(1e-3, {.use_ema = true, .ema_momentum = 2}); },
       {"Adam", "ema_momentum", "2"}},
      {"an optimizer that accumulates one step",
       [](Model&) { Adam(1e-3, {.gradient_accumulation_steps = 1}); },
       {"Adam", "`gradient_accumulation_steps` must be an integer >= 2", "1"}},
      {"a schedule over no steps",
       [](Model&) { schedules::ExponentialDecay(0.1, 0, 0.9); },
       {"ExponentialDecay", "decay_steps", "0"}},
      {"a schedule with too few values",
       [](Model&) {
         schedules::PiecewiseConstantDecay({1, 2}, {0.1, 0.2});
       },
       {"PiecewiseConstantDecay", "boundaries", "values", "2"}},
      {"a loss with a reduction there is not",
       [](Model&) {
         Object<LossBase>::make("mse", JsonObject{{"reduction", "summ"}});
       },
       {"reduction", "summ", "'sum'"}},
      {"TopKCategoricalAccuracy of none",
       [](Model&) { metrics::TopKCategoricalAccuracy({.k = 0}); },
       {"TopKCategoricalAccuracy", "k", "0"}},
      {"ReduceLROnPlateau that raises the rate",
       [](Model&) { ReduceLROnPlateau({.factor = 1.5}); },
       {"ReduceLROnPlateau does not support a factor >= 1.0", "1.5"}},
      {"ReLU with a negative threshold", [](Model&) { ReLU({.threshold = -1}); }, {"ReLU", "threshold", "-1"}},
      {"an activation function that is asked for by name",
       [](Model&) { ActivationFunction::from("tnah"); },
       {"unknown activation 'tnah'", "did you mean 'tanh'?"}},
      {"a device that is none", [](Model&) { Device("tpu:0"); }, {"tpu:0", "cpu"}},
      {"Input of a negative size", [](Model&) { Input({-3}); }, {"Input", "-3"}},
      {"Input of a type there is not", [](Model&) { Input({3}, {.dtype = "int33"}); }, {"int33"}},
      {"a sparse Input", [](Model&) { Input({3}, {.sparse = true}); }, {"sparse"}},
  };
}

}  // namespace ramet::testing
