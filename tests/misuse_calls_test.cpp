// Layers called on what they cannot take.
#include "tests/support/custom_layers.h"
#include "tests/support/misuse.h"

using namespace ramet;

namespace ramet::testing {
namespace {

LayerOptions named(const char* name) { return {.name = name}; }

// Three masks for one output.
class TooManyMasksLayer final : public LayerOf<TooManyMasksLayer, NoArguments, MaskRule::custom> {
 public:
  static constexpr std::string_view kClassName = "TooManyMasks";
  using LayerOf::LayerOf;
  Value call(const CallContext&, Value x) const override { return x * 1.0; }
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>&) const override {
    return {ctx.mask(), ctx.mask(), ctx.mask()};
  }
};

// Has no `call`.
class SilentLayer final : public LayerOf<SilentLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "Silent";
  using LayerOf::LayerOf;
};

// Wants a weight of a size nobody knows.
class OpenWeightLayer final : public LayerOf<OpenWeightLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "OpenWeight";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override { w_ = b.weight("w", {x.dim(-1), None}, initializers::Zeros()); }
  Value call(const CallContext& ctx, Value x) const override { return ops::matmul(x, ctx[w_]); }

 private:
  Weight w_;
};

// Forgets to make its weight.
class ForgetfulLayer final : public LayerOf<ForgetfulLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "Forgetful";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override { return x * ctx[w_]; }

 private:
  Weight w_;
};

// Draws from a random state it never made.
class SeedlessLayer final : public LayerOf<SeedlessLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "Seedless";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override {
    return x + ops::random_normal(ctx.draw(seed_), x.shape());
  }

 private:
  Weight seed_;
};

// Calls a layer inside that nobody built.
class UnbuiltInsideLayer final : public LayerOf<UnbuiltInsideLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "UnbuiltInside";
  using LayerOf::LayerOf;
  Value call(const CallContext& ctx, Value x) const override { return ctx.call(inner_, x); }

 private:
  LayerRef inner_ = Dense(2, named("inner"));
};

// Updates a variable with a value of another shape.
class MisfitLayer final : public LayerOf<MisfitLayer, NoArguments> {
 public:
  static constexpr std::string_view kClassName = "Misfit";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override { w_ = b.weight("w", {x.dim(-1)}, initializers::Zeros()); }
  Value call(const CallContext& ctx, Value x) const override {
    ctx.update(w_, x);
    return x;
  }

 private:
  Weight w_;
};

Tensor words() { return Embedding(9, 4, {.mask_zero = true})(Input({5}, {.dtype = "int32"})); }

}  // namespace

