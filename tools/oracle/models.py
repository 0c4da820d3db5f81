"""Serialized models as they stand in config.json of a .keras file."""

import json

import keras


def model_config(model):
    """The JSON of a model without its compile_config, tuples turned into lists as in the file."""
    config = keras.saving.serialize_keras_object(model)
    config.pop("compile_config", None)
    return json.loads(json.dumps(config))
