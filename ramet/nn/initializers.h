// Where weights start.
#pragma once
#include <functional>

#include "ramet/array/array.h"
#include "ramet/nn/object.h"

namespace ramet {

class InitializerBase {
 public:
  static constexpr std::string_view kKind = "initializer", kModule = "keras.initializers";
  static const std::vector<ObjectClass<InitializerBase>>& classes();
  using Function = std::function<Array(const Shape& shape, DType dtype)>;
  static std::shared_ptr<const InitializerBase> from_function(std::string name, Function function);
  virtual ~InitializerBase() = default;
  virtual std::string_view class_name() const = 0;
  virtual JsonObject get_config() const = 0;
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
  double value = 0;
  static constexpr auto fields = Fields{field("value", &ConstantConfig::value)};
};
struct IdentityConfig {
  double gain = 1;
  static constexpr auto fields = Fields{field("gain", &IdentityConfig::gain)};
};
struct SeedConfig {
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr auto fields = Fields{field("seed", &SeedConfig::seed)};
};
struct NormalConfig {
  double mean = 0, stddev = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr auto fields = Fields{field("mean", &NormalConfig::mean), field("stddev", &NormalConfig::stddev),
                                        field("seed", &NormalConfig::seed)};
};
struct UniformConfig {
  double minval = -0.05, maxval = 0.05;
  std::optional<std::int64_t> seed = std::nullopt;
  static constexpr auto fields = Fields{field("minval", &UniformConfig::minval),
                                        field("maxval", &UniformConfig::maxval), field("seed", &UniformConfig::seed)};
};
struct OrthogonalConfig {
  double gain = 1;
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
  static constexpr auto fields = Fields{
      field("scale", &VarianceScalingConfig::scale, positive_number), field("mode", &VarianceScalingConfig::mode),
      field("distribution", &VarianceScalingConfig::distribution), field("seed", &VarianceScalingConfig::seed)};
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
  Array operator()(const Shape& shape, DType dtype) const override;
};

}  // namespace initializers
}  // namespace ramet
