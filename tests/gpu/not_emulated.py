# SPDX-License-Identifier: Apache-2.0
"""Which tests of this folder the emulated device leaves out, and why: a file's stem, or stem::test."""

NOT_EMULATED = {
    "test_gpu_graphs": "the emulated device has no graphs",
    "test_examples::test_example_verifies_its_result[graph_capture]": "no graphs, so no capture",
    "test_gpu_contexts::test_core_dump_settings": "no core dumps: a fault is explained on stderr",
    "test_gpu_contexts::test_logs": "the driver's own log is not there",
    "test_gpu_memory::test_arrays": "no CUDA arrays, for there are no textures",
    "test_gpu_memory::test_arrays_in_three_dimensions_and_mipmaps": "no CUDA arrays",
    "test_gpu_memory::test_virtual_memory": "no management of virtual memory",
    "test_gpu_memory::test_an_allocation_goes_through_a_file_descriptor": "no management of virtual memory",
    "test_gpu_memory::test_memory_and_events_go_to_another_process": "no sharing between processes",
    "test_gpu_modules::test_linking": "links to PTX, and the test asks for machine code",
    "test_gpu_runtime::test_linear_texture": "no textures",
    "test_gpu_runtime::test_array_texture_and_surface": "no textures and surfaces",
}
