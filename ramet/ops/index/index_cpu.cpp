#include <cstring>

#include "ramet/backend/cpu/kernel_list.h"
#include "ramet/ops/index/checked_index.h"
#include "ramet/ops/index/index.h"

namespace ramet::cpu {
namespace {

struct Args {
  std::int64_t count, size, row;  // indices; valid range; elements per row
  std::string what;
};

std::int64_t row_length(const Shape& shape, std::size_t from) {
  std::int64_t n = 1;
  for (std::size_t i = from; i < shape.size(); ++i) n *= shape[i];
  return n;
}

template <class I>
I checked(I i, const Args& a) {
  return checked_index(i, a.size, a.what);
}

// Calls make(T{}, I{}) for the element type and the type of the indices.
template <class Make>
Step by_types(DType value, DType index, Make make) {
  return visit_element(value,
                       [&](auto t) { return index == DType::i32 ? make(t, std::int32_t{}) : make(t, std::int64_t{}); });
}

Step make_gather(const Site& site) {
  Args args{element_count(site.in(1).shape), site.in(0).shape[0], row_length(site.in(0).shape, 1),
            site.attrs<ops::GatherAttrs>().what};
  return by_types(site.out().dtype, site.in(1).dtype, [&](auto t, auto i) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(t);
      const auto* index = b.input<decltype(i)>(1);
      const auto bytes = static_cast<std::size_t>(a.row) * sizeof(T);
      for (std::int64_t k = 0; k < a.count; ++k)
        std::memcpy(b.output<T>(0) + k * a.row, b.input<T>(0) + checked(index[k], a) * a.row, bytes);
    });
  });
}

Step make_scatter_add(const Site& site) {
  Args args{element_count(site.in(0).shape), site.attrs<ops::ScatterAttrs>().size, row_length(site.out().shape, 1),
            "index"};
  return by_types(site.out().dtype, site.in(0).dtype, [&](auto t, auto i) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(t);
      const auto* index = b.input<decltype(i)>(0);
      const T* rows = b.input<T>(1);
      T* y = b.output<T>(0);
      std::memset(y, 0, static_cast<std::size_t>(a.size * a.row) * sizeof(T));
      for (std::int64_t k = 0; k < a.count; ++k) {
        T* to = y + checked(index[k], a) * a.row;
        for (std::int64_t j = 0; j < a.row; ++j) to[j] = static_cast<T>(to[j] + rows[k * a.row + j]);
      }
    });
  });
}

Step make_take_last(const Site& site) {
  Args args{element_count(site.in(1).shape), site.in(0).dim(-1), 1, site.attrs<ops::GatherAttrs>().what};
  return by_types(site.out().dtype, site.in(1).dtype, [&](auto t, auto i) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(t);
      const auto* index = b.input<decltype(i)>(1);
      for (std::int64_t k = 0; k < a.count; ++k) b.output<T>(0)[k] = b.input<T>(0)[k * a.size + checked(index[k], a)];
    });
  });
}

Step make_put_last(const Site& site) {
  Args args{element_count(site.in(0).shape), site.attrs<ops::ScatterAttrs>().size, 1, "index"};
  return by_types(site.out().dtype, site.in(0).dtype, [&](auto t, auto i) {
    return make_step(std::move(args), [](const Args& a, const Buffers& b) {
      using T = decltype(t);
      const auto* index = b.input<decltype(i)>(0);
      T* y = b.output<T>(0);
      std::memset(y, 0, static_cast<std::size_t>(a.count * a.size) * sizeof(T));
      for (std::int64_t k = 0; k < a.count; ++k) y[k * a.size + checked(index[k], a)] = b.input<T>(1)[k];
    });
  });
}

}  // namespace

void add_index_kernels(KernelList& list) {
  list.push_back({&ops::gather_op, "gather", always, make_gather});
  list.push_back({&ops::scatter_add_op, "scatter_add", always, make_scatter_add});
  list.push_back({&ops::take_last_op, "take_last", always, make_take_last});
  list.push_back({&ops::put_last_op, "put_last", always, make_put_last});
}

}  // namespace ramet::cpu
