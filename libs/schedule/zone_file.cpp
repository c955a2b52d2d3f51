#include "libs/schedule/zone_file.hpp"

#include "libs/schedule/checksum.hpp"

#include <algorithm>
#include <cctz/zone_info_source.h>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

// The Gregorian calendar repeats itself, with its weekdays. cctz knows the changes of one cycle behind a file's table.
constexpr chr::seconds calendar_cycle = chr::days{146'097};
// No table of a file goes so far, but each rule that cctz follows does.
constexpr chr::sys_seconds behind_tables = chr::sys_days{chr::year{2200} / 1 / 1};

thread_local std::string_view const* content_to_read = nullptr;

class memory_source : public cctz::ZoneInfoSource {
public:
    explicit memory_source(std::string_view content) : rest_(content) {}

    std::size_t Read(void* to, std::size_t size) override
    {
        size = std::min(size, rest_.size());
        std::memcpy(to, rest_.data(), size);
        rest_.remove_prefix(size);
        return size;
    }
    int Skip(std::size_t size) override
    {
        if (size > rest_.size())
            return -1;
        rest_.remove_prefix(size);
        return 0;
    }

private:
    std::string_view rest_;
};

using source_pointer = std::unique_ptr<cctz::ZoneInfoSource>;

// cctz calls this in the thread that loads a zone.
source_pointer source_of(std::string const& name, std::function<source_pointer(std::string const&)> const& usual)
{
    return content_to_read != nullptr ? std::make_unique<memory_source>(*content_to_read) : usual(name);
}

// cctz reads a name once, so the name stands for the content.
bool load(std::string_view content, cctz::time_zone& zone)
{
    static std::once_flag installed;
    std::call_once(installed, [] { cctz_extension::zone_info_source_factory = source_of; });
    checksum sum;
    sum.add(content);
    content_to_read = &content;
    bool const loaded = cctz::load_time_zone("baton-" + sum.hex(), &zone);
    content_to_read = nullptr;
    return loaded;
}

// The size of the data block behind a header, by the counts in it. `time_size`: bytes of an instant.
std::uint64_t data_size(std::string_view header, std::uint64_t time_size)
{
    auto const count = [&](std::size_t index) {
        std::uint64_t value = 0;
        for (auto const byte : header.substr(20 + 4 * index, 4))
            value = value << 8 | static_cast<unsigned char>(byte);
        return value;
    };
    auto const indicators = count(0) + count(1);
    auto const leap_seconds = count(2) * (time_size + 4);
    auto const changes = count(3) * (time_size + 1);
    auto const types = count(4) * 6;
    return indicators + leap_seconds + changes + types + count(5);
}

// The last line, from version 2 on: the rule for the years behind the table. "CET-1CEST,M3.5.0,M10.5.0/3" has daylight
// time, "CET-1" has none.
std::string_view rule_of(std::string_view content)
{
    if (content.size() < 5 || content[4] < '2' || content.back() != '\n')
        return {};
    content.remove_suffix(1);
    return content.substr(content.rfind('\n') + 1);
}

// cctz 2.3 takes the offsets of the years behind the table from the last two changes in it, whatever the rule says.
// Files that zic has shortened ("-b slim") may end before the rule has begun; then the abbreviations are not those of
// the rule.
bool is_followed(std::string_view rule, cctz::time_zone const& zone, chr::sys_seconds from)
{
    auto one = zone.lookup(from);
    auto other = one;
    for (int month = 1; month <= 12 && one.is_dst == other.is_dst; ++month)
        other = zone.lookup(from + month * chr::days{30});
    if (one.is_dst)
        std::swap(one, other);
    auto const names = rule.substr(0, rule.find(','));
    auto const standard = names.substr(names.starts_with('<') ? 1 : 0);
    std::string_view const name = one.abbr;
    return !one.is_dst && other.is_dst && standard.starts_with(name) &&
           standard.find(other.abbr, name.size()) != standard.npos;
}

chr::sys_seconds instant_of(cctz::civil_second reading, chr::seconds offset)
{
    return chr::sys_seconds{chr::seconds{reading - cctz::civil_second()} - offset};
}

using change = cctz::time_zone::civil_transition;

// cctz also reports changes of the abbreviation alone.
chr::sys_seconds begin_of(cctz::time_zone const& zone, chr::sys_seconds at, chr::seconds offset)
{
    change found;
    for (auto behind = at + chr::seconds{1}; zone.prev_transition(behind, &found);) {
        behind = instant_of(found.to, offset);
        if (found.from != found.to)
            return std::max(behind, far_past);
    }
    return far_past;
}

chr::sys_seconds end_of(cctz::time_zone const& zone, chr::sys_seconds at, chr::seconds offset)
{
    change found;
    while (zone.next_transition(at, &found)) {
        at = instant_of(found.from, offset);
        if (found.from != found.to)
            return std::min(at, far_future);
    }
    return far_future;
}

} // namespace

bool has_counted_data(std::string_view content)
{
    constexpr std::size_t header_size = 44;
    bool const two_blocks = content.size() > 4 && content[4] != 0; // the second one has instants of 64 bits
    for (std::uint64_t const time_size : {4, 8}) {
        if (time_size == 8 && !two_blocks)
            break;
        if (content.size() < header_size)
            return false;
        auto const size = data_size(content, time_size);
        if (size > content.size() - header_size)
            return false;
        content.remove_prefix(header_size + size);
    }
    return true;
}

file_rules::file_rules(cctz::time_zone zone) : zone_(zone)
{
    change last;
    if (zone.next_transition(behind_tables, &last) && zone.prev_transition(far_future, &last))
        repeats_from_ = zone.lookup(last.to).trans;
}

std::optional<file_rules> file_rules::read(std::string_view content)
{
    cctz::time_zone zone;
    if (!content.starts_with("TZif") || !has_counted_data(content) || !load(content, zone))
        return std::nullopt;
    file_rules const found(zone);
    auto const rule = rule_of(content);
    bool const has_daylight = rule.find(',') != rule.npos;
    if (has_daylight && !(found.repeats_from_ && is_followed(rule, zone, behind_tables)))
        return std::nullopt;
    return found;
}

offset_span file_rules::at(chr::sys_seconds when) const
{
    chr::seconds shift{};
    if (repeats_from_ && when >= *repeats_from_)
        shift = ((when - *repeats_from_) / calendar_cycle + 1) * calendar_cycle;
    auto const known = when - shift;
    chr::seconds const offset{zone_.lookup(known).offset};
    return {begin_of(zone_, known, offset) + shift, end_of(zone_, known, offset) + shift, offset};
}

} // namespace baton::schedule
