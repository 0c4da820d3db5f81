// Random numbers from a counter: element i of a stream is a function of (seed, counter, i) alone, so any split of a
// range over threads or devices gives the same values, on every machine.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace ramet {

// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): 128 bits from counter and key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// Names an endless sequence of random values. Streams that differ in either number are independent.
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t counter = 0;  // how many sequences were drawn from this seed before
  friend bool operator==(const Stream&, const Stream&) = default;
};

// Each writes the elements [begin, end) of the stream to out[0 .. end - begin). REQUIRES: 0 <= begin <= end.

void fill_bits(std::uint32_t* out, std::int64_t begin, std::int64_t end, Stream stream);

// In [lo, hi): hi itself never comes out unless lo == hi. Throws UsageError unless lo <= hi and hi - lo is finite.
void fill_uniform(float* out, std::int64_t begin, std::int64_t end, Stream stream, float lo = 0, float hi = 1);
void fill_uniform(double* out, std::int64_t begin, std::int64_t end, Stream stream, double lo = 0, double hi = 1);

void fill_normal(float* out, std::int64_t begin, std::int64_t end, Stream stream, float mean = 0, float stddev = 1);
void fill_normal(double* out, std::int64_t begin, std::int64_t end, Stream stream, double mean = 0, double stddev = 1);

// Normal values, drawn again while they lie more than two standard deviations from the mean. The caller scales: the
// standard deviation of what comes out is 0.8796 of the one given.
void fill_truncated_normal(float* out, std::int64_t begin, std::int64_t end, Stream stream, float mean = 0,
                           float stddev = 1);
void fill_truncated_normal(double* out, std::int64_t begin, std::int64_t end, Stream stream, double mean = 0,
                           double stddev = 1);

// The numbers 0 .. n-1 in random order, every order equally likely.
std::vector<std::int64_t> permutation(std::int64_t n, Stream stream);

// The seed of the process, from which layers, initializers and shuffles that were given none draw theirs. Without
// set_random_seed every run differs; after it, the draws repeat. A drawn seed lies in [1, 2^31), which Keras' files can
// hold. Safe from any thread.
void set_random_seed(std::uint64_t seed);
std::uint64_t next_seed();

}  // namespace ramet
