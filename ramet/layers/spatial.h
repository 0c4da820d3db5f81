// What layers over images and sequences share: where the channels are, how windows are given and padded.
#pragma once
#include "ramet/base/config.h"
#include "ramet/graph/layer.h"

namespace ramet::layers {

struct DataFormatNames {
  static constexpr std::string_view what = "data_format", names[] = {"channels_last", "channels_first"};
};
using DataFormat = Choice<DataFormatNames>;
inline bool channels_first(DataFormat format) { return format == DataFormat("channels_first"); }

struct PaddingNames {
  static constexpr std::string_view what = "padding", names[] = {"valid", "same"};
};
using Padding = Choice<PaddingNames>;
struct CausalPaddingNames {
  static constexpr std::string_view what = "padding", names[] = {"valid", "same", "causal"};
};
using CausalPadding = Choice<CausalPaddingNames>;

// An integer for all axes, or one per axis, as the list Keras keeps. UsageError in Keras' words for another count or a
// number out of range.
IntOrList standardize(const IntOrList& value, std::size_t n, std::string_view name, bool allow_zero = false);

// Ops work with channels last.
Value to_channels_last(Value x, DataFormat format);
Value from_channels_last(Value x, DataFormat format);
std::int64_t channels_of(const Spec& x, DataFormat format);

// Cells added before and after each spatial axis. `padding` is "valid", "same" or "causal".
struct Pads {
  std::vector<std::int64_t> before, after;
};
Pads pads_for(std::string_view padding, const Shape& channels_last, const IntOrList& window, const IntOrList& strides,
              const IntOrList& dilation);

// How much to add or cut at both ends of two axes: 1, {1, 2} (height, width) or {{1, 2}, {3, 4}} ((top, bottom), (left,
// right)).
class BorderPairs {
 public:
  using Pair = std::pair<std::int64_t, std::int64_t>;
  BorderPairs() = default;
  BorderPairs(std::int64_t all) : pairs_{{all, all}, {all, all}} {}
  BorderPairs(int all) : BorderPairs(static_cast<std::int64_t>(all)) {}
  BorderPairs(std::initializer_list<std::int64_t> symmetric) {
    for (const auto n : symmetric) pairs_.emplace_back(n, n);
  }
  BorderPairs(std::initializer_list<Pair> pairs) : pairs_(pairs) {}
  explicit BorderPairs(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}

  const std::vector<Pair>& pairs() const { return pairs_; }
  // UsageError naming the argument unless these are two pairs of numbers that are not negative.
  void check(std::string_view name) const;
  bool operator==(const BorderPairs&) const = default;

 private:
  std::vector<Pair> pairs_;
};
Json encode(const BorderPairs& borders);
void decode(const Json& json, BorderPairs& out);

}  // namespace ramet::layers
