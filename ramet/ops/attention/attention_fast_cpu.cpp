// Attention on the product kernels, float32: for every head of every sample a block of queries at a time, whose scores
// stay in the cache. Heads are shared out among the threads, so the bits do not depend on their number.
#include <algorithm>

#include "ramet/backend/cpu/gemm.h"
#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/backend/cpu/part_grid.h"
#include "ramet/ops/attention/attention.h"

namespace ramet::cpu {
namespace {

// Queries at a time: whole panels of keys are then hidden by the causal rule, with every instruction set.
constexpr std::int64_t kBlock = 32;

struct Args {
  ops::AttentionSizes sizes{};
  float scale = 1;
  bool causal = false, masked = false;
  std::size_t mask_input = 0;
  std::int64_t mask_step[3] = {};  // from sample to sample, head to head, query to query
  std::int64_t block = 1;          // queries at a time
  int parts = 1;
  // Bytes of scratch, for one part.
  std::size_t keys = 0, values = 0, queries = 0, scores = 0, mask = 0, products = 0;
  std::size_t all() const { return keys + values + queries + 2 * scores + mask + products; }
};

// One head of one sample while its blocks of queries go through.
class Head {
 public:
  Head(const Args& a, const Buffers& b, std::int64_t index, char* scratch)
      : a_(a), s_(a.sizes), b_(b), sample_(index / s_.heads), head_(index % s_.heads) {
    const auto take = [&](std::size_t bytes) {
      char* here = scratch;
      scratch += bytes;
      return reinterpret_cast<float*>(here);
    };
    keys_ = take(a.keys), values_ = take(a.values), scaled_ = take(a.queries);
    scores_ = take(a.scores), dscores_ = take(a.scores);
    mask_row_ = reinterpret_cast<std::uint8_t*>(take(a.mask));
    products_ = take(a.products);
    pack_b(k(), k_stride(), true, s_.size, s_.keys, keys_);
  }

  void forward() {
    for (std::int64_t query = 0; query < s_.queries; query += a_.block) {
      const std::int64_t rows = std::min(a_.block, s_.queries - query), seen = keys_seen(query + rows);
      make_scores(query, rows, seen);
      float* y = at(b_.output<float>(0), query, s_.queries, s_.value_size);
      for (std::int64_t i = 0; i < rows; ++i) {
        float* const score = scores_ + i * s_.keys;
        float* const kept = statistics(b_.output<float>(1), query + i);
        const std::int64_t visible = keys_seen(query + i + 1);
        float top;
        inverse_[i] = 1.0f / simd().exponents(score, count(visible), &top);
        clear(score, visible, seen);
        if (kept) kept[0] = top, kept[1] = inverse_[i];
      }
      if (!y) continue;
      multiply({.m = rows,
                .n = s_.value_size,
                .k = seen,
                .a = scores_,
                .lda = s_.keys,
                .b = v(),
                .ldb = v_stride(),
                .c = y,
                .ldc = v_stride()});
      for (std::int64_t i = 0; i < rows; ++i) scale(y + i * v_stride(), inverse_[i], y + i * v_stride(), s_.value_size);
    }
  }

