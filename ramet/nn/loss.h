// What all losses share: a value per sample (and step), then weights, masks and a reduction.
#pragma once
#include <functional>

#include "ramet/ir/program.h"
#include "ramet/nn/object.h"

namespace ramet {

struct ReductionNames {
  static constexpr std::string_view what = "reduction",
                                    names[] = {"sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", "none"};
};
using Reduction = Choice<ReductionNames>;
inline void decode(const Json& json, Reduction& out) {
  out = json.is_null() ? Reduction("none") : Reduction::from(json.as_string());
}

class LossBase : public Configured {
 public:
  using Interface = LossBase;
  static constexpr std::string_view kKind = "loss", kModule = "keras.losses";
  static const std::vector<ObjectClass<LossBase>>& classes();
  // A value per sample (or step) from y_true and y_pred, both floating and of the same rank where that can be made so.
  using Function = std::function<Value(Value y_true, Value y_pred)>;
  static std::shared_ptr<const LossBase> from_function(std::string name, Function function);
  virtual Reduction reduction() const = 0;

  // `valid` is undefined, or false where the values do not count (ignore_class).
  struct Unreduced {
    Value values, valid;
  };
  // One value per sample, or per step of a sample. y_pred is floating; y_true of any type.
  virtual Unreduced call(Value y_true, Value y_pred) const = 0;

  // The loss: call(), weighted and reduced. `sample_weight` and `mask` (of y_pred, bool) may be undefined.
  Value operator()(Value y_true, Value y_pred, Value sample_weight = {}, Value mask = {}) const;
};
using Loss = Object<LossBase>;

// What a loss inherits for declaring a Config with `reduction` and `name`.
template <class Derived, class C>
class LossOf : public ObjectOf<Derived, LossBase, C> {
 public:
  using ObjectOf<Derived, LossBase, C>::ObjectOf;
  Reduction reduction() const final { return this->config().reduction; }
  JsonObject get_config() const final {
    JsonObject out = to_json(this->config());
    if (this->config().name.empty()) out.set("name", Json(default_name()));
    return out;
  }

 private:
  static std::string default_name() {
    if constexpr (requires { Derived::kDefaultName; })
      return std::string(Derived::kDefaultName);
    else
      return snake_case(Derived::kClassName);
  }
};

struct PlainLossConfig {
  Reduction reduction = "sum_over_batch_size";
  std::string name = "";
  static constexpr auto fields =
      Fields{field("reduction", &PlainLossConfig::reduction), field("name", &PlainLossConfig::name)};
};

namespace losses {

// Keras' way to make ranks agree when they differ by one and the larger shape ends in 1: a partner of rank 1 gets the
// axis, otherwise the axis is dropped.
std::pair<Value, Value> same_rank(Value a, Value b);

// `sample_weight` times the mask. With `mean`, the valid places weigh total/valid, so that a later division by all
// counts them alone.
Value masked_weight(Value sample_weight, Value mask, bool mean);

// UsageError that names sample_weight when it cannot be spread over the values.
void check_weight(Value values, Value weight);

// sum / count, or 0 where the count is 0.
Value divide_no_nan(Value a, Value b);

}  // namespace losses
}  // namespace ramet
