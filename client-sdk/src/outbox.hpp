#pragma once
// Results that no node has recorded yet, in the order in which they fall due.

#include "libs/base/time.hpp"
#include "libs/protocol/client_wire.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace baton::client {

// Its user bounds it: the engine accepts no execution whose result would have no room.
class outbox {
public:
    void add(protocol::result_report report, std::size_t bytes, instant now);

    // The results that are due, oldest first: at most `most`, and no more than `bytes` unless one alone is larger. They
    // stay here, marked as on their way: in no other batch until one of the calls below names them.
    std::vector<protocol::result_report> batch(instant now, std::size_t most, std::size_t bytes);

    void recorded(protocol::attempt_key which);
    // It did not arrive: due again now.
    void unsent(protocol::attempt_key which);
    // A node answered without recording it: due again later, each time after a longer wait.
    void postpone(protocol::attempt_key which, instant now);
    // A node asks for it: due now, unless it is on its way.
    void hurry(protocol::attempt_key which, instant now);
    // A node could not read its batch: due again now, from now on in batches of at most `most`.
    void part(protocol::attempt_key which, std::size_t most);
    // Whether this batch is a single result that must be sent alone, without notes.
    bool alone(std::vector<protocol::result_report> const& batch) const;
    // No node takes it: send it without its value, and with `why` as its error. False if that was done before.
    bool strip(protocol::attempt_key which, std::string why);

    std::size_t size() const { return entries_.size(); }
    std::size_t waiting() const { return waiting_.size(); } // not on their way
    std::optional<instant> next_due() const;                // among those

private:
    using key = std::pair<execution_id, int>;
    using place = std::pair<instant, std::uint64_t>; // when it is due, and of those the order of arrival

    struct entry {
        protocol::result_report report;
        std::size_t bytes = 0;
        std::uint64_t order = 0;
        instant due;
        bool on_its_way = false;
        std::size_t batch_limit = SIZE_MAX; // on the size of its batch
        int refusals = 0;
        bool stripped = false;
    };

    entry* find(protocol::attempt_key which);
    void wait(entry& one, instant due); // no longer on its way

    std::map<key, entry> entries_;
    std::map<place, entry*> waiting_;
    std::uint64_t next_ = 0;
};

} // namespace baton::client