  void gradient() {
    pack_b(v(), v_stride(), true, s_.value_size, s_.keys, values_);
    float *dk = at(b_.output<float>(1), 0, s_.keys, s_.size), *dv = at(b_.output<float>(2), 0, s_.keys, s_.value_size);
    // The last queries come first: they see all that any query sees, so that the gradients need no zeros to begin with.
    for (std::int64_t j = keys_seen(s_.queries); j < s_.keys; ++j) {
      if (dk) clear(dk + j * k_stride(), 0, s_.size);
      if (dv) clear(dv + j * v_stride(), 0, s_.value_size);
    }
    const std::int64_t last = (s_.queries - 1) / a_.block * a_.block;
    for (std::int64_t query = last; query >= 0; query -= a_.block) {
      const std::int64_t rows = std::min(a_.block, s_.queries - query), seen = keys_seen(query + rows);
      const float* dy = at(b_.input<float>(4), query, s_.queries, s_.value_size);
      make_scores(query, rows, seen);
      Gemm dweights{.m = rows,
                    .n = s_.keys,
                    .k = s_.value_size,
                    .a = dy,
                    .lda = v_stride(),
                    .packed_b = values_,
                    .c = dscores_,
                    .ldc = s_.keys};
      multiply(dweights, seen);
      for (std::int64_t i = 0; i < rows; ++i) {
        const float* kept = statistics(b_.input<float>(3), query + i);
        const std::int64_t visible = keys_seen(query + i + 1);
        float *score = scores_ + i * s_.keys, *dscore = dscores_ + i * s_.keys;
        simd().softmax_gradient(score, dscore, count(visible), kept[0], kept[1]);
        clear(score, visible, seen);
        clear(dscore, visible, seen);
        hide(query + i, seen, dscore, 0.0f);
      }
      if (dv)
        multiply({.m = seen,
                  .n = s_.value_size,
                  .k = rows,
                  .a = scores_,
                  .lda = s_.keys,
                  .trans_a = true,
                  .b = dy,
                  .ldb = v_stride(),
                  .c = dv,
                  .ldc = v_stride(),
                  .accumulate = query < last});
      if (dk)
        multiply({.m = seen,
                  .n = s_.size,
                  .k = rows,
                  .a = dscores_,
                  .lda = s_.keys,
                  .trans_a = true,
                  .b = scaled_,
                  .ldb = s_.size,
                  .c = dk,
                  .ldc = k_stride(),
                  .accumulate = query < last});
      float* dq = at(b_.output<float>(0), query, s_.queries, s_.size);
      if (!dq) continue;
      multiply({.m = rows,
                .n = s_.size,
                .k = seen,
                .a = dscores_,
                .lda = s_.keys,
                .b = k(),
                .ldb = k_stride(),
                .c = dq,
                .ldc = k_stride()});
      for (std::int64_t i = 0; i < rows; ++i) scale(dq + i * k_stride(), a_.scale, dq + i * k_stride(), s_.size);
    }
  }

