#include "libs/base/id.hpp"

#include <algorithm>
#include <cstdio>

namespace baton {

namespace {
constexpr std::int64_t first_millisecond = 1'704'067'200'000; // 2024-01-01T00:00:00Z
constexpr int sequence_bits = 10;
constexpr int origin_bits = 12;
}

id_generator::id_generator(time_source const& time, random_source& random)
    : time_(time), origin_(static_cast<std::int64_t>(random.below(1 << origin_bits)))
{}

std::int64_t id_generator::next()
{
    auto const now = (to_micros(time_.utc()) / 1'000 - first_millisecond) << sequence_bits;
    last_ = std::max(now, last_ + 1); // the 1025th id of a millisecond takes the next millisecond
    auto const millisecond = last_ >> sequence_bits;
    auto const sequence = last_ & ((1 << sequence_bits) - 1);
    return (millisecond << (origin_bits + sequence_bits)) | (origin_ << sequence_bits) | sequence;
}

utc_time made_at(std::int64_t id)
{
    return from_micros(((id >> (origin_bits + sequence_bits)) + first_millisecond) * 1'000);
}

std::string make_incarnation(std::string const& host, int pid, std::string const& boot, random_source& random)
{
    char drawn[33];
    std::snprintf(drawn, sizeof drawn, "%016llx%016llx", static_cast<unsigned long long>(random.next()),
                  static_cast<unsigned long long>(random.next()));
    return host.substr(0, 40) + ":" + std::to_string(pid) + ":" + boot.substr(0, 8) + ":" + drawn;
}

} // namespace baton
