// SPDX-License-Identifier: Apache-2.0
// Functions: recursion, pointers to functions, virtual calls, templates, local arrays, structs in and out, device heap.

typedef unsigned long long u64;

__device__ inline int global_id() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

// Depth and arguments differ from lane to lane.
extern "C" __global__ void recursion(unsigned* fib, int* ack, int n) {
  int i = global_id();
  if (i >= n) return;
  fib[i] = fibonacci(i % TWIN(13, 12));
  ack[i] = ackermann(i % 3, i % 4);
}

__device__ __noinline__ int odd(int n);
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }

__device__ __noinline__ void hanoi(int disks, int from, int to, int* moves, u64* trace) {
  if (disks == 0) return;
  int via = 6 - from - to;
  hanoi(disks - 1, from, via, moves, trace);
  ++*moves;
  *trace = *trace * 31 + from * 4 + to;
  hanoi(disks - 1, via, to, moves, trace);
}

// Mutual recursion, and pointers to a caller's local variables.
extern "C" __global__ void mutual_recursion(int* parity, int* moves, u64* trace, int n) {
  int i = global_id();
  if (i >= n) return;
  int count = 0;
  u64 seen = 1;
  parity[i] = TWIN(even, odd)(i % 17);
  hanoi(i % 6, 1, 3, &count, &seen);
  moves[i] = count;
  trace[i] = seen;
}

__device__ __noinline__ float add(float a, float b) { return a + b; }
__device__ __noinline__ float sub(float a, float b) { return a - b; }
__device__ __noinline__ float product(float a, float b) { return a * b; }
__device__ __noinline__ float larger(float a, float b) { return a > b ? a : b; }
typedef float (*Operation)(float, float);
__device__ Operation operations[4] = {add, sub, product, larger};

// Every lane calls another function of a table that the loader fills.
extern "C" __global__ void function_table(const float* x, const float* y, float* out, int n) {
  int i = global_id();
  if (i >= n) return;
  out[i] = operations[TWIN(i & 3, 0)](x[i], y[i]);
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
};

struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ int corners() const override { return TWIN(4, 5); }
};

struct Disk : Shape {
  float radius;
  __device__ Disk(float r) : radius(r) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
};

extern "C" __global__ void virtual_calls(const float* x, float* areas, int* corners, int n) {
  int i = global_id();
  if (i >= n) return;
  Square square(x[i]);
  Disk disk(x[i]);
  const Shape* shape = i % 3 ? (const Shape*)&square : (const Shape*)&disk;
  areas[i] = shape->area();
  corners[i] = shape->corners();
}

// Objects on the device's heap, made by one kernel and asked by another.
extern "C" __global__ void make_objects(const float* x, Shape** objects, int n) {
  int i = global_id();
  if (i >= n) return;
  if (i & 1)
    objects[i] = new Square(x[i]);
  else
    objects[i] = new Disk(x[i]);
}

extern "C" __global__ void ask_objects(Shape** objects, float* areas, int n) {
  int i = global_id();
  if (i >= n) return;
  areas[i] = objects[i]->area() + TWIN(objects[i]->corners(), 0);
  if (i & 1)
    delete (Square*)objects[i];
  else
    delete (Disk*)objects[i];
  objects[i] = nullptr;
}

struct Node {
  int value;
  Node* next;
};

// A list of malloc'ed nodes in each thread, summed and freed.
extern "C" __global__ void heap_lists(const int* x, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  Node* head = nullptr;
  for (int k = 0; k <= x[i] % 5; ++k) {
    Node* node = (Node*)malloc(sizeof(Node));
    if (!node) return;
    node->value = x[i] + k;
    node->next = head;
    head = node;
  }
  int sum = 0, place = 1;
  while (head) {
    sum += head->value * place;
    place += TWIN(2, 1);
    Node* next = head->next;
    free(head);
    head = next;
  }
  out[i] = sum;
}

// An array whose index is not known to the compiler, sorted in place.
extern "C" __global__ void local_arrays(const int* x, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  int values[16];
  for (int k = 0; k < 16; ++k) values[k] = x[(i * 5 + k * k) % n];
  for (int k = 1; k < 16; ++k) {
    int v = values[k], at = k;
    while (at > 0 && values[at - 1] > v) values[at] = values[at - 1], --at;
    values[at] = v;
  }
  for (int k = 0; k < 16; ++k) out[16 * i + k] = values[TWIN(k, 15 - k)];
}

struct Record {
  unsigned char tag;
  double weight;
  float pair[2];
  u64 key;
};

__device__ __noinline__ void fill(Record* records, int count, int seed) {
  for (int k = 0; k < count; ++k) {
    records[k].tag = seed + k;
    records[k].weight = seed * 0.5 + k;
    records[k].pair[k & 1] = k;
    records[k].pair[~k & 1] = -seed;
    records[k].key = (u64)seed << 33 | k;
  }
}

