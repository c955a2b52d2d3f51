#include "locks/redis/connection_base.hpp"

namespace baton::lock {

std::vector<redis_command> redis_handshake(redis_location const& to)
{
    std::vector<redis_command> all;
    if (!to.password.empty()) {
        redis_command login{"AUTH"};
        if (!to.user.empty())
            login.push_back(to.user);
        login.push_back(to.password);
        all.push_back(std::move(login));
    }
    if (to.database != 0)
        all.push_back({"SELECT", std::to_string(to.database)});
    return all;
}

void redis_abort(asio::ip::tcp::socket& socket)
{
    error_code ignored;
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
}

} // namespace baton::lock
