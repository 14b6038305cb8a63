# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts weights into resource blobs while a module streams by as text.

A resource blob lies in the bytecode file as plain aligned bytes, which a loader
maps without a copy. torch-mlir leaves most weights as such, aligned to 8 bytes
only; constants that its passes folded, and all of StableHLO's, are attributes
inside the IR. Here both become blobs aligned to `ALIGNMENT`.
"""

import re
import sys

ALIGNMENT = 64

# Constants of at most this many elements stay in the IR, where passes fold them.
INLINE_ELEMENTS = 64

# An element type whose hexadecimal form in the IR is that of a resource blob; i1
# is packed to bits in the one and not in the other.
_HEX_CONSTANT = re.compile(
    r'dense<"0x([0-9A-Fa-f]*)"> : (tensor<(?:\d+x)*(?:[su]?i(?:8|16|32|64)|b?f16|f32|f64)>)'
)
_BLOB = re.compile(r'^(\s*[^\s:]+|\s*".*?"): "0x[0-9A-Fa-f]{8}')
_ALIGNMENT_FIELD = ALIGNMENT.to_bytes(4, "little").hex().upper()


def align_and_extract(lines):
    """Yields the module's lines with each weight in an aligned resource blob.

    `lines` is the module as `torch-mlir-opt` prints it with
    `--mlir-print-elementsattrs-with-hex-if-larger`. Constants that are taken out
    follow at the end as a second metadata section.
    """
    extracted = []

    def take_out(match):
        extracted.append(match.group(1))
        return f"dense_resource<__anneal_{len(extracted) - 1}> : {match.group(2)}"

    in_resources = False
    for line in lines:
        if line.startswith("{-#"):
            in_resources = True
        elif line.startswith("#-}"):
            in_resources = False
        if in_resources:
            # The head alone is matched and replaced: the rest of the line may be
            # hundreds of megabytes.
            match = _BLOB.match(line)
            if match:
                yield f'{match.group(1)}: "0x{_ALIGNMENT_FIELD}'
                yield line[match.end() :]
                continue
        elif 'dense<"0x' in line:
            line = _HEX_CONSTANT.sub(take_out, line)
        yield line
    if extracted:
        yield "\n{-#\n  dialect_resources: {\n    builtin: {\n"
        for index, data in enumerate(extracted):
            comma = "," if index + 1 < len(extracted) else ""
            yield f'      __anneal_{index}: "0x{_ALIGNMENT_FIELD}{data}"{comma}\n'
        yield "    }\n  }\n#-}\n"


_FOREIGN_OP = re.compile(
    r'^\s*(?:%[^=]*= )?"?((?:tm_tensor|torch|torch_c|stablehlo|chlo|vhlo|quant)\.[\w.]+'
    r"|ml_program\.global_(?:load|store)\b)"
)
_OWN_YIELD = re.compile(r"\.(?:yield|return)$")


def foreign_op(line):
    """The op at the head of `line` if no dialect of the engine has it, else None."""
    match = _FOREIGN_OP.match(line[:4096])
    if not match or _OWN_YIELD.search(match.group(1)):
        return None
    return match.group(1)


if sys.byteorder != "little":
    raise ImportError("anneal: blobs are written for little-endian machines")
