"""Records activations, losses, metrics, optimizers, schedules, constraints, regularizers and initializers.

usage: functions.py DATA_FOLDER
"""

import itertools
import sys

import jax
import jax.numpy as jnp
import keras
import numpy as np
from keras.src import backend

from recording import Recording

rng = np.random.default_rng(20)


def normal(*shape):
    return rng.normal(size=shape).astype("float32")


def serialized(obj, arguments=()):
    """The object's config, completed by arguments that this Keras version forgets to write."""
    config = keras.saving.serialize_keras_object(obj)
    for key, value in dict(arguments).items():
        config["config"].setdefault(key, value)
    return config


def value_and_gradient(function, x):
    """function(x) and the gradient of its sum."""
    x = jnp.asarray(x)
    return np.asarray(function(x)), np.asarray(jax.grad(lambda v: jnp.sum(function(v)))(x))


# --- activations -------------------------------------------------------------------------------------------------

POINTWISE = """celu elu exponential gelu hard_shrink hard_sigmoid hard_silu hard_swish hard_tanh leaky_relu linear
    log_sigmoid mish relu relu6 selu sigmoid silu swish soft_shrink softplus softsign sparse_plus sparse_sigmoid
    squareplus tanh tanh_shrink""".split()
ROWWISE = ["softmax", "log_softmax", "glu", "sparsemax"]


def activations(out):
    positive = [1e-30, 1e-7, 1e-3, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 6, 7, 10, 20, 50, 88, 89, 1e4, 1e30]
    x = np.array([0, *positive, *[-v for v in positive], *normal(20)], "float32")
    for name in POINTWISE:
        y, dx = value_and_gradient(keras.activations.get(name), x)
        out.case(kind="activation", name=name, x=x, y=y, dx=dx)
    matrices = [normal(3, 6), normal(2, 3, 4) * 5, np.array([[0, 0, 0, 0], [88, -88, 1e4, 1e4], [-1e4, 0, 3, 3]], "float32")]
    for name in ROWWISE:
        function = keras.activations.get(name)
        for x in matrices:
            y = np.asarray(function(x))
            r = normal(*y.shape)
            dx = np.asarray(jax.grad(lambda v: jnp.sum(function(v) * r))(jnp.asarray(x)))
            out.case(kind="activation", name=name, x=x, y=y, r=r, dx=dx)


# --- losses ------------------------------------------------------------------------------------------------------

REDUCTIONS = ["sum_over_batch_size", "mean", "sum", "none", None, "mean_with_sample_weight"]


def probabilities(*shape):
    x = np.exp(normal(*shape))
    return (x / x.sum(-1, keepdims=True)).astype("float32")


def one_hot(*shape):
    return np.eye(shape[-1], dtype="float32")[rng.integers(0, shape[-1], shape[:-1])]


def loss_data(kind, shape):
    """(y_true, y_pred) that suit a kind of loss."""
    if kind == "regression":
        return normal(*shape), normal(*shape)
    if kind == "positive":
        return np.abs(normal(*shape)), np.abs(normal(*shape)) + np.float32(0.01)
    if kind == "binary":
        return rng.integers(0, 2, shape).astype("float32"), rng.uniform(0.01, 0.99, shape).astype("float32")
    if kind == "binary_logits":
        return rng.integers(0, 2, shape).astype("float32"), normal(*shape) * 3
    if kind == "signs":
        return rng.choice([-1.0, 1.0], shape).astype("float32"), normal(*shape)
    if kind == "distribution":
        return probabilities(*shape), probabilities(*shape)
    if kind == "one_hot":
        return one_hot(*shape), probabilities(*shape)
    if kind == "one_hot_logits":
        return one_hot(*shape), normal(*shape) * 3
    if kind == "sparse":
        return rng.integers(0, shape[-1], shape[:-1]).astype("int32"), probabilities(*shape)
    if kind == "sparse_logits":
        return rng.integers(0, shape[-1], shape[:-1]).astype("int32"), normal(*shape) * 3
    raise ValueError(kind)


def record_loss(out, cls, arguments, reduction, y_true, y_pred, sample_weight=None, mask=None):
    loss = getattr(keras.losses, cls)(reduction=reduction, **arguments)

    def function(p):
        if mask is not None:
            backend.set_keras_mask(p, jnp.asarray(mask))
        return loss(y_true, p, sample_weight)

    value, gradient = value_and_gradient(function, y_pred)
    out.case(
        kind="loss", config=serialized(loss, arguments), y_true=y_true, y_pred=y_pred, sample_weight=sample_weight,
        mask=mask, value=value, dy_pred=gradient,
    )  # fmt: skip


