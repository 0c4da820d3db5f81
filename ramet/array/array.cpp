#include "ramet/array/array.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "ramet/array/random.h"
#include "ramet/base/memory.h"

namespace ramet {
namespace {

std::shared_ptr<void> allocate(std::size_t bytes) {
  auto memory = aligned_memory(bytes);
  if (!memory) throw DeviceError(cat("out of memory: ", bytes, " bytes wanted for an array"));
  return memory;
}

template <class T>
void print_nested(std::ostream& out, const T*& at, const Shape& shape, std::size_t axis) {
  if (axis == shape.size()) {
    if constexpr (sizeof(T) == 1)
      out << static_cast<int>(*at++);
    else
      out << *at++;
    return;
  }
  out << '[';
  for (std::int64_t i = 0; i < shape[axis]; ++i) {
    if (i) out << ", ";
    print_nested(out, at, shape, axis + 1);
  }
  out << ']';
}

}  // namespace

Array::Array(Shape shape, DType dtype) : Array(uninitialized(std::move(shape), dtype)) {
  std::memset(data_, 0, byte_size());
}

Array Array::uninitialized(Shape shape, DType dtype) {
  Array out;
  out.shape_ = std::move(shape);
  out.dtype_ = dtype;
  out.size_ = element_count(out.shape_);
  std::size_t bytes = 0;
  require(!__builtin_mul_overflow(static_cast<std::size_t>(out.size_), size_of(dtype), &bytes) &&
              bytes <= std::numeric_limits<std::size_t>::max() / 2,
          "Array: shape ", to_string(out.shape_), " is too large");
  out.buffer_ = allocate(bytes);
  out.data_ = out.buffer_.get();
  return out;
}

Array Array::full(Shape shape, double value, DType dtype) {
  Array out(std::move(shape), dtype);
  visit_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (auto& x : out.data<T>()) x = static_cast<T>(value);
  });
  return out;
}

Array Array::arange(std::int64_t count, DType dtype) {
  Array out({count}, dtype);
  visit_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::int64_t i = 0;
    for (auto& x : out.data<T>()) x = static_cast<T>(i++);
  });
  return out;
}

Array Array::random_normal(Shape shape, double mean, double stddev) {
  Array out(std::move(shape), DType::f32);
  fill_normal(out.data<float>().data(), 0, out.size(), {next_seed(), 0}, static_cast<float>(mean),
              static_cast<float>(stddev));
  return out;
}

Array Array::random_uniform(Shape shape, double low, double high) {
  Array out(std::move(shape), DType::f32);
  fill_uniform(out.data<float>().data(), 0, out.size(), {next_seed(), 0}, static_cast<float>(low),
               static_cast<float>(high));
  return out;
}

std::int64_t Array::dim(int axis) const {
  return shape_[static_cast<std::size_t>(canonical_axis(axis, rank(), "Array"))];
}

double Array::at(std::initializer_list<std::int64_t> index) const {
  require(index.size() == rank(), "Array::at: shape ", to_string(shape_), " needs ", rank(), " indices; got ",
          index.size());
  std::int64_t offset = 0;
  std::size_t axis = 0;
  for (const auto i : index) {
    require(i >= 0 && i < shape_[axis], "Array::at: index ", i, " is outside axis ", axis, " of ", to_string(shape_));
    offset = offset * shape_[axis++] + i;
  }
  return visit_element(
      dtype_, [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[static_cast<std::size_t>(offset)]); });
}

double Array::item() const {
  require(size_ == 1, "Array::item: needs exactly one element; the shape is ", to_string(shape_));
  return visit_element(dtype_, [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[0]); });
}

Array Array::copy() const {
  require(defined(), "Array::copy: the array is empty (default constructed)");
  Array out(shape_, dtype_);
  std::memcpy(out.data_, data_, byte_size());
  return out;
}

Array Array::astype(DType dtype) const {
  if (dtype == dtype_) return *this;
  Array out(shape_, dtype);
  visit_element(dtype_, [&](auto from) {
    visit_element(dtype, [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      const auto in = data<From>();
      const auto result = out.data<To>();
      for (std::size_t i = 0; i < in.size(); ++i) result[i] = static_cast<To>(in[i]);
    });
  });
  return out;
}

Array Array::reshape(Shape shape) const {
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (auto& size : shape) {
    if (size == -1) {
      require(!open, "Array::reshape: only one size may be -1; got ", to_string(shape));
      open = &size;
    } else
      known *= size;
  }
  if (open) *open = known ? size_ / known : 0;
  require(element_count(shape) == size_, "Array::reshape: ", to_string(shape_), " cannot become ", to_string(shape));
  Array out = *this;
  out.shape_ = std::move(shape);
  return out;
}

Array Array::rows(std::int64_t begin, std::int64_t end) const {
  require(rank() >= 1 && begin >= 0 && begin <= end && end <= shape_[0], "Array::rows: ", begin, "…", end,
          " is outside ", to_string(shape_));
  Array out = *this;
  const auto row = shape_[0] ? size_ / shape_[0] : 0;
  out.shape_[0] = end - begin;
  out.size_ = row * (end - begin);
  out.data_ = static_cast<char*>(data_) + static_cast<std::size_t>(row * begin) * size_of(dtype_);
  return out;
}

Array Array::take_rows(std::span<const std::int64_t> index) const {
  require(rank() >= 1, "Array::take_rows: a scalar has no rows");
  Shape shape = shape_;
  shape[0] = static_cast<std::int64_t>(index.size());
  Array out(std::move(shape), dtype_);
  const auto bytes = shape_[0] ? byte_size() / static_cast<std::size_t>(shape_[0]) : 0;
  auto* to = static_cast<char*>(out.data_);
  for (const auto i : index) {
    require(i >= 0 && i < shape_[0], "Array::take_rows: row ", i, " is outside ", to_string(shape_));
    std::memcpy(to, static_cast<const char*>(data_) + static_cast<std::size_t>(i) * bytes, bytes);
    to += bytes;
  }
  return out;
}

std::vector<double> Array::to_doubles() const {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(size_));
  visit_element(dtype_, [&](auto zero) {
    for (const auto x : data<decltype(zero)>()) out.push_back(static_cast<double>(x));
  });
  return out;
}

bool Array::identical(const Array& other) const {
  return defined() == other.defined() && dtype_ == other.dtype_ && shape_ == other.shape_ &&
         (byte_size() == 0 || std::memcmp(data_, other.data_, byte_size()) == 0);
}

double max_difference(const Array& a, const Array& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  const auto x = a.to_doubles(), y = b.to_doubles();
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    if (x[i] == y[i]) continue;
    const double d = std::fabs(x[i] - y[i]);
    if (std::isnan(d)) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, d);
  }
  return worst;
}

std::ostream& operator<<(std::ostream& out, const Array& array) {
  if (!array.defined()) return out << "(no array)";
  out << short_name(array.dtype()) << to_string(array.shape()) << ' ';
  constexpr std::int64_t kMost = 64;
  if (array.size() > kMost) {
    const auto values = array.to_doubles();
    return out << '[' << values[0] << ", " << values[1] << ", " << values[2] << ", … , " << values.back() << ']';
  }
  visit_element(array.dtype(), [&](auto zero) {
    const auto* at = array.data<decltype(zero)>().data();
    print_nested(out, at, array.shape(), 0);
  });
  return out;
}

}  // namespace ramet