extern "C" __global__ void local_structs(const int* x, double* out, int n) {
  int i = global_id();
  if (i >= n) return;
  Record records[6];
  fill(records, 6, x[i]);
  int chosen = (x[i] + i) % 6;
  Record r = records[chosen];
  out[i] = r.tag + r.weight * 3 + r.pair[0] + TWIN(r.pair[1], 0) * 0.25 + (double)(r.key >> 30);
}

struct Pair {
  int first, second;
};

struct Large {
  float values[9];
  short extra;
};

__device__ __noinline__ Pair divide(Pair p) { return {p.first / p.second, p.first % p.second}; }

__device__ __noinline__ Large scaled(Large large, float factor) {
  for (int k = 0; k < 9; ++k) large.values[k] *= factor;
  large.extra += TWIN(1, 2);
  return large;
}

__device__ __noinline__ double polynomial(const double* coefficients, int degree, double x, char sign, short scale) {
  double sum = 0;
  for (int k = degree; k >= 0; --k) sum = sum * x + coefficients[k];
  return sign < 0 ? -sum * scale : sum * scale;
}

// Structs as arguments and results of functions; small, wide and signed narrow arguments.
extern "C" __global__ void structs_in_and_out(const int* x, int* out, float* large_out, double* real, int n) {
  int i = global_id();
  if (i >= n) return;
  Pair p = divide({x[i], i % 7 + 1});
  Large large;
  for (int k = 0; k < 9; ++k) large.values[k] = (float)(k + i);
  large.extra = i;
  large = scaled(scaled(large, 0.5f), 4.0f);
  out[3 * i] = p.first;
  out[3 * i + 1] = p.second;
  out[3 * i + 2] = large.extra;
  large_out[i] = large.values[i % 9];
  double coefficients[4] = {1.0, (double)(x[i] % 10), -2.0, 0.5};
  real[i] = polynomial(coefficients, 3, i % 5, (char)(i % 3 - 1), (short)(i % 4));
}

template <typename T, int N>
struct Accumulator {
  T sums[N];
  __device__ Accumulator() {
    for (int k = 0; k < N; ++k) sums[k] = T(k);
  }
  template <typename F>
  __device__ void apply(F function) {
    for (int k = 0; k < N; ++k) sums[k] = function(sums[k], k);
  }
  __device__ T total() const {
    T t = 0;
    for (int k = 0; k < N; ++k) t += sums[k];
    return t;
  }
};

extern "C" __global__ void templates_and_lambdas(const int* x, int* out, double* real, int n) {
  int i = global_id();
  if (i >= n) return;
  int v = x[i];
  Accumulator<int, 5> a;
  Accumulator<double, 3> b;
  a.apply([=](int s, int k) { return s * v + TWIN(k, 0); });
  b.apply([=](double s, int k) { return s + v * 0.5 * k; });
  out[i] = a.total();
  real[i] = b.total();
}

__device__ __noinline__ int many_ways(int way, int v) {
  switch (way) {
    case 0: return v + 1;
    case 1: return v * 3;
    case 2: return v ^ 0x55;
    case 3: v += 7;  // goes on
    case 4: return v - 9;
    case 5: return ~v;
    case 6: return v << 2;
    case 7: return v >> 1;
    case 8: return v & 0xff;
    case 9: return -v;
    case 10: return v % 11;
    case 11: return TWIN(v | 0x100, v);
    case 12: return v * v;
    case 20: return 1000 - v;
    case 100: return v / 3;
    default: return way;
  }
}

extern "C" __global__ void many_switches(const int* x, int* out, int n) {
  int i = global_id();
  if (i >= n) return;
  int v = x[i];
  for (int k = 0; k < 4; ++k) v = many_ways((v ^ k * 5) % 23, v);
  out[i] = many_ways(i % 2 ? 100 : 20, v);
}

// A pointer that may mean global, shared, local or constant memory, seen only at run time.
__constant__ int fixed_words[4] = {7, 77, 777, 7777};
__device__ __noinline__ int read_anywhere(const int* where, int k) { return where[k]; }
__device__ __noinline__ void write_anywhere(int* where, int k, int v) { where[k] = v; }

extern "C" __global__ void generic_pointers(int* x, int* out, unsigned* spaces, int n) {
  __shared__ int shared_words[4];
  int local_words[4] = {1, 2, 3, 4}, i = global_id();
  if (threadIdx.x < 4) shared_words[threadIdx.x] = 50 + threadIdx.x;
  __syncthreads();
  if (i >= n) return;
  const int* choices[4] = {x + i / 4 * 4, shared_words, local_words, fixed_words};
  write_anywhere(local_words, i & 3, TWIN(i, 0));
  out[i] = read_anywhere(choices[i & 3], i / 4 & 3);
  const void* p = choices[i & 3];
  // Constant memory may count as global besides.
  spaces[i] = (__isGlobal(p) && !__isConstant(p)) | __isShared(p) << 1 | __isLocal(p) << 2 | __isConstant(p) << 3;
}
