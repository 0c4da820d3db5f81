// The arguments of compile, fit, evaluate and predict, in Keras' order.
#pragma once
#include <algorithm>
#include <map>
#include <numeric>

#include "ramet/array/feed.h"
#include "ramet/nn/losses.h"
#include "ramet/nn/metrics.h"
#include "ramet/nn/optimizers.h"
#include "ramet/train/callback.h"

namespace ramet {

// An object of a kind, or its name. Names are looked up by compile, because some ("accuracy", "crossentropy") depend on
// shapes.
template <class Interface>
class Named {
 public:
  Named() = default;  // none
  Named(std::nullptr_t) {}
  Named(const char* name) : name_(name) {}
  Named(std::string name) : name_(std::move(name)) {}
  Named(std::string_view name) : name_(name) {}
  Named(Object<Interface> object) : object_(std::move(object)) {}
  template <std::derived_from<Interface> T>
  Named(T object) : object_(std::move(object)) {}
  template <class F>
  requires FunctionOf<F, Interface> Named(F function) : object_(std::move(function)) {}

  // Keras' own function of this name, as files hold it that were compiled with the function itself.
  static Named of_function(std::string name) {
    Named out(std::move(name));
    out.is_function_ = true;
    return out;
  }

  bool empty() const { return name_.empty() && !object_; }
  const std::string& name() const { return name_; }  // empty when an object was given
  const Object<Interface>& object() const { return object_; }
  bool is_function() const { return is_function_; }

 private:
  std::string name_;
  Object<Interface> object_;
  bool is_function_ = false;
};

// One value for every output, one per output in their order, by output name, or in the structure of the outputs.
template <class T>
class PerOutput {
 public:
  PerOutput() = default;
  PerOutput(T one) : values_{std::move(one)}, single_(true) {}
  template <class U>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, T> &&
           !std::same_as<std::remove_cvref_t<U>, PerOutput>) PerOutput(U&& one)
      : PerOutput(T(std::forward<U>(one))) {}
  PerOutput(std::initializer_list<T> list) : values_(list) {}
  PerOutput(std::vector<T> list) : values_(std::move(list)) {}
  PerOutput(std::initializer_list<std::pair<std::string, T>> named)
      : PerOutput(std::vector<std::pair<std::string, T>>(named)) {}
  PerOutput(std::vector<std::pair<std::string, T>> named) {
    for (auto& [name, value] : named) names_.push_back(std::move(name)), values_.push_back(std::move(value));
  }

  // Outputs that are nested: lists, or dicts where `names` are given, of values and such structures.
  static PerOutput structure(std::vector<PerOutput> items, std::vector<std::string> names = {}) {
    PerOutput out;
    const bool flat = std::all_of(items.begin(), items.end(), [](const PerOutput& i) { return i.single_; });
    if (flat)
      for (PerOutput& item : items) out.values_.push_back(std::move(item.values_[0]));
    else
      out.items_ = std::move(items);
    out.names_ = std::move(names);
    return out;
  }

