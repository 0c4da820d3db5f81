#include "ramet/nn/losses.h"

namespace ramet {

const std::vector<ObjectClass<LossBase>>& LossBase::classes() {
  using namespace losses;
  static const std::vector<ObjectClass<LossBase>> list = {
      MeanSquaredError::registration({"mse", "MSE"}),
      MeanAbsoluteError::registration({"mae", "MAE"}),
      MeanAbsolutePercentageError::registration({"mape", "MAPE"}),
      MeanSquaredLogarithmicError::registration({"msle", "MSLE"}),
      Huber::registration(),
      LogCosh::registration({"logcosh"}),
      CosineSimilarity::registration(),
      Poisson::registration(),
      KLDivergence::registration({"kl_divergence", "kld", "KLD"}),
      BinaryCrossentropy::registration({"bce", "BCE"}),
      BinaryFocalCrossentropy::registration(),
      CategoricalCrossentropy::registration(),
      CategoricalFocalCrossentropy::registration(),
      SparseCategoricalCrossentropy::registration(),
      Hinge::registration(),
      SquaredHinge::registration(),
      CategoricalHinge::registration(),
  };
  return list;
}

}  // namespace ramet
