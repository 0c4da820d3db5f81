#include "ramet/array/feed.h"

#include "ramet/base/strings.h"

namespace ramet {

Predictions::operator Array() const {
  require(arrays_.size() == 1, "the model has ", arrays_.size(), " outputs; take them as Arrays, by index or by name (",
          join(names_), ")");
  return arrays_[0];
}

const Array& Predictions::operator[](std::size_t i) const {
  require(i < arrays_.size(), "there is no output ", i, "; the model has ", arrays_.size());
  return arrays_[i];
}

const Array& Predictions::operator[](std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return arrays_[i];
  throw UsageError(cat("there is no output named '", name, "'; the outputs are ", join(names_)));
}

}  // namespace ramet
