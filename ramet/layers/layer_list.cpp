// Every layer class there is, once. Files, cloning by config, `describe` and the conformance suite go by this list.
#include "ramet/graph/model.h"
#include "ramet/graph/registry.h"
#include "ramet/layers/core/dense.h"
#include "ramet/layers/core/lambda.h"

namespace ramet {

const std::vector<LayerRegistration>& builtin_layers() {
  static const std::vector<LayerRegistration> list = {
      {"InputLayer", "", &InputLayer::from_config},
      {"Functional", "", &FunctionalLayer::from_config},
      {"Sequential", "", &SequentialLayer::from_config},
      layers::DenseLayer::registration(),
      layers::LambdaLayer::registration(),
  };
  return list;
}

}  // namespace ramet
