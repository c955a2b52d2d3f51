#pragma once
// Results that no node has recorded yet, in the order in which they came.

#include "libs/base/time.hpp"
#include "libs/protocol/client_wire.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace baton::client {

// Bounded by its user, which accepts no work whose result would not find room.
class outbox {
public:
    void add(protocol::result_report report, std::size_t bytes, instant now);

    // What is due, oldest first: at most `most`, and no more than `bytes` unless one alone is larger. They stay here.
    std::vector<protocol::result_report> batch(instant now, std::size_t most, std::size_t bytes) const;

    void recorded(protocol::attempt_key which);
    // A node answered without recording it: again later, each time after a longer wait.
    void postpone(protocol::attempt_key which, instant now);
    // Somebody asks for it: again now.
    void hurry(protocol::attempt_key which, instant now);
    // No node will take it as it is: send it without value and with `why` for its error. False if that was done before.
    bool strip(protocol::attempt_key which, std::string why);

    std::size_t size() const { return entries_.size(); }
    std::optional<instant> next_due() const;

private:
    struct entry {
        protocol::result_report report;
        std::size_t bytes = 0;
        instant due;
        int refusals = 0;
        bool stripped = false;
    };
    using key = std::pair<std::int64_t, int>;

    entry* find(protocol::attempt_key which);

    std::map<std::uint64_t, entry> entries_; // by order of arrival
    std::map<key, std::uint64_t> places_;
    std::uint64_t next_ = 0;
};

} // namespace baton::client
