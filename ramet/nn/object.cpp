#include "ramet/nn/object.h"

namespace ramet {

Json object_json(const Configured& object, std::string_view kind, std::string_view keras_module, bool keras_own) {
  if (object.class_name() == kFunctionClass) return function_json(object.get_config().at("name").as_string());
  if (!keras_own)
    return own_object_json(kind, typeid(object), object.class_name(), object.get_config(), object.file_class);
  return Json(JsonObject{{"module", Json(std::string(keras_module))},
                         {"class_name", Json(std::string(object.class_name()))},
                         {"config", Json(object.get_config())},
                         {"registered_name", Json(nullptr)}});
}

}  // namespace ramet
