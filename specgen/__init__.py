"""specgen: a declarative spec of an input pipeline in, a standalone TensorFlow training script out."""

__version__ = "0.1.0"
