// What runs beside training.
#pragma once
#include <memory>

#include "ramet/graph/model.h"

namespace ramet {

// One epoch after another, as fit returns it.
struct History {
  std::vector<std::pair<std::string, std::vector<double>>> history;  // in alphabetical order
  std::vector<std::int64_t> epoch;

  const std::vector<double>& operator[](std::string_view name) const;  // UsageError with the names there are
  bool contains(std::string_view name) const;
};

// Derive from it and override hooks. Hooks run on the thread that called fit, in Keras' order. Logs may be added to;
// what is added in on_epoch_end is shown and kept in the history.
class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_train_begin() {}
  virtual void on_train_end() {}
  virtual void on_epoch_begin(std::int64_t /*epoch*/) {}
  virtual void on_epoch_end(std::int64_t /*epoch*/, Logs& /*logs*/) {}
  virtual void on_train_batch_begin(std::int64_t /*batch*/) {}
  virtual void on_train_batch_end(std::int64_t /*batch*/, Logs& /*logs*/) {}
  virtual void on_test_begin() {}
  virtual void on_test_end(Logs& /*logs*/) {}
  virtual void on_test_batch_begin(std::int64_t /*batch*/) {}
  virtual void on_test_batch_end(std::int64_t /*batch*/, Logs& /*logs*/) {}
  virtual void on_predict_begin() {}
  virtual void on_predict_end() {}
  virtual void on_predict_batch_begin(std::int64_t /*batch*/) {}
  virtual void on_predict_batch_end(std::int64_t /*batch*/) {}

  void set_model(Model model) { model_ = std::move(model); }
  // The model being trained. `model().stop_training()` ends training after the batch or epoch.
  Model& model() { return model_; }

 private:
  Model model_;
};

// A number that a callback tells afterwards. Copies of the callback have it in common, so the one that was given to fit
// by value need not be looked for.
template <class T>
class SharedResult {
 public:
  operator const T&() const { return *value_; }
  SharedResult& operator=(T value) {
    *value_ = value;
    return *this;
  }

 private:
  std::shared_ptr<T> value_ = std::make_shared<T>();
};

// How options hold a callback: made from a value or from a shared_ptr when the caller wants to look at it afterwards.
class CallbackRef {
 public:
  template <std::derived_from<Callback> T>
  CallbackRef(T callback) : callback_(std::make_shared<T>(std::move(callback))) {}
  template <std::derived_from<Callback> T>
  CallbackRef(std::shared_ptr<T> callback) : callback_(std::move(callback)) {}
  Callback* operator->() const { return callback_.get(); }

 private:
  std::shared_ptr<Callback> callback_;
};
using Callbacks = std::vector<CallbackRef>;

}  // namespace ramet
