// How a layer class gets its JSON, cloning and validation from its config's field table (LayerOf), and how user code
// holds a layer (Handle).
#pragma once
#include "ramet/array/feed.h"
#include "ramet/graph/layer.h"
#include "ramet/graph/registry.h"

namespace ramet {

// A call argument as what is recorded in the node. Other types join by an overload.
inline Arg to_arg(const Tensor& t) { return t.defined() ? Arg(t) : Arg(); }
inline Arg to_arg(const std::vector<Tensor>& list) { return list.empty() ? Arg() : Arg(list); }
inline Arg to_arg(const Arg& arg) { return arg; }
inline Arg to_arg(bool v) { return Arg(Json(v)); }
inline Arg to_arg(std::optional<bool> v) { return v ? Arg(Json(*v)) : Arg(); }

// Copies a config member for a clone: layers inside are cloned too, computing in `dtype` unless that is empty.
template <class T>
T clone_value(const T& v, const std::string& /*dtype*/) {
  return v;
}
inline LayerRef clone_value(const LayerRef& layer, const std::string& dtype) {
  return !layer ? nullptr : dtype.empty() ? layer->clone() : layer->clone_as(dtype);
}
inline std::vector<LayerRef> clone_value(const std::vector<LayerRef>& layers, const std::string& dtype) {
  std::vector<LayerRef> out;
  for (const auto& layer : layers) out.push_back(clone_value(layer, dtype));
  return out;
}

// Calls a layer on arrays: builds it if need be and computes at once, not in training unless the keyword argument says
// so. Defined in ramet/eager.
Predictions call_on_arrays(Layer& layer, const std::vector<Feed>& args,
                           const std::vector<std::pair<std::string, Arg>>& kwargs);

// The keyword arguments of a call that takes none but `training`.
struct TrainingCall {
  std::optional<bool> training = std::nullopt;
  static constexpr auto fields = Fields{field("training", &TrainingCall::training)};
};
struct MaskCall {
  Arg mask = {};
  std::optional<bool> training = std::nullopt;
  static constexpr auto fields = Fields{field("mask", &MaskCall::mask), field("training", &MaskCall::training)};
};

namespace detail {

template <class Config>
inline constexpr std::size_t positional = [] {
  if constexpr (requires { Config::kPositional; })
    return Config::kPositional;
  else
    return std::size_t{0};
}();
template <class Config>
inline constexpr std::size_t required = [] {
  if constexpr (requires { Config::kRequired; })
    return Config::kRequired;
  else
    return positional<Config>;
}();

// The type of Config's i-th member where it may be given by position, else a type nobody has.
template <class Config, std::size_t I, bool = (I < positional<Config>)>
struct PositionalMember {
  struct type {};
};
template <class Config, std::size_t I>
struct PositionalMember<Config, I, true> {
  using type = std::remove_cvref_t<decltype(std::declval<Config>().*field_at<Config, I>().member)>;
};

}  // namespace detail

// Everything a layer inherits for declaring a Config (and, where its call takes more, a Call). A function
// `normalize(Config&)` beside the Config completes it and refuses, by UsageError, what no single field's rule can.
template <class Derived, class C, MaskRule Mask = MaskRule::reject, class CallArguments = TrainingCall>
class LayerOf : public Layer {
 public:
  static_assert(Described<C>, "every member of Config must be listed in Config::fields");
  using Config = C;
  using Call = CallArguments;
  static constexpr int kTensors = 1;  // how many tensors a call takes by position; layers that take more hide it

  explicit LayerOf(C config, LayerOptions options = {})
      : Layer(options.name.empty() ? unique_name(Derived::kClassName) : options.name, options.trainable, options.dtype),
        config_(std::move(config)) {
    validate(Derived::kClassName, config_);
    if constexpr (requires(C & c) { normalize(c); }) {
      try {
        normalize(config_);
      } catch (const UsageError& error) {
        const std::string who = cat(Derived::kClassName, ": "), what = error.what();
        throw UsageError(what.starts_with(who) ? what : who + what);
      }
    }
  }
  const C& config() const { return config_; }
  std::string_view class_name() const final { return Derived::kClassName; }
  MaskRule mask_rule() const override { return Mask; }
  std::vector<std::string> call_arguments() const override { return field_names<CallArguments>(); }

  JsonObject get_config() const override {
    JsonObject out{
        {"name", Json(name())}, {"trainable", Json(trainable())}, {"dtype", encode_dtype_policy(dtype_name())}};
    for (auto& [key, value] : to_json(config_)) out.set(key, value);
    return out;
  }
  LayerRef clone_as(const std::string& dtype) const override {
    // Layers inside keep types of their own unless this one's changes.
    const std::string inner = dtype == dtype_name() ? "" : dtype;
    C copy{};
    for_each_field<C>([&](const auto& f) { copy.*f.member = clone_value(config_.*f.member, inner); });
    return std::make_shared<Derived>(std::move(copy), LayerOptions{name(), trainable(), dtype});
  }
  static LayerRef from_config(const JsonObject& json) {
    const LayerOptions options = layer_options_from(json, Derived::kClassName, field_names<C>());
    return std::make_shared<Derived>(from_json<C>(Derived::kClassName, json), options);
  }
  static LayerRegistration registration(std::string package = "") {
    return {std::string(Derived::kClassName), std::move(package), &LayerOf::from_config, &LayerOf::arguments,
            &typeid(Derived)};
  }
  static std::vector<ArgumentInfo> arguments() { return arguments_of<C>(detail::required<C>); }

