#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/service_key.hpp"
#include "trigger/delivery/prefetch.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// An assignment on its way to a client.
struct delivery {
    protocol::assignment what;
    std::int64_t number = 0; // of the assignment that brought it
    bool bound = false;      // may have reached the client of its lane, so no other client may get it
    std::optional<instant> first_sent{};
    std::vector<std::string> refused_by{}; // clients of this node that refused its size
};

// The registration of one of this node's clients, with the number of executions that it takes.
struct lane_client {
    std::string instance;
    protocol::service_key service;
    std::set<std::string> handlers; // and tags (libs/protocol/offers.hpp)
    int slots = 1;
    int queue = 0;
    bool draining = false;
    std::string address{};
    std::int64_t generation = 0; // of its registration
};

struct lane_limits {
    std::size_t group = 500;      // executions in a request
    std::size_t bytes = 1u << 20; // of their payloads, unless a single one is larger
    duration first_pause = 100ms; // after a failure; doubles with each further one
    duration longest_pause = 5s;
    // How long an unanswered delivery is repeated. A client recognises it for ten minutes after its end was recorded
    // (docs/protocol.md), so this leaves room for a message that is late.
    duration repeat = 1min;
    // How long a client may fail to answer before a question settles what it may have got.
    duration doubt_after = 5s;
    // A client is asked about what it has if so many heartbeats in a row show fewer handlers than this node counts, or
    // if all its slots have been taken for so long without an end.
    int doubtful_heartbeats = 3;
    duration doubtful_silence = 15s;
    std::size_t asked_at_once = 5'000;
    duration first_question_pause = 5s; // doubles with each question that finds nothing lost
    duration longest_question_pause = 5min;
    // A client whose slots are all busy for so long without an end gets nothing beyond its slots.
    duration slow_after = 100ms;
    // Executions that it has beyond them for so long are asked back.
    duration recall_after = 150ms;
    duration first_recall_pause = 500ms; // doubles with each recall that brings nothing back
    duration longest_recall_pause = 30s;
    // After a recall without an answer the client may have given back what it does not show any more, so it is not
    // asked what it has lost; until the pause is as long as this.
    duration open_recall = 4s;
};

// An execution that a client has, as far as its home knows.
struct held_attempt {
    int attempt = 0;
    instant since;
    instant asked_at;        // the client, last, whether it still has it
    bool has_result = false; // which is not recorded yet
    bool learned = false;    // from the client: another node has dispatched it
};

// The free slots and executions of a client, for the list of clients.
struct lane_figures {
    int free_slots = 0; // by this node's count
    int in_flight = 0;  // that it has, or that are on their way to it
    int waiting = 0;    // at this node, for this client
};

// What a client takes now.
enum class lane_room {
    none,
    queue, // no slot is free, but a place in its queue
    later, // a slot is free, but the client has not answered its last request yet
    slot,
};

// One client of this node: which executions wait for it, are on their way and are with it, and whether it can be
// called. A state machine: its owner sends the requests and passes the time in. On the loop only.
class client_lane {
public:
    client_lane(lane_client who, lane_limits limits, std::uint64_t number = 0)
        : who_(std::move(who)),
          limits_(limits),
          number_(number),
          group_(limits.group),
          question_pause_(limits.first_question_pause),
          recall_pause_(limits.first_recall_pause)
    {}

    lane_client const& who() const { return who_; }
    std::uint64_t number() const { return number_; } // given once (lanes::numbered)
    void update(lane_client who);                    // another address has to prove itself anew
    void lost_handler(std::string const& handler) { who_.handlers.erase(handler); }

    // Told of each change of takes(), so that a choice need not look at every client.
    class watcher {
    public:
        virtual void room_changed(client_lane& lane, lane_room before) = 0;

    protected:
        ~watcher() = default;
    };
    void watch(watcher* by) { watcher_ = by; } // null: no watcher any more
    // As of the last change. What told_room() took away comes back with return_room().
    lane_room takes() const { return takes_; }

    // Executions beyond those that it has, or that wait or are on their way to it.
    int room(instant now) const { return who_.slots + beyond_slots() - load(now); }
    int free_slots(instant now) const { return who_.slots - load(now); } // negative: so many wait in its queue
    bool has_free_slot(instant now) const { return load(now) < who_.slots; }
    // For the master, for which an execution takes its place until its result is recorded.
    int slots() const { return takes_work() ? who_.slots + unrecorded_ : 0; }
    int places() const { return takes_work() ? who_.slots + beyond_slots() + unrecorded_ : 0; }
    // Is the master to be told again?
    bool places_moved() const;
    void told_places()
    {
        told_places_ = places();
        told_unrecorded_ = unrecorded_;
    }
    // May it get new work? It has answered at its address since the last failure, and does not drain.
    bool takes_work() const { return reachable_ && !who_.draining; }
    bool reachable() const { return reachable_; }
    // May a message with the client's secret go to the address? The client has proved itself there since the last
    // failure.
    bool proved() const { return proved_; }
    lane_figures figures(instant now) const;
    // Have all its slots been busy for `span` without a single end?
    bool stalled(instant now, duration span) const { return !has_free_slot(now) && now - progress_at_ >= span; }

