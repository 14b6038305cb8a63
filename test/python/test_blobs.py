# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text filter that puts weights into aligned blobs."""

from anneal import _blobs


def filtered(text):
    return "".join(_blobs.align_and_extract(text.splitlines(keepends=True)))


def test_a_large_constant_moves_into_a_blob():
    text = '  %0 = arith.constant dense<"0x00010203"> : tensor<4xi8>\n'
    out = filtered(text)
    assert "%0 = arith.constant dense_resource<__anneal_0> : tensor<4xi8>" in out
    assert '__anneal_0: "0x4000000000010203"\n' in out


def test_each_constant_gets_a_blob_of_its_own():
    text = 'a dense<"0x01"> : tensor<1xi8> b dense<"0x02"> : tensor<1xui8>\n'
    out = filtered(text)
    assert "dense_resource<__anneal_0> : tensor<1xi8>" in out
    assert "dense_resource<__anneal_1> : tensor<1xui8>" in out


def test_packed_bits_and_short_constants_stay():
    text = 'dense<"0xFF"> : tensor<8xi1>\ndense<[1, 2]> : tensor<2xi8>\n'
    assert filtered(text) == text


def test_blobs_that_are_there_keep_their_bytes_and_get_the_alignment():
    text = '{-#\n  dialect_resources: {\n    builtin: {\n      w: "0x080000000A0B",\n      "a \\" b": "0x04000000FF"\n    }\n  }\n#-}\n'
    out = filtered(text)
    assert '      w: "0x400000000A0B",\n' in out
    assert '      "a \\" b": "0x40000000FF"\n' in out


def test_foreign_ops_are_found_at_the_head_of_a_line_only():
    assert _blobs.foreign_op("  %0:2 = tm_tensor.sort dimension(1)") == "tm_tensor.sort"
    assert _blobs.foreign_op('  "torch.operator"(%1)') == "torch.operator"
    assert _blobs.foreign_op("  tm_tensor.yield %1 : f32") is None
    assert _blobs.foreign_op('  %0 = "my.op"() {why = "torch.operator"}') is None