  bool empty() const { return values_.empty() && items_.empty(); }
  bool single() const { return single_; }
  bool by_name() const { return !names_.empty(); }
  bool nested() const { return !items_.empty(); }
  const std::vector<T>& values() const { return values_; }          // when it is not nested
  const std::vector<PerOutput>& items() const { return items_; }    // when it is
  const std::vector<std::string>& names() const { return names_; }  // of either
  // All values in the order of the outputs: entries of a dict by key.
  std::vector<T> flatten() const {
    if (!nested()) return values_;
    std::vector<std::size_t> order(items_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (by_name()) std::sort(order.begin(), order.end(), [&](auto a, auto b) { return names_[a] < names_[b]; });
    std::vector<T> out;
    for (const std::size_t i : order)
      for (T& value : items_[i].flatten()) out.push_back(std::move(value));
    return out;
  }

 private:
  std::vector<T> values_;
  std::vector<PerOutput> items_;
  std::vector<std::string> names_;
  bool single_ = false;
};

// Metrics: {"accuracy", "mse"} for one output; {{"mae"}, {"mae", "mse"}} one list per output; {{"label", {"mae"}}} by
// output name (an entry that begins with the name of an output; compile makes a dict of them).
class MetricArgs {
 public:
  MetricArgs() = default;  // none
  MetricArgs(std::nullptr_t) {}
  MetricArgs(const char* name) : one_(name) {}
  MetricArgs(std::string name) : one_(std::move(name)) {}
  MetricArgs(std::string_view name) : one_(name) {}
  MetricArgs(Metric metric) : one_(std::move(metric)) {}
  explicit MetricArgs(Named<MetricBase> metric) : one_(std::move(metric)) {}
  template <std::derived_from<MetricBase> T>
  MetricArgs(T metric) : one_(std::move(metric)) {}
  template <class F>
  requires FunctionOf<F, MetricBase> MetricArgs(F function) : one_(std::move(function)) {}
  MetricArgs(std::initializer_list<MetricArgs> list) : list_(list), is_list_(true) {}
  MetricArgs(std::vector<MetricArgs> list) : list_(std::move(list)), is_list_(true) {}
  // A dict: an entry for each name.
  static MetricArgs dict(std::vector<std::string> names, std::vector<MetricArgs> entries) {
    MetricArgs out(std::move(entries));
    out.names_ = std::move(names);
    out.is_dict_ = true;
    return out;
  }

  bool empty() const { return !is_list_ && one_.empty(); }
  bool is_list() const { return is_list_; }  // or a dict
  bool is_dict() const { return is_dict_; }
  const std::vector<MetricArgs>& list() const { return list_; }
  const std::vector<std::string>& names() const { return names_; }  // of a dict
  const Named<MetricBase>& one() const { return one_; }

 private:
  Named<MetricBase> one_;
  std::vector<MetricArgs> list_;
  std::vector<std::string> names_;
  bool is_list_ = false, is_dict_ = false;
};

struct CompileOptions {
  Optimizer optimizer = "rmsprop";
  PerOutput<Named<LossBase>> loss = {};
  PerOutput<double> loss_weights = {};
  MetricArgs metrics = {};
  MetricArgs weighted_metrics = {};
};

// true: a new order of all samples every epoch. "batch": only inside each batch.
class Shuffle {
 public:
  Shuffle(bool on) : kind_(on ? Kind::all : Kind::none) {}
  Shuffle(const char* name);  // "batch"
  enum class Kind : unsigned char { none, all, batch };
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

struct ValidationData {
  Feed x = {}, y = {}, sample_weight = {};
};

// Every how many epochs to validate, or after which (counted from 1).
class ValidationFreq {
 public:
  ValidationFreq(int every) : every_(every) { require(every > 0, "`validation_freq` must be positive; got ", every); }
  ValidationFreq(std::initializer_list<std::int64_t> epochs) : epochs_(epochs) {}
  bool due(std::int64_t epoch) const;  // epoch counts from 0

 private:
  std::int64_t every_ = 1;
  std::vector<std::int64_t> epochs_;
};

struct FitOptions {
  std::optional<std::int64_t> batch_size = std::nullopt;  // 32
  std::int64_t epochs = 1;
  int verbose = 1;  // 0 silent, 1 a bar on a terminal, 2 a line per epoch
  Callbacks callbacks = {};
  double validation_split = 0;  // the last part of the data
  ValidationData validation_data = {};
  Shuffle shuffle = true;
  std::map<std::int64_t, double> class_weight = {};
  Feed sample_weight = {};
  std::int64_t initial_epoch = 0;
  std::optional<std::int64_t> steps_per_epoch = std::nullopt, validation_steps = std::nullopt,
                              validation_batch_size = std::nullopt;
  ValidationFreq validation_freq = 1;
};

struct EvaluateOptions {
  std::optional<std::int64_t> batch_size = std::nullopt;
  int verbose = 1;
  Feed sample_weight = {};
  std::optional<std::int64_t> steps = std::nullopt;
  Callbacks callbacks = {};
};

struct PredictOptions {
  std::optional<std::int64_t> batch_size = std::nullopt;
  int verbose = 0;
  std::optional<std::int64_t> steps = std::nullopt;
  Callbacks callbacks = {};
};

}  // namespace ramet
