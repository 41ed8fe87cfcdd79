"""SPDX licence expressions."""

from __future__ import annotations

import pytest

from skillstudio.manifest.caro.spdx import LicenceFault, check_expression


@pytest.mark.parametrize(
    "text",
    [
        "MIT",
        "mit",
        "Apache-2.0",
        "MIT OR Apache-2.0",
        "(MIT OR Apache-2.0) AND BSD-3-Clause",
        "GPL-2.0-or-later WITH Classpath-exception-2.0",
        "Apache-2.0 WITH LLVM-exception OR MIT",
        "EPL-2.0+",
        "LicenseRef-Corp-1.0",
        "DocumentRef-x:LicenseRef-y",
        "((((MIT))))",
    ],
)
def test_expressions(text: str) -> None:
    check_expression(text)


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("Apache 2.0", ""),
        ("Apache-2", "Apache-2.0"),
        ("MTI", "MIT"),
        ("BSD-3-Clauses", "BSD-3-Clause"),
        ("", ""),
        ("MIT OR", ""),
        ("OR MIT", ""),
        ("(MIT", ""),
        ("MIT)", ""),
        ("MIT Apache-2.0", ""),
        ("MIT WITH", ""),
        ("MIT WITH Apache-2.0", ""),
        ("(MIT) WITH LLVM-exception", ""),
        ("proprietary", ""),
    ],
)
def test_what_is_none(text: str, instead: str) -> None:
    with pytest.raises(LicenceFault) as caught:
        check_expression(text)
    assert caught.value.instead == instead


def test_depth_does_not_overflow() -> None:
    with pytest.raises(LicenceFault):
        check_expression("(" * 5000 + "MIT" + ")" * 5000)