 private:
  static std::size_t count(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::int64_t k_stride() const { return s_.heads * s_.size; }
  std::int64_t v_stride() const { return s_.heads * s_.value_size; }
  const float* k() const { return at(b_.input<float>(1), 0, s_.keys, s_.size); }
  const float* v() const { return at(b_.input<float>(2), 0, s_.keys, s_.value_size); }
  template <class T>
  T* at(T* x, std::int64_t step, std::int64_t steps, std::int64_t size) const {
    return x ? x + ((sample_ * steps + step) * s_.heads + head_) * size : nullptr;
  }
  template <class T>
  T* statistics(T* x, std::int64_t query) const {
    return x ? x + 2 * ((sample_ * s_.heads + head_) * s_.queries + query) : nullptr;
  }
  // By the queries before `end`. A mask may hide all keys from a query; then it sees the mean of them all.
  std::int64_t keys_seen(std::int64_t end) const { return a_.causal && !a_.masked ? std::min(end, s_.keys) : s_.keys; }

  void multiply(const Gemm& g, std::int64_t columns = -1) {
    simd().gemm_region(g, {0, g.m, 0, columns < 0 ? g.n : columns}, products_);
  }
  static void clear(float* x, std::int64_t from, std::int64_t to) { std::fill(x + from, x + to, 0.0f); }
  static void scale(const float* x, float factor, float* y, std::int64_t n) {
    simd().binary[static_cast<int>(Operands::kScalarRight)][static_cast<int>(Binary::kMul)](x, &factor, y, count(n));
  }

  void make_scores(std::int64_t query, std::int64_t rows, std::int64_t seen) {
    const float* q = at(b_.input<float>(0), query, s_.queries, s_.size);
    for (std::int64_t i = 0; i < rows; ++i) scale(q + i * k_stride(), a_.scale, scaled_ + i * s_.size, s_.size);
    multiply({.m = rows,
              .n = s_.keys,
              .k = s_.size,
              .a = scaled_,
              .lda = s_.size,
              .packed_b = keys_,
              .c = scores_,
              .ldc = s_.keys},
             seen);
    for (std::int64_t i = 0; i < rows; ++i)
      hide(query + i, seen, scores_ + i * s_.keys, static_cast<float>(ops::kHiddenScore));
  }

  // Puts `value` where a mask says that the query may not look.
  void hide(std::int64_t query, std::int64_t seen, float* row, float value) {
    if (!a_.masked) return;
    const std::uint8_t* mask = b_.input<std::uint8_t>(a_.mask_input) + sample_ * a_.mask_step[0] +
                               head_ * a_.mask_step[1] + query * a_.mask_step[2];
    if (a_.causal) {
      for (std::int64_t j = 0; j < seen; ++j) mask_row_[j] = static_cast<std::uint8_t>(mask[j] != 0 && j <= query);
      mask = mask_row_;
    }
    simd().select[static_cast<int>(Operands::kScalarRight)](mask, row, &value, row, count(seen));
  }

  const Args& a_;
  const ops::AttentionSizes& s_;
  const Buffers& b_;
  std::int64_t sample_, head_;
  float *keys_, *values_, *scaled_, *scores_, *dscores_, *products_;
  std::uint8_t* mask_row_;
  float inverse_[kBlock];
};

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
std::size_t floats(std::int64_t n) { return aligned(static_cast<std::size_t>(n) * sizeof(float)); }

// The largest scratch of the products a head needs, by their shapes.
std::size_t product_scratch(const Args& a, bool backward) {
  const auto& s = a.sizes;
  const float any = 0;
  const auto of = [&](std::int64_t m, std::int64_t n, std::int64_t k, bool packed, bool trans_a = false) {
    return gemm_scratch({.m = m,
                         .n = n,
                         .k = k,
                         .a = &any,
                         .lda = trans_a ? m : k,
                         .trans_a = trans_a,
                         .b = &any,
                         .ldb = n,
                         .packed_b = packed ? &any : nullptr,
                         .ldc = n + 1});  // a head's rows do not touch
  };
  std::size_t most = 0;
  // The last block, and the first ones of causal attention, are smaller: that may take another way.
  for (std::int64_t rows = 1; rows <= a.block; ++rows) {
    most = std::max({most, of(rows, s.keys, s.size, true), of(rows, s.value_size, s.keys, false)});
    if (!backward) continue;
    most = std::max({most, of(rows, s.keys, s.value_size, true), of(rows, s.size, s.keys, false),
                     of(s.keys, s.value_size, rows, false, true), of(s.keys, s.size, rows, false, true)});
  }
  return aligned(most);
}

template <bool backward>
Step make(const Site& site) {
  const auto& at = site.attrs<ops::AttentionAttrs>();
  Args a;
  a.sizes = ops::attention_sizes("attention", site.in(0), site.in(1), site.in(2));
  const auto& s = a.sizes;
  a.scale = static_cast<float>(at.scale);
  a.causal = at.causal;
  a.masked = at.masked;
  if (a.masked) {
    a.mask_input = site.in_count() - 1;
    const Shape& mask = site.in(a.mask_input).shape;
    std::int64_t step = s.keys;
    for (std::size_t i = 3; i-- > 0; step *= mask[i]) a.mask_step[i] = mask[i] == 1 ? 0 : step;
  }
  a.block = std::min<std::int64_t>(s.queries, kBlock);
  const double work = static_cast<double>(s.batch * s.heads) * static_cast<double>(s.queries * s.keys) *
                      static_cast<double>(s.size + s.value_size) * (backward ? 2.5 : 1);
  a.parts = parts_for(work, s.batch * s.heads, num_threads());
  a.keys = aligned(packed_b_size(s.size, s.keys) * sizeof(float));
  a.values = backward ? aligned(packed_b_size(s.value_size, s.keys) * sizeof(float)) : 0;
  a.queries = floats(a.block * s.size);
  a.scores = floats(a.block * s.keys);
  a.mask = aligned(static_cast<std::size_t>(s.keys));
  a.products = product_scratch(a, backward);
  const std::size_t scratch = a.all() * static_cast<std::size_t>(a.parts);
  return make_step(
      a,
      [](const Args& args, const Buffers& b) {
        const int parts = std::min(args.parts, b.pool.threads());
        const std::int64_t heads = args.sizes.batch * args.sizes.heads;
        run_parts(b, parts, args.all(), [&](int part, char* own) {
          for (std::int64_t i = heads * part / parts; i < heads * (part + 1) / parts; ++i) {
            Head head(args, b, i, own);
            backward ? head.gradient() : head.forward();
          }
        });
      },
      scratch);
}

bool supported(const Site& site) {
  return site.in(0).dtype == DType::f32 && element_count(site.in(0).shape) > 0 && element_count(site.in(1).shape) > 0 &&
         element_count(site.in(2).shape) > 0;
}

}  // namespace

void add_fast_attention_kernels(KernelList& list) {
  list.push_back({&ops::attention_op, "block_attention", supported, make<false>, false});
  list.push_back({&ops::attention_grad_op, "block_attention", supported, make<true>, false});
}

}  // namespace ramet::cpu
