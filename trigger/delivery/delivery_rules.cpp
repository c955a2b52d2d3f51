#include "trigger/delivery/delivery_rules.hpp"

namespace baton::trigger {

namespace {
constexpr duration moved_pause = 2s;     // by then this node has learned of the client's new home
constexpr std::size_t most_refusals = 3; // of the size of an execution, by different clients
constexpr std::size_t small = 16u << 10; // bytes of a payload that every client takes: the protocol asks for 16 MiB
}

assignment_step step_for(known_attempt const* known, int attempt, std::int64_t number)
{
    if (known == nullptr || known->attempt < attempt)
        return assignment_step::take;
    switch (known->fate) {
    case fate::dropped:
        return assignment_step::resume;
    case fate::waiting:
        return assignment_step::note;
    case fate::delivered:
        return assignment_step::tell;
    case fate::returned: // the same message again must not deliver what the master may have given to another node
        return known->number < number ? assignment_step::resume : assignment_step::ignore;
    case fate::undelivered:
        break;
    }
    return assignment_step::ignore;
}

group_end end_of(client_calls::dispatch_outcome const& outcome, bool same_term, bool vouched)
{
    if (!same_term)
        return group_end::nothing;
    if (!vouched)
        return group_end::let_go;
    if (outcome.answer)
        return group_end::settle;
    return outcome.too_large ? group_end::too_large : group_end::unanswered;
}

ack_meaning meaning_of(protocol::dispatch_ack const& ack, int sent, duration retry_pause)
{
    ack_meaning out;
    switch (ack.answer) {
    case protocol::ack::running:
        out.earlier = ack.holds < sent ? ack.holds : 0;
        out.occupies = true;
        return out;
    case protocol::ack::accepted:
        out.occupies = true;
        return out;
    case protocol::ack::finished:
        return out;
    case protocol::ack::invalid:
        out.what = ack_meaning::end::impossible;
        return out;
    case protocol::ack::busy:
        out.full = retry_pause;
        break;
    case protocol::ack::moved:
        out.full = moved_pause;
        break;
    case protocol::ack::draining:
        out.drains = true;
        break;
    case protocol::ack::no_handler:
        out.lacks_handler = true;
        break;
    }
    out.what = ack_meaning::end::elsewhere;
    return out;
}

silent_end after_silence(bool bound, bool gone)
{
    if (!bound)
        return silent_end::elsewhere;
    return gone ? silent_end::client_gone : silent_end::in_doubt;
}

refused_size after_refusal(size_refusal const& what)
{
    if (!what.here)
        return refused_size::unanswered;
    if (what.count > 1)
        return refused_size::split;
    if (what.bytes <= small)
        return refused_size::unanswered;
    if (what.bound)
        return refused_size::in_doubt;
    return what.named || what.clients >= most_refusals ? refused_size::impossible : refused_size::elsewhere;
}

fate fate_after(protocol::return_cause cause)
{
    return cause == protocol::return_cause::no_room ? fate::returned : fate::undelivered;
}

} // namespace baton::trigger
