"""The five networks of the paper's Appendix A, in PyTorch. All return logits."""

from __future__ import annotations

from typing import Any

from ...extras import import_optional

# mypy: allow-subclassing-any

torch: Any = import_optional("torch", "torch")
nn: Any = torch.nn


class WordCNN(nn.Module):
    """Embedding 50, convolution of 250 filters over three words, max-pooling, dense 250, two classes.

    With 5,000 ids, including padding and unknown words, it has the paper's 351,002 parameters. The embedding of padding
    is always zero.
    """

    def __init__(self, classes: int = 2, ids: int = 5000) -> None:
        super().__init__()
        self.embed = nn.Embedding(ids, 50, padding_idx=0)
        nn.init.uniform_(self.embed.weight[1:], -0.05, 0.05)
        self.conv = nn.Conv1d(50, 250, 3)
        self.hidden = nn.Linear(250, 250)
        self.out = nn.Linear(250, classes)
        self.drop = nn.Dropout(0.3)

    def forward(self, ids: Any) -> Any:
        """Logits for rows of ids."""
        words = self.drop(self.embed(ids)).transpose(1, 2)
        features = self.drop(torch.relu(self.conv(words)).amax(dim=2))
        return self.out(self.drop(torch.relu(self.hidden(features))))


class CharCNN(nn.Module):
    """Zhang et al.'s small network: six convolutions of 256 filters, pooling by 3 after the first, second and last.

    Two dense layers of 1,024 follow, with dropout. For 69 characters and four classes it has the paper's 11,337,988
    parameters. Rows may be shorter than 1,014 by multiples of 27: all frames of padding alone are equal, so that the
    last one is repeated instead of computed again.
    """

    def __init__(self, classes: int = 4, characters: int = 69, frames: int = 34) -> None:
        super().__init__()
        self.frames = frames
        self.register_buffer("codes", torch.eye(characters + 1)[:, 1:], persistent=False)
        layers: list[Any] = []
        for inputs, width, pooled in (
            (characters, 7, 1),
            (256, 7, 1),
            (256, 3, 0),
            (256, 3, 0),
            (256, 3, 0),
            (256, 3, 1),
        ):
            # Pooling in one dimension cannot be exported for inputs of any length.
            layers += [nn.Conv1d(inputs, 256, width), nn.ReLU(), *[nn.MaxPool2d((1, 3))] * pooled]
        self.convolutions = nn.Sequential(*layers)
        dense = ((256 * frames, 1024), (1024, 1024))
        self.dense = nn.Sequential(
            *(layer for sizes in dense for layer in (nn.Linear(*sizes), nn.ReLU(), nn.Dropout(0.5)))
        )
        self.out = nn.Linear(1024, classes)
        _init_weights(self)

    def forward(self, ids: Any) -> Any:
        """Logits for rows of character ids."""
        frames = self.convolutions(nn.functional.embedding(ids, self.codes).transpose(1, 2))
        frames = frames[:, :, torch.arange(self.frames, device=ids.device).clamp(max=frames.shape[2] - 1)]
        return self.out(self.dense(frames.flatten(1)))


