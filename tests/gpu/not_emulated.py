# SPDX-License-Identifier: Apache-2.0
"""Which tests of this folder the emulated device leaves out, and why: a file's stem, or stem::test."""

NOT_EMULATED = {
    "test_gpu_graphs": "the emulated device has no graphs",
    "test_examples::test_example_verifies_its_result[graph_capture]": "no graphs, so no capture",
    **{f"test_gpu_callbacks::{test}": "no graphs, and no user objects" for test in (
        "test_captured_host_functions_live_as_long_as_the_graph_and_what_was_made_of_it",
        "test_a_capture_through_the_runtime_keeps_its_host_function_too",
        "test_host_nodes_keep_their_callable_with_the_graph[False]",
        "test_host_nodes_keep_their_callable_with_the_graph[True]",
        "test_new_parameters_of_an_executable_node_are_called",
        "test_the_callable_of_a_destructor_runs_when_the_object_goes",
    )},
    "test_gpu_callbacks::test_registered_callbacks_go_when_they_are_unregistered": "no log and no notifications",
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