def losses(out):
    variants = []  # (class, arguments, kind of data)
    for cls in ["MeanSquaredError", "MeanAbsoluteError", "LogCosh", "CosineSimilarity", "Huber"]:
        variants.append((cls, {}, "regression"))
    variants += [("Huber", {"delta": d}, "regression") for d in (0.1, 0.5, 3.0)]
    variants += [("MeanAbsolutePercentageError", {}, "regression"), ("MeanSquaredLogarithmicError", {}, "positive")]
    variants += [("MeanSquaredLogarithmicError", {}, "regression"), ("Poisson", {}, "positive"), ("KLDivergence", {}, "distribution")]
    for cls in ["Hinge", "SquaredHinge"]:
        variants += [(cls, {}, "signs"), (cls, {}, "binary_logits"), (cls, {}, "regression")]
    variants += [("CategoricalHinge", {}, "one_hot_logits"), ("CategoricalHinge", {}, "signs")]
    for smoothing in (0.0, 0.1):
        for suffix, logits in (("", False), ("_logits", True)):
            common = {"from_logits": logits, "label_smoothing": smoothing}
            variants.append(("BinaryCrossentropy", common, "binary" + suffix))
            variants.append(("CategoricalCrossentropy", common, "one_hot" + suffix))
            for gamma in (0.0, 2.0, 1.5):
                variants.append(("CategoricalFocalCrossentropy", {**common, "gamma": gamma}, "one_hot" + suffix))
                variants.append(("BinaryFocalCrossentropy", {**common, "gamma": gamma}, "binary" + suffix))
            variants.append(("BinaryFocalCrossentropy", {**common, "apply_class_balancing": True, "alpha": 0.3}, "binary" + suffix))
            variants.append(("CategoricalFocalCrossentropy", {**common, "alpha": 0.6}, "one_hot" + suffix))
    variants.append(("CategoricalFocalCrossentropy", {"alpha": [0.1, 0.2, 0.3, 0.25, 0.15]}, "one_hot"))
    for suffix, logits in (("", False), ("_logits", True)):
        for ignore in (None, 0, 2, -1):
            variants.append(("SparseCategoricalCrossentropy", {"from_logits": logits, "ignore_class": ignore}, "sparse" + suffix))

    # Every loss: each reduction once, with weights and masks of every fitting shape taken in turn.
    matrix_extras = itertools.cycle([(None, None), ("batch", None), ("batch1", None), (None, "batch"), ("batch", "batch")])
    sequence_extras = itertools.cycle(
        [(None, None), ("steps", None), ("batch1", None), (None, "steps"), ("steps", "steps"), ("batch1", "steps"), (None, "none")]
    )
    for cls, arguments, kind in variants:
        for shape, extras in (((4, 5), matrix_extras), ((3, 4, 5), sequence_extras)):
            shapes = {"batch": shape[:1], "batch1": (shape[0], 1), "steps": shape[:2], "none": shape[:2]}
            for reduction in REDUCTIONS:
                weight, mask = next(extras)
                y_true, y_pred = loss_data(kind, shape)
                weight = None if weight is None else rng.uniform(0, 3, shapes[weight]).astype("float32")
                if mask is not None:
                    mask = np.zeros(shapes[mask], bool) if mask == "none" else rng.random(shapes[mask]) < 0.6
                record_loss(out, cls, arguments, reduction, y_true, y_pred, weight, mask)

    # Ranks that are squeezed or expanded, other axes, saturated and confident predictions.
    for cls in ["MeanSquaredError", "MeanAbsoluteError", "Huber", "Hinge"]:
        for a, b in (((5, 1), (5,)), ((5,), (5, 1)), ((5,), (5,)), ((2, 3, 1), (2, 3)), ((2, 3), (2, 3, 1))):
            record_loss(out, cls, {}, "sum_over_batch_size", normal(*a), normal(*b))
            record_loss(out, cls, {}, "none", normal(*a), normal(*b))
    y = rng.integers(0, 2, (6,)).astype("float32")
    for arguments in ({}, {"from_logits": True}):
        record_loss(out, "BinaryCrossentropy", arguments, "mean", y, rng.uniform(0.1, 0.9, (6, 1)).astype("float32"))
        record_loss(out, "BinaryCrossentropy", arguments, "mean", y[:, None], np.array([[0], [1], [0.5], [1e-9], [1], [0]], "float32"))
        record_loss(out, "BinaryFocalCrossentropy", arguments, "none", y[:, None], np.array([[0], [1], [0.5], [0.1], [1], [0]], "float32"))
        labels = rng.integers(0, 5, (6, 1))
        for dtype in ("int32", "float32", "uint8"):
            record_loss(out, "SparseCategoricalCrossentropy", arguments, "mean", labels.astype(dtype), probabilities(6, 5))
        hard = one_hot(6, 5)
        record_loss(out, "SparseCategoricalCrossentropy", arguments, "none", labels.astype("int32"), hard)
        record_loss(out, "CategoricalCrossentropy", arguments, "none", one_hot(6, 5), hard)
        record_loss(out, "CategoricalCrossentropy", arguments, "none", one_hot(6, 5), np.abs(normal(6, 5)) * 4)
    for axis in (0, 1, -2, -1):
        record_loss(out, "CosineSimilarity", {"axis": axis}, "none", normal(3, 4, 2), normal(3, 4, 2))
        record_loss(out, "BinaryCrossentropy", {"axis": axis}, "none", *loss_data("binary", (3, 4, 2)))
        record_loss(out, "CategoricalCrossentropy", {"axis": axis, "label_smoothing": 0.2}, "none", one_hot(3, 4, 2), probabilities(3, 4, 2))
        logits = {"axis": axis, "from_logits": True}
        record_loss(out, "CategoricalCrossentropy", logits, "none", one_hot(3, 4, 2), normal(3, 4, 2))
        record_loss(out, "BinaryFocalCrossentropy", {"axis": axis}, "none", *loss_data("binary", (3, 4, 2)))
    record_loss(out, "CosineSimilarity", {}, "none", np.zeros((2, 3), "float32"), normal(2, 3))
    record_loss(out, "MeanAbsolutePercentageError", {}, "none", np.zeros((2, 3), "float32"), normal(2, 3))
    record_loss(out, "KLDivergence", {}, "none", one_hot(2, 3), one_hot(2, 3))
    record_loss(out, "Poisson", {}, "none", np.ones((2, 3), "float32"), np.zeros((2, 3), "float32"))
    big = np.array([[-100, -20, -1, 0, 1e-3, 1, 20, 100]], "float32")
    for cls in ("LogCosh", "Huber", "MeanSquaredError", "SquaredHinge"):
        record_loss(out, cls, {}, "sum", np.ones_like(big), big)