std::vector<Misuse> call_misuses() {
  return {
      {"Dense on a scalar per sample",
       [](Model&) { Dense(2, named("d"))(Input(Shape{})); },
       {"layer 'd'", "min_ndim=2", "ndim=1", "(None,)"}},
      {"Dense on an unknown size", [](Model&) { Dense(2, named("d"))(Input({None})); }, {"'d'", "None"}},
      {"Conv2D on a sequence",
       [](Model&) {
         Conv2D(4, 3, named("c"))(Input({8, 3}));
       },
       {"layer 'c'", "min_ndim=4", "ndim=3", "(None, 8, 3)"}},
      {"Conv1D on images",
       [](Model&) {
         Conv1D(4, 3, named("c"))(Input({8, 8, 8, 3}));
       },
       {"Conv1D 'c'", "(None, 8, 8, 8, 3)"}},
      {"Conv2D with a kernel larger than the image",
       [](Model&) {
         Conv2D(4, 3, named("c"))(Input({2, 2, 3}));
       },
       {"Conv2D 'c'", "zero or negative", "(None, 2, 2, 3)", "padding = \"same\""}},
      {"Conv2D with groups that do not divide the channels",
       [](Model&) {
         Conv2D(4, 3, {.groups = 2}, named("c"))(Input({8, 8, 3}));
       },
       {"Conv2D 'c'", "groups=2", "3 channels"}},
      {"MaxPooling2D on a sequence",
       [](Model&) {
         MaxPooling2D(2, named("p"))(Input({8, 3}));
       },
       {"layer 'p'", "ndim=4", "ndim=3"}},
      {"MaxPooling1D with a window larger than the sequence",
       [](Model&) {
         MaxPooling1D(4, named("p"))(Input({3, 2}));
       },
       {"MaxPooling1D 'p'", "negative"}},
      {"GlobalAveragePooling2D on a sequence",
       [](Model&) {
         GlobalAveragePooling2D(named("g"))(Input({8, 3}));
       },
       {"'g'", "ndim=4", "ndim=3"}},
      {"Cropping1D of everything",
       [](Model&) {
         Cropping1D(2, named("c"))(Input({4, 3}));
       },
       {"Cropping1D 'c'", "4"}},
      {"Reshape to another total",
       [](Model&) {
         Reshape({5}, named("r"))(Input({2, 3}));
       },
       {"Reshape 'r'", "(2, 3)", "(5,)"}},
      {"Permute of another rank",
       [](Model&) {
         Permute({2, 1}, named("p"))(Input({2, 3, 4}));
       },
       {"'p'", "ndim=3", "ndim=4"}},
      {"RepeatVector of a sequence",
       [](Model&) {
         RepeatVector(2, named("r"))(Input({2, 3}));
       },
       {"'r'", "ndim=2", "ndim=3"}},
      {"UpSampling2D of a sequence",
       [](Model&) {
         UpSampling2D(2, named("u"))(Input({2, 3}));
       },
       {"'u'", "ndim=4", "ndim=3"}},
      {"LSTM on a vector",
       [](Model&) {
         LSTM(4, named("l"))
         (Input({3}));
       },
       {"'l'", "ndim=3", "ndim=2"}},
      {"LSTM with one state",
       [](Model&) {
         LSTM(4, named("l"))(Input({5, 3}), {.initial_state = Arg({Input({4})})});
       },
       {"LSTM 'l'", "initial_state", "2", "1"}},
      {"GRU with two states",
       [](Model&) {
         GRU(4, named("g"))(Input({5, 3}), {.initial_state = {Input({4}), Input({4})}});
       },
       {"GRU 'g'", "initial_state", "1", "2"}},
      {"LSTM with states of another size",
       [](Model&) {
         LSTM(4, named("l"))(Input({5, 3}), {.initial_state = {Input({3}), Input({3})}});
       },
       {"LSTM 'l'", "state", "4", "3"}},
      {"Bidirectional with the states of one direction",
       [](Model&) {
         Bidirectional(LSTM(4), named("b"))(Input({5, 3}), {.initial_state = {Input({4}), Input({4})}});
       },
       {"Bidirectional 'b'", "initial_state holds 2", "2 forward and the 2 backward"}},
      {"TimeDistributed on a vector",
       [](Model&) { TimeDistributed(Dense(3), named("t"))(Input({4})); },
       {"layer 't'", "min_ndim=3", "ndim=2"}},
      {"Input of words",
       [](Model&) { Input({3}, {.dtype = "string", .name = "w"}); },
       {"Input 'w'", "string", "int32"}},
      {"MultiHeadAttention with keys of another length than the values",
       [](Model&) {
         MultiHeadAttention(2, 3, named("m"))(Input({5, 4}), Input({6, 4}), Input({7, 4}));
       },
       {"MultiHeadAttention 'm'", "(None, 6, 4)", "(None, 7, 4)"}},
      {"Add of one tensor", [](Model&) { Add(named("s"))(Input({8})); }, {"Add 's'", "list", "(None, 8)"}},
      {"Add of different shapes",
       [](Model&) {
         Add(named("s"))({Input({8}), Input({7})});
       },
       {"Add 's'", "same shape or broadcast", "(None, 8)", "(None, 7)"}},
      {"Add of different batches",
       [](Model&) {
         Add(named("s"))({Input({4}, {.batch_size = 2}), Input({4}, {.batch_size = 3})});
       },
       {"Add 's'", "(2, 4)", "(3, 4)"}},
      {"Subtract of three",
       [](Model&) {
         const auto a = Input({8});
         Subtract(named("s"))({a, a, a});
       },
       {"Subtract 's'", "exactly 2 inputs"}},
      {"Multiply of different ranks that do not broadcast",
       [](Model&) {
         Multiply(named("m"))({Input({2, 3}), Input({4})});
       },
       {"Multiply 'm'", "(None, 2, 3)", "(None, 4)"}},
      {"Concatenate of one tensor",
       [](Model&) { Concatenate({}, named("c"))(Input({8})); },
       {"Concatenate 'c'", "list", "(None, 8)"}},
      {"Concatenate along an axis there is not",
       [](Model&) {
         const auto a = Input({8});
         Concatenate({.axis = 5}, named("c"))({a, a});
       },
       {"Concatenate 'c'", "axis", "5"}},
      {"Concatenate of shapes that differ elsewhere",
       [](Model&) {
         Concatenate({.axis = 1}, named("c"))({Input({2, 3}), Input({2, 4})});
       },
       {"Concatenate 'c'", "matching shapes", "(None, 2, 3)", "(None, 2, 4)"}},
      {"Dot of different sizes",
       [](Model&) {
         Dot(1, named("d"))({Input({8}), Input({7})});
       },
       {"Dot 'd'", "8", "7"}},
      {"Dot of one", [](Model&) { Dot(1, named("d"))(Input({8})); }, {"Dot 'd'", "list", "(None, 8)"}},
      {"a sum of tensors that do not broadcast", [](Model&) { Input({8}) + Input({7}); }, {"(None, 8)", "(None, 7)"}},
      {"unpacking two of three",
       [](Model&) {
         LSTM(4, {.return_state = true})(Input({5, 3})).unpack<2>();
       },
       {"unpack<2>", "3 tensors"}},
      {"several tensors where one is wanted",
       [](Model&) {
         Dense(3, named("d"))(LSTM(4, {.return_state = true})(Input({5, 3})));
       },
       {"Layer 'd' expected 1 input(s). Received 3"}},
      {"no tensor at all",
       [](Model&) { Dense(3, named("d"))(Tensor()); },
       {"Layer 'd' expected 1 input(s). Received 0"}},
      {"a built layer on other channels",
       [](Model&) {
         const Dense d(3, named("d"));
         d(Input({8}));
         d(Input({7}));
       },
       {"layer 'd'", "axis -1", "8", "(None, 7)"}},
      {"a layer that returns three masks for one output",
       [](Model&) { Handle<TooManyMasksLayer>({}, named("t"))(words()); },
       {"TooManyMasks 't'", "3 masks for 1 output"}},
      {"a layer without a call",
       [](Model&) { Handle<SilentLayer>({}, named("s"))(Input({3})); },
       {"Silent 's' has no `call`", "call_list"}},
      {"a weight of unknown size",
       [](Model&) { Handle<OpenWeightLayer>({}, named("t"))(Input({3})); },
       {"OpenWeight 't'", "'w'", "None"}},
      {"a weight that was never made",
       [](Model&) { Handle<ForgetfulLayer>({}, named("f"))(Input({3})); },
       {"Forgetful 'f'", "never made", "`build`", "b.weight("}},
      {"a random state that was never made",
       [](Model&) { Handle<SeedlessLayer>({}, named("s"))(Input({3})); },
       {"Seedless 's'", "never made", "b.seed("}},
      {"a layer inside that was never built",
       [](Model&) { Handle<UnbuiltInsideLayer>({}, named("u"))(Input({3})); },
       {"Dense 'inner'", "before it was built", "b.build(inner, spec)"}},
      {"an update of another shape",
       [](Model&) { Handle<MisfitLayer>({}, named("m"))(Input({3})); },
       {"Misfit 'm'", "variable 'm/w'", "f32[3]", "f32[None, 3]"}},
      {"a mask that is not there",
       [](Model&) {
         Lambda([](const LambdaInputs& in) { return ops::logical_not(in.masks[0]); }, named("f"))(Input({3}));
       },
       {"Lambda 'f'", "an undefined Value", "if (value)"}},
      {"a function that returns nothing",
       [](Model&) { Lambda([](Value) { return Value{}; }, named("f"))(Input({3})); },
       {"Lambda 'f'"}},
      {"a value kept from an earlier call",
       [](Model&) {
         Value kept;
         const Lambda f([&kept](Value x) { return kept ? x + kept : kept = x * 2.0; }, named("f"));
         f(Input({3}));
       },
       {"Lambda 'f'", "a Value of an earlier trace", "make it anew"}},
      {"a Lambda that throws",
       [](Model&) { Lambda([](Value x) { return ops::reshape(x, {7}); }, named("f"))(Input({3})); },
       {"Lambda 'f'", "reshape", "7"}},
  };
}

}  // namespace ramet::testing
