from support import example


def test_real_models():
    found = example("real_models")["main"](small=True)
    assert found["linear error"] < 1e-8
    assert found["tf-idf accuracy"] > 0.75
    assert found["word-CNN accuracy"] > 0.7
    assert found["sucks"] > 0
    assert abs(found["residual"]) < 1e-10
    assert found["digits accuracy"] > 0.8
    assert found["ONNX difference"] < 1e-4
    assert found["table accuracy"] > 0.9
    assert found["learnt edges"] > 10
