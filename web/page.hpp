#pragma once

#include "libs/http/router.hpp"

namespace baton::web {

// The page at / and its files (web/ui), which are part of the program. The page holds no data: it reads the API.
void serve_page(http::router& table);

} // namespace baton::web
