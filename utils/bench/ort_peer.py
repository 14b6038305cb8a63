# Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One process of the peer ONNX Runtime: load, answer once, then a steady loop.

usage: ort_peer.py MODEL.onnx CASE-FOLDER THREADS REPEAT

Prints one JSON object: `first_ms` from the end of the import to the first answer
(creating the session and reading the inputs included), and `steady_us`, the median
of the last half of REPEAT more calls (null for REPEAT 0).
"""

import json
import sys
import time

import numpy as np
import onnxruntime


def main(model, folder, threads, repeat):
    start = time.perf_counter()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(threads)
    session = onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"]
    )
    feed = {
        value.name: np.load(f"{folder}/in{place}.npy")
        for place, value in enumerate(session.get_inputs())
    }
    session.run(None, feed)
    first_ms = (time.perf_counter() - start) * 1e3
    times = []
    for _ in range(int(repeat)):
        begin = time.perf_counter()
        session.run(None, feed)
        times.append((time.perf_counter() - begin) * 1e6)
    steady = float(np.median(times[len(times) // 2 :])) if times else None
    print(json.dumps({"first_ms": first_ms, "steady_us": steady}))


if __name__ == "__main__":
    main(*sys.argv[1:])
