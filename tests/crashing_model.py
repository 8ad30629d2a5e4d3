"""A model that does to its process what the text says."""

import ctypes
import os
import sys
import time


def model(texts):
    """The number of times that "good" stands in each text, as a logit; some words are orders."""
    for text in texts:
        words = text.split()
        if "die" in words:
            os._exit(3)
        if "crash" in words:
            ctypes.string_at(0)  # a segmentation fault, in compiled code
        if "sleep" in words:
            time.sleep(600)
        if "stuck" in words:  # in compiled code that Ctrl-C does not end
            sum(range(10**14))
        if "raise" in words:
            raise ValueError("sad", 3)
        if "leave" in words:
            sys.exit(4)
        if "print" in words:
            print("said by the model")
    return [[0.0, float(text.count("good"))] for text in texts]


def make():
    """The model."""
    return model


def make_nothing():
    """No model."""
    raise OSError("no weights at https://example.com/?key=abc")


def make_end():
    """Ends its process."""
    os._exit(5)
