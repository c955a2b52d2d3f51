#include "trigger/api/admission.hpp"

#include "trigger/api/authorize.hpp"

namespace baton::trigger {

http::admitter make_admitter(std::string token, std::string secret)
{
    return [token = std::move(token), secret = std::move(secret)](http::request const& head) {
        http::admission judged;
        auto const path = head.path();
        if (path.starts_with("/client/v1/")) {
            if (!authorized(head, token))
                judged.refusal = client_refused(token);
        } else if (path.starts_with("/internal/v1/")) {
            if (!authorized(head, secret))
                judged.refusal = node_refused();
        } else if (path == "/healthz" || path == "/readyz") {
            judged.body_limit = 0;
        } else { // not 413, which would make a client of a later version think that its message is too large
            judged.refusal = http::problem(404, "Not Found", "there is nothing at this path");
        }
        return judged;
    };
}

} // namespace baton::trigger