    void put(delivery one);
    void put_first(delivery one);
    std::deque<delivery> const& waiting() const { return queue_; }
    std::size_t on_the_way() const { return on_the_way_; }
    std::deque<delivery> take_all();
    // Takes the waiting deliveries out for which `which` is true, each asked once. The others keep their order.
    template <class Which>
    std::vector<delivery> take_if(Which which)
    {
        auto const taken =
            std::stable_partition(queue_.begin(), queue_.end(), [&](delivery const& one) { return !which(one); });
        std::vector<delivery> out(std::make_move_iterator(taken), std::make_move_iterator(queue_.end()));
        queue_.erase(taken, queue_.end());
        note_room();
        return out;
    }

    // May a request go out now? One at a time, and only while the address is proved.
    bool may_send() const { return proved_ && !sending() && !queue_.empty(); }
    bool sending() const { return on_the_way_ != 0 || recalling_; }
    // The next request: from the front, bounded by number and bytes. Empty while the first one waits for a free slot
    // (assignment::once).
    std::vector<delivery> take_group(instant now);
    // Deliveries that may have reached the client and are not to be sent again: see lane_limits.
    std::vector<delivery> take_old(instant now);
    // Has its request had no answer for `span`?
    bool hangs(instant now, duration span) const { return sending() && now - sent_at_ >= span; }
    // The request of take_group has ended.
    void group_ended();

    // The client took it. False: it takes no place, because its end has been recorded meanwhile.
    bool has(protocol::attempt_key const& which, instant now);
    // It has told that it has this one.
    void learn(protocol::attempt_key const& which, instant now);
    // Its end is recorded. A client may send a result before the answer to the dispatch arrives. False: this client
    // does not have the execution, nor is this attempt on its way to it.
    bool ended(protocol::attempt_key const& which, instant now);
    // Was this attempt's end recorded while the attempt was on its way?
    bool ended_on_the_way(protocol::attempt_key const& which) const;
    std::unordered_map<execution_id, held_attempt> const& held() const { return held_; }
    bool holds(protocol::attempt_key const& which) const;
    // A heartbeat told that so many of its slots are free. Corrects the count of executions whose end another node has
    // recorded, or which the client has lost.
    void told_free_slots(int free, instant now);
    // The executions that the client may have lost, and is to be asked about now: see lane_limits. At most
    // lane_limits::asked_at_once. The next question comes after a pause.
    std::vector<protocol::attempt_key> take_doubtful(instant now);
    void found_lost() { question_pause_ = limits_.first_question_pause; } // by the last question
    void forget(execution_id execution);                                  // the client does not run it

    // Its result has come, and is not recorded yet: no handler runs it any more.
    void result_came(protocol::attempt_key const& which);
    // So many results of it have come, whose handlers ran for `total` together.
    void ran(int count, duration total, instant now);
    // Is it to be looked at soon, since it may become slow, or since it is to give something back?
    bool is_watched() const
    {
        bool const may_change = is_full() && (!slow_ || (gives_back_ && excess() != 0));
        return may_change || (gives_back_ && wants_back_) || !unconfirmed_.empty();
    }
    void look(instant now); // notes whether it is slow
    bool is_slow() const { return slow_; }
    instant next_look(instant now) const;
    // A client that drains is to give back what it has not begun, a slow one what it has beyond its places. Returns the
    // executions that it is to be asked for now, the last first, at most lane_limits::asked_at_once; recall_ended()
    // must follow, unless there are none. `settled`: a later assignment of what it has told has a higher number than
    // this node knows.
    std::vector<protocol::attempt_key> take_recall(instant now, bool settled);
    enum class recalled { gave_back, nothing, unknown_call, no_answer };
    void recall_ended(recalled how, instant now);
    // It has given these back, but its former home may not have told the master. It is asked again.
    void may_have_given_back(std::vector<protocol::attempt_key> which, instant now);
    // When it told last what it has of other nodes, or has given back to them.
    std::optional<instant> told_at() const { return told_at_; }
    // How many of those that wait here are too many for its places.
    std::size_t too_many_waiting() const;
    // The client has been chosen by the master, which is told of its places.
    bool named() const { return named_; }
    void set_named() { named_ = true; }
    // An answer to a dispatch told how many more executions the client would take. If that is fewer than this node
    // counts, the client has executions of another node, or its room for results is full. The next answer corrects the
    // count, or the end of `span`.
    void told_room(int free, instant now, duration span);
    // The end of that span, if it is over.
    void return_room(instant now);
    instant room_returns_at() const { return hidden_until_; }
    bool hides_room() const { return hidden_ != 0; }

