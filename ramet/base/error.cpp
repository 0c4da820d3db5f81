#include "ramet/base/error.h"

#include "ramet/base/quoted.h"

namespace ramet {

Error::Error(const std::string& what) : std::runtime_error(one_line(what, kLongest)) {}

}  // namespace ramet
