// Learning rates that depend on the step. Computed inside the training program, in float32 as Keras does.
#pragma once
#include "ramet/ir/program.h"
#include "ramet/nn/object.h"

namespace ramet {

class ScheduleBase {
 public:
  static constexpr std::string_view kKind = "learning rate schedule", kModule = "keras.optimizers.schedules";
  static const std::vector<ObjectClass<ScheduleBase>>& classes();
  virtual ~ScheduleBase() = default;
  virtual std::string_view class_name() const = 0;
  virtual JsonObject get_config() const = 0;
  // The rate at `step`, a float32 scalar.
  virtual Value operator()(Value step) const = 0;
};
using Schedule = Object<ScheduleBase>;

namespace schedules {

struct DecayConfig {
  double initial_learning_rate = 0, decay_steps = 0, decay_rate = 0;
  bool staircase = false;
  static constexpr auto fields =
      std::tuple{field("initial_learning_rate", &DecayConfig::initial_learning_rate),
                 field("decay_steps", &DecayConfig::decay_steps, positive_number),
                 field("decay_rate", &DecayConfig::decay_rate), field("staircase", &DecayConfig::staircase)};
};
struct PiecewiseConstantConfig {
  std::vector<double> boundaries, values;
  static constexpr auto fields = std::tuple{field("boundaries", &PiecewiseConstantConfig::boundaries),
                                            field("values", &PiecewiseConstantConfig::values)};
};
struct PolynomialConfig {
  double initial_learning_rate = 0, decay_steps = 0, end_learning_rate = 0.0001, power = 1.0;
  bool cycle = false;
  static constexpr auto fields =
      std::tuple{field("initial_learning_rate", &PolynomialConfig::initial_learning_rate),
                 field("decay_steps", &PolynomialConfig::decay_steps, positive_number),
                 field("end_learning_rate", &PolynomialConfig::end_learning_rate),
                 field("power", &PolynomialConfig::power), field("cycle", &PolynomialConfig::cycle)};
};
struct CosineConfig {
  double initial_learning_rate = 0, decay_steps = 0, alpha = 0;
  std::optional<double> warmup_target = std::nullopt;
  double warmup_steps = 0;
  static constexpr auto fields = std::tuple{
      field("initial_learning_rate", &CosineConfig::initial_learning_rate),
      field("decay_steps", &CosineConfig::decay_steps, positive_number), field("alpha", &CosineConfig::alpha),
      field("warmup_target", &CosineConfig::warmup_target), field("warmup_steps", &CosineConfig::warmup_steps)};
};
struct CosineRestartsConfig {
  double initial_learning_rate = 0, first_decay_steps = 0, t_mul = 2.0, m_mul = 1.0, alpha = 0;
  static constexpr auto fields =
      std::tuple{field("initial_learning_rate", &CosineRestartsConfig::initial_learning_rate),
                 field("first_decay_steps", &CosineRestartsConfig::first_decay_steps, positive_number),
                 field("t_mul", &CosineRestartsConfig::t_mul), field("m_mul", &CosineRestartsConfig::m_mul),
                 field("alpha", &CosineRestartsConfig::alpha)};
};

// rate · decay_rate^(step / decay_steps); staircase floors the exponent.
class ExponentialDecay final : public ObjectOf<ExponentialDecay, ScheduleBase, DecayConfig> {
 public:
  static constexpr std::string_view kClassName = "ExponentialDecay";
  using ObjectOf::ObjectOf;
  ExponentialDecay(double initial_learning_rate, double decay_steps, double decay_rate, bool staircase = false)
      : ObjectOf(DecayConfig{initial_learning_rate, decay_steps, decay_rate, staircase}) {}
  Value operator()(Value step) const override;
};
// rate / (1 + decay_rate · step / decay_steps)
class InverseTimeDecay final : public ObjectOf<InverseTimeDecay, ScheduleBase, DecayConfig> {
 public:
  static constexpr std::string_view kClassName = "InverseTimeDecay";
  using ObjectOf::ObjectOf;
  InverseTimeDecay(double initial_learning_rate, double decay_steps, double decay_rate, bool staircase = false)
      : ObjectOf(DecayConfig{initial_learning_rate, decay_steps, decay_rate, staircase}) {}
  Value operator()(Value step) const override;
};
// values[i] for boundaries[i−1] < step ≤ boundaries[i].
class PiecewiseConstantDecay final : public ObjectOf<PiecewiseConstantDecay, ScheduleBase, PiecewiseConstantConfig> {
 public:
  static constexpr std::string_view kClassName = "PiecewiseConstantDecay";
  explicit PiecewiseConstantDecay(PiecewiseConstantConfig config);
  PiecewiseConstantDecay(std::vector<double> boundaries, std::vector<double> values)
      : PiecewiseConstantDecay(PiecewiseConstantConfig{std::move(boundaries), std::move(values)}) {}
  Value operator()(Value step) const override;
};
// (rate − end)(1 − step/decay_steps)^power + end
class PolynomialDecay final : public ObjectOf<PolynomialDecay, ScheduleBase, PolynomialConfig> {
 public:
  static constexpr std::string_view kClassName = "PolynomialDecay";
  using ObjectOf::ObjectOf;
  PolynomialDecay(double initial_learning_rate, double decay_steps, PolynomialConfig rest = {});
  Value operator()(Value step) const override;
};
class CosineDecay final : public ObjectOf<CosineDecay, ScheduleBase, CosineConfig> {
 public:
  static constexpr std::string_view kClassName = "CosineDecay";
  using ObjectOf::ObjectOf;
  CosineDecay(double initial_learning_rate, double decay_steps, CosineConfig rest = {});
  Value operator()(Value step) const override;
};
class CosineDecayRestarts final : public ObjectOf<CosineDecayRestarts, ScheduleBase, CosineRestartsConfig> {
 public:
  static constexpr std::string_view kClassName = "CosineDecayRestarts";
  using ObjectOf::ObjectOf;
  CosineDecayRestarts(double initial_learning_rate, double first_decay_steps, CosineRestartsConfig rest = {});
  Value operator()(Value step) const override;
};

}  // namespace schedules

// A number, or a schedule: Adam(1e-3), Adam(schedules::ExponentialDecay(0.1, 1000, 0.9)).
class LearningRate {
 public:
  LearningRate(double rate) : rate_(rate) {}
  LearningRate(Schedule schedule) : schedule_(std::move(schedule)) {}
  template <std::derived_from<ScheduleBase> T>
  LearningRate(T schedule) : schedule_(std::move(schedule)) {}
  LearningRate() = default;

  double rate() const { return rate_; }  // when there is no schedule
  const Schedule& schedule() const { return schedule_; }

 private:
  double rate_ = 0.001;
  Schedule schedule_;
};
Json encode(const LearningRate& rate);
void decode(const Json& json, LearningRate& out);

}  // namespace ramet
