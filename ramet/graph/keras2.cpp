#include "ramet/graph/keras2.h"

#include <algorithm>
#include <string>

namespace ramet {
namespace {

bool is_false(const Json* value) { return value && (value->is_null() || (value->is_bool() && !value->as_bool())); }

}  // namespace

JsonObject modern_config(std::string_view class_name, const JsonObject& config) {
  JsonObject out = config;
  if (const Json* shape = config.find("batch_input_shape")) {
    if (class_name == "InputLayer" && !config.contains("batch_shape")) out.set("batch_shape", *shape);
    out.erase("batch_input_shape");
  }
  if (const Json* axis = config.find("axis");
      axis && class_name == "BatchNormalization" && axis->is_array() && axis->as_array().size() == 1)
    out.set("axis", axis->as_array()[0]);
  const bool recurrent = config.contains("recurrent_activation") || config.contains("recurrent_initializer");
  if (recurrent || class_name == "RNN") {
    out.erase("implementation");  // two ways to the same numbers
    if (is_false(config.find("time_major"))) out.erase("time_major");
  }
  if (class_name == "MultiHeadAttention")
    for (const char* key : {"query_shape", "key_shape", "value_shape"}) out.erase(key);
  if (class_name == "Embedding" && config.contains("input_length")) out.erase("input_length");
  return out;
}

}  // namespace ramet
