// Penalties on weights (added to the loss) and constraints on them (applied after every step).
#pragma once
#include <functional>

#include "ramet/ir/program.h"
#include "ramet/nn/object.h"

namespace ramet {

class RegularizerBase {
 public:
  static constexpr std::string_view kKind = "regularizer", kModule = "keras.regularizers";
  static const std::vector<ObjectClass<RegularizerBase>>& classes();
  using Function = std::function<Value(Value w)>;
  static std::shared_ptr<const RegularizerBase> from_function(std::string name, Function function);
  virtual ~RegularizerBase() = default;
  virtual std::string_view class_name() const = 0;
  virtual JsonObject get_config() const = 0;
  virtual Value operator()(Value w) const = 0;  // a scalar
};
using Regularizer = Object<RegularizerBase>;

class ConstraintBase {
 public:
  static constexpr std::string_view kKind = "constraint", kModule = "keras.constraints";
  static const std::vector<ObjectClass<ConstraintBase>>& classes();
  using Function = std::function<Value(Value w)>;
  static std::shared_ptr<const ConstraintBase> from_function(std::string name, Function function);
  virtual ~ConstraintBase() = default;
  virtual std::string_view class_name() const = 0;
  virtual JsonObject get_config() const = 0;
  virtual Value operator()(Value w) const = 0;  // what w becomes
};
using Constraint = Object<ConstraintBase>;

// As Builder::weight takes them; empty for none.
std::function<Value(Value)> as_function(const Regularizer& regularizer);
std::function<Value(Value)> as_function(const Constraint& constraint);

namespace regularizers {

struct L1Config {
  double l1 = 0.01;
  static constexpr auto fields = Fields{field("l1", &L1Config::l1, not_negative)};
};
struct L2Config {
  double l2 = 0.01;
  static constexpr auto fields = Fields{field("l2", &L2Config::l2, not_negative)};
};
struct L1L2Config {
  double l1 = 0, l2 = 0;
  static constexpr auto fields =
      Fields{field("l1", &L1L2Config::l1, not_negative), field("l2", &L1L2Config::l2, not_negative)};
};
struct OrthogonalModeNames {
  static constexpr std::string_view what = "mode", names[] = {"rows", "columns"};
};
struct OrthogonalConfig {
  double factor = 0.01;
  Choice<OrthogonalModeNames> mode = "rows";
  static constexpr auto fields =
      Fields{field("factor", &OrthogonalConfig::factor), field("mode", &OrthogonalConfig::mode)};
};

class L1 final : public ObjectOf<L1, RegularizerBase, L1Config> {
 public:
  static constexpr std::string_view kClassName = "L1";
  using ObjectOf::ObjectOf;
  explicit L1(double l1) : ObjectOf(L1Config{l1}) {}
  Value operator()(Value w) const override;
};
class L2 final : public ObjectOf<L2, RegularizerBase, L2Config> {
 public:
  static constexpr std::string_view kClassName = "L2";
  using ObjectOf::ObjectOf;
  explicit L2(double l2) : ObjectOf(L2Config{l2}) {}
  Value operator()(Value w) const override;
};
class L1L2 final : public ObjectOf<L1L2, RegularizerBase, L1L2Config> {
 public:
  static constexpr std::string_view kClassName = "L1L2";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override;
};
class OrthogonalRegularizer final : public ObjectOf<OrthogonalRegularizer, RegularizerBase, OrthogonalConfig> {
 public:
  static constexpr std::string_view kClassName = "OrthogonalRegularizer";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override;
};

}  // namespace regularizers

namespace constraints {

struct MaxNormConfig {
  double max_value = 2;
  IntOrList axis = 0;
  static constexpr auto fields =
      Fields{field("max_value", &MaxNormConfig::max_value), field("axis", &MaxNormConfig::axis)};
};
struct MinMaxNormConfig {
  double min_value = 0, max_value = 1, rate = 1;
  IntOrList axis = 0;
  static constexpr auto fields =
      Fields{field("min_value", &MinMaxNormConfig::min_value), field("max_value", &MinMaxNormConfig::max_value),
             field("rate", &MinMaxNormConfig::rate), field("axis", &MinMaxNormConfig::axis)};
};
struct UnitNormConfig {
  IntOrList axis = 0;
  static constexpr auto fields = Fields{field("axis", &UnitNormConfig::axis)};
};

class MaxNorm final : public ObjectOf<MaxNorm, ConstraintBase, MaxNormConfig> {
 public:
  static constexpr std::string_view kClassName = "MaxNorm";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override;
};
class MinMaxNorm final : public ObjectOf<MinMaxNorm, ConstraintBase, MinMaxNormConfig> {
 public:
  static constexpr std::string_view kClassName = "MinMaxNorm";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override;
};
class NonNeg final : public ObjectOf<NonNeg, ConstraintBase, NoConfig> {
 public:
  static constexpr std::string_view kClassName = "NonNeg";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override;
};
class UnitNorm final : public ObjectOf<UnitNorm, ConstraintBase, UnitNormConfig> {
 public:
  static constexpr std::string_view kClassName = "UnitNorm";
  using ObjectOf::ObjectOf;
  Value operator()(Value w) const override;
};

}  // namespace constraints
}  // namespace ramet