 protected:
  C& mutable_config() { return config_; }

 private:
  C config_;
};

// How user code holds a layer: copies share it, as in Python. The first kPositional members of Config can be given by
// position; the first kRequired of them (by default all) must be.
template <class L>
class Handle {
  using Config = typename L::Config;
  using Call = typename L::Call;
  static constexpr std::size_t kPositional = detail::positional<Config>, kRequired = detail::required<Config>;
  template <std::size_t I>
  using Member = typename detail::PositionalMember<Config, I>::type;

 public:
  using LayerClass = L;
  Handle() requires(kRequired == 0) : Handle(Config{}) {}
  // Templates, so that {2, 3} is the first argument where it can be both that and a config.
  template <class C = Config>
  requires std::same_as<C, Config> Handle(C config, LayerOptions options = {})
      : layer_(std::make_shared<L>(std::move(config), std::move(options))) {}
  explicit Handle(LayerOptions options) requires(kRequired == 0) : Handle(Config{}, std::move(options)) {}
  template <std::same_as<L> T>
  explicit Handle(std::shared_ptr<T> layer) : layer_(std::move(layer)) {}

  // One argument by position.
  Handle(Member<0> first) requires(kPositional == 1) : Handle(std::move(first), Config{}) {}
  Handle(Member<0> first, Config rest, LayerOptions options = {}) requires(kPositional == 1)
      : Handle((set<0>(rest, std::move(first)), std::move(rest)), std::move(options)) {}
  Handle(Member<0> first, LayerOptions options) requires(kPositional == 1)
      : Handle(std::move(first), Config{}, std::move(options)) {}

  // Two.
  Handle(Member<0> first, Member<1> second, Config rest = {}, LayerOptions options = {}) requires(kPositional == 2)
      : Handle((set<0>(rest, std::move(first)), set<1>(rest, std::move(second)), std::move(rest)), std::move(options)) {
  }
  Handle(Member<0> first, Member<1> second, LayerOptions options) requires(kPositional == 2)
      : Handle(std::move(first), std::move(second), Config{}, std::move(options)) {}

  // Calls the layer on symbolic tensors. Further positional tensors where the layer takes them (MultiHeadAttention's
  // value, key).
  Tensor operator()(const Arg& x, const Call& call = {}) const { return call_layer(arguments({x}, call)); }
  Tensor operator()(const Arg& a, const Arg& b, const Call& call = {}) const requires(L::kTensors >= 2) {
    return call_layer(arguments({a, b}, call));
  }
  // The third is not written in braces: those are the call's.
  template <std::convertible_to<Arg> Third>
  Tensor operator()(const Arg& a, const Arg& b, const Third& c, const Call& call = {}) const
      requires(L::kTensors >= 3) {
    return call_layer(arguments({a, b, c}, call));
  }

  // Calls it on arrays: Array hidden = Dense(8)(x).
  Predictions operator()(const Feed& x, const Call& call = {}) const { return compute({x}, call); }
  Predictions operator()(const Feed& a, const Feed& b, const Call& call = {}) const requires(L::kTensors >= 2) {
    return compute({a, b}, call);
  }
  template <std::convertible_to<Feed> Third>
  Predictions operator()(const Feed& a, const Feed& b, const Third& c, const Call& call = {}) const
      requires(L::kTensors >= 3) {
    return compute({a, b, c}, call);
  }

  L* operator->() const { return layer_.get(); }
  L& operator*() const { return *layer_; }
  const std::shared_ptr<L>& ref() const { return layer_; }
  operator LayerRef() const { return layer_; }

 private:
  template <std::size_t I>
  static void set(Config& config, Member<I> value) {
    config.*field_at<Config, I>().member = std::move(value);
  }
  static CallArgs arguments(std::vector<Arg> args, const Call& call) {
    CallArgs out{std::move(args), {}};
    for_each_field<Call>([&](const auto& f) {
      if (Arg a = to_arg(call.*f.member); !a.is_none()) out.kwargs.emplace_back(std::string(f.name), std::move(a));
    });
    return out;
  }
  // A layer's own `call` hides the symbolic one, which is the base's.
  Tensor call_layer(const CallArgs& args) const { return static_cast<Layer&>(*layer_).call(args); }
  Predictions compute(const std::vector<Feed>& args, const Call& call) const {
    return call_on_arrays(*layer_, args, arguments({}, call).kwargs);
  }
  std::shared_ptr<L> layer_;
};

// x | Dense(8) is Dense(8)(x).
template <class L>
Tensor operator|(const Tensor& x, const Handle<L>& layer) {
  return layer(x);
}

}  // namespace ramet
