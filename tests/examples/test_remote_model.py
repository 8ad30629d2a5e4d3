import support


def test_the_remote_model_gives_the_scores_of_the_model_behind_it(capsys):
    found = support.example("remote_model")["main"](small=True)
    assert found["difference"] == 0
    assert found["failed"] == 0
    assert found["retried"] == found["requests"] // 3 > 0
    assert found["requests"] == found["rows"] + found["retried"]
    assert found["rows"] == found["calls"] - 1  # "It" is there twice: either alone is the same text
    printed = capsys.readouterr().out
    assert f"{found['calls']} requests, about {found['price']:.2f} (price 0.0003 a call)" in printed
    assert "sucks." in printed
