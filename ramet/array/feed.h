// Arrays going in and out: Feed for inputs, targets and weights, Predictions for what comes back.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ramet/array/array.h"

namespace ramet {

// One array, a list, or arrays by name: x, {q, d}, {{"question", q}, {"document", d}}. An undefined array stands for an
// optional input that is not given. Elements are shared, not copied.
class Feed {
 public:
  Feed() = default;  // nothing
  Feed(Array array) : arrays_{std::move(array)}, single_(true) {}
  Feed(Arrays list) : arrays_(std::move(list)) {}
  Feed(std::initializer_list<Array> list) : arrays_(list) {}
  Feed(std::initializer_list<std::pair<std::string, Array>> named)
      : Feed(std::vector<std::pair<std::string, Array>>(named)) {}
  Feed(std::vector<std::pair<std::string, Array>> named) {
    for (auto& [name, array] : named) {
      names_.push_back(std::move(name));
      arrays_.push_back(std::move(array));
    }
  }

  bool empty() const { return arrays_.empty() || (single_ && !arrays_[0].defined()); }
  bool by_name() const { return !names_.empty(); }
  bool single() const { return single_; }
  const Arrays& arrays() const { return arrays_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  Arrays arrays_;
  std::vector<std::string> names_;
  bool single_ = false;
};

// The outputs of a model in flat order. One output is an Array, several are Arrays.
class Predictions {
 public:
  Predictions(Arrays arrays, std::vector<std::string> names) : arrays_(std::move(arrays)), names_(std::move(names)) {}

  operator Array() const;  // UsageError when there are several
  operator Arrays() const { return arrays_; }
  std::size_t size() const { return arrays_.size(); }
  const Array& operator[](std::size_t i) const;
  const Array& operator[](std::string_view output_name) const;
  auto begin() const { return arrays_.begin(); }
  auto end() const { return arrays_.end(); }

 private:
  Arrays arrays_;
  std::vector<std::string> names_;
};

}  // namespace ramet
