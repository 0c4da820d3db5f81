#include "cli/step_data.h"

#include "cli/common.h"
#include "ramet/array/random.h"
#include "ramet/train/training.h"

namespace ramet::cli {
namespace {

Shape filled(Shape shape, std::int64_t batch_size, std::int64_t length) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == None) shape[i] = i == 0 ? batch_size : length;
  return shape;
}

// Within [0, 1), so that they are also indices of any Embedding.
Array sample(const Shape& shape, DType dtype) {
  return is_floating(dtype) ? Array::random_uniform(shape).astype(dtype) : Array(shape, dtype);
}

bool is_sparse(const Json& loss) {
  const Json* name = loss.is_object() ? loss.as_object().find("class_name") : &loss;
  return name && name->is_string() &&
         (name->as_string().starts_with("sparse_") || name->as_string().starts_with("Sparse"));
}

// The loss of output i: one for all, a list, or by name.
Json loss_of(const Json& losses, std::size_t i, const std::string& output) {
  if (losses.is_array()) return i < losses.as_array().size() ? losses.as_array()[i] : Json();
  if (losses.is_object() && !losses.as_object().contains("class_name")) {
    const Json* loss = losses.as_object().find(output);
    return loss ? *loss : Json();
  }
  return losses;
}

}  // namespace

StepData step_data(const std::string& path, std::int64_t batch_size, std::int64_t length, bool train) {
  StepData out;
  out.model = open_model(path, train ? Compile::as_saved : Compile::no);
  if (!out.model.layer().has_graph())
    throw DataError(cat(path, ": the Sequential has no input shape, so its step is not known yet"));
  set_random_seed(1);
  Arrays xs, ys;
  for (const Tensor& t : out.model.inputs()) xs.push_back(sample(filled(t.shape(), batch_size, length), t.dtype()));
  out.x = Feed(std::move(xs));
  if (!train) return out;
  if (!out.model.compiled()) {
    say("the file says nothing about training; taking Adam and the mean squared error");
    out.model.compile({.optimizer = "adam", .loss = "mse"});
  }
  const Json losses = out.model.get_compile_config().at("loss");
  const auto names = train::output_names(out.model.layer());
  const Arrays predicted = out.model.predict(out.x, {.batch_size = batch_size});
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const Json loss = loss_of(losses, i, names[i]);
    Shape shape = predicted[i].shape();
    if (is_sparse(loss)) shape.pop_back();
    ys.push_back(loss.is_null() ? Array() : is_sparse(loss) ? Array(shape, DType::i32) : sample(shape, DType::f32));
  }
  out.y = Feed(std::move(ys));
  return out;
}

}  // namespace ramet::cli
