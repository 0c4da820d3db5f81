// The user's arrays matched to a model's inputs and outputs, checked, and cut into batches. Internal to ramet/train.
#pragma once
#include <map>

#include "ramet/train/training.h"

namespace ramet::train {

struct DataSet {
  Arrays x, y, weight;  // by flat input, output and output; undefined where there is none
  std::int64_t count = 0;

  DataSet rows(std::int64_t begin, std::int64_t end) const;
};

struct DataRequest {
  const Feed& x;
  const Feed& y;
  const Feed& sample_weight;
  const char* who;  // "fit", for messages
  bool may_be_empty = false;
};

// UsageError in Keras' words when something does not fit the model. Builds a Sequential that has no input yet.
DataSet match_data(ModelLayer& model, const DataRequest& request, const CompileOptions* options);

// Weighs every sample by its class, 1 for classes that are not named. Keras takes it for training alone, so `fit` gives
// it to what is left after validation_split.
void weigh_classes(DataSet& data, const std::map<std::int64_t, double>& weights);

// Batches of a data set, one after another. Without an order they are views of the arrays, with one they are gathered
// into buffers that are used again.
class Batches {
 public:
  Batches(const DataSet& data, std::int64_t batch_size) : data_(data), batch_size_(batch_size) {}
  std::int64_t count() const { return (data_.count + batch_size_ - 1) / batch_size_; }
  std::int64_t size(std::int64_t batch) const { return std::min(batch_size_, data_.count - batch * batch_size_); }
  // An order of all samples for the batches from now on; empty for the natural one.
  void set_order(std::vector<std::int64_t> order) { order_ = std::move(order); }

  BatchSignature signature(std::int64_t batch, StepKind kind) const;
  // Where the batch's elements are, in the order of x, y, weight. Valid until the next call.
  struct Pointers {
    std::vector<const void*> x, y, weight;
  };
  const Pointers& load(std::int64_t batch);

 private:
  void load(const Arrays& arrays, std::vector<const void*>& out, std::int64_t batch, std::size_t& buffer);

  const DataSet& data_;
  std::int64_t batch_size_;
  std::vector<std::int64_t> order_;
  std::vector<std::vector<char>> buffers_;
  Pointers pointers_;
};

}  // namespace ramet::train