class BiLSTM(nn.Module):
    """Embedding 300, an LSTM of 256 in either direction, dropout.

    With 20,001 ids and ten classes the paper counts 7,146,166 parameters. PyTorch has two biases per gate instead of
    one, which are 2,048 further numbers. Padding after the last word is not read; padding before it is read as zeros.
    """

    def __init__(self, classes: int = 10, ids: int = 20_001) -> None:
        super().__init__()
        self.embed = nn.Embedding(ids, 300, padding_idx=0)
        nn.init.uniform_(self.embed.weight[1:], -0.05, 0.05)
        self.forwards, self.backwards = (nn.LSTM(300, 256, batch_first=True) for _ in range(2))
        for lstm in (self.forwards, self.backwards):
            nn.init.orthogonal_(lstm.weight_hh_l0)
            for bias in (lstm.bias_ih_l0, lstm.bias_hh_l0):
                nn.init.zeros_(bias)
            nn.init.ones_(lstm.bias_ih_l0[256:512])  # the forget gates start open
        self.drop = nn.Dropout(0.5)
        self.out = nn.Linear(512, classes)

    def forward(self, ids: Any) -> Any:
        """Logits for rows of ids."""
        position = torch.arange(ids.shape[1], device=ids.device)
        last = ((ids != 0) * position).amax(dim=1, keepdim=True)
        reverse = ids.gather(1, (last - position).clamp(min=0))
        ends = [self._end(self.forwards, ids, last), self._end(self.backwards, reverse, last)]
        return self.out(self.drop(torch.cat(ends, dim=1)))

    def _end(self, lstm: Any, ids: Any, last: Any) -> Any:
        """The state at the last word of each row."""
        states = lstm(self.embed(ids))[0]
        return states.gather(1, last[:, :, None].expand(-1, -1, 256))[:, 0]


class MnistCNN(nn.Module):
    """Two convolutions of 8 and 16 filters, 5 by 5, each followed by pooling by 2, and a dense layer.

    Images `(n, 28, 28)` from 0 to 255. The paper does not state how borders are treated; here zeros are added, so that
    images keep their size.
    """

    def __init__(self, classes: int = 2) -> None:
        super().__init__()
        first = (nn.Conv2d(1, 8, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2))
        second = (nn.Conv2d(8, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2))
        self.layers = nn.Sequential(*first, *second, nn.Flatten(), nn.Linear(16 * 7 * 7, classes))

    def forward(self, images: Any) -> Any:
        """Logits for images."""
        return self.layers(images[:, None] / 255)


class CifarCNN(nn.Module):
    """Six convolutions, 3 by 3, of 48, 48, 96, 96, 192 and 192 filters; dense layers of 512 and 256.

    Every two convolutions are followed by pooling by 2 and dropout. Images `(n, 32, 32, 3)` from 0 to 255; in training
    they are mirrored and moved by up to four pixels at random.
    """

    def __init__(self, classes: int = 2) -> None:
        super().__init__()
        layers: list[Any] = []
        for inputs, filters in ((3, 48), (48, 96), (96, 192)):
            layers += [nn.Conv2d(inputs, filters, 3, padding=1), nn.ReLU()]
            layers += [nn.Conv2d(filters, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.2)]
        dense = ((192 * 4 * 4, 512), (512, 256))
        layers += [nn.Flatten(), *(layer for sizes in dense for layer in (nn.Linear(*sizes), nn.ReLU()))]
        self.layers = nn.Sequential(*layers, nn.Linear(256, classes))
        _init_weights(self)

    def forward(self, images: Any) -> Any:
        """Logits for images."""
        scaled = images.permute(0, 3, 1, 2) / 127.5 - 1
        return self.layers(_augment(scaled) if self.training else scaled)


def _init_weights(network: Any) -> None:
    """Initialise the weights as He et al. do. Without this, networks with so many layers hardly start to learn."""
    for layer in network.modules():
        if isinstance(layer, nn.Conv1d | nn.Conv2d | nn.Linear):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)


def _augment(images: Any, max_shift: int = 4) -> Any:
    """Mirror and shift each image at random. New borders are grey."""
    n, _, height, width = images.shape
    padded = nn.functional.pad(images, [max_shift] * 4)
    rows = torch.randint(2 * max_shift + 1, (n, 1)) + torch.arange(height)
    columns = torch.randint(2 * max_shift + 1, (n, 1)) + torch.arange(width)
    columns = torch.where(torch.rand(n, 1) < 0.5, columns.flip(1), columns)
    moved = padded[torch.arange(n)[:, None, None], :, rows[:, :, None], columns[:, None, :]]
    return moved.permute(0, 3, 1, 2)


def count_parameters(network: Any) -> int:
    """Return the number of parameters of a network."""
    return sum(parameter.numel() for parameter in network.parameters())
