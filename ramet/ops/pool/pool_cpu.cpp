#include <algorithm>
#include <cstring>
#include <limits>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/pool/pool.h"

namespace ramet::cpu {
namespace {

struct Args {
  Shape x, y;  // with batch and channels
  std::vector<std::int64_t> window, strides, pad;
};

// visit(place in the output, cells of its window that lie inside the input), both in pixels.
template <class Visit>
void each_window(const Args& a, Visit&& visit) {
  const std::size_t spatial = a.window.size();
  const Shape out(a.y.begin() + 1, a.y.end() - 1);
  const auto places = element_count(out), cells = element_count(a.window);
  const std::int64_t pixels = element_count(Shape(a.x.begin() + 1, a.x.end() - 1));
  std::vector<std::int64_t> inside;
  Shape p(spatial);
  for (std::int64_t n = 0; n < a.y[0]; ++n)
    for (std::int64_t place = 0; place < places; ++place) {
      std::int64_t rest = place;
      for (std::size_t i = spatial; i-- > 0; rest /= out[i]) p[i] = rest % out[i];
      inside.clear();
      for (std::int64_t cell = 0; cell < cells; ++cell) {
        std::int64_t at = 0, unit = 1, c = cell;
        bool valid = true;
        for (std::size_t i = spatial; i-- > 0; c /= a.window[i]) {
          const auto x = p[i] * a.strides[i] + c % a.window[i] - a.pad[i];
          valid = valid && x >= 0 && x < a.x[i + 1];
          at += x * unit;
          unit *= a.x[i + 1];
        }
        if (valid) inside.push_back(n * pixels + at);
      }
      visit(n * places + place, inside);
    }
}

Args make_args(const Site& site, const Shape& x, const Shape& y) {
  const auto& a = site.attrs<ops::PoolAttrs>();
  return {x, y, a.window, a.strides, a.pad_before};
}

template <class Make>
Step floating(const Site& site, Make make) {
  return site.out().dtype == DType::f64 ? make(double{}) : make(float{});
}

Step make_max(const Site& site) {
  return floating(site, [&](auto zero) {
    return make_step(make_args(site, site.in(0).shape, site.out().shape), [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const auto channels = a.x.back();
      each_window(a, [&](std::int64_t place, const auto& cells) {
        T* y = b.output<T>(0) + place * channels;
        std::fill(y, y + channels, -std::numeric_limits<T>::infinity());
        for (const auto cell : cells)
          for (std::int64_t c = 0; c < channels; ++c) {
            const T x = b.input<T>(0)[cell * channels + c];
            if (x > y[c] || x != x) y[c] = x;
          }
      });
    });
  });
}

Step make_avg(const Site& site) {
  return floating(site, [&](auto zero) {
    return make_step(make_args(site, site.in(0).shape, site.out().shape), [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const auto channels = a.x.back();
      each_window(a, [&](std::int64_t place, const auto& cells) {
        T* y = b.output<T>(0) + place * channels;
        for (std::int64_t c = 0; c < channels; ++c) {
          T sum = 0;
          for (const auto cell : cells) sum += b.input<T>(0)[cell * channels + c];
          y[c] = sum / static_cast<T>(cells.size());
        }
      });
    });
  });
}

Step make_max_grad(const Site& site) {
  return floating(site, [&](auto zero) {
    return make_step(make_args(site, site.in(0).shape, site.in(1).shape), [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const auto channels = a.x.back();
      const T *x = b.input<T>(0), *dy = b.input<T>(1);
      T* dx = b.output<T>(0);
      std::memset(dx, 0, static_cast<std::size_t>(element_count(a.x)) * sizeof(T));
      each_window(a, [&](std::int64_t place, const auto& cells) {
        for (std::int64_t c = 0; c < channels && !cells.empty(); ++c) {
          auto best = cells[0];
          for (const auto cell : cells)
            if (x[cell * channels + c] > x[best * channels + c]) best = cell;
          dx[best * channels + c] += dy[place * channels + c];
        }
      });
    });
  });
}

Step make_avg_grad(const Site& site) {
  const auto& a = site.attrs<ops::AvgPoolGradAttrs>();
  Args args{a.shape, site.in(0).shape, a.window, a.strides, a.pad_before};
  return floating(site, [&](auto zero) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(zero);
      const auto channels = a.x.back();
      T* dx = b.output<T>(0);
      std::memset(dx, 0, static_cast<std::size_t>(element_count(a.x)) * sizeof(T));
      each_window(a, [&](std::int64_t place, const auto& cells) {
        for (const auto cell : cells)
          for (std::int64_t c = 0; c < channels; ++c)
            dx[cell * channels + c] += b.input<T>(0)[place * channels + c] / static_cast<T>(cells.size());
      });
    });
  });
}

}  // namespace

void add_pool_kernels(KernelList& list) {
  list.push_back({&ops::max_pool_op, "ref_pool", always, make_max});
  list.push_back({&ops::avg_pool_op, "ref_pool", always, make_avg});
  list.push_back({&ops::max_pool_grad_op, "ref_pool", always, make_max_grad});
  list.push_back({&ops::avg_pool_grad_op, "ref_pool", always, make_avg_grad});
}

}  // namespace ramet::cpu