# --- metrics -----------------------------------------------------------------------------------------------------


def record_metric(out, cls, arguments, updates):
    """updates: list of (y_true, y_pred, sample_weight, mask), or (values, None, weight, None) for Mean and Sum."""
    metric = getattr(keras.metrics, cls)(**arguments)
    steps = []
    for y_true, y_pred, weight, mask in updates:
        if y_pred is None:
            metric.update_state(y_true, sample_weight=weight)
            step = {"values": y_true}
        else:
            p = jnp.asarray(y_pred)
            if mask is not None:
                backend.set_keras_mask(p, jnp.asarray(mask))
            metric.update_state(jnp.asarray(y_true), p, sample_weight=weight)
            step = {"y_true": y_true, "y_pred": y_pred, "mask": mask}
        steps.append({**step, "sample_weight": weight, "result": np.asarray(metric.result())})
    out.case(
        kind="metric", config=serialized(metric, arguments), steps=steps,
        variables=[{"name": v.name, "value": np.asarray(v.value)} for v in metric.variables],
    )  # fmt: skip


def metrics(out):
    for cls in ("Mean", "Sum"):
        record_metric(out, cls, {}, [(normal(4), None, None, None), (normal(3), None, None, None)])
        weights = [normal(5), np.abs(normal(2, 1)), np.abs(normal(2, 3)), np.float32(0.5)]
        values = [normal(5), normal(2, 3), normal(2, 3), np.float32(2.5)]
        record_metric(out, cls, {}, [(v, None, w.astype("float32") if w.ndim else np.asarray(w), None) for v, w in zip(values, weights)])
    variants = [(cls, {}, "regression") for cls in ("MeanSquaredError", "RootMeanSquaredError", "MeanAbsoluteError",
        "MeanAbsolutePercentageError", "CosineSimilarity", "LogCoshError")]  # fmt: skip
    variants += [("MeanSquaredLogarithmicError", {}, "positive"), ("Poisson", {}, "positive"), ("KLDivergence", {}, "distribution")]
    variants += [("Hinge", {}, "signs"), ("Hinge", {}, "binary_logits"), ("SquaredHinge", {}, "signs"), ("CategoricalHinge", {}, "one_hot_logits")]
    variants += [("CosineSimilarity", {"axis": 1}, "regression")]
    variants += [("BinaryAccuracy", a, "binary") for a in ({}, {"threshold": 0.7}, {"threshold": 0.2})]
    variants += [("CategoricalAccuracy", {}, "one_hot"), ("CategoricalAccuracy", {}, "distribution"), ("SparseCategoricalAccuracy", {}, "sparse")]
    variants += [("TopKCategoricalAccuracy", {"k": k}, "one_hot") for k in (1, 2, 3, 5)]
    variants += [("SparseTopKCategoricalAccuracy", {"k": k}, "sparse") for k in (1, 2, 3, 5)]
    for suffix, logits in (("", False), ("_logits", True)):
        for smoothing in (0.0, 0.1):
            common = {"from_logits": logits, "label_smoothing": smoothing}
            variants += [("BinaryCrossentropy", common, "binary" + suffix), ("CategoricalCrossentropy", common, "one_hot" + suffix)]
        for ignore in (None, 1):
            variants.append(("SparseCategoricalCrossentropy", {"from_logits": logits, "ignore_class": ignore}, "sparse" + suffix))
    for cls, arguments, kind in variants:
        plain, weighted, masked = [], [], []
        for batch in (4, 4, 3):
            plain.append((*loss_data(kind, (batch, 5)), None, None))
            weighted.append((*loss_data(kind, (batch, 5)), rng.uniform(0, 2, (batch,)).astype("float32"), None))
        for weight, mask in ((None, (3, 4)), ((3, 4), None), ((3, 1), None), ((3, 4), (3, 4)), (None, None)):
            w = None if weight is None else rng.uniform(0, 2, weight).astype("float32")
            m = None if mask is None else rng.random(mask) < 0.6
            masked.append((*loss_data(kind, (3, 4, 5)), w, m))
        for updates in (plain, weighted, masked):
            try:
                record_metric(out, cls, arguments, updates)
            except Exception as error:  # a combination this metric refuses
                print("metric skipped:", cls, arguments, [None if u[2] is None else u[2].shape for u in updates], str(error)[:100])
    integers = [(rng.integers(0, 3, s), rng.integers(0, 3, s)) for s in ((6,), (4, 1), (2, 3))]
    updates = [(a.astype("float32"), b.astype("float32"), None, None) for a, b in integers]
    record_metric(out, "Accuracy", {}, updates)
    record_metric(out, "Accuracy", {}, [(a, b, rng.uniform(0, 2, a.shape[:1]).astype("float32"), None) for a, b, _, _ in updates])
    ties = np.array([[1, 1, 0, 0], [0.5, 0.5, 0.5, 0.5], [0, 1, 1, 1]], "float32")
    for k in (1, 2, 3):
        labels = np.array([1, 3, 2], "int32")
        record_metric(out, "SparseTopKCategoricalAccuracy", {"k": k}, [(labels, ties, None, None)])
        record_metric(out, "TopKCategoricalAccuracy", {"k": k}, [(np.eye(4, dtype="float32")[labels], ties, None, None)])
    record_metric(out, "SparseCategoricalAccuracy", {}, [(np.array([[1], [0], [1]], "int32"), ties, None, None)])
    record_metric(out, "CategoricalAccuracy", {}, [(ties, ties, None, None)])


