// Every layer class there is, once. Files, cloning by config, `describe` and the conformance suite go by this list.
#include "ramet/graph/model.h"
#include "ramet/graph/registry.h"
#include "ramet/layers/attention/additive_attention.h"
#include "ramet/layers/attention/multi_head_attention.h"
#include "ramet/layers/core/dense.h"
#include "ramet/layers/core/lambda.h"
#include "ramet/layers/recurrent/bidirectional.h"
#include "ramet/layers/recurrent/gru.h"
#include "ramet/layers/recurrent/lstm.h"
#include "ramet/layers/recurrent/rnn.h"
#include "ramet/layers/recurrent/simple_rnn.h"
#include "ramet/layers/recurrent/stacked_rnn_cells.h"
#include "ramet/layers/recurrent/time_distributed.h"

namespace ramet {

const std::vector<LayerRegistration>& builtin_layers() {
  static const std::vector<LayerRegistration> list = {
      {"InputLayer", "", &InputLayer::from_config},
      {"Functional", "", &FunctionalLayer::from_config},
      {"Sequential", "", &SequentialLayer::from_config},
      layers::DenseLayer::registration(),
      layers::LambdaLayer::registration(),

      layers::SimpleRNNCellLayer::registration(),
      layers::LSTMCellLayer::registration(),
      layers::GRUCellLayer::registration(),
      layers::StackedRNNCellsLayer::registration(),
      layers::RNNLayer::registration(),
      layers::SimpleRNNLayer::registration(),
      layers::LSTMLayer::registration(),
      layers::GRULayer::registration(),
      layers::BidirectionalLayer::registration(),
      layers::TimeDistributedLayer::registration(),
      layers::AttentionLayer::registration(),
      layers::AdditiveAttentionLayer::registration(),
      layers::EinsumDenseLayer::registration(),
      layers::MultiHeadAttentionLayer::registration(),
  };
  return list;
}

}  // namespace ramet
