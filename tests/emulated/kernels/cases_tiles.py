# SPDX-License-Identifier: Apache-2.0
"""Kernels over two and three dimensions with their NumPy references."""

import numpy as np
from kernel_case import Bits, Case, In, Launch, Out, Within, cover, floating

f32, f64, i32 = np.float32, np.float64, np.int32


def product(a, b, dtype):
    """The matrix product with sums in order of the inner index."""
    total = np.zeros((a.shape[0], b.shape[1]), dtype)
    for k in range(a.shape[1]):
        total += a[:, k : k + 1] * b[k : k + 1]
    return total


MATRIX = {20: (20, 33, 17), 50: (50, 61, 45)}


def matmul_inputs(rng, at):
    rows, inner, columns = MATRIX[at.n]
    return [In(rng.standard_normal((rows, inner)).astype(f32)), In(rng.standard_normal((inner, columns)).astype(f32)),
            Out(f32, (rows, columns)), i32(rows), i32(inner), i32(columns)]


def matmul_tiled(at, a, b, c, rows, inner, columns):
    c[:] = product(a, b, f32)


def matmul_double(at, a, b, c, n):
    c[:] = product(a, b, f64)


def transpose_tiled(at, image, out, width, height):
    out[:] = image.T


SHAPES = {30: (30, 21), 70: (70, 99)}


def image_inputs(rng, at):
    height, width = SHAPES[at.n]
    return [In(rng.integers(-1000, 1000, (height, width), i32)), Out(i32, (width, height)), i32(width), i32(height)]


def boxed(values, radius):
    """Sums over 2 * radius + 1 neighbours, from left to right, with zeros beyond the ends."""
    padded = np.pad(values, radius)
    total = np.zeros_like(values)
    for k in range(2 * radius + 1):
        total += padded[k : k + values.size]
    return total


def stencil_line_int(at, line, out, n):
    out[:] = boxed(line, 3)


def stencil_line_double(at, line, out, n):
    out[:] = boxed(line, 5)


def heat_inputs(rng, at):
    height, width = SHAPES[at.n]
    return [In(rng.random((height, width)).astype(f32)), Out(f32, (height, width)), i32(width), i32(height), f32(0.2)]


def heat_step(at, heat, out, width, height, alpha):
    out[:] = heat
    inner = heat[1:-1, 1:-1]
    around = heat[1:-1, :-2] + heat[1:-1, 2:] + heat[:-2, 1:-1] + heat[2:, 1:-1]
    out[1:-1, 1:-1] = inner + alpha * (around - f32(4) * inner)


MASK = (np.arange(25, dtype=f32).reshape(5, 5) - f32(7.3)) / f32(11)


def drive_convolution(run):
    run.write_global("mask", MASK)
    run.launch()


def convolution(at, image, out, width, height):
    padded = np.pad(image, 2, mode="edge")
    out[:] = 0
    for dy in range(5):
        for dx in range(5):
            out += padded[dy : dy + out.shape[0], dx : dx + out.shape[1]] * MASK[dy, dx]


def laplacian_box(at, box, out, nx, ny, nz):
    padded = np.pad(box, 1)
    out[:] = -6 * box
    for axis in range(3):
        for shift in (1, -1):
            out += np.roll(padded, shift, axis)[1:-1, 1:-1, 1:-1]


def life_step(at, cells, out, width, height):
    alive = sum(np.roll(cells, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
    out[:] = (alive == 3) | ((cells == 1) & (alive == 2))


def over(n, block):
    """A launch whose blocks of two dimensions cover an image of SHAPES[n]."""
    height, width = SHAPES[n]
    return Launch(n, block, (cover(width, block[0]), cover(height, block[1])))


IMAGES = (over(30, (16, 8)), over(70, (32, 3)))
ABSOLUTE = Within(8, 1e-5)

CASES = [
    Case("matmul_tiled", "tiles.cu", matmul_inputs, matmul_tiled,
         (Launch(20, (16, 16), (2, 2)), Launch(50, (16, 16), (3, 4))), floating(Within(4, 2e-5), Within(4, 2e-5))),
    Case("matmul_double", "tiles.cu",
         lambda rng, at: [In(rng.standard_normal((at.n, at.n))), In(rng.standard_normal((at.n, at.n))),
                          Out(f64, (at.n, at.n)), i32(at.n)],
         matmul_double, (Launch(13, (8, 8), (2, 2), shared=1024), Launch(31, (8, 8), (4, 4), shared=1024)),
         floating(Within(4, 1e-13), Within(4, 1e-13))),
    Case("transpose_tiled", "tiles.cu", image_inputs, transpose_tiled,
         (Launch(30, (32, 8), (1, 1)), Launch(70, (32, 4), (4, 3)))),
    Case("stencil_line_int", "tiles.cu", lambda rng, at: [In(rng.integers(-99, 99, at.n, i32)), Out(i32, at.n),
                                                          i32(at.n)],
         stencil_line_int, (Launch(5, 128), Launch(1001, 128), Launch(300, 64))),
    Case("stencil_line_double", "tiles.cu", lambda rng, at: [In(rng.standard_normal(at.n)), Out(f64, at.n), i32(at.n)],
         stencil_line_double, (Launch(5, 128), Launch(1001, 128), Launch(300, 64)), floating(Bits(), Bits())),
    Case("heat_step", "tiles.cu", heat_inputs, heat_step, IMAGES, floating(ABSOLUTE, ABSOLUTE)),
    Case("convolution", "tiles.cu", lambda rng, at: [In(rng.random(SHAPES[at.n]).astype(f32)), Out(f32, SHAPES[at.n]),
                                                     i32(SHAPES[at.n][1]), i32(SHAPES[at.n][0])],
         convolution, IMAGES, floating(ABSOLUTE, ABSOLUTE), drive=drive_convolution),
    Case("laplacian_box", "tiles.cu", lambda rng, at: [In(rng.integers(-99, 99, (7, 9, 21), i32)), Out(i32, (7, 9, 21)),
                                                       i32(21), i32(9), i32(7)],
         laplacian_box, (Launch(0, (8, 4, 4), (3, 3, 2)), Launch(1, (32, 1, 2), (1, 9, 4)))),
    Case("life_step", "tiles.cu", lambda rng, at: [In((rng.random(SHAPES[at.n]) < 0.4).astype(np.uint8)),
                                                   Out(np.uint8, SHAPES[at.n]), i32(SHAPES[at.n][1]),
                                                   i32(SHAPES[at.n][0])],
         life_step, IMAGES),
]
