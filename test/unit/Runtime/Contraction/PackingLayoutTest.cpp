//===- PackingLayoutTest.cpp - Row and column panels ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/PackingLayout.h"

#include "gtest/gtest.h"

using namespace anneal;

namespace {

TEST(PackingLayoutTest, RowPanelsCoverAllRowsOnceAndDifferByAtMostOne) {
  for (int64_t maxRows : {1, 4, 6, 14})
    for (int64_t extent = 0; extent < 200; ++extent) {
      const RowPanels panels(extent, maxRows);
      int64_t next = 0;
      for (int64_t panel = 0; panel < panels.count; ++panel) {
        EXPECT_EQ(panels.begin(panel), next);
        EXPECT_LE(panels.rows(panel), maxRows);
        EXPECT_GE(panels.rows(panel), panels.height - 1);
        EXPECT_GE(panels.rows(panel), 1);
        next += panels.rows(panel);
      }
      EXPECT_EQ(next, extent);
      EXPECT_EQ(panels.begin(panels.count), extent);
      EXPECT_EQ(panels.count, (extent + maxRows - 1) / maxRows);
    }
}

TEST(PackingLayoutTest, ColumnPanelsArePaddedToFullWidth) {
  EXPECT_EQ(packedColumnElements(33, 10, 32), 640);
  EXPECT_EQ(packedColumnElements(32, 10, 32), 320);
  EXPECT_EQ(packedColumnElements(0, 10, 32), 0);
}

TEST(PackingLayoutTest, RegisterTilesFitTheirRegisters) {
  for (int64_t vectorBytes : {16, 32, 64})
    for (int64_t elementBytes : {4, 8})
      for (bool isFloat : {false, true}) {
        const RegisterTile tile = registerTile(vectorBytes, elementBytes, isFloat);
        const int64_t registers = vectorBytes == 64 ? 32 : 16;
        EXPECT_EQ(tile.lanes * elementBytes, vectorBytes);
        EXPECT_EQ(tile.panelWidth, tile.lanes * kPanelVectors);
        for (int64_t vectors : {1, 2, 4})
          EXPECT_LE(tile.maxRowsFor(vectors) * vectors + vectors + 1, registers);
      }
}

} // namespace
