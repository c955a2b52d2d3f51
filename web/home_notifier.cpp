#include "web/home_notifier.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/figures_wire.hpp"
#include "web/node_message.hpp"

namespace baton::web {

// A secret is only ever sent to the address in its own row.
awaitable<bool> home_notifier::notify(std::string home)
{
    try {
        auto const all = co_await nodes_.all();
        for (auto const& node : all) {
            if (node.incarnation != home || !node.alive())
                continue;
            auto hint = http::json_request(http::verb::post, protocol::path_look_again, nlohmann::json::object());
            auto const to = http::parse_url(node.address);
            auto const answer = co_await http_.send(to, message_to_node(std::move(hint), node.secret), limit_);
            co_return answer.status == 200;
        }
    } catch (unavailable const& failure) {
        log::debug("web", "notifying the home of a client failed, it will read the change itself",
                   {log::reason(failure.what()), {"node", home}});
    } catch (invalid_input const& failure) {
        log::warn("web", "the address of a node cannot be used, it will read the change itself",
                  {log::reason(failure.what()), {"node", home}});
    }
    co_return false;
}

} // namespace baton::web