# --- optimizers and schedules ------------------------------------------------------------------------------------


def schedules():
    s = keras.optimizers.schedules
    return [
        s.ExponentialDecay(0.1, 4, 0.5), s.ExponentialDecay(0.1, 3, 0.7, staircase=True),
        s.PolynomialDecay(0.1, 5), s.PolynomialDecay(0.1, 5, 0.01, power=2.0), s.PolynomialDecay(0.1, 3, 0.01, power=0.5, cycle=True),
        s.InverseTimeDecay(0.1, 3, 0.5), s.InverseTimeDecay(0.1, 3, 0.5, staircase=True),
        s.PiecewiseConstantDecay([2, 4], [0.1, 0.05, 0.01]), s.PiecewiseConstantDecay([1.5], [0.3, 0.2]),
        s.CosineDecay(0.1, 8), s.CosineDecay(0.1, 8, alpha=0.2), s.CosineDecay(0.01, 6, warmup_target=0.1, warmup_steps=3),
        s.CosineDecay(0.0, 6, alpha=0.1, warmup_target=0.2, warmup_steps=4),
        s.CosineDecayRestarts(0.1, 3), s.CosineDecayRestarts(0.1, 2, t_mul=1.5, m_mul=0.8, alpha=0.1), s.CosineDecayRestarts(0.1, 4, t_mul=1.0),
    ]  # fmt: skip


