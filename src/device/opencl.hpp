#pragma once

// OpenCL 1.2 with its C++ bindings, whose errors are exceptions.
#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
