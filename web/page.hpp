#pragma once

#include "libs/http/router.hpp"

namespace baton::web {

// The page at / and its parts (web/ui), which travel inside the program. It holds no data: it reads the API.
void serve_page(http::router& table);

} // namespace baton::web
