#include "ramet/graph/any_function.h"

namespace ramet::detail {

Value one_of(const LambdaInputs& in) {
  require(in.inputs.size() == 1, "Lambda: the function takes one value, the layer was called on ", in.inputs.size(),
          "; write it over Values");
  return in.inputs[0];
}

}  // namespace ramet::detail
