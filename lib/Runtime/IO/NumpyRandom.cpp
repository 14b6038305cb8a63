//===- NumpyRandom.cpp - The random numbers of NumPy's default_rng --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/NumpyRandom.h"

#include <array>
#include <bit>

namespace anneal::runtime {
namespace {

using uint128 = unsigned __int128;

constexpr uint128 kMultiplier =
    (static_cast<uint128>(2549297995355413924ULL) << 64) | 4865540595714422341ULL;

/// The hash of NumPy's SeedSequence (after O'Neill's randutils seed_seq): its constant changes with
/// every word that it takes in.
struct SeedHash {
  uint32_t constant;
  uint32_t multiplier;

  uint32_t operator()(uint32_t value) {
    value ^= constant;
    constant *= multiplier;
    value *= constant;
    return value ^ (value >> 16);
  }
};

uint32_t mix(uint32_t x, uint32_t y) {
  uint32_t result = 0xca01f9ddu * x - 0x4973f715u * y;
  return result ^ (result >> 16);
}

constexpr unsigned kPoolSize = 4;

/// SeedSequence(seed).generate_state(8, uint32).
std::array<uint32_t, 8> seedState(uint64_t seed) {
  std::array<uint32_t, kPoolSize> pool{};
  std::array<uint32_t, 2> entropy{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
  unsigned numWords = entropy[1] ? 2 : 1;
  SeedHash hash{0x43b0d7e5u, 0x931e8875u};
  for (unsigned i = 0; i < kPoolSize; ++i)
    pool[i] = hash(i < numWords ? entropy[i] : 0);
  for (unsigned src = 0; src < kPoolSize; ++src)
    for (unsigned dst = 0; dst < kPoolSize; ++dst)
      if (src != dst)
        pool[dst] = mix(pool[dst], hash(pool[src]));

  std::array<uint32_t, 8> state{};
  SeedHash output{0x8b51f9ddu, 0x58f38dedu};
  for (unsigned i = 0; i < state.size(); ++i)
    state[i] = output(pool[i % kPoolSize]);
  return state;
}

} // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  std::array<uint32_t, 8> words = seedState(seed);
  auto word64 = [&](unsigned i) {
    return static_cast<uint64_t>(words[2 * i]) | static_cast<uint64_t>(words[2 * i + 1]) << 32;
  };
  uint128 initialState = (static_cast<uint128>(word64(0)) << 64) | word64(1);
  uint128 sequence = (static_cast<uint128>(word64(2)) << 64) | word64(3);
  increment = (sequence << 1) | 1;
  state = (increment + initialState) * kMultiplier + increment;
}

uint64_t NumpyRandom::next64() {
  state = state * kMultiplier + increment;
  auto high = static_cast<uint64_t>(state >> 64);
  auto low = static_cast<uint64_t>(state);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

uint32_t NumpyRandom::next32() {
  if (hasSpare) {
    hasSpare = false;
    return spare;
  }
  uint64_t number = next64();
  hasSpare = true;
  spare = static_cast<uint32_t>(number >> 32);
  return static_cast<uint32_t>(number);
}

int64_t NumpyRandom::integer(int64_t low, int64_t high) {
  // Lemire 2019, "Fast random integer generation in an interval"; 32 bits at a time where they do.
  uint64_t last = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) - 1;
  uint64_t offset = 0;
  if (last == 0)
    return low;
  if (last == 0xffffffffu) {
    offset = next32();
  } else if (last < 0xffffffffu) {
    auto count = static_cast<uint32_t>(last + 1);
    uint64_t product = static_cast<uint64_t>(next32()) * count;
    if (static_cast<uint32_t>(product) < count) {
      uint32_t threshold = (0xffffffffu - static_cast<uint32_t>(last)) % count;
      while (static_cast<uint32_t>(product) < threshold)
        product = static_cast<uint64_t>(next32()) * count;
    }
    offset = product >> 32;
  } else if (last == ~uint64_t(0)) {
    offset = next64();
  } else {
    uint64_t count = last + 1;
    uint128 product = static_cast<uint128>(next64()) * count;
    if (static_cast<uint64_t>(product) < count) {
      uint64_t threshold = (~uint64_t(0) - last) % count;
      while (static_cast<uint64_t>(product) < threshold)
        product = static_cast<uint128>(next64()) * count;
    }
    offset = static_cast<uint64_t>(product >> 64);
  }
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

double NumpyRandom::uniform(double low, double high) {
  double unit = static_cast<double>(next64() >> 11) * 0x1p-53;
  return low + (high - low) * unit;
}

} // namespace anneal::runtime
