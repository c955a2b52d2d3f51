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
    finder_.forget(); // another node may lead by now
    co_return false;
}

awaitable<bool> master_notifier::send(protocol::signal_request const& signal)
{
    auto const master = co_await finder_.find();
    if (!master)
        co_return false;
    auto message = message_to_node(http::json_request(http::verb::post, protocol::path_signal, signal), master->secret);
    auto const answer = co_await http_.send(master->address, message, limit_);
    co_return answer.status >= 200 && answer.status < 300;
}

} // namespace baton::web
