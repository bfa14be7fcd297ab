# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
"""Other libraries' arrays: whose they are, where they live, and how the native module may look at them. Nothing is
copied."""
import operator
import sys

import numpy

CUDA = 2  # DLPack's number for memory of a CUDA device


def library_of(array):
    """The module whose array this is ("numpy", "torch", "cupy", "jax"), or "" for anything else."""
    return type(array).__module__.partition(".")[0]


def is_jax(array):
    """True for jax's arrays and for what stands for them while a program is traced."""
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(array, jax.Array)


def dtype_name(array):
    """"float32" of any library's dtype; "" when only DLPack knows."""
    dtype = getattr(array, "dtype", None)
    return "" if dtype is None else str(getattr(dtype, "name", dtype)).rpartition(".")[2]


def lives_on_cuda(array):
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == CUDA


def current_stream(array):
    """The stream that the array's library is working on; 0 is CUDA's default one."""
    if library_of(array) == "torch":
        import torch
        return torch.cuda.current_stream(array.device).cuda_stream
    if library_of(array) == "cupy":
        import cupy
        return cupy.cuda.get_current_stream().ptr
    return 0


def exported(array, name, stream, is_own=False):
    """What the native module takes: a DLPack capsule for device memory, ordered after its producer's work on `stream`,
    which is its producer's own when is_own says so; the array itself otherwise. NumPy has no bfloat16 of its own:
    ml_dtypes' goes as its 16 bits."""
    if library_of(array) == "torch":
        array = _plain_tensor(array, name)
    if lives_on_cuda(array):
        return array.__dlpack__(stream=-1 if is_own else stream or 1)  # DLPack's name for the default stream is 1
    if library_of(array) == "torch":
        return array
    if isinstance(array, numpy.ndarray):
        if isinstance(array, numpy.ma.MaskedArray):
            raise TypeError(f"{name}: expected an array without a mask; fill it first, as by {name}.filled(0)")
        if not (array.dtype.kind in "fiub" and array.dtype.itemsize <= 8) and array.dtype.name not in (
            "bfloat16",
            "complex64",
            "complex128",
        ):
            raise TypeError(
                f"{name}: expected float64, float32, float16, bfloat16, complex128 or complex64; it is {array.dtype}"
            )
        if not array.dtype.isnative:
            raise TypeError(f"{name}: expected numbers in this machine's byte order; its dtype is {array.dtype!r}")
        if any(stride % array.itemsize for stride in array.strides):
            raise ValueError(
                f"{name}: expected steps of whole elements of {array.itemsize} bytes; its strides are {array.strides}"
            )
        if name in ("out", "y") and not array.flags.writeable:
            raise ValueError(f"{name}: expected an array that can be written to; it is read-only")
        return array.view(numpy.uint16) if array.dtype.name == "bfloat16" else array
    if hasattr(array, "__dlpack__"):
        return array
    try:
        return memoryview(array)
    except TypeError:
        raise TypeError(
            f"{name}: expected an array with DLPack or the buffer protocol; it is {type(array).__name__}"
        ) from None


def _plain_tensor(tensor, name):
    """One that is no more than its memory: without a gradient, and without torch's mark that the numbers are
    negated."""
    if tensor.requires_grad:
        import torch
        if torch.is_grad_enabled():
            raise ValueError(
                f"{name}: expected a tensor that asks for no gradient, which this product has none of: take "
                "tilewright.torch.matmul, tensor.detach() or torch.no_grad()"
            )
        tensor = tensor.detach()
    if tensor.is_neg():
        if name in ("out", "y"):
            raise ValueError(
                f"{name}: expected memory to write numbers to; it is a tensor that torch negates as it reads"
            )
        tensor = tensor.resolve_neg()
    if tensor.is_conj():
        if name in ("out", "y"):
            raise ValueError(
                f"{name}: expected memory to write numbers to; it is a tensor that torch conjugates as it reads"
            )
        tensor = tensor.resolve_conj()
    return tensor


def check_device(device):
    """A name that no build has is a mistake of the caller's; a device that is not there is the machine's affair."""
    if device is not None and not isinstance(device, str):
        raise TypeError(f"device: expected a name such as 'cpu' or 'cuda:1'; it is {device!r}")
    if device and device.partition(":")[0] not in ("cpu", "cpu-check", "cuda", "metal", "metal-check"):
        raise ValueError(f"device: expected cpu, cuda, cuda:1, cuda:* or metal; it is '{device}'")


def whole_number(number, name):
    """A number that counts: neither "2" nor 1.5 does."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number; it is {number!r}") from None


def thread_count(threads):
    """As the native module takes it, where counts out of range are clamped."""
    return max(0, min(whole_number(threads, "threads"), 2**31 - 1))


def contiguous(array):
    """The array itself, or a copy without gaps by its own library."""
    if library_of(array) == "torch":
        return array.contiguous()
    if library_of(array) == "cupy":
        import cupy
        return cupy.ascontiguousarray(array)
    return numpy.ascontiguousarray(array) if isinstance(array, numpy.ndarray) else array


def empty_like(array, shape):
    """An array of the same library, dtype and device, to write into; NumPy's for whatever has none of its own."""
    if library_of(array) == "torch":
        import torch
        return torch.empty(shape, dtype=array.dtype, device=array.device)
    if library_of(array) == "cupy":
        import cupy
        with cupy.cuda.Device(array.device.id):
            return cupy.empty(shape, dtype=array.dtype)
    if isinstance(array, numpy.ndarray):
        return numpy.empty(shape, dtype=array.dtype)
    return numpy.empty(shape, dtype=numpy.asarray(array).dtype)
