/*===- use.c - A C program that uses the C interface and nothing else ----------===*\
|*                                                                              *|
|* Part of the Anneal project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception          *|
|*                                                                              *|
\*===--------------------------------------------------------------------------===*/

/* use [MODEL]: doubles three numbers, with the text below or with a saved plan of it. */

#include <anneal-c/anneal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kText[] =
    "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %n = tensor.dim %x, %c0 : tensor<?xf32>\n"
    "  %e = tensor.empty(%n) : tensor<?xf32>\n"
    "  %y = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>)\n"
    "       -> tensor<?xf32>\n"
    "  return %y : tensor<?xf32>\n"
    "}\n";

static void check(AnnealFailure *failure) {
  if (!failure)
    return;
  fprintf(stderr, "use: error %d: %s\n", (int)annealFailureCode(failure),
          annealFailureMessage(failure));
  annealFailureDestroy(failure);
  exit(1);
}

int main(int argc, char **argv) {
  AnnealEngine *engine = NULL;
  AnnealProgram *program = NULL;
  AnnealFunction *function = NULL;
  AnnealTensor *input = NULL, *result = NULL;
  float x[3] = {1, -2, 3};
  int64_t size = 3;
  int isRight;
  const float *y;

  if (annealApiVersion() != ANNEAL_API_VERSION)
    return 1;
  check(annealEngineCreate(NULL, &engine));
  if (argc > 1)
    check(annealEngineLoad(engine, argv[1], &program));
  else
    check(annealEngineLoadBytes(engine, kText, strlen(kText), "double.mlir", &program));
  check(annealProgramFunction(program, NULL, &function));
  check(annealTensorWrap(ANNEAL_F32, 1, &size, NULL, x, NULL, NULL, &input));
  check(annealFunctionCall(function, &input, 1, &result, 1, NULL));
  y = (const float *)annealTensorData(result);
  printf("%g %g %g\n", y[0], y[1], y[2]);
  isRight = y[0] == 2 && y[1] == -4 && y[2] == 6;
  if (argc > 2)
    check(annealProgramSave(program, argv[2]));
  annealTensorDestroy(result);
  annealTensorDestroy(input);
  annealProgramDestroy(program);
  annealEngineDestroy(engine);
  return isRight ? 0 : 1;
}
