#include "web/master_line.hpp"

#include "libs/base/log.hpp"

namespace baton::web {

awaitable<bool> master_line::tell(protocol::signal_kind kind, signal_id id, std::int64_t subject)
{
    protocol::signal_request signal;
    signal.id = id;
    signal.kind = kind;
    signal.subject = subject;
    try {
        if (co_await send(signal))
            co_return true;
    } catch (unavailable const& reason) {
        log::old::debug("the master was not told of {} {}: {}", to_string(kind), signal.subject, reason.what());
    } catch (invalid_input const& reason) {
        log::old::warn("the master's address cannot be used: {}", reason.what());
    }
    known_at_.reset(); // another node may lead by now
    co_return false;
}

awaitable<bool> master_line::send(protocol::signal_request const& signal)
{
    auto const master = co_await find();
    if (!master)
        co_return false;
    auto message = http::json_request(http::verb::post, protocol::path_signal, signal);
    message.headers.set("Authorization", "Bearer " + master->secret);
    auto const answer = co_await http_.send(master->address, message, how_.notify);
    co_return answer.status >= 200 && answer.status < 300;
}

awaitable<std::optional<master_line::place>> master_line::find()
{
    auto const now = time_.now();
    if (!known_at_ || now - *known_at_ >= how_.cache) {
        known_at_ = now; // whoever asks meanwhile takes what is known: one look at the row serves many edits
        known_ = co_await look_up();
    }
    co_return known_;
}

// The lease says who leads; that node's own row has what calls to it must show. A secret is only ever sent to the
// address in the row in which it lies.
awaitable<std::optional<master_line::place>> master_line::look_up()
{
    auto const row = co_await lease_.poll();
    if (!row.owner || row.expired)
        co_return std::nullopt;
    auto const all = co_await nodes_.all();
    std::optional<place> found;
    for (auto const& node : all)
        if (node.incarnation == *row.owner)
            found = place{http::parse_url(node.address), node.secret};
    co_return found;
}

} // namespace baton::web
