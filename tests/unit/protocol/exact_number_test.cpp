#include "libs/protocol/exact_number.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

namespace exact_number_test {

using namespace baton::protocol;

namespace {

kept_number kept(std::string const& text)
{
    return kept_as_double(text, std::strtod(text.c_str(), nullptr));
}

} // namespace

TEST_CASE("a decimal is kept if a double has all its digits")
{
    for (auto const* const text : {"0.0", "-0.0", "0e5", "1.0", "1.50", "100e-2", "0.1", "0.30000000000000004",
                                   "1.1000000000000001", "123456789012345.5", "1E5", "1e+22", "-2.5e-7", "0.000120",
                                   "1.7976931348623157e308", "4.9e-324", "5e-324", "2.2250738585072014E-308"}) {
        INFO(text);
        CHECK(kept(text) == kept_number::exact);
    }
    for (auto const* const text : {"3.141592653589793238", "0.1000000000000000055511151231257827", "1e-400",
                                   "9007199254740993.0", "12345678901234567.8", "1e-99999999999999999999", "3e-324"}) {
        INFO(text);
        CHECK(kept(text) == kept_number::rounded);
    }
}

TEST_CASE("an integer that has become a double is beyond the range, whatever its digits")
{
    CHECK(kept("18446744073709551616") == kept_number::integer);
    CHECK(kept("-100000000000000000000") == kept_number::integer);
}

TEST_CASE("each double is kept as C, with 17 digits, writes it")
{
    std::mt19937_64 random(7);
    for (int i = 0; i < 10'000; ++i) {
        auto const bits = random();
        double value = 0;
        static_assert(sizeof value == sizeof bits);
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value))
            continue;
        char text[40];
        std::snprintf(text, sizeof text, "%.16e", value);
        INFO(text);
        REQUIRE(kept(text) == kept_number::exact);
    }
}

} // namespace exact_number_test
