#pragma once
// Which form of a file a caller can read (RFC 9110, Accept-Encoding).

#include <optional>
#include <string>

namespace baton::web {

enum class content_encoding { identity, gzip, brotli };

// The name in Content-Encoding.
char const* name_of(content_encoding which);

// The encodings in which a file is there; plain it always is.
struct offered_encodings {
    bool gzip = false;
    bool brotli = false;
};

// The smallest form that Accept-Encoding admits: brotli before gzip before identity. A form with a quality of 0 is not
// admitted; other qualities do not matter. Without the field, and where nothing offered is admitted, it is identity.
content_encoding choose_encoding(std::optional<std::string> const& accepted, offered_encodings offered);

} // namespace baton::web
