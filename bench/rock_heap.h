// SPDX-License-Identifier: Apache-2.0
// A heap of rocks as a scene, for comparisons of schemes.
#ifndef BENCH_ROCK_HEAP_H
#define BENCH_ROCK_HEAP_H

/// Layers of rocks of 14 random points that fall onto a floor, 400 steps. To be filled in: random
/// numbers to skip, rocks, rocks along an edge, scheme, a line of the scene, more settings of `run`.
static const char* const rock_heap =
    "for k = 1, %d do math.random() end\n"
    "local count, columns = %d, %d\n"
    "scheme %s\n"
    "material{name = 'rock', density = 2600, friction = 0.6}\n"
    "floor{material = 'rock'}\n"
    "local function rock()\n"
    "    local points = {}\n"
    "    for i = 1, 14 do\n"
    "        local z, a = 2 * math.random() - 1, 2 * math.pi * math.random()\n"
    "        local s, r = math.sqrt(1 - z^2), 0.12 + 0.06 * math.random()\n"
    "        points[i] = {r * s * math.cos(a), r * s * math.sin(a), r * z}\n"
    "    end\n"
    "    return shape.hull{points = points, material = 'rock'}\n"
    "end\n"
    "pile{count = count, columns = columns, spacing = 0.36, position = {0, 0, 0.2}, shape = rock,\n"
    "     name = 'rock'}\n"
    "%s\n"
    "run{step = 2e-3, duration = 0.8%s}\n";

#endif
