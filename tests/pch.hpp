#pragma once
// Precompiled for every test: what is precompiled for every target, and Catch2.

#include "libs/base/pch.hpp"

#include <catch2/catch.hpp>
