// The optimizers: SGD(0.01, {.momentum = 0.9}), Adam(1e-3), Adam({.beta_1 = 0.8}), "adam".
#pragma once
#include "ramet/nn/optimizer.h"

namespace ramet {
namespace optimizers {

struct SGDConfig {
  LearningRate learning_rate = 0.01;
  double momentum = 0;
  bool nesterov = false;
  std::optional<double> weight_decay = std::nullopt, clipnorm = std::nullopt, clipvalue = std::nullopt,
                        global_clipnorm = std::nullopt;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<std::int64_t> ema_overwrite_frequency = std::nullopt;
  std::optional<double> loss_scale_factor = std::nullopt;
  std::optional<std::int64_t> gradient_accumulation_steps = std::nullopt;
  std::string name = "";
  static constexpr auto fields = Fields{field("learning_rate", &SGDConfig::learning_rate),
                                        field("momentum", &SGDConfig::momentum, in_unit_interval),
                                        field("nesterov", &SGDConfig::nesterov),
                                        field("weight_decay", &SGDConfig::weight_decay),
                                        field("clipnorm", &SGDConfig::clipnorm),
                                        field("clipvalue", &SGDConfig::clipvalue),
                                        field("global_clipnorm", &SGDConfig::global_clipnorm),
                                        field("use_ema", &SGDConfig::use_ema),
                                        field("ema_momentum", &SGDConfig::ema_momentum, in_unit_interval),
                                        field("ema_overwrite_frequency", &SGDConfig::ema_overwrite_frequency, positive),
                                        field("loss_scale_factor", &SGDConfig::loss_scale_factor),
                                        field("gradient_accumulation_steps", &SGDConfig::gradient_accumulation_steps),
                                        field("name", &SGDConfig::name)};
};
struct RMSpropConfig {
  LearningRate learning_rate = 0.001;
  double rho = 0.9, momentum = 0, epsilon = 1e-7;
  bool centered = false;
  std::optional<double> weight_decay = std::nullopt, clipnorm = std::nullopt, clipvalue = std::nullopt,
                        global_clipnorm = std::nullopt;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<std::int64_t> ema_overwrite_frequency = std::nullopt;
  std::optional<double> loss_scale_factor = std::nullopt;
  std::optional<std::int64_t> gradient_accumulation_steps = std::nullopt;
  std::string name = "";
  static constexpr auto fields =
      Fields{field("learning_rate", &RMSpropConfig::learning_rate),
             field("rho", &RMSpropConfig::rho),
             field("momentum", &RMSpropConfig::momentum, in_unit_interval),
             field("epsilon", &RMSpropConfig::epsilon),
             field("centered", &RMSpropConfig::centered),
             field("weight_decay", &RMSpropConfig::weight_decay),
             field("clipnorm", &RMSpropConfig::clipnorm),
             field("clipvalue", &RMSpropConfig::clipvalue),
             field("global_clipnorm", &RMSpropConfig::global_clipnorm),
             field("use_ema", &RMSpropConfig::use_ema),
             field("ema_momentum", &RMSpropConfig::ema_momentum, in_unit_interval),
             field("ema_overwrite_frequency", &RMSpropConfig::ema_overwrite_frequency, positive),
             field("loss_scale_factor", &RMSpropConfig::loss_scale_factor),
             field("gradient_accumulation_steps", &RMSpropConfig::gradient_accumulation_steps),
             field("name", &RMSpropConfig::name)};
};
struct AdamConfig {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  std::optional<double> weight_decay = std::nullopt, clipnorm = std::nullopt, clipvalue = std::nullopt,
                        global_clipnorm = std::nullopt;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<std::int64_t> ema_overwrite_frequency = std::nullopt;
  std::optional<double> loss_scale_factor = std::nullopt;
  std::optional<std::int64_t> gradient_accumulation_steps = std::nullopt;
  std::string name = "";
  static constexpr auto fields =
      Fields{field("learning_rate", &AdamConfig::learning_rate),
             field("beta_1", &AdamConfig::beta_1),
             field("beta_2", &AdamConfig::beta_2),
             field("epsilon", &AdamConfig::epsilon),
             field("amsgrad", &AdamConfig::amsgrad),
             field("weight_decay", &AdamConfig::weight_decay),
             field("clipnorm", &AdamConfig::clipnorm),
             field("clipvalue", &AdamConfig::clipvalue),
             field("global_clipnorm", &AdamConfig::global_clipnorm),
             field("use_ema", &AdamConfig::use_ema),
             field("ema_momentum", &AdamConfig::ema_momentum, in_unit_interval),
             field("ema_overwrite_frequency", &AdamConfig::ema_overwrite_frequency, positive),
             field("loss_scale_factor", &AdamConfig::loss_scale_factor),
             field("gradient_accumulation_steps", &AdamConfig::gradient_accumulation_steps),
             field("name", &AdamConfig::name)};
};
struct AdamWConfig {
  LearningRate learning_rate = 0.001;
  std::optional<double> weight_decay = 0.004;
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  bool amsgrad = false;
  std::optional<double> clipnorm = std::nullopt, clipvalue = std::nullopt, global_clipnorm = std::nullopt;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<std::int64_t> ema_overwrite_frequency = std::nullopt;
  std::optional<double> loss_scale_factor = std::nullopt;
  std::optional<std::int64_t> gradient_accumulation_steps = std::nullopt;
  std::string name = "";
  static constexpr auto fields =
      Fields{field("learning_rate", &AdamWConfig::learning_rate),
             field("weight_decay", &AdamWConfig::weight_decay),
             field("beta_1", &AdamWConfig::beta_1),
             field("beta_2", &AdamWConfig::beta_2),
             field("epsilon", &AdamWConfig::epsilon),
             field("amsgrad", &AdamWConfig::amsgrad),
             field("clipnorm", &AdamWConfig::clipnorm),
             field("clipvalue", &AdamWConfig::clipvalue),
             field("global_clipnorm", &AdamWConfig::global_clipnorm),
             field("use_ema", &AdamWConfig::use_ema),
             field("ema_momentum", &AdamWConfig::ema_momentum, in_unit_interval),
             field("ema_overwrite_frequency", &AdamWConfig::ema_overwrite_frequency, positive),
             field("loss_scale_factor", &AdamWConfig::loss_scale_factor),
             field("gradient_accumulation_steps", &AdamWConfig::gradient_accumulation_steps),
             field("name", &AdamWConfig::name)};
};

// w −= lr·g; with momentum m = μm − lr·g and w += m (nesterov: w += μm − lr·g).
class SGD final : public OptimizerOf<SGD, SGDConfig> {
 public:
  static constexpr std::string_view kClassName = "SGD";
  using OptimizerOf::OptimizerOf;
  SGD(LearningRate learning_rate, SGDConfig rest = {}) : OptimizerOf(std::move(learning_rate), std::move(rest)) {}

