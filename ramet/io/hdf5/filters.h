// Filters that chunks pass through on their way into the file: deflate, shuffle, fletcher32.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ramet/io/hdf5/object_header.h"

namespace ramet::hdf5 {

enum class Filter : std::uint16_t { deflate = 1, shuffle = 2, fletcher32 = 3 };

// No filter makes more of its input than this (plus a constant): deflate's best.
inline constexpr std::uint64_t kBestRatio = 1032;

// The most bytes that `stored` ones can stand for.
std::uint64_t most_bytes_from(std::uint64_t stored);

// The filters of a dataset in the order they were applied. Refuses all others by name.
std::vector<Filter> read_filters(const Scope& scope, const std::vector<Message>& messages);

std::string to_string(const std::vector<Filter>& filters);  // "shuffle, deflate"

// Undoes the filters; bit i of `skipped` says that filter i was not applied to this chunk. The result has `size` bytes.
// `element` is the size of an element, `at` where the chunk lies.
std::vector<std::byte> unfilter(const Scope& scope, const std::vector<Filter>& filters, std::uint32_t skipped,
                                std::span<const std::byte> stored, std::uint64_t size, std::uint32_t element,
                                std::uint64_t at);

}  // namespace ramet::hdf5
