// Lines of an image for convolutions that read it where it lies. Where taps reach past the left or right edge, lines
// are copied into a ring with zeros at both ends, each once; elsewhere the image itself is read. For *_simd.cpp files
// only.
#pragma once
#include "ramet/backend/cpu/conv_gather.h"

namespace ramet::cpu::RAMET_SIMD {

class Lines {
 public:
  // `kept` lines in a row are needed at a time. `ring` has ring_size floats.
  Lines(const Gather& g, std::int64_t kept, float* ring) : g_(g), kept_(kept), ring_(ring) {
    const std::int64_t reach = (g.taps_w - 1) * g.delta_w;
    low_ = g.first_w + (reach < 0 ? reach : 0);
    const std::int64_t high = (g.rows_w - 1) * g.step_w + g.first_w + (reach > 0 ? reach : 0);
    copied_ = low_ < 0 || high >= g.width;
    pixels_ = high - low_ + 1;
    pixel_stride_ = copied_ ? g.channels : g.pixel_stride;
    if (!copied_) return;
    for (std::int64_t i = 0; i < kept * pixels_ * g.channels; ++i) ring[i] = 0.0f;
    for (std::int64_t i = 0; i < kept; ++i) id_[i] = -1;
  }

  static constexpr std::int64_t kMostKept = 256;
  static std::int64_t ring_size(const Gather& g, std::int64_t kept) {
    const std::int64_t reach = (g.taps_w - 1) * g.delta_w;
    return kept * ((g.rows_w - 1) * g.step_w + (reach < 0 ? -reach : reach) + 1) * g.channels;
  }

  const float* base(std::int64_t image) const {
    return copied_ ? ring_ : g_.image + image * g_.height * g_.width * g_.pixel_stride;
  }
  std::int64_t pixel_stride() const { return pixel_stride_; }
  bool padded() const { return copied_; }
  // Where tap column j of row u = 0 begins in line y, counted from base(image). Copies the line if need be.
  std::int64_t line(std::int64_t image, std::int64_t y) {
    if (!copied_) return (y * g_.width + g_.first_w) * g_.pixel_stride;
    const std::int64_t slot = y % kept_, at = slot * pixels_ * g_.channels;
    if (const std::int64_t id = image * g_.height + y; id_[slot] != id) {
      id_[slot] = id;
      copy(image, y, ring_ + at);
    }
    return at + (g_.first_w - low_) * g_.channels;
  }

 private:
  void copy(std::int64_t image, std::int64_t y, float* to) const {
    const std::int64_t begin = low_ > 0 ? low_ : 0, past = low_ + pixels_, end = past < g_.width ? past : g_.width;
    const float* from = g_.image + ((image * g_.height + y) * g_.width + begin) * g_.pixel_stride;
    to += (begin - low_) * g_.channels;
    if (g_.channels == g_.pixel_stride) {
      if (begin < end) copy_row(from, (end - begin) * g_.channels, to);
      return;
    }
    for (std::int64_t x = begin; x < end; ++x, from += g_.pixel_stride, to += g_.channels)
      copy_row(from, g_.channels, to);
  }

  const Gather& g_;
  std::int64_t kept_, low_ = 0, pixels_ = 0, pixel_stride_ = 0;
  bool copied_ = false;
  float* ring_;
  std::int64_t id_[kMostKept];
};

}  // namespace ramet::cpu::RAMET_SIMD
