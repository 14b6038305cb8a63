# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One process of a peer: load, answer once, then a steady loop.

usage: peer.py PEER MODEL.onnx CASE-FOLDER THREADS REPEAT

Prints one JSON object: `first_ms` from the end of the import to the first answer
(loading the model and reading the inputs included), and `steady_us`, the median
of the last half of REPEAT more calls (null for REPEAT 0).
"""

import json
import sys
import time

import numpy as np


class OnnxRuntime:
    """ONNX Runtime on CPU, with its defaults but for the threads."""

    package = "onnxruntime"

    def __init__(self):
        import onnxruntime

        self.module = onnxruntime

    def load(self, model, threads):
        options = self.module.SessionOptions()
        options.intra_op_num_threads = threads
        self.session = self.module.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        return len(self.session.get_inputs())

    def bind(self, inputs):
        names = [value.name for value in self.session.get_inputs()]
        feed = dict(zip(names, inputs, strict=True))
        return lambda: self.session.run(None, feed)


class OpenVino:
    """OpenVINO on CPU, for latency. It would compute in bf16 where the CPU can; the others
    compute in f32, and so does it here. Results are left in its own memory."""

    package = "openvino"

    def __init__(self):
        import openvino

        self.core = openvino.Core()

    def load(self, model, threads):
        compiled = self.core.compile_model(
            model,
            "CPU",
            {
                "INFERENCE_NUM_THREADS": threads,
                "INFERENCE_PRECISION_HINT": "f32",
                "NUM_STREAMS": "1",
                "PERFORMANCE_HINT": "LATENCY",
            },
        )
        self.request = compiled.create_infer_request()
        return len(compiled.inputs)

    def bind(self, inputs):
        return lambda: self.request.infer(
            inputs, share_inputs=True, share_outputs=True
        )


PEERS = {"onnxruntime": OnnxRuntime, "openvino": OpenVino}


def main(name, model, folder, threads, repeat):
    peer = PEERS[name]()
    start = time.perf_counter()
    count = peer.load(model, int(threads))
    call = peer.bind([np.load(f"{folder}/in{place}.npy") for place in range(count)])
    call()
    first_ms = (time.perf_counter() - start) * 1e3
    times = []
    for _ in range(int(repeat)):
        begin = time.perf_counter()
        call()
        times.append((time.perf_counter() - begin) * 1e6)
    steady = float(np.median(times[len(times) // 2 :])) if times else None
    print(json.dumps({"first_ms": first_ms, "steady_us": steady}))


if __name__ == "__main__":
    main(*sys.argv[1:])
