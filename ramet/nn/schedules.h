// Learning rates that depend on the step. Computed inside the training program, in float32 as Keras does.
#pragma once
#include "ramet/ir/program.h"
#include "ramet/nn/object.h"

namespace ramet {

class ScheduleBase : public Configured {
 public:
  using Interface = ScheduleBase;
  static constexpr std::string_view kKind = "learning rate schedule", kModule = "keras.optimizers.schedules";
  static const std::vector<ObjectClass<ScheduleBase>>& classes();
  // The rate at `step`, a float32 scalar.
  virtual Value operator()(Value step) const = 0;
};
using Schedule = Object<ScheduleBase>;

namespace schedules {

struct DecayConfig {
  double initial_learning_rate = 0, decay_steps = 0, decay_rate = 0;
  bool staircase = false;
  std::string name = "";
  static constexpr auto fields = Fields{field("initial_learning_rate", &DecayConfig::initial_learning_rate),
                                        field("decay_steps", &DecayConfig::decay_steps, positive_number),
                                        field("decay_rate", &DecayConfig::decay_rate),
                                        field("staircase", &DecayConfig::staircase), field("name", &DecayConfig::name)};
};
struct PiecewiseConstantConfig {
  std::vector<double> boundaries, values;
  std::string name = "";
  static constexpr auto fields =
      Fields{field("boundaries", &PiecewiseConstantConfig::boundaries),
             field("values", &PiecewiseConstantConfig::values), field("name", &PiecewiseConstantConfig::name)};
};
struct PolynomialConfig {
  double initial_learning_rate = 0, decay_steps = 0, end_learning_rate = 0.0001, power = 1.0;
  bool cycle = false;
  std::string name = "";
  static constexpr auto fields = Fields{field("initial_learning_rate", &PolynomialConfig::initial_learning_rate),
                                        field("decay_steps", &PolynomialConfig::decay_steps, positive_number),
                                        field("end_learning_rate", &PolynomialConfig::end_learning_rate),
                                        field("power", &PolynomialConfig::power),
                                        field("cycle", &PolynomialConfig::cycle),
                                        field("name", &PolynomialConfig::name)};
};
struct CosineConfig {
  double initial_learning_rate = 0, decay_steps = 0, alpha = 0;
  std::string name = "";
  std::optional<double> warmup_target = std::nullopt;
  double warmup_steps = 0;
  static constexpr auto fields = Fields{field("initial_learning_rate", &CosineConfig::initial_learning_rate),
                                        field("decay_steps", &CosineConfig::decay_steps, positive_number),
                                        field("alpha", &CosineConfig::alpha),
                                        field("name", &CosineConfig::name),
                                        field("warmup_target", &CosineConfig::warmup_target),
                                        field("warmup_steps", &CosineConfig::warmup_steps)};
};
struct CosineRestartsConfig {
  double initial_learning_rate = 0, first_decay_steps = 0, t_mul = 2.0, m_mul = 1.0, alpha = 0;
  std::string name = "";
  static constexpr auto fields =
      Fields{field("initial_learning_rate", &CosineRestartsConfig::initial_learning_rate),
             field("first_decay_steps", &CosineRestartsConfig::first_decay_steps, positive_number),
             field("t_mul", &CosineRestartsConfig::t_mul),
             field("m_mul", &CosineRestartsConfig::m_mul),
             field("alpha", &CosineRestartsConfig::alpha),
             field("name", &CosineRestartsConfig::name)};
};

// What a schedule inherits for declaring a Config with a name; in place of an empty one stands kName, as in Keras.
template <class Derived, class C>
class ScheduleOf : public ObjectOf<Derived, ScheduleBase, C> {
 public:
  using ObjectOf<Derived, ScheduleBase, C>::ObjectOf;
  JsonObject get_config() const final {
    JsonObject out = to_json(this->config());
    if (this->config().name.empty()) out.set("name", Json(std::string(Derived::kName)));
    return out;
  }
};

// rate · decay_rate^(step / decay_steps); staircase floors the exponent.
class ExponentialDecay final : public ScheduleOf<ExponentialDecay, DecayConfig> {
 public:
  static constexpr std::string_view kClassName = "ExponentialDecay", kName = kClassName;
  using ScheduleOf::ScheduleOf;
  ExponentialDecay(double initial_learning_rate, double decay_steps, double decay_rate, bool staircase = false)
      : ScheduleOf(DecayConfig{initial_learning_rate, decay_steps, decay_rate, staircase, ""}) {}
  Value operator()(Value step) const override;
};
// rate / (1 + decay_rate · step / decay_steps)
class InverseTimeDecay final : public ScheduleOf<InverseTimeDecay, DecayConfig> {
 public:
  static constexpr std::string_view kClassName = "InverseTimeDecay", kName = kClassName;
  using ScheduleOf::ScheduleOf;
  InverseTimeDecay(double initial_learning_rate, double decay_steps, double decay_rate, bool staircase = false)
      : ScheduleOf(DecayConfig{initial_learning_rate, decay_steps, decay_rate, staircase, ""}) {}
  Value operator()(Value step) const override;
};
// values[i] for boundaries[i−1] < step ≤ boundaries[i].
class PiecewiseConstantDecay final : public ScheduleOf<PiecewiseConstantDecay, PiecewiseConstantConfig> {
 public:
  static constexpr std::string_view kClassName = "PiecewiseConstantDecay", kName = "PiecewiseConstant";
  explicit PiecewiseConstantDecay(PiecewiseConstantConfig config);
  PiecewiseConstantDecay(std::vector<double> boundaries, std::vector<double> values)
      : PiecewiseConstantDecay(PiecewiseConstantConfig{std::move(boundaries), std::move(values), ""}) {}
  Value operator()(Value step) const override;
};
// (rate − end)(1 − step/decay_steps)^power + end
class PolynomialDecay final : public ScheduleOf<PolynomialDecay, PolynomialConfig> {
 public:
  static constexpr std::string_view kClassName = "PolynomialDecay", kName = kClassName;
  using ScheduleOf::ScheduleOf;
  PolynomialDecay(double initial_learning_rate, double decay_steps, PolynomialConfig rest = {});
  Value operator()(Value step) const override;
};
class CosineDecay final : public ScheduleOf<CosineDecay, CosineConfig> {
 public:
  static constexpr std::string_view kClassName = "CosineDecay", kName = kClassName;
  using ScheduleOf::ScheduleOf;
  CosineDecay(double initial_learning_rate, double decay_steps, CosineConfig rest = {});
  Value operator()(Value step) const override;
};
class CosineDecayRestarts final : public ScheduleOf<CosineDecayRestarts, CosineRestartsConfig> {
 public:
  static constexpr std::string_view kClassName = "CosineDecayRestarts", kName = "SGDRDecay";
  using ScheduleOf::ScheduleOf;
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
