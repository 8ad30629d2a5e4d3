import json

import lcshap as lc
from lcshap.playground.packing import pack_blocks


def test_blocks_are_those_of_a_report(tmp_path):
    explainer = lc.Explainer(lambda texts: [[len(t), 1.0] for t in texts], lc.maskers.Text(), kind="output", target=0)
    explanations = dict(
        zip(("one", "two"), explainer.compare("to be or not", ["shapley", lc.LShapley(1)]), strict=True)
    )
    blocks = pack_blocks(explanations)
    page = lc.report(explanations, tmp_path / "page.html").read_text()
    for name, content in blocks.items():
        embedded = json.loads(page.partition(f'id="{name}">')[2].partition("</script>")[0])
        content = json.loads(json.dumps(content))  # as it is sent
        if name == "index":
            content["title"] = embedded["title"]
        assert embedded == content