def record_schedules(out):
    for schedule in schedules():
        steps = [*range(25), 100, 1000]
        values = np.array([np.asarray(schedule(step)) for step in steps], "float32")
        out.case(kind="schedule", config=serialized(schedule), steps=steps, values=values)


def record_optimizer(out, cls, arguments, constraint=None, excluded=None, scale=1.0, steps=6):
    optimizer = getattr(keras.optimizers, cls)(**arguments)
    initial = [normal(3, 4), normal(4), normal(2, 1, 3)]
    variables = [keras.Variable(v, name=n) for v, n in zip(initial, ("kernel", "bias", "cube"))]
    if constraint is not None:
        for v in variables:
            v.constraint = constraint
    if excluded is not None:
        optimizer.exclude_from_weight_decay(var_names=excluded)
    optimizer.build(variables)
    history = []
    for step in range(steps):
        gradients = [(normal(*v.shape) * scale).astype("float32") for v in initial]
        if step == 3:
            gradients[1] = np.zeros_like(gradients[1])
        optimizer.apply([jnp.asarray(g) for g in gradients], variables)
        history.append({"gradients": gradients, "variables": [np.asarray(v.value) for v in variables]})
    state = [{"path": v.path, "value": np.asarray(v.value)} for v in optimizer.variables]
    optimizer.finalize_variable_values(variables)
    out.case(
        kind="optimizer", config=serialized(optimizer), names=["kernel", "bias", "cube"],
        constraint=None if constraint is None else serialized(constraint), excluded_from_weight_decay=excluded,
        initial=initial, steps=history, state=state, finalized=[np.asarray(v.value) for v in variables],
    )  # fmt: skip


def optimizers(out):
    own = {
        "SGD": [{}, {"learning_rate": 0.1}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"momentum": 0.5, "learning_rate": 0.3}],
        "RMSprop": [{}, {"rho": 0.5}, {"momentum": 0.8}, {"centered": True}, {"centered": True, "momentum": 0.9, "rho": 0.8}, {"epsilon": 1e-2, "learning_rate": 0.05}],
        "Adam": [{}, {"learning_rate": 0.1}, {"amsgrad": True, "learning_rate": 0.05}, {"beta_1": 0.5, "beta_2": 0.9, "epsilon": 1e-3}, {"beta_1": 0.0}],
        "AdamW": [{}, {"learning_rate": 0.1, "weight_decay": 0.1}, {"amsgrad": True, "weight_decay": 0.05}, {"weight_decay": 0.0}],
    }  # fmt: skip
    common = [
        {"weight_decay": 0.1}, {"clipnorm": 0.5}, {"clipnorm": 100.0}, {"clipvalue": 0.3}, {"global_clipnorm": 0.7}, {"global_clipnorm": 100.0},
        {"use_ema": True}, {"use_ema": True, "ema_momentum": 0.5}, {"use_ema": True, "ema_momentum": 0.8, "ema_overwrite_frequency": 2},
        {"gradient_accumulation_steps": 2}, {"gradient_accumulation_steps": 3, "clipnorm": 0.5}, {"loss_scale_factor": 4.0},
        {"gradient_accumulation_steps": 2, "use_ema": True, "weight_decay": 0.02},
    ]  # fmt: skip
    base = {
        "SGD": {"learning_rate": 0.1, "momentum": 0.9}, "RMSprop": {"learning_rate": 0.05, "momentum": 0.5},
        "Adam": {"learning_rate": 0.05}, "AdamW": {"learning_rate": 0.05},
    }  # fmt: skip
    for cls in own:
        for arguments in own[cls]:
            record_optimizer(out, cls, arguments)
        for arguments in common:
            record_optimizer(out, cls, {**base[cls], **arguments})
        for schedule in schedules():
            record_optimizer(out, cls, {**base[cls], "learning_rate": schedule})
        accumulated = {**base[cls], "learning_rate": schedules()[0], "gradient_accumulation_steps": 2}
        record_optimizer(out, cls, accumulated)
        record_optimizer(out, cls, {**base[cls], "weight_decay": 0.2}, excluded=["bias"])
        record_optimizer(out, cls, base[cls], constraint=keras.constraints.MaxNorm(0.5))
        record_optimizer(out, cls, {**base[cls], "use_ema": True}, constraint=keras.constraints.NonNeg())
        record_optimizer(out, cls, base[cls], scale=1e3)
        record_optimizer(out, cls, base[cls], scale=1e-6)


