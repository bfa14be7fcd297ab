// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The Objective-C runtime, as much of it as Metal needs: a message is a call of objc_msgSend, cast to the method's
// type. No framework's header is included, so the same code is compiled, and run against a stand-in, where there is no
// Mac.
#pragma once

#include <cstddef>

extern "C" {
void objc_msgSend();
void* sel_registerName(const char* name);
void* objc_getClass(const char* name);
void* objc_autoreleasePoolPush();
void objc_autoreleasePoolPop(void* pool);
void* MTLCreateSystemDefaultDevice();
}

namespace tw::metal {

using Object = void*;

/// A message's name, looked up once.
class Selector {
public:
    explicit Selector(const char* name) : registered_(sel_registerName(name)) {}
    template <class Result, class... Arguments>
    Result to(Object receiver, Arguments... arguments) const {
        using Method = Result (*)(Object, void*, Arguments...);
        return reinterpret_cast<Method>(&objc_msgSend)(receiver, registered_, arguments...);
    }

private:
    void* registered_;
};

/// Every message that is sent here; THE list to hold against Apple's documents.
struct Selectors {
    Selector create{"new"}, alloc{"alloc"}, release{"release"};
    Selector string_with{"stringWithUTF8String:"}, utf8{"UTF8String"}, description{"localizedDescription"};
    Selector name{"name"}, supports_family{"supportsFamily:"}, make_queue{"newCommandQueue"};
    Selector make_buffer{"newBufferWithLength:options:"}, contents{"contents"};
    Selector make_library{"newLibraryWithSource:options:error:"}, make_function{"newFunctionWithName:"};
    Selector make_pipeline{"newComputePipelineStateWithFunction:error:"};
    Selector most_threads{"maxTotalThreadsPerThreadgroup"}, most_threadgroup_memory{"maxThreadgroupMemoryLength"};
    Selector set_loose_math{"setFastMathEnabled:"}, set_language{"setLanguageVersion:"};
    Selector command_buffer{"commandBuffer"}, encoder{"computeCommandEncoder"},
        set_pipeline{"setComputePipelineState:"};
    Selector set_buffer{"setBuffer:offset:atIndex:"}, set_bytes{"setBytes:length:atIndex:"};
    Selector dispatch{"dispatchThreadgroups:threadsPerThreadgroup:"}, end{"endEncoding"}, commit{"commit"};
    Selector wait{"waitUntilCompleted"}, status{"status"}, error{"error"}, start_time{"GPUStartTime"},
        end_time{"GPUEndTime"};
    // MetalPerformanceShaders
    Selector describe_matrix{"matrixDescriptorWithRows:columns:rowBytes:dataType:"};
    Selector init_matrix{"initWithBuffer:offset:descriptor:"};
    Selector init_product{
        "initWithDevice:transposeLeft:transposeRight:resultRows:resultColumns:interiorColumns:alpha:beta:"};
    Selector encode_product{"encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:"};
};

inline const Selectors& selectors() {
    static const Selectors all;
    return all;
}

/// What "autoreleased" objects live in until it ends.
class Pool {
public:
    Pool() : pool_(objc_autoreleasePoolPush()) {}
    ~Pool() { objc_autoreleasePoolPop(pool_); }
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

private:
    void* pool_;
};

/// MTLSize.
struct Size {
    unsigned long width, height, depth;
};

}  // namespace tw::metal
