#pragma once

#include "libs/http/client.hpp"
#include "trigger/clients/client_line.hpp"

namespace baton::trigger {

// Calls the client's address, with its secret.
class push_line final : public client_line {
public:
    explicit push_line(http::client& http) : http_(http) {}

    awaitable<http::response> call(call_target to, char const* path, std::string body, duration limit) override;

private:
    http::client& http_;
};

} // namespace baton::trigger
