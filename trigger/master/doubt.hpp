#pragma once

#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/node_wire.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace baton::trigger {

// The action for an execution in doubt, from the answers so far.
struct doubt_finding {
    enum class kind {
        open,         // a client that may have it has not answered
        held,         // `client` has this attempt, or the execution's success
        runs_earlier, // `client` runs the earlier `attempt`, whose end must be awaited
        absent        // no live client of the service has it: the next attempt may go out
    };
    kind what = kind::open;
    std::string client{};
    duration ran{}; // for how long its handler has run; 0: it has not begun, or has ended
    int attempt = 0;
    bool failed = false; // held: it has ended there without success, and its result is to come
};

// A question to all clients of a service about some of its executions, and their answers. Complete by instance, not by
// node: a client may move between two questions. Pure.
class doubt {
public:
    // Executions and their attempts.
    explicit doubt(std::vector<protocol::attempt_key> asked);

    void answered(std::string const& instance, std::vector<protocol::held_execution> const& held);
    bool has_answered(std::string_view instance) const { return answered_.contains(instance); }
    // The client has given it back, or does not run it any more. What it has answered before, or an answer on its way
    // says, is void, unless it says that the execution has ended: its result is on its way.
    void given_back(execution_id execution, std::string const& instance);

    std::vector<protocol::attempt_key> const& asked() const { return asked_; }
    // `complete`: every live client of the service has answered.
    doubt_finding finding(execution_id execution, bool complete) const;

private:
    std::vector<protocol::attempt_key> asked_;
    std::unordered_map<execution_id, int> attempts_;
    std::set<std::string, std::less<>> answered_;
    std::set<std::pair<execution_id, std::string>> given_back_;
    struct holder {
        std::string client;
        duration ran{};
        int attempt = 0;
        bool finished = false;
        bool succeeded = false;
    };
    std::map<execution_id, holder> holders_;
    std::map<execution_id, holder> earlier_;
};

// The executions that the next question is about: the first ones behind `after`, or from the beginning when none is
// left behind it. So those that stay in doubt for long, because an earlier attempt runs, do not keep the others from
// being asked about. Pure.
std::vector<execution_id> next_in_turn(std::set<execution_id> const& in_doubt, execution_id after, std::size_t most);

} // namespace baton::trigger
