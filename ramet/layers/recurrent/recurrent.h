// What RNN, SimpleRNN, LSTM and GRU share: the loop over time around a cell.
#pragma once
#include "ramet/layers/recurrent/cell.h"

namespace ramet::layers {

// Arguments of a call.
struct RecurrentCall {
  Arg initial_state = {};  // tensors to begin with instead of zeros; in the order the layer returns its states
  Arg mask = {};           // [batch, steps]: steps where it is false are skipped
  std::optional<bool> training = std::nullopt;
  static constexpr auto fields =
      Fields{field("initial_state", &RecurrentCall::initial_state), field("mask", &RecurrentCall::mask),
             field("training", &RecurrentCall::training)};
};

struct LoopOptions {
  bool return_sequences, return_state, go_backwards, stateful, zero_output_for_mask;
};

// A layer that runs a cell over time. Bidirectional takes any of them.
class Recurrent {
 public:
  virtual ~Recurrent() = default;
  virtual LoopOptions loop_options() const = 0;
  virtual void set_zero_output_for_mask(bool on) = 0;
  // A new layer of the same configuration but for these.
  virtual LayerRef variant(const std::string& name, bool go_backwards) const = 0;

  const LayerRef& cell_layer() const { return cell_; }
  const Cell& cell() const { return as_cell(cell_, "RNN"); }
  // Sets the states kept between calls to zero. Only stateful layers keep any.
  void reset_state();
  void reset_states() { reset_state(); }

 protected:
  void check_sequence(const Layer& self, const std::vector<Spec>& inputs, std::size_t ndim) const;
  void build_loop(const Layer& self, Builder& b, const Spec& x);
  TracedNest run(const Layer& self, const CallContext& ctx, const TracedArgs& args) const;
  Values mask_of(const CallContext& ctx) const;
  LayerRef cell_;

 private:
  Values initial_states(const Layer& self, const CallContext& ctx, const TracedArgs& args, Value x) const;
  Shape step_shape_;  // of the input it was built for, without batch and time
  std::vector<Weight> states_;
};

template <class Derived, class Config>
class RecurrentOf : public LayerOf<Derived, Config, MaskRule::custom, RecurrentCall>, public Recurrent {
  using Base = LayerOf<Derived, Config, MaskRule::custom, RecurrentCall>;

 public:
  using Base::Base;
  static constexpr std::size_t kDimensions = 3;  // of the input; 0: three or more
  LoopOptions loop_options() const override {
    const Config& c = this->config();
    return {c.return_sequences, c.return_state, c.go_backwards, c.stateful, c.zero_output_for_mask};
  }
  void set_zero_output_for_mask(bool on) override { this->mutable_config().zero_output_for_mask = on; }
  LayerRef variant(const std::string& name, bool go_backwards) const override {
    Config copy{};
    for_each_field<Config>(
        [&](const auto& f) { copy.*f.member = clone_value(this->config().*f.member, std::string()); });
    copy.go_backwards = go_backwards;
    return std::make_shared<Derived>(std::move(copy), LayerOptions{name, this->trainable(), this->dtype_name()});
  }
  std::vector<std::string> positional_arguments() const override { return {"sequences"}; }
  std::optional<bool> default_training() const override { return false; }
  std::vector<LayerRef> sublayers() const override { return {cell_}; }
  std::vector<std::string> sublayer_names() const override { return {"cell"}; }
  void check(const std::vector<Spec>& inputs) const override { check_sequence(*this, inputs, Derived::kDimensions); }
  void build(Builder& b, const Spec& x) override { build_loop(*this, b, x); }
  TracedNest call_args(const CallContext& ctx, const TracedArgs& args) const override { return run(*this, ctx, args); }
  Values compute_mask(const CallContext& ctx, const std::vector<Traced>&) const override { return mask_of(ctx); }
};

// Keras' use_cudnn: "auto", or whether to insist. Ramet has one loop, so insisting on cuDNN is refused.
class UseCudnn {
 public:
  constexpr UseCudnn() = default;
  consteval UseCudnn(const char* name) {
    if (std::string_view(name) != "auto") throw "use_cudnn is \"auto\", true or false";
  }
  constexpr UseCudnn(bool on) : value_(on ? 1 : 0) {}
  constexpr bool insists() const { return value_ == 1; }
  constexpr int value() const { return value_; }
  constexpr bool operator==(const UseCudnn&) const = default;

 private:
  int value_ = -1;  // auto
};
inline Json encode(UseCudnn v) { return v.value() < 0 ? Json("auto") : Json(v.value() == 1); }
inline void decode(const Json& json, UseCudnn& out) { out = json.is_bool() ? UseCudnn(json.as_bool()) : UseCudnn(); }
inline void refuse_cudnn(std::string_view who, UseCudnn v) {
  require(!v.insists(), who, ": use_cudnn=true is not supported; leave it at \"auto\"");
}

}  // namespace ramet::layers
