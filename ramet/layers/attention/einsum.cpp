#include "ramet/layers/attention/einsum.h"

#include "ramet/ops/ops.h"

namespace ramet::layers {
namespace {

bool has(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }

// Axes moved so that they lie as `to` says. REQUIRES: the same letters in both.
Value arranged(Value x, const std::string& from, const std::string& to) {
  if (from == to) return x;
  std::vector<std::int64_t> axes;
  for (const char c : to) axes.push_back(static_cast<std::int64_t>(from.find(c)));
  return ops::transpose(x, axes);
}

struct Operand {
  Value value;
  std::string letters;
  std::int64_t size(char c) const { return value.shape()[letters.find(c)]; }
};

// Sums the letters that neither the other operand nor the result has.
Operand without_lonely(Operand x, const std::string& other, const std::string& out) {
  ops::Axes axes;
  std::string kept;
  for (std::size_t i = 0; i < x.letters.size(); ++i)
    if (has(other, x.letters[i]) || has(out, x.letters[i]))
      kept += x.letters[i];
    else
      axes.push_back(static_cast<std::int64_t>(i));
  return axes.empty() ? x : Operand{ops::reduce_sum(x.value, axes), kept};
}

std::int64_t product_of(const Operand& x, const std::string& letters) {
  std::int64_t n = 1;
  for (const char c : letters) n *= x.size(c);
  return n;
}

}  // namespace

Value einsum(const Einsum& e, Value a_value, Value b_value) {
  ensure(a_value.rank() == e.a.size() && b_value.rank() == e.b.size(), "einsum: ", e.a, ",", e.b, "->", e.out,
         " of ranks ", a_value.rank(), " and ", b_value.rank());
  const Operand a = without_lonely({a_value, e.a}, e.b, e.out), b = without_lonely({b_value, e.b}, e.a, e.out);
  std::string batch, sum, rows, columns;  // in both and the result; in both only; in a only; in b only
  for (const char c : a.letters)
    if (!has(b.letters, c))
      rows += c;
    else if (has(e.out, c))
      batch += c;
    else
      sum += c;
  for (const char c : b.letters)
    if (!has(a.letters, c)) columns += c;
  for (const char c : batch + sum)
    require(a.size(c) == b.size(c), "einsum ", e.a, ",", e.b, "->", e.out, ": '", c, "' is ", a.size(c), " in ",
            to_string(a_value.shape()), " and ", b.size(c), " in ", to_string(b_value.shape()));

  // As [batch, rows, sum]·[batch, sum, columns]; an operand that lies the other way round already is used transposed.
  const bool ta = a.letters == batch + sum + rows && !rows.empty(),
             tb = b.letters == batch + columns + sum && !columns.empty();
  const std::int64_t n = product_of(a, batch), m = product_of(a, rows), k = product_of(a, sum),
                     p = product_of(b, columns);
  const auto matrix = [&](Value x, std::int64_t r, std::int64_t c) {
    return ops::reshape(x, batch.empty() ? Shape{r, c} : Shape{n, r, c});
  };
  const Value left = ta ? matrix(a.value, k, m) : matrix(arranged(a.value, a.letters, batch + rows + sum), m, k);
  const Value right = tb ? matrix(b.value, p, k) : matrix(arranged(b.value, b.letters, batch + sum + columns), k, p);
  const Value y = ops::matmul(left, right, {.transpose_a = ta, .transpose_b = tb});

  const std::string order = batch + rows + columns;
  Shape shape;
  for (const char c : order) shape.push_back(has(a.letters, c) ? a.size(c) : b.size(c));
  return arranged(ops::reshape(y, shape), order, e.out);
}

}  // namespace ramet::layers
