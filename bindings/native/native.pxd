# SPDX-License-Identifier: Apache-2.0
# What generated Cython code calls of the native layer: argument conversions, results and errors.
from libc.stddef cimport size_t
from libc.stdint cimport uint64_t, int64_t


cdef extern from "native/api.hpp" namespace "cuda_bindings":
    # Every conversion takes (object, function, parameter): both names are for the error text and cost nothing otherwise.
    int as_int(object, const char*, const char*) except? -1
    unsigned int as_uint(object, const char*, const char*) except? 0xFFFFFFFF
    short as_short(object, const char*, const char*) except? -1
    unsigned short as_ushort(object, const char*, const char*) except? 0xFFFF
    char as_char(object, const char*, const char*) except? -1
    unsigned char as_uchar(object, const char*, const char*) except? 0xFF
    size_t as_size(object, const char*, const char*) except? 0xFFFFFFFFFFFFFFFF
    long as_long(object, const char*, const char*) except? -1
    long long as_longlong(object, const char*, const char*) except? -1
    unsigned long long as_ulonglong(object, const char*, const char*) except? 0xFFFFFFFFFFFFFFFF
    float as_float(object, const char*, const char*) except? -1
    double as_double(object, const char*, const char*) except? -1
    # The value a handle, callback or integer-like argument stands for; type is a HANDLE_* id.
    uint64_t as_handle(object, int type, const char*, const char*) except? 0xFFFFFFFFFFFFFF01
    int as_enumeration(object, int type, const char*, const char*) except? -1
    # The record's memory; NULL for None where nullable. type is a RECORD_* id.
    void* as_record(object, int type, bint nullable, const char*, const char*) except? NULL
    # Pointer-to-handle: None -> NULL, object -> its slot, int -> address.
    void* as_handle_pointer(object, int type, const char*, const char*) except? NULL
    # In/out handle passed by slot and handed back (log iterators): None -> NULL, an int is refused.
    void* as_handle_slot(object, int type, const char*, const char*) except? NULL
    void** as_extra(object, const char*, const char*) except? <void**>1

    # Owners of what an argument needs until the call has returned. All release in their destructors, errors included.
    cdef cppclass Text:
        Text()
        int read(object, bint nullable, const char*, const char*) except -1
        const char* data
    cdef cppclass Address:
        Address()
        # access: ACCESS_NONE, ACCESS_READ, ACCESS_WRITE; byte_length: SIZE_MAX where the length is not known
        int read(object, int access, size_t byte_length, const char*, const char*) except -1
        void* data
    cdef cppclass OutBuffer:
        OutBuffer()
        int read(object, size_t needed, const char*, const char*) except -1   # bytes (unshared) or writable buffer of >= needed bytes
        char* data
    cdef cppclass HandleList:
        HandleList()
        int read(object, int type, bint nullable, bint has_count, size_t count, const char*, const char*) except -1
        # one handle for a count of one, a list of handles, an int address or None
        int read_pointer(object, int type, size_t count, const char*, const char*) except -1
        void* data          # packed C values of the handle's own width
        size_t size
    cdef cppclass RecordList:
        RecordList()
        int read(object, int type, bint nullable, bint has_count, size_t count, const char*, const char*) except -1
        void* data
        size_t size
    cdef cppclass EnumerationList:
        EnumerationList()
        int read(object, int type, bint nullable, bint has_count, size_t count, const char*, const char*) except -1
        int* data
        size_t size
    cdef cppclass NumberList:
        NumberList()
        # width: NUMBER_* (int, uint, size, ulonglong ...); handle_type: HANDLE_* whose instances are taken too, or -1; max_length: 0 = none
        int read(object, int number, int handle_type, bint nullable, bint has_count, size_t count, size_t max_length, const char*, const char*) except -1
        void* data
        size_t size
    cdef cppclass TextList:
        TextList()
        int read(object, bint nullable, bint has_count, size_t count, const char*, const char*) except -1
        const char** data
        size_t size
    cdef cppclass AddressList:
        AddressList()
        int read(object, bint nullable, bint has_count, size_t count, const char*, const char*) except -1
        void** data
        size_t size
    # A callback and what it is called with: a callable is kept as long as CUDA may call it, a raw function is not known.
    cdef cppclass Callback:
        Callback()
        # user_data_name: NULL where C hands nothing to the callback
        int read(object callable, object user_data, int type, const char* function, const char* parameter,
                 const char* user_data_name) except -1
        void enqueue(int library, void* stream)     # before the call: whether the stream is being captured, and by what
        void enter()                                # before a call that calls back at once
        int leave() except -1                       # after it: raises what the callable raised
        # after success, by who may call it from now on
        void once()                                 # before a call after which it runs once
        void enqueued()
        void handed_over()
        void registered(uint64_t handle)
        void* code
        void* user_data
    # The callable of a host node's parameters: taken before the call, kept with the graph (NULL: for ever) after it.
    cdef cppclass NodeCallback:
        NodeCallback()
        int take(object parameters, const char* function, const char* parameter) except -1
        void added(int library, void* graph)
    # A registered callable: taken before the call that ends it, let go after success.
    cdef cppclass Registration:
        Registration()
        void take(int type, uint64_t handle)
        void take_at(int type, const void* address)
        void ended()
    cdef cppclass KernelParameters:
        KernelParameters()
        int read(object, const char*, const char*) except -1
        void** data
    size_t fewer(size_t count, size_t by)            # count - by, not below 0
    cdef cppclass Color:
        Color()
        int read(object, const char*, const char*) except -1
        float* data
    cdef cppclass JitOptions:
        JitOptions()
        # table: ENUM_* id of the option enum; names of the three parameters for errors
        int read(object options, object values, size_t count, int table, const char* function, const char* options_name, const char* values_name) except -1
        # after the call, failed or not: writes what the driver stored (log sizes, wall time) into ctypes instances passed as values
        int finish() except -1
        int keep_on(object handle) except -1   # cuLinkCreate: storage lives as long as the returned CUlinkState
        void* keys
        void** values
    # After a later call on a handle that options were kept on: finish() for what the driver has written since.
    int jit_refresh(object handle) except -1
    cdef cppclass AttributeValue:
        AttributeValue()
        int prepare_get(int table, int attribute, size_t byte_size, const char*, const char*) except -1
        int prepare_set(object value, int table, int attribute, const char*, const char*) except -1
        object result()
        void* data
        size_t size
    cdef cppclass AttributeValues:      # plural getters
        AttributeValues()
        int prepare(object attributes, object sizes, size_t count, int table, const char* function,
                    const char* attributes_name, const char* sizes_name) except -1
        object result()
        void* attributes
        void** data
        size_t* sizes
    cdef cppclass OutArray:             # zeroed scratch memory for array outputs; small ones on the stack
        OutArray()
        int reserve(size_t count, size_t item_size) except -1
        void* data                      # NULL when count is 0
        size_t size                     # items reserved: what a list made of it holds, whatever the call says

    # Results.
    object handle_new(int type, uint64_t value)
    object record_new(int type)                      # zeroed (or with the class's defaults), owning its memory
    void* record_data(object)
    object record_copy(int type, const void* source)
    object enumeration_member(int type, long long value)
    object text_or_none(const char*)                 # bytes or None
    object handle_list_new(int type, const void* values, size_t count)
    object record_list_new(int type, const void* values, size_t count)      # owning copies
    object number_list_new(int number, const void* values, size_t count)
    object enumeration_class(int type)
    # A failing status as the tuple (status, None, ...); raises LibraryNotFoundError or FunctionNotFoundError where the slot has no function.
    object failed(int library, int slot, long long status, int outputs)
    # For functions without a status (error strings, make_*): raises if the slot is missing.
    int require(int library, int slot) except -1
    # Lets a module answer for its constants, handles, records and enums on first touch (PEP 562).
    object module_attribute(int module, object name)
    object module_names(int module)
    object size_of(int module, object cls)
    # Enters a cdef function of objects into the module's namespace; the docstring begins with its signature.
    int define "CUDA_BINDINGS_DEFINE" (object names, const char* name, const char* doc, ...) except -1
    int import_native() except -1                    # at module start: fetches the capsule of cuda_bindings._native

    int ACCESS_NONE, ACCESS_READ, ACCESS_WRITE
    int NUMBER_INT, NUMBER_UINT, NUMBER_SHORT, NUMBER_USHORT, NUMBER_CHAR, NUMBER_UCHAR, NUMBER_SIZE, NUMBER_LONG
    int NUMBER_LONGLONG, NUMBER_ULONGLONG, NUMBER_FLOAT, NUMBER_DOUBLE
    int LIBRARY_DRIVER, LIBRARY_RUNTIME, LIBRARY_NVRTC
