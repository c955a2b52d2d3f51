#include "web/master_notifier.hpp"

#include "libs/base/log.hpp"
#include "web/node_message.hpp"

namespace baton::web {

awaitable<bool> master_notifier::notify(protocol::signal_kind kind, signal_id id, std::int64_t subject)
{
    protocol::signal_request signal;
    signal.id = id;
    signal.kind = kind;
    signal.subject = subject;
    try {
        if (co_await send(signal))
            co_return true;
    } catch (unavailable const& failure) {
        log::debug("web", "notifying the master failed, it will find the row itself",
                   {log::reason(failure.what()), {"kind", to_string(kind)}, {"subject", subject}});
    } catch (invalid_input const& failure) {
        log::warn("web", "the master's address cannot be used, it will find the row itself",
                  {log::reason(failure.what()), {"kind", to_string(kind)}, {"subject", subject}});
    }
    known_at_.reset(); // another node may lead by now
    co_return false;
}

awaitable<bool> master_notifier::send(protocol::signal_request const& signal)
{
    auto const master = co_await find();
    if (!master)
        co_return false;
    auto message = message_to_node(http::json_request(http::verb::post, protocol::path_signal, signal), master->secret);
    auto const answer = co_await http_.send(master->address, message, limits_.notify);
    co_return answer.status >= 200 && answer.status < 300;
}

awaitable<std::optional<master_notifier::place>> master_notifier::find()
{
    auto const now = time_.now();
    if (!known_at_ || now - *known_at_ >= limits_.cache) {
        known_at_ = now; // other edits use the known address meanwhile: one reading of the row serves many
        known_ = co_await look_up();
    }
    co_return known_;
}

// The lease names the master; the node's own row has the secret for calls to it. A secret is only ever sent to the
// address in its own row.
awaitable<std::optional<master_notifier::place>> master_notifier::look_up()
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
