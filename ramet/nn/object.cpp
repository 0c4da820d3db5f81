#include "ramet/nn/object.h"

namespace ramet {

Json encode_function(std::string_view name) {
  return Json(JsonObject{{"module", Json("builtins")},
                         {"class_name", Json(std::string(kFunctionClass))},
                         {"config", Json(std::string(name.empty() ? kNameless : name))},
                         {"registered_name", Json("function")}});
}

}  // namespace ramet