 protected:
  std::vector<std::vector<std::string>> slot_groups() const override;
  Value update_step(Step& step, Value g, Value w) const override;
};

// v = ρv + (1−ρ)g²; w −= lr·g/√(v + ε), through a momentum where one is given. `centered` takes the square of the mean
// gradient off v.
class RMSprop final : public OptimizerOf<RMSprop, RMSpropConfig> {
 public:
  static constexpr std::string_view kClassName = "RMSprop";
  using OptimizerOf::OptimizerOf;
  RMSprop(LearningRate learning_rate, RMSpropConfig rest = {})
      : OptimizerOf(std::move(learning_rate), std::move(rest)) {}

 protected:
  std::vector<std::vector<std::string>> slot_groups() const override;
  Value update_step(Step& step, Value g, Value w) const override;
};

// Kingma and Ba 2015, with ε outside the bias correction as Keras has it.
class Adam final : public OptimizerOf<Adam, AdamConfig> {
 public:
  static constexpr std::string_view kClassName = "Adam";
  using OptimizerOf::OptimizerOf;
  Adam(LearningRate learning_rate, AdamConfig rest = {}) : OptimizerOf(std::move(learning_rate), std::move(rest)) {}

 protected:
  std::vector<std::vector<std::string>> slot_groups() const override;
  Value update_step(Step& step, Value g, Value w) const override;
};

// Adam with decoupled weight decay.
class AdamW final : public OptimizerOf<AdamW, AdamWConfig> {
 public:
  static constexpr std::string_view kClassName = "AdamW";
  using OptimizerOf::OptimizerOf;
  AdamW(LearningRate learning_rate, AdamWConfig rest = {}) : OptimizerOf(std::move(learning_rate), std::move(rest)) {}

 protected:
  std::vector<std::vector<std::string>> slot_groups() const override;
  Value update_step(Step& step, Value g, Value w) const override;
};

}  // namespace optimizers

using optimizers::Adam;
using optimizers::AdamW;
using optimizers::RMSprop;
using optimizers::SGD;

}  // namespace ramet
