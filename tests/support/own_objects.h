// Classes and functions of a user's, with Keras twins in tools/oracle/written_cases.py.
#pragma once
#include "ramet/ops/ops.h"
#include "ramet/ramet.h"

namespace ramet::testing {

struct ScaleConfig {
  double initial = 1;
  static constexpr auto fields = Fields{field("initial", &ScaleConfig::initial)};
};
class ScaleLayer final : public LayerOf<ScaleLayer, ScaleConfig, MaskRule::pass_through> {
 public:
  static constexpr std::string_view kClassName = "Scale";
  using LayerOf::LayerOf;
  void build(Builder& b, const Spec& x) override {
    gamma_ = b.weight("gamma", {x.shape.back()}, Initializer(initializers::Constant(config().initial)));
  }
  Value call(const CallContext& ctx, Value x) const override { return x * ctx[gamma_]; }

 private:
  Weight gamma_;
};
using Scale = Handle<ScaleLayer>;

struct HalvingConfig {
  double start = 1, every = 10;
  static constexpr auto fields = Fields{field("start", &HalvingConfig::start), field("every", &HalvingConfig::every)};
};
class Halving final : public ObjectOf<Halving, ScheduleBase, HalvingConfig> {
 public:
  static constexpr std::string_view kClassName = "Halving";
  using ObjectOf::ObjectOf;
  Value operator()(Value step) const override {
    const Value times = ops::floor(ops::cast(step, DType::f32) / config().every);
    return config().start * ops::pow(ops::scalar_like(times, 0.5), times);
  }
};

struct SparseConfig {
  double weight = 0.5;
  static constexpr auto fields = Fields{field("weight", &SparseConfig::weight)};
};
class Sparse final : public ObjectOf<Sparse, RegularizerBase, SparseConfig> {
 public:
  static constexpr std::string_view kClassName = "Sparse";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override {
    return config().weight * ops::reduce_sum(ops::sqrt(ops::abs(w)), ops::all_axes(w));
  }
};

inline Value pinball(Value y, Value p) {
  const Value e = y - p;
  return ops::reduce_mean(ops::maximum(0.75 * e, -0.25 * e), {-1});
}
inline Value squash(Value x) { return x / (1.0 + ops::abs(x)); }

// Registers all of them; once.
inline void register_own() {
  static const bool done = [] {
    register_object<ScaleLayer>("mine");
    register_object<Halving>("mine");
    register_object<Sparse>("mine");
    register_function("mine>pinball", pinball);
    register_function("squash", squash);
    return true;
  }();
  (void)done;
}

}  // namespace ramet::testing
