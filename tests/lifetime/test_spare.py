# SPDX-License-Identifier: Apache-2.0
"""Freed records' objects are used again by the next: by one at a time, and never as what they were."""

from __future__ import annotations

import gc
import threading


def test_a_used_object_has_nothing_of_the_record_that_it_was(driver, runtime):
    classes = [driver.CUmemLocation, driver.CUDA_MEMCPY2D, runtime.dim3, driver.CUlaunchAttribute]
    for turn in range(400):
        old = [cls() for cls in classes * 40]       # more than wait to be used again
        for record in old:
            memoryview(record)[:] = b"\xff" * memoryview(record).nbytes
        del old, record
        fresh = classes[turn % 4]()
        assert type(fresh) is classes[turn % 4]
        assert bytes(fresh) == (b"\1\0\0\0" * 3 if turn % 4 == 2 else bytes(memoryview(fresh).nbytes))


def test_views_and_records_that_live_share_no_object(driver):
    views = [driver.CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS().params for _ in range(300)]
    assert len({id(view) for view in views}) == 300 and all(gc.is_tracked(view) for view in views)
    assert len({view.getPtr() for view in views}) == 300


def test_a_derived_class_s_instances_are_not_used_for_the_base(driver):
    class Derived(driver.CUmemLocation):  # type: ignore[name-defined]  # a fixture
        pass

    for _ in range(300):
        derived = Derived()
        derived.note = derived
        del derived
        assert type(driver.CUmemLocation()) is driver.CUmemLocation
        assert not hasattr(driver.CUmemLocation(), "note")
    gc.collect()


def test_threads_that_make_and_drop_records_get_records_of_their_own(driver):
    failures = []

    def work(number: int) -> None:
        for turn in range(2000):
            records = [driver.CUmemLocation() for _ in range(1 + turn % 7)]
            for record in records:
                record.id = number
            if any(record.id != number for record in records):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
