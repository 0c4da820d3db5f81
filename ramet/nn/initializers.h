// Where weights start.
#pragma once
#include <functional>

#include "ramet/graph/array_json.h"
#include "ramet/nn/object.h"

namespace ramet {

class InitializerBase : public Configured {
 public:
  using Interface = InitializerBase;
  static constexpr std::string_view kKind = "initializer", kModule = "keras.initializers";
  static const std::vector<ObjectClass<InitializerBase>>& classes();
  using Function = std::function<Array(const Shape& shape, DType dtype)>;
  static std::shared_ptr<const InitializerBase> from_function(std::string name, Function function);
  virtual Array operator()(const Shape& shape, DType dtype) const = 0;
};

// As a config member: "glorot_uniform", initializers::Constant({.value = 2}). Convertible to what Builder::weight
// takes.
class Initializer : public Object<InitializerBase> {
 public:
  using Object::Object;
  Array operator()(const Shape& shape, DType dtype) const;
};
Json encode(const Initializer& initializer);
void decode(const Json& json, Initializer& out);

namespace initializers {

struct ConstantConfig {
  NumberOrArray value = 0;
  static constexpr auto fields = Fields{field("value", &ConstantConfig::value)};
};
struct IdentityConfig {
  NumberOrArray gain = 1;
  static constexpr auto fields = Fields{field("gain", &IdentityConfig::gain)};
};
// The axes that count as inputs and outputs of the weight; where both are given they decide the fans.
struct SeedConfig {
  std::optional<std::int64_t> seed = std::nullopt;
  std::optional<std::vector<std::int64_t>> input_axes = std::nullopt, output_axes = std::nullopt;
  static constexpr auto fields = Fields{field("seed", &SeedConfig::seed), field("input_axes", &SeedConfig::input_axes),
                                        field("output_axes", &SeedConfig::output_axes)};
};
struct NormalConfig {
  NumberOrArray mean = 0, stddev = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr auto fields = Fields{field("mean", &NormalConfig::mean), field("stddev", &NormalConfig::stddev),
                                        field("seed", &NormalConfig::seed)};
};
struct UniformConfig {
  NumberOrArray minval = -0.05, maxval = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr auto fields = Fields{field("minval", &UniformConfig::minval),
                                        field("maxval", &UniformConfig::maxval), field("seed", &UniformConfig::seed)};
};
struct OrthogonalConfig {
  NumberOrArray gain = 1;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr auto fields = Fields{field("gain", &OrthogonalConfig::gain), field("seed", &OrthogonalConfig::seed)};
};
struct ModeNames {
  static constexpr std::string_view what = "mode", names[] = {"fan_in", "fan_out", "fan_avg"};
};
struct DistributionNames {
  static constexpr std::string_view what = "distribution",
                                    names[] = {"truncated_normal", "untruncated_normal", "uniform"};
};
struct VarianceScalingConfig {
  double scale = 1;
  Choice<ModeNames> mode = "fan_in";
  Choice<DistributionNames> distribution = "truncated_normal";
  std::optional<std::int64_t> seed = std::nullopt;
  std::optional<std::vector<std::int64_t>> input_axes = std::nullopt, output_axes = std::nullopt;
  static constexpr auto fields = Fields{field("scale", &VarianceScalingConfig::scale, positive_number),
                                        field("mode", &VarianceScalingConfig::mode),
                                        field("distribution", &VarianceScalingConfig::distribution),
                                        field("seed", &VarianceScalingConfig::seed),
                                        field("input_axes", &VarianceScalingConfig::input_axes),
                                        field("output_axes", &VarianceScalingConfig::output_axes)};
};

#define RAMET_INITIALIZER(Name, ConfigType)                               \
  class Name final : public ObjectOf<Name, InitializerBase, ConfigType> { \
   public:                                                                \
    static constexpr std::string_view kClassName = #Name;                 \
    using ObjectOf::ObjectOf;                                             \
    Array operator()(const Shape& shape, DType dtype) const override;     \
  }
RAMET_INITIALIZER(Zeros, NoConfig);
RAMET_INITIALIZER(Ones, NoConfig);
RAMET_INITIALIZER(Identity, IdentityConfig);
RAMET_INITIALIZER(RandomNormal, NormalConfig);
RAMET_INITIALIZER(RandomUniform, UniformConfig);
RAMET_INITIALIZER(TruncatedNormal, NormalConfig);
RAMET_INITIALIZER(VarianceScaling, VarianceScalingConfig);
RAMET_INITIALIZER(GlorotUniform, SeedConfig);
RAMET_INITIALIZER(GlorotNormal, SeedConfig);
RAMET_INITIALIZER(HeUniform, SeedConfig);
RAMET_INITIALIZER(HeNormal, SeedConfig);
RAMET_INITIALIZER(LecunUniform, SeedConfig);
RAMET_INITIALIZER(LecunNormal, SeedConfig);
RAMET_INITIALIZER(Orthogonal, OrthogonalConfig);
#undef RAMET_INITIALIZER

class Constant final : public ObjectOf<Constant, InitializerBase, ConstantConfig> {
 public:
  static constexpr std::string_view kClassName = "Constant";
  using ObjectOf::ObjectOf;
  explicit Constant(double value) : ObjectOf(ConstantConfig{value}) {}
  // One value per element of the weight, or what broadcasts to it: pretrained embeddings, priors.
  explicit Constant(Array value) : ObjectOf(ConstantConfig{std::move(value)}) {}
  Array operator()(const Shape& shape, DType dtype) const override;
};

}  // namespace initializers
}  // namespace ramet
