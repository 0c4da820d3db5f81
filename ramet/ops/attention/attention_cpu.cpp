// Attention query by query. Sums in double, so that comparing with it measures the other's rounding.
#include <cmath>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/attention/attention.h"

namespace ramet::cpu {
namespace {

struct Args {
  ops::AttentionSizes sizes;
  ops::AttentionAttrs attrs;
  Shape mask;  // empty: none
};

// One query of one head of one sample.
struct Query {
  std::int64_t sample, head, query;
};

template <class T>
const T* row(const T* x, const Query& at, std::int64_t step, std::int64_t steps, const Args& a, std::int64_t size) {
  return x ? x + ((at.sample * steps + step) * a.sizes.heads + at.head) * size : nullptr;
}
template <class T>
T* row(T* x, const Query& at, std::int64_t step, std::int64_t steps, const Args& a, std::int64_t size) {
  return const_cast<T*>(row(static_cast<const T*>(x), at, step, steps, a, size));
}

template <class T>
double dot(const T* a, const T* b, std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

bool sees(const Args& a, const bool* mask, const Query& at, std::int64_t key) {
  if (a.attrs.causal && key > at.query) return false;
  if (!mask) return true;
  const std::int64_t i[] = {at.sample, at.head, at.query};
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < 3; ++d) offset = offset * a.mask[d] + (a.mask[d] == 1 ? 0 : i[d]);
  return mask[offset * a.mask[3] + key];
}

template <class T>
std::vector<T> scores(const Args& a, const Buffers& b, const bool* mask, const Query& at) {
  const auto& s = a.sizes;
  std::vector<T> out(static_cast<std::size_t>(s.keys));
  const T* q = row(b.input<T>(0), at, at.query, s.queries, a, s.size);
  for (std::int64_t j = 0; j < s.keys; ++j)
    out[static_cast<std::size_t>(j)] =
        sees(a, mask, at, j)
            ? static_cast<T>(a.attrs.scale * dot(q, row(b.input<T>(1), at, j, s.keys, a, s.size), s.size))
            : static_cast<T>(ops::kHiddenScore);
  return out;
}

template <class F>
void for_each_query(const ops::AttentionSizes& s, F&& f) {
  for (std::int64_t sample = 0; sample < s.batch; ++sample)
    for (std::int64_t head = 0; head < s.heads; ++head)
      for (std::int64_t query = 0; query < s.queries; ++query)
        f(Query{sample, head, query}, 2 * ((sample * s.heads + head) * s.queries + query));
}

template <class T>
void forward(const Args& a, const Buffers& b) {
  const auto& s = a.sizes;
  const bool* mask = a.attrs.masked ? b.input<bool>(3) : nullptr;
  T* statistics = b.output<T>(1);
  for_each_query(s, [&](const Query& at, std::int64_t kept) {
    const std::vector<T> score = scores<T>(a, b, mask, at);
    double top = -INFINITY, sum = 0;
    for (const T x : score) top = std::max(top, static_cast<double>(x));
    std::vector<double> y(static_cast<std::size_t>(s.value_size), 0.0);
    for (std::int64_t j = 0; j < s.keys; ++j) {
      const double weight = std::exp(static_cast<double>(score[static_cast<std::size_t>(j)]) - top);
      const T* v = row(b.input<T>(2), at, j, s.keys, a, s.value_size);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += weight * static_cast<double>(v[i]);
      sum += weight;
    }
    T* out = row(b.output<T>(0), at, at.query, s.queries, a, s.value_size);
    for (std::size_t i = 0; out && i < y.size(); ++i) out[i] = static_cast<T>(y[i] / sum);
    if (statistics) statistics[kept] = static_cast<T>(top), statistics[kept + 1] = static_cast<T>(1 / sum);
  });
}

// With p = softmax(s): dv += p dy, ds = p (dy·v - Σ p (dy·v)) where the query may look, dq = scale ds·k, dk += ds scale
// q.
template <class T>
void gradient(const Args& a, const Buffers& b) {
  const auto& s = a.sizes;
  const bool* mask = a.attrs.masked ? b.input<bool>(5) : nullptr;
  const auto zeros = [](std::int64_t n) { return std::vector<double>(static_cast<std::size_t>(n), 0.0); };
  const std::int64_t keys = s.batch * s.keys * s.heads;
  std::vector<double> dk = zeros(keys * s.size), dv = zeros(keys * s.value_size);
  for_each_query(s, [&](const Query& at, std::int64_t kept) {
    const T *statistics = b.input<T>(3) + kept, *dy = row(b.input<T>(4), at, at.query, s.queries, a, s.value_size);
    std::vector<double> p = zeros(s.keys), dp = zeros(s.keys), dq = zeros(s.size);
    const std::vector<T> score = scores<T>(a, b, mask, at);
    double mean = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      p[j] = std::exp(static_cast<double>(score[j]) - static_cast<double>(statistics[0])) *
             static_cast<double>(statistics[1]);
      dp[j] = dot(dy, row(b.input<T>(2), at, static_cast<std::int64_t>(j), s.keys, a, s.value_size), s.value_size);
      mean += p[j] * dp[j];
    }
    const T* q = row(b.input<T>(0), at, at.query, s.queries, a, s.size);
    for (std::int64_t j = 0; j < s.keys; ++j) {
      const double weight = p[static_cast<std::size_t>(j)];
      double* to_v = row(dv.data(), at, j, s.keys, a, s.value_size);
      for (std::int64_t i = 0; i < s.value_size; ++i) to_v[i] += weight * static_cast<double>(dy[i]);
      if (!sees(a, mask, at, j)) continue;
      const double ds = a.attrs.scale * weight * (dp[static_cast<std::size_t>(j)] - mean);
      const T* k = row(b.input<T>(1), at, j, s.keys, a, s.size);
      double* to_k = row(dk.data(), at, j, s.keys, a, s.size);
      for (std::size_t i = 0; i < dq.size(); ++i)
        dq[i] += ds * static_cast<double>(k[i]), to_k[i] += ds * static_cast<double>(q[i]);
    }
    T* out = row(b.output<T>(0), at, at.query, s.queries, a, s.size);
    for (std::size_t i = 0; out && i < dq.size(); ++i) out[i] = static_cast<T>(dq[i]);
  });
  for (std::size_t i = 0; b.output<T>(1) && i < dk.size(); ++i) b.output<T>(1)[i] = static_cast<T>(dk[i]);
  for (std::size_t i = 0; b.output<T>(2) && i < dv.size(); ++i) b.output<T>(2)[i] = static_cast<T>(dv[i]);
}

template <bool backward>
Step make(const Site& site) {
  const auto& at = site.attrs<ops::AttentionAttrs>();
  const Args args{ops::attention_sizes("attention", site.in(0), site.in(1), site.in(2)), at,
                  at.masked ? site.in(site.in_count() - 1).shape : Shape{}};
  const auto step = [&](auto zero) {
    return make_step(args, [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      if constexpr (backward)
        gradient<T>(a, b);
      else
        forward<T>(a, b);
    });
  };
  return site.out().dtype == DType::f64 ? step(double{}) : step(float{});
}

}  // namespace

void add_attention_kernels(KernelList& list) {
  list.push_back({&ops::attention_op, "ref_attention", always, make<false>});
  list.push_back({&ops::attention_grad_op, "ref_attention", always, make<true>});
}

}  // namespace ramet::cpu
