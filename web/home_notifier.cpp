#include "web/home_notifier.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/figures_wire.hpp"
#include "libs/protocol/revision.hpp"

namespace baton::web {

// A secret is only ever sent to the address in its own row.
awaitable<bool> home_notifier::notify(std::string home)
{
    try {
        auto const all = co_await nodes_.all();
        for (auto const& node : all) {
            if (node.incarnation != home || !node.alive())
                continue;
            auto message = http::json_request(http::verb::post, protocol::path_look_again, nlohmann::json::object());
            message.headers.set("Authorization", "Bearer " + node.secret);
            message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
            auto const to = http::parse_url(node.address);
            auto const answer = co_await http_.send(to, std::move(message), limit_);
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
