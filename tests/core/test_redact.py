import time

import pytest

from lcshap.core.redact import describe_error, mask_key, redact

SECRET = "S3cretS3cret"


@pytest.mark.parametrize(
    "text",
    [
        "headers=<CIMultiDictProxy('Host': 'x', 'X-Mine': '{}')>",
        "{{'headers': {{'X-Mine': '{}'}}}}",
        "HEADERS: X-Mine: {}",
        "Authorization: Digest username=a, response={}",
        "{{'authorization': 'Basic {}'}}",
        "Proxy-Authorization={}",
        "Set-Cookie: sid=1; token={}",
        '{{"Host": "a", "X-Mine": "{}"}}',
        "{{'User-Agent': 'me', 'Mine': '{}'}}",
        "sent Bearer {} to the server",
        "bearer {}",
        "Basic {}=",
        "https://user:{}@example.com/v1 is down",
        "https://{}@example.com/v1 is down",
        "url 'https://example.com/v1?key={}'",
        "GET /v1/models?key={}&alt=json HTTP/1.1",
        "https://example.com/v1?{} is down",
        "https://example.com/v1#access_token={}",
        "URL('http://127.0.0.1:80/v1?a=1&b={}')",
        "x-api-key: {}",
        '{{"api_key": "{}", "n": 1}}',
        "api key = '{}'",
        "OPENAI_API_KEY={}",
        "token: b'{}'",
        "password={}",
        "client_secret={}&x=1",
        "Incorrect API key provided: sk-{}.",
        "sk-proj-{}",
        "sk_live_{}",
        "hf_{}",
        "ghp_{}",
        "gsk_{}",
        "AIza{}",
        "eyJhbGciOi.{}.abc",
        "the key 0123456789abcdef0123{} is wrong",
    ],
)
def test_secrets_are_masked(text):
    masked = redact(text.format(SECRET))
    assert SECRET not in masked
    assert "***" in masked
    assert redact(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "expected shape (3, 4), got (2, 4)",
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        "the key 'word' is not in the vocabulary",
        "a task-oriented-dialogue model",
        "really? yes: a=1",
        "bearer token is missing",
        "see https://example.com/docs/errors.html, section 2",
        "monkey=3, keyword: value, tokens: 17",
        "CUDA out of memory. Tried to allocate 20.00 MiB",
        "/usr/lib/python3.11/site-packages/torch/nn/modules/module.py",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact(text) == text


KEY = "zq-Geheim-0815-nobody-knows"


@pytest.mark.parametrize("part", [KEY, KEY[:4], KEY[-4:], KEY[5:11], KEY[:20], f"{KEY[:8]}****{KEY[-4:]}", KEY * 2])
def test_parts_of_a_key_are_masked(part):
    masked = mask_key(f"the key «{part}» is wrong", KEY)
    assert masked.startswith("the key «***")
    assert masked.endswith("***» is wrong")
    assert not any(KEY[start : start + 4] in masked for start in range(len(KEY) - 3))


def test_other_texts_are_not_masked():
    assert mask_key("nobody", "") == "nobody"
    assert mask_key("the wrong key", KEY) == "the wrong key"
    assert redact("wrong key: abcd****wxyz, **bold**") == "wrong key: ***, **bold**"


def test_hostile_texts_take_no_time():
    pieces = ["'", "a.", "?", "?a=", "://", "a://", "key=", "bearer ", "eyJ", "a1", "headers", "@", "https://a?", "\n"]
    for piece in pieces:
        start = time.process_time()
        assert len(redact(piece * 1_000_000)) < 20_000
        assert time.process_time() - start < 2


class Request:
    def __repr__(self):
        return f"Request(headers={{'X-Mine': '{SECRET}'}})"


class Response:
    status_code = 503


class WithRequestError(Exception):
    def __str__(self):
        return "the server said no"


class UnsayableError(Exception):
    response = Response()

    def __str__(self):
        raise OSError(SECRET)

    __repr__ = __str__


class StubbornError(Exception):
    @property
    def response(self):
        raise RuntimeError("no response was set")


@pytest.mark.parametrize(
    ("error", "description"),
    [
        (ValueError("no such word"), "ValueError('no such word')"),
        (KeyError("a", 3, None), "KeyError('a', 3, None)"),
        (OSError(), "OSError()"),
        (RuntimeError(f"first?key={SECRET}\nthen more"), "RuntimeError('first?***\\nthen more')"),
        (RuntimeError(f"token={SECRET}".encode()), "RuntimeError(b'token=***')"),
        (WithRequestError(Request()), "WithRequestError('the server said no')"),
        (RuntimeError(Request()), "RuntimeError('Request(headers=***')"),
        (UnsayableError(Request()), "UnsayableError(status 503)"),
        (StubbornError("down"), "StubbornError('down')"),
    ],
)
def test_the_description_of_an_exception(error, description):
    assert describe_error(error) == description


def test_the_status_is_mentioned_once():
    error = ValueError("unavailable")
    error.status = 503
    assert describe_error(error) == "ValueError(status 503, 'unavailable')"
    error.args = ("503, unavailable",)
    assert describe_error(error) == "ValueError('503, unavailable')"
    error.status = 7
    assert describe_error(error) == "ValueError('503, unavailable')"
