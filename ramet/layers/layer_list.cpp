// Every layer class there is, once. Files, cloning by config, `describe` and the conformance suite go by this list.
#include "ramet/graph/model.h"
#include "ramet/graph/registry.h"
#include "ramet/layers/layers.h"

namespace ramet {

const std::vector<LayerRegistration>& builtin_layers() {
  static const std::vector<LayerRegistration> list = {
      {"InputLayer", "", &InputLayer::from_config},
      {"Functional", "", &FunctionalLayer::from_config},
      {"Sequential", "", &SequentialLayer::from_config},
      layers::DenseLayer::registration(),
      layers::LambdaLayer::registration(),
      layers::IdentityLayer::registration(),
      layers::MaskingLayer::registration(),
      layers::EmbeddingLayer::registration(),
      layers::RescalingLayer::registration(),
      layers::ActivationLayer::registration(),
      layers::SoftmaxLayer::registration(),
      layers::ReLULayer::registration(),
      layers::LeakyReLULayer::registration(),
      layers::ELULayer::registration(),
      layers::PReLULayer::registration(),
      layers::DropoutLayer::registration(),
      layers::AlphaDropoutLayer::registration(),
      layers::SpatialDropout1DLayer::registration(),
      layers::SpatialDropout2DLayer::registration(),
      layers::GaussianNoiseLayer::registration(),
      layers::GaussianDropoutLayer::registration(),
      layers::ActivityRegularizationLayer::registration(),
      layers::FlattenLayer::registration(),
      layers::ReshapeLayer::registration(),
      layers::PermuteLayer::registration(),
      layers::RepeatVectorLayer::registration(),
      layers::ZeroPadding1DLayer::registration(),
      layers::ZeroPadding2DLayer::registration(),
      layers::Cropping1DLayer::registration(),
      layers::Cropping2DLayer::registration(),
      layers::UpSampling1DLayer::registration(),
      layers::UpSampling2DLayer::registration(),
      layers::MergeLayer<layers::Merge::add>::registration(),
      layers::MergeLayer<layers::Merge::subtract>::registration(),
      layers::MergeLayer<layers::Merge::multiply>::registration(),
      layers::MergeLayer<layers::Merge::average>::registration(),
      layers::MergeLayer<layers::Merge::maximum>::registration(),
      layers::MergeLayer<layers::Merge::minimum>::registration(),
      layers::ConcatenateLayer::registration(),
      layers::DotLayer::registration(),
      layers::ConvLayer<1>::registration(),
      layers::ConvLayer<2>::registration(),
      layers::DepthwiseConvLayer<1>::registration(),
      layers::DepthwiseConvLayer<2>::registration(),
      layers::SeparableConvLayer<1>::registration(),
      layers::SeparableConvLayer<2>::registration(),
      layers::ConvTransposeLayer<1>::registration(),
      layers::ConvTransposeLayer<2>::registration(),
      layers::PoolingLayer<1, layers::Pool::max>::registration(),
      layers::PoolingLayer<2, layers::Pool::max>::registration(),
      layers::PoolingLayer<1, layers::Pool::average>::registration(),
      layers::PoolingLayer<2, layers::Pool::average>::registration(),
      layers::GlobalPoolingLayer<1, layers::Pool::max>::registration(),
      layers::GlobalPoolingLayer<2, layers::Pool::max>::registration(),
      layers::GlobalPoolingLayer<1, layers::Pool::average>::registration(),
      layers::GlobalPoolingLayer<2, layers::Pool::average>::registration(),
      layers::BatchNormalizationLayer::registration(),
      layers::LayerNormalizationLayer::registration(),
      layers::GroupNormalizationLayer::registration(),
      layers::UnitNormalizationLayer::registration(),
  };
  return list;
}

}  // namespace ramet