# --- constraints, regularizers, initializers -----------------------------------------------------------------------


def small_objects(out):
    c, r, i = keras.constraints, keras.regularizers, keras.initializers
    shapes = [(5,), (4, 3), (3, 2, 4), (2, 3, 2, 4)]
    for shape in shapes:
        axes = [0, -1, *([[0, 1]] if len(shape) > 1 else []), *([[0, 1, 2]] if len(shape) > 2 else [])]
        objects = [c.NonNeg()]
        for axis in axes:
            objects += [c.MaxNorm(1.5, axis), c.MaxNorm(axis=axis), c.UnitNorm(axis)]
            objects += [c.MinMaxNorm(0.5, 1.2, 1.0, axis), c.MinMaxNorm(0.5, 1.2, 0.3, axis), c.MinMaxNorm(axis=axis)]
        for constraint in objects:
            for w in (normal(*shape), np.zeros(shape, "float32")):
                out.case(kind="constraint", config=serialized(constraint), w=w, value=np.asarray(constraint(w)))
        penalties = [r.L1(), r.L2(), r.L1(0.3), r.L2(0.2), r.L1L2(), r.L1L2(0.1, 0.2), r.get("l1"), r.get("l2")]
        if len(shape) == 2:
            penalties += [r.OrthogonalRegularizer(0.1, "rows"), r.OrthogonalRegularizer(mode="columns")]
        for penalty in penalties:
            w = normal(*shape)
            value, gradient = value_and_gradient(penalty, w)
            out.case(kind="regularizer", config=serialized(penalty), w=w, value=value, dw=gradient)
    for shape in [(), *shapes]:
        for initializer in (i.Zeros(), i.Ones(), i.Constant(), i.Constant(-2.5)):
            out.case(kind="initializer", config=serialized(initializer), shape=list(shape), value=np.asarray(initializer(shape)))
    for shape in ((3, 3), (4, 2), (2, 5)):
        for initializer in (i.Identity(), i.Identity(0.5)):
            out.case(kind="initializer", config=serialized(initializer), shape=list(shape), value=np.asarray(initializer(shape)))
    random = [i.RandomNormal(seed=1), i.RandomNormal(1.0, 0.2, 1), i.RandomUniform(seed=1), i.RandomUniform(-1, 3, 1), i.TruncatedNormal(seed=1), i.TruncatedNormal(0.5, 0.1, 1)]
    for cls in ("GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "LecunNormal", "LecunUniform"):
        random.append(getattr(i, cls)(seed=1))
    for mode in ("fan_in", "fan_out", "fan_avg"):
        for distribution in ("truncated_normal", "untruncated_normal", "uniform"):
            random.append(i.VarianceScaling(1.7, mode, distribution, seed=1))
    for initializer in random:
        for shape in ((2000,), (40, 90), (3, 3, 20, 30)):
            v = np.asarray(initializer(shape), "float64")
            facts = {"mean": float(v.mean()), "std": float(v.std()), "min": float(v.min()), "max": float(v.max())}
            out.case(kind="random_initializer", config=serialized(initializer), shape=list(shape), facts=facts)
    for gain in (1.0, 0.5):
        for shape in ((6, 4), (4, 6), (2, 3, 4)):
            v = np.asarray(i.Orthogonal(gain, seed=1)(shape), "float64").reshape(-1, shape[-1])
            gram = v.T @ v if v.shape[0] >= v.shape[1] else v @ v.T
            facts = {"gram_error": float(np.abs(gram - gain**2 * np.eye(len(gram))).max())}
            out.case(kind="random_initializer", config=serialized(i.Orthogonal(gain, seed=1)), shape=list(shape), facts=facts)


def main(folder):
    out = Recording(folder, "functions")
    for part in (activations, losses, metrics, record_schedules, optimizers, small_objects):
        part(out)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1])
