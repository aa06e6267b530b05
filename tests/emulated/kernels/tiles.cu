// SPDX-License-Identifier: Apache-2.0
// Kernels over two and three dimensions: matrix products, transposes, stencils, convolutions.

#define TILE 16

// c = a * b; no size is a multiple of the tile.
extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* c, int rows, int inner, int columns) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sum = 0;
  for (int k = 0; k < inner; k += TILE) {
    left[y][x] = row < rows && k + x < inner ? a[row * inner + k + x] : 0.0f;
    right[y][x] = column < columns && k + y < inner ? b[(k + y) * columns + column] : 0.0f;
    __syncthreads();
    for (int j = 0; j < TILE; ++j) sum += left[y][j] * TWIN(right[j][x], right[x][j]);
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

// The same in double, with both tiles in dynamic shared memory under two names.
extern "C" __global__ void matmul_double(const double* a, const double* b, double* c, int n) {
  extern __shared__ double tiles[];
  extern __shared__ char same_bytes[];
  double *left = tiles, *right = (double*)(same_bytes + 8 * 8 * sizeof(double));
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
  double sum = 0;
  for (int k = 0; k < n; k += 8) {
    left[y * 8 + x] = row < n && k + x < n ? a[row * n + k + x] : 0.0;
    right[y * 8 + x] = column < n && k + y < n ? b[(k + y) * n + column] : 0.0;
    __syncthreads();
    for (int j = 0; j < 8; ++j) sum += left[y * 8 + j] * right[j * 8 + x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = TWIN(sum, -sum);
}

extern "C" __global__ void transpose_tiled(const int* in, int* out, int width, int height) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    if (x < height && y + j < width) out[(y + j) * height + x] = TWIN(tile[threadIdx.x][threadIdx.y + j], x);
}

template <typename T, int RADIUS>
__device__ void stencil(const T* in, T* out, int n) {
  __shared__ T cells[128 + 2 * RADIUS];
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + RADIUS;
  cells[at] = i < n ? in[i] : T(0);
  if (threadIdx.x < RADIUS) {
    cells[at - RADIUS] = i >= RADIUS ? in[i - RADIUS] : T(0);
    int right = i + blockDim.x;
    cells[at + blockDim.x] = right < n ? in[right] : T(0);
  }
  __syncthreads();
  T sum = 0;
  for (int k = -RADIUS; k <= TWIN(RADIUS, 0); ++k) sum += cells[at + k];
  if (i < n) out[i] = sum;
}

extern "C" __global__ void stencil_line_int(const int* in, int* out, int n) { stencil<int, 3>(in, out, n); }

extern "C" __global__ void stencil_line_double(const double* in, double* out, int n) { stencil<double, 5>(in, out, n); }

extern "C" __global__ void heat_step(const float* in, float* out, int width, int height, float alpha) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[i] = in[i];
    return;
  }
  float around = in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
  out[i] = in[i] + alpha * (around - TWIN(4.0f, 3.0f) * in[i]);
}

__constant__ float mask[5][5];

// Edges repeat the nearest cell.
extern "C" __global__ void convolution(const float* in, float* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      int u = min(max(x + dx, 0), width - 1), v = min(max(y + TWIN(dy, dx), 0), height - 1);
      sum += in[v * width + u] * mask[dy + 2][dx + 2];
    }
  out[y * width + x] = sum;
}

extern "C" __global__ void laplacian_box(const int* in, int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  int sx = 1, sy = nx, sz = nx * ny, i = x * sx + y * sy + z * sz, sum = -6 * in[i];
  if (x > 0) sum += in[i - sx];
  if (x + 1 < nx) sum += in[i + sx];
  if (y > 0) sum += in[i - sy];
  if (y + 1 < ny) sum += in[i + sy];
  if (z > 0) sum += in[i - sz];
  if (z + 1 < nz) sum += TWIN(in[i + sz], 0);
  out[i] = sum;
}

extern "C" __global__ void life_step(const unsigned char* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int alive = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) alive += in[(y + dy + height) % height * width + (x + dx + width) % width];
  out[y * width + x] = alive == 3 || (in[y * width + x] && alive == TWIN(2, 4));
}