    // The client has proved itself at this address. If executions wait that it may have got before, it counts as
    // reachable only when it answers the next request: a client that proves itself but fails at its work must not count
    // as reachable. The pauses of one that fails again and again go on growing.
    void proved_at_address();
    // It answered a request. This changes nothing while its address is not proved: the answer may come from its former
    // address.
    void answered();
    // It did not answer, or not as the protocol says. Nothing more goes there until it has proved itself again.
    void failed(instant now);
    bool may_probe(instant now) const
    {
        bool const decided_by_request = proved_ && (sending() || !queue_.empty());
        return !reachable_ && !decided_by_request && now >= not_before_;
    }
    // No probe before it.
    instant not_before() const { return not_before_; }
    // For people: unreachable before it has proved itself once, if it failed to; after that, if it has answered nothing
    // for `ttl`.
    protocol::reach reach(instant now, duration ttl) const;
    // Nothing while it answers.
    std::optional<instant> failing_since() const { return failing_since_; }

    // A client may prove itself and take work, and yet answer no question. Executions in doubt would wait for ever.
    void question_answered() { silent_since_.reset(); }
    void question_waits(instant now); // it has been asked, or would be if it could be called
    // Has it answered no question for `ttl`?
    bool hopeless(instant now, duration ttl) const { return silent_since_ && now - *silent_since_ >= ttl; }

    // A request was too large: half as many executions go into the next. False: it had a single one.
    bool halve(std::size_t size);

private:
    int counted() const { return static_cast<int>(running() + queue_.size() + on_the_way_); }
    std::size_t running() const { return held_.size() - std::max(idle_, static_cast<std::size_t>(unrecorded_)); }
    bool is_full() const { return running() >= static_cast<std::size_t>(who_.slots); }
    int beyond_slots() const { return slow_ ? 0 : std::min(who_.queue, prefetch_.size(who_.slots)); }
    std::size_t excess() const;
    bool may_be_asked() const { return gives_back_ && proved_ && !sending(); }
    instant idle_since() const { return std::max(full_since_, last_end_); }
    int load(instant now) const { return counted() + (now < hidden_until_ ? hidden_ : 0); }
    void note_room();
    bool erase(execution_id execution);

    lane_client who_;
    lane_limits limits_;
    std::uint64_t number_;
    std::size_t group_;
    std::deque<delivery> queue_;
    std::size_t on_the_way_ = 0;
    std::vector<protocol::attempt_key> sent_{};           // in the last request
    std::vector<protocol::attempt_key> early_{};          // those of `sent_` that ended before the answer came
    instant sent_at_{};                                   // the last request
    std::unordered_map<execution_id, held_attempt> held_; // acknowledged and not ended
    std::size_t idle_ = 0;                                // how many of `held_` no handler runs, by the last heartbeat
    int unrecorded_ = 0;                                  // how many of `held_` have results
    int told_places_ = 0;                                 // to the master
    int told_unrecorded_ = 0;
    int contradictions_ = 0; // heartbeats in a row that show fewer handlers than `held_` has
    instant contradicted_since_{};
    instant next_question_{};
    duration question_pause_{};
    prefetch prefetch_{};
    bool slow_ = false;    // see lane_limits::slow_after
    instant full_since_{}; // all its slots
    instant last_end_{};   // as its results come
    std::optional<instant> excess_since_{};
    bool wants_back_ = false; // it drains, and has not been asked for what it has since
    bool recalling_ = false;
    bool recall_is_open_ = false; // the last one had no answer
    bool gives_back_ = true;      // it knows the call
    bool named_ = false;
    instant next_recall_{};
    duration recall_pause_{};
    std::vector<protocol::attempt_key> unconfirmed_{}; // see may_have_given_back
    std::optional<instant> told_at_{};
    int hidden_ = 0; // executions that it has beside `held_`
    instant hidden_until_{};
    bool proved_ = false;
    bool ever_proved_ = false; // at this address
    bool reachable_ = false;
    int failures_ = 0;
    instant not_before_{};
    instant progress_at_{}; // of the last end of an execution, or when it had a free slot last
    std::optional<instant> failing_since_;
    std::optional<instant> silent_since_; // to questions
    instant last_silence_{};
    lane_room takes_ = lane_room::none;
    watcher* watcher_ = nullptr;
};

} // namespace baton::trigger
