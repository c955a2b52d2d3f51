#include "trigger/clients/push_line.hpp"

#include "libs/protocol/client_wire.hpp"

#include <string_view>

namespace baton::trigger {

awaitable<http::response> push_line::call(call_target to, char const* path, std::string body, duration limit)
{
    auto const url = http::parse_url(to.address);
    auto message = http::text_request(http::verb::post, path, std::move(body));
    message.owner = to.instance; // others may be behind the same address
    message.once =
        std::string_view(path) == protocol::path_dispatch; // the dispatcher decides who gets its executions next
    if (!to.secret.empty())
        message.headers.set("Authorization", "Bearer " + to.secret);
    co_return co_await http_.send(url, std::move(message), limit);
}

} // namespace baton::trigger
