#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>

namespace baton::protocol {

// A namespace is known by the id of its row in the table `lock`. The first one of a database has id 1.
using namespace_id = std::int64_t;
inline constexpr namespace_id first_namespace = 1;

// The term of a master: the fencing token. Epochs of different namespaces cannot be compared.
struct term_id {
    namespace_id name_space = first_namespace;
    std::int64_t epoch = 0;
    bool operator==(term_id const&) const = default;
};

// Two members: "namespace", which is left out if it is the first one, and "epoch".
void to_json(nlohmann::json& out, term_id const& in);
void from_json(nlohmann::json const& in, term_id& out);

} // namespace baton::protocol
