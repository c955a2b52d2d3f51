#pragma once
// baton::http: HTTP/1.1 between nodes, clients and people, on Beast. It knows no domain: messages, a client behind an
// interface (seam 3), a router, a listener with limits. Beast itself appears only in this folder's .cpp files.

#include "libs/http/client.hpp"
#include "libs/http/message.hpp"
#include "libs/http/router.hpp"
#include "libs/http/server.hpp"
