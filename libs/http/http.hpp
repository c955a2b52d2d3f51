#pragma once
// baton::http: HTTP/1.1 on Beast: messages, a client behind an interface (seam 3), a router, and a listener with
// limits. It has no domain knowledge. Beast appears in this folder only.

#include "libs/http/client.hpp"
#include "libs/http/message.hpp"
#include "libs/http/router.hpp"
#include "libs/http/server.hpp"
