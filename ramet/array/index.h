// One index of x[…].
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>

namespace ramet {

// An integer, a range, a new axis or an ellipsis, with Python's meaning: negative ones count from the end, ranges are
// cut at the ends.
struct Index {
  enum class Kind : unsigned char { integer, range, new_axis, ellipsis } kind = Kind::range;
  std::optional<std::int64_t> start = std::nullopt, stop = std::nullopt, step = std::nullopt;
  template <std::integral I>
  Index(I i) : kind(Kind::integer), start(static_cast<std::int64_t>(i)) {}
  Index(std::optional<std::int64_t> from, std::optional<std::int64_t> to, std::optional<std::int64_t> by = std::nullopt)
      : start(from), stop(to), step(by) {}
  explicit Index(Kind k) : kind(k) {}
};

// Python's start:stop:step; nullopt where Python leaves a place empty.
struct Slice : Index {
  Slice(std::optional<std::int64_t> from, std::optional<std::int64_t> to, std::optional<std::int64_t> by = std::nullopt)
      : Index(from, to, by) {}
};

inline const Index kAll{std::nullopt, std::nullopt};
inline const Index kEllipsis{Index::Kind::ellipsis};
inline const Index kNewAxis{Index::Kind::new_axis};

}  // namespace ramet
