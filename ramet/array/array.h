// Data: a dense row-major array. `Array` is a handle; copying it shares the elements, `copy()` duplicates them.
#pragma once
#include <initializer_list>
#include <memory>
#include <ostream>
#include <span>
#include <vector>

#include "ramet/array/dtype.h"
#include "ramet/array/index.h"
#include "ramet/array/shape.h"

namespace ramet {

class Array {
 public:
  Array() = default;                                      // no elements, not even a shape; `defined()` is false
  explicit Array(Shape shape, DType dtype = DType::f32);  // zeros

  static Array uninitialized(Shape shape, DType dtype);  // for whoever writes every element
  static Array zeros(Shape shape, DType dtype = DType::f32) { return Array(std::move(shape), dtype); }
  static Array full(Shape shape, double value, DType dtype = DType::f32);
  static Array arange(std::int64_t count, DType dtype = DType::f32);
  static Array scalar(double value, DType dtype = DType::f32) { return full({}, value, dtype); }
  template <class T>
  static Array of(Shape shape, std::span<const T> values);  // copies; the count must fit the shape
  template <class T>
  static Array of(Shape shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Array of(Shape shape, const std::vector<T>& values) {
    return of<T>(std::move(shape), std::span<const T>(values));
  }
  // Elements that the caller keeps alive and does not change while the array is used.
  template <class T>
  static Array view(Shape shape, std::span<const T> values);
  // Drawn from the process' random stream (set_random_seed).
  static Array random_normal(Shape shape, double mean = 0, double stddev = 1);
  static Array random_uniform(Shape shape, double low = 0, double high = 1);

  bool defined() const { return buffer_ != nullptr; }
  const Shape& shape() const { return shape_; }
  std::int64_t dim(int axis) const;  // negative counts from the end
  std::size_t rank() const { return shape_.size(); }
  DType dtype() const { return dtype_; }
  std::int64_t size() const { return size_; }
  std::size_t byte_size() const { return static_cast<std::size_t>(size_) * size_of(dtype_); }

  const void* raw() const { return data_; }
  void* raw() { return data_; }
  template <class T>
  std::span<const T> data() const;  // UsageError when T is not the element type
  template <class T>
  std::span<T> data();
  double at(std::initializer_list<std::int64_t> index) const;  // any element type, as double
  double item() const;                                         // the only element

  Array copy() const;
  Array astype(DType dtype) const;                         // shares when the type is the same
  Array reshape(Shape shape) const;                        // shares; one -1 is worked out
  Array rows(std::int64_t begin, std::int64_t end) const;  // shares; along axis 0
  Array take_rows(std::span<const std::int64_t> index) const;
  std::vector<double> to_doubles() const;

  // What Python writes x[i], x[2:5] and x[:, 1:3]: x[i], x[Slice(2, 5)], x[{kAll, Slice(1, 3)}]. A copy. Defined in
  // ramet/eager, as are the functions and operators on arrays (ramet/graph/functions.h).
  Array operator[](const Index& index) const;
  Array operator[](std::initializer_list<Index> key) const;
  template <std::integral I>
  Array operator[](I i) const {
    return (*this)[Index(i)];
  }

  // Same type, shape and bits (NaN equals itself).
  bool identical(const Array& other) const;

 private:
  std::shared_ptr<void> buffer_;
  void* data_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::f32;
  std::int64_t size_ = 0;
};

using Arrays = std::vector<Array>;

// Largest |a - b|; infinity when shapes differ or only one of a pair is NaN.
double max_difference(const Array& a, const Array& b);

std::ostream& operator<<(std::ostream& out,
                         const Array& array);  // f32(2, 3) [[1, 2, 3], [4, 5, 6]], long ones shortened

template <class T>
Array Array::of(Shape shape, std::span<const T> values) {
  Array out(std::move(shape), dtype_of<T>());
  require(static_cast<std::int64_t>(values.size()) == out.size(), "Array: shape ", to_string(out.shape()), " needs ",
          out.size(), " values; got ", values.size());
  auto* to = static_cast<T*>(out.raw());
  for (std::size_t i = 0; i < values.size(); ++i) to[i] = values[i];
  return out;
}

template <class T>
Array Array::view(Shape shape, std::span<const T> values) {
  Array out;
  out.size_ = element_count(shape);
  out.shape_ = std::move(shape);
  out.dtype_ = dtype_of<T>();
  require(static_cast<std::int64_t>(values.size()) == out.size_, "Array::view: shape ", to_string(out.shape_),
          " needs ", out.size_, " values; got ", values.size());
  out.data_ = const_cast<T*>(values.data());
  out.buffer_ = std::shared_ptr<void>(out.data_, [](void*) {});
  return out;
}

template <class T>
std::span<const T> Array::data() const {
  require(dtype_ == dtype_of<T>(), "Array: elements are ", dtype_, ", not ", dtype_of<T>());
  return {static_cast<const T*>(data_), static_cast<std::size_t>(size_)};
}

template <class T>
std::span<T> Array::data() {
  require(dtype_ == dtype_of<T>(), "Array: elements are ", dtype_, ", not ", dtype_of<T>());
  return {static_cast<T*>(data_), static_cast<std::size_t>(size_)};
}

}  // namespace ramet
