#include "ramet/layers/core/identity.h"

namespace ramet::layers {

// Whatever structure came in goes out, each tensor with its own mask.
TracedNest IdentityLayer::call_args(const CallContext&, const TracedArgs& args) const {
  require(!args.args.empty(), describe(*this), ": called without a tensor");
  return args.args[0].map<Traced>([](const Traced& t) { return Traced{t.value, {}}; });
}

Values IdentityLayer::compute_mask(const CallContext&, const std::vector<Traced>& inputs) const {
  Values masks;
  for (const Traced& t : inputs) masks.push_back(t.mask);
  return masks;
}

}  // namespace ramet::layers
