# cmake -DROOT=web/ui -DOUT=ui_files.cpp -P EmbedPage.cmake: the page's files as functions (web/ui_files.hpp).

set(code "// Made by cmake/EmbedPage.cmake from web/ui.\n#include \"web/ui_files.hpp\"\n\nnamespace baton::web::ui {\n")
foreach(name index.html app.js style.css icon.svg)
    file(READ ${ROOT}/${name} text)
    string(REPLACE "." "_" function ${name})
    string(APPEND code "\nstd::string ${function}()\n{\n    return R\"baton_page(${text})baton_page\";\n}\n")
endforeach()
string(APPEND code "\n} // namespace baton::web::ui\n")
file(WRITE ${OUT} "${code}")
