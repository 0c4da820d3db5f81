// What Keras 2 wrote differently in the configs of layers.
#pragma once
#include <string_view>

#include "ramet/base/json.h"

namespace ramet {

// The config as Keras 3 would write it. Keys that have only one meaning today are dropped when they say that.
JsonObject modern_config(std::string_view class_name, const JsonObject& config);

}  // namespace ramet
