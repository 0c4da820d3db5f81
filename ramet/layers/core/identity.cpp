#include "ramet/layers/core/identity.h"

namespace ramet::layers {

// Whatever structure came in goes out, each tensor with its own mask.
TracedNest IdentityLayer::call_args(const CallContext& ctx, const TracedArgs& args) const {
  require(!args.args.empty(), describe(*this), ": called without a tensor");
  std::size_t at = 0;
  return args.args[0].map<Traced>([&](const Traced& t) { return Traced{t.value, ctx.mask(at++)}; });
}

}  // namespace ramet::layers
