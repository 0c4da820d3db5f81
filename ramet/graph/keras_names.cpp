// The classes of Keras 3.15 by kind, as tests/data/keras_names.txt has them: a name that is Keras' and not ours yet is
// not a misspelt one.
#include "ramet/graph/keras_names.h"

#include "ramet/base/error.h"
#include "ramet/base/strings.h"

namespace ramet {
namespace {

struct KerasKind {
  std::string_view kind, names;  // between spaces
};
constexpr KerasKind kKinds[] = {
    {"layer",
     "  Activation ActivityRegularization AdaptiveAveragePooling1D AdaptiveAveragePooling2D "
     " AdaptiveAveragePooling3D AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D Add "
     " AdditiveAttention AlphaDropout Attention AugMix AutoContrast Average AveragePooling1D AveragePooling2D "
     " AveragePooling3D BatchNormalization Bidirectional CategoryEncoding CenterCrop Concatenate "
     " ContrastLimitedAdaptiveHistogramEqualization Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D "
     " Conv3DTranspose ConvLSTM1D ConvLSTM2D ConvLSTM3D Cropping1D Cropping2D Cropping3D CutMix Dense "
     " DepthwiseConv1D DepthwiseConv2D Discretization Dot Dropout ELU EinsumDense Embedding Equalization "
     " Flatten FlaxLayer GRU GRUCell GaussianDropout GaussianNoise GlobalAveragePooling1D "
     " GlobalAveragePooling2D GlobalAveragePooling3D GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D "
     " GroupNormalization GroupQueryAttention HashedCrossing Hashing Identity IntegerLookup JaxLayer LSTM "
     " LSTMCell Lambda LayerNormalization LeakyReLU Masking MaxNumBoundingBoxes MaxPooling1D MaxPooling2D "
     " MaxPooling3D Maximum MelSpectrogram Minimum MixUp MultiHeadAttention Multiply Normalization PReLU "
     " Permute Pipeline RMSNormalization RNN RandAugment RandomBrightness RandomColorDegeneration "
     " RandomColorJitter RandomContrast RandomCrop RandomElasticTransform RandomErasing RandomFlip "
     " RandomGaussianBlur RandomGrayscale RandomHue RandomInvert RandomPerspective RandomPosterization "
     " RandomRotation RandomSaturation RandomSharpness RandomShear RandomTranslation RandomZoom ReLU "
     " RepeatVector Rescaling Reshape Resizing ReversibleEmbedding STFTSpectrogram SeparableConv1D "
     " SeparableConv2D SimpleRNN SimpleRNNCell Softmax Solarization SpatialDropout1D SpatialDropout2D "
     " SpatialDropout3D SpectralNormalization StackedRNNCells StringLookup Subtract TFSMLayer TextVectorization "
     " TimeDistributed TorchModuleWrapper UnitNormalization UpSampling1D UpSampling2D UpSampling3D "
     " ZeroPadding1D ZeroPadding2D ZeroPadding3D "},
    {"initializer",
     "  Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity LecunNormal LecunUniform Ones "
     " Orthogonal RandomNormal RandomUniform STFT TruncatedNormal VarianceScaling Zeros "},
    {"regularizer", "  L1 L1L2 L2 OrthogonalRegularizer "},
    {"constraint", "  MaxNorm MinMaxNorm NonNeg UnitNorm "},
    {"loss",
     "  BinaryCrossentropy BinaryFocalCrossentropy CTC CategoricalCrossentropy CategoricalFocalCrossentropy "
     " CategoricalGeneralizedCrossEntropy CategoricalHinge Circle CosineSimilarity Dice Hinge Huber "
     " KLDivergence LogCosh MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredError "
     " MeanSquaredLogarithmicError Poisson SparseCategoricalCrossentropy SquaredHinge Tversky "},
    {"metric",
     "  AUC Accuracy BinaryAccuracy BinaryCrossentropy BinaryIoU CategoricalAccuracy CategoricalCrossentropy "
     " CategoricalHinge ConcordanceCorrelation CosineSimilarity F1Score FBetaScore FalseNegatives "
     " FalsePositives Hinge IoU KLDivergence LogCoshError Mean MeanAbsoluteError MeanAbsolutePercentageError "
     " MeanIoU MeanMetricWrapper MeanSquaredError MeanSquaredLogarithmicError OneHotIoU OneHotMeanIoU "
     " PearsonCorrelation Poisson Precision PrecisionAtRecall R2Score Recall RecallAtPrecision "
     " RootMeanSquaredError SensitivityAtSpecificity SparseCategoricalAccuracy SparseCategoricalCrossentropy "
     " SparseTopKCategoricalAccuracy SpecificityAtSensitivity SquaredHinge Sum TopKCategoricalAccuracy "
     " TrueNegatives TruePositives "},
    {"optimizer",
     "  Adadelta Adafactor Adagrad Adam AdamW Adamax Ftrl Lamb Lion LossScaleOptimizer MultiOptimizer Muon "
     " Nadam RMSprop SGD ScheduleFreeAdamW "},
    {"learning rate schedule",
     "  CosineDecay CosineDecayRestarts ExponentialDecay InverseTimeDecay PiecewiseConstantDecay "
     " PolynomialDecay "},
};

}  // namespace

std::string keras_class(std::string_view kind, std::string_view name) {
  for (const KerasKind& k : kKinds) {
    if (k.kind != kind) continue;
    for (std::size_t at = 0; (at = k.names.find_first_not_of(' ', at)) != k.names.npos;) {
      const std::size_t end = k.names.find(' ', at);
      const std::string_view one = k.names.substr(at, end - at);
      if (one == name || snake_case(one) == name) return std::string(one);
      at = end;
    }
  }
  return "";
}

std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string> known) {
  if (const std::string missing = keras_class(kind, name); !missing.empty())
    return cat("Keras' ", kind, " ", missing, " is not there yet");
  const std::string near = nearest(name, known);
  return cat("unknown ", kind, " '", name, "'", near.empty() ? "" : cat("; did you mean '", near, "'?"));
}

}  // namespace ramet
