// The passes. Each returns a new program, or null when it would not change anything.
#pragma once
#include "ramet/passes/pass_manager.h"

namespace ramet::passes {

std::unique_ptr<Program> place(const Program&, const PassOptions&);  // transfers between devices
std::unique_ptr<Program> widen(const Program&, const PassOptions&);  // what computes with bfloat16 does so in float32
std::unique_ptr<Program> fold(const Program&,
                              const PassOptions&);  // x·1, x+0, needless broadcasts; factors out of sums
std::unique_ptr<Program> cse(const Program&, const PassOptions&);    // equal instructions once
std::unique_ptr<Program> dce(const Program&, const PassOptions&);    // what nobody reads is dropped
std::unique_ptr<Program> pads(const Program&, const PassOptions&);   // zeros around an image become a convolution's own
std::unique_ptr<Program> pools(const Program&, const PassOptions&);  // masks and sums in front of pooling gradients
std::unique_ptr<Program> affine(const Program&, const PassOptions&);   // batch normalization goes into fixed weights
std::unique_ptr<Program> strides(const Program&, const PassOptions&);  // computed only where it is read
std::unique_ptr<Program> linear(const Program&,
                                const PassOptions&);  // matmul with bias and activation; weights packed once
std::unique_ptr<Program> recompute(const Program&, const PassOptions&);  // cheap values again instead of kept
std::unique_ptr<Program> cluster(const Program&, const PassOptions&);    // neighbouring pointwise ops run tile by tile
std::unique_ptr<Program> schedule(const Program&, const PassOptions&);   // updates right after their gradients

}  // namespace ramet::passes
