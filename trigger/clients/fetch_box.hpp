#pragma once

#include "libs/protocol/fetch_wire.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace baton::trigger {

struct fetch_limits {
    std::size_t calls = 256;         // that wait for one client
    std::size_t bytes = 16u << 20;   // of their bodies
    std::size_t envelope = 4u << 20; // bytes of calls in one answer, unless a single call is larger
    duration repeat = 1min;          // an envelope, at most; a client remembers an execution for ten minutes
};

// The calls that wait for one client to fetch them, and the one envelope of calls that it may have got already: its
// text stays the same until the client has answered it. A state machine: its owner holds the requests. On the loop
// only.
class fetch_box {
public:
    explicit fetch_box(fetch_limits limits = {}) : limits_(limits) {}

    // False: too much waits already.
    bool put(protocol::fetched_call call);
    // The answer is not wanted any more. A call that is not in the envelope will never reach the client.
    void give_up(std::int64_t call);
    bool in_envelope(std::int64_t call) const;

    // A request of the client has come. False: another one with this number or a higher one came before.
    bool begin(std::int64_t poll);

    // Is there something to answer a request with?
    bool has_calls() const { return !text_.empty() || !waiting_.empty(); }
    // The present envelope, or a new one of the calls that wait: its number becomes ++last.
    std::string const& envelope(std::string const& node, std::int64_t& last, instant now);

    // An envelope that has had no answers for fetch_limits::repeat will not be repeated: the client may have forgotten
    // the executions that it names. Returns its calls.
    std::vector<std::int64_t> drop_old(instant now);

    // The client has answered the envelope `number`. Returns the calls that were in it; none if it is not the present
    // one, because its answers came before.
    std::vector<std::int64_t> settle(std::int64_t number);

private:
    fetch_limits limits_;
    std::deque<protocol::fetched_call> waiting_;
    std::size_t bytes_ = 0;
    std::int64_t newest_poll_ = 0;
    std::string text_; // of the envelope; empty: there is none
    std::int64_t number_ = 0;
    instant made_at_{};
    std::vector<std::int64_t> sent_; // the calls in it
};

} // namespace baton::trigger
