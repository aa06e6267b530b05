// SPDX-License-Identifier: Apache-2.0
// Lists of records that lead to themselves, as CUdevResource.nextResource may since CUDA 13.1. The table of records is
// that of 13.0 with this one member in place of _oversize's last bytes.
#include "embedded_python.hpp"
#include "native/record.hpp"

namespace cuda_bindings::testing {
namespace {

constexpr char a_ring[] = R"(
import copy, gc, weakref
class Buffer(bytearray):
    pass
def ring():
    first = driver.CUdevResource()
    first.nextResource = [driver.CUdevResource(), driver.CUdevResource()]
    element = first.nextResource[0]         # lies in the first list ...
    element.nextResource = [first]          # ... and leads to a second one, which leads to the first
    element.sm.smCount = 5
    return element
)";

TEST(RecordsInARing, AreReadThroughAsFarAsOneLikes) {
  run(a_ring);
  run("at = it = ring()\nfor i in range(1000): at = at.nextResource[0]");
  EXPECT_TRUE(holds("at.sm.smCount == 5 and at.getPtr() == it.getPtr()"));
}

TEST(RecordsInARing, ShowDotsWhereTheTextWouldNotEnd) {
  run(a_ring);
  run("text = repr(ring())");
  EXPECT_TRUE(holds("'nextResource : [...]' in text and text.count('smCount : 5') == 2")) << "see repr";
  EXPECT_TRUE(holds("repr(driver.CUdevResource()).endswith('nextResource : []')"));
}

TEST(RecordsInARing, HaveNoDictionary) {
  run(a_ring);
  run("try: ring().to_dict()\nexcept RecursionError: found = True");
  EXPECT_TRUE(holds("found"));
}

TEST(RecordsInARing, AreComparedUntilPythonSaysThatItIsTooDeep) {
  run(a_ring);
  run("one, other = ring(), ring()\ntry: one == other\nexcept RecursionError: deep = True");
  EXPECT_TRUE(holds("deep and one == one and one == one.copy()"));
  run("other.sm.smCount = 6");
  EXPECT_TRUE(holds("one != other"));
}

TEST(RecordsInARing, AreCopiedDeeplyIntoARing) {
  run(a_ring);
  run("first = ring()\nsecond = copy.deepcopy(first)\nfirst.nextResource[0].nextResource[0].sm.smCount = 6\n"
      "around = second.nextResource[0].nextResource[0]\nagain = around.nextResource[0].nextResource[0]");
  EXPECT_TRUE(holds("around.sm.smCount == 5 and around.getPtr() == again.getPtr() != first.getPtr()"));
}

TEST(RecordsInARing, AreCollectedWithWhatTheyKeep) {
  run(a_ring);
  run("held = ring()\nbuffer = Buffer(8)\nbuffer.link = held\nseen = weakref.ref(buffer)\n"
      "holder = driver.CUDA_MEMCPY2D()\nholder.srcHost = buffer\nbuffer.holder = holder\n"
      "del held, buffer, holder\ngc.collect()");
  EXPECT_TRUE(holds("seen() is None"));
  run("before = len(gc.get_objects())\nfor i in range(50): ring()\ngc.collect()");
  EXPECT_TRUE(holds("len(gc.get_objects()) - before < 10"));
}

TEST(RecordsInAChain, AreFreedCopiedAndComparedHoweverLongItIs) {
  run("import copy\ndef chain(n):\n  last = driver.CUdevResource()\n  for i in range(n):\n"
      "    following = driver.CUdevResource()\n    following.nextResource = [last]\n    last = following\n  return "
      "last");
  run("long = chain(200_000)\nother = copy.deepcopy(long)\n");
  EXPECT_TRUE(holds("other.nextResource[0].getPtr() != long.nextResource[0].getPtr()"));
  run("for action in (lambda: long == other, lambda: repr(long), lambda: long.to_dict()):\n"
      "  try: action()\n  except RecursionError: continue\n  raise AssertionError\n"
      "del long, other");
  EXPECT_TRUE(holds("chain(20) == chain(20) and chain(20) != chain(21)"));
  EXPECT_TRUE(holds("chain(20).to_dict()['nextResource'][0]['nextResource'][0]['sm']['smCount'] == 0"));
}

}  // namespace
}  // namespace cuda_bindings::testing
