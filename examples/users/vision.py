"""For somebody who works with images: which pixels lead to the prediction of this digit?"""

import torch
from sklearn.datasets import load_digits

import lcshap as lc

torch.manual_seed(0)
data = load_digits()
x = torch.tensor(data.images[:, None] / 16, dtype=torch.float32)
y = torch.tensor(data.target)
network = torch.nn.Sequential(
    torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(512, 10)
)
optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
for _ in range(50):
    optimiser.zero_grad()
    torch.nn.functional.cross_entropy(network(x[:1500]), y[:1500]).backward()
    optimiser.step()

masker = lc.maskers.Image(channels="first", reference=0)
e = lc.Explainer(network, masker, lc.LShapley(order=1), kind="logits", value="log_odds")(x[1600].numpy())
print(f"prediction {e.provenance['targets'][0]}, label {int(y[1600])}, {e.calls} calls")
e.plot().savefig("digit.png")
