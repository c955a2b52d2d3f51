// node pack.mjs FOLDER: the files of dist/ for the program, each but index.html also compressed. FOLDER/files.cpp.in is a
// source (web/dashboard.hpp), in which cmake/PageFiles.cmake fills in where the folder `bytes` lies.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = resolve(process.argv[2]);
const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

function filesOf(at) {
  return readdirSync(join('dist', at), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesOf(`${at}${entry.name}/`) : [`${at}${entry.name}`]))
    .sort();
}

/** A file's bytes as the program sends them. A form that saves nothing is left out. */
function formsOf(file, bytes) {
  const forms = { plain: bytes };
  if (file === 'index.html') return forms; // it differs in each answer
  const gzip = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  if (gzip.length < bytes.length) forms.gzip = gzip;
  if (brotli.length < bytes.length) forms.brotli = brotli;
  return forms;
}

let blocks = '';

// The assembler reads the bytes, so the compiler need not parse megabytes of literals.
function embed(name, bytes) {
  writeFileSync(join(folder, 'bytes', name), bytes);
  const lines = ['.section .rodata', `${name}:`, `.incbin \\"@FOLDER@/bytes/${name}\\"`, `${name}_end:`, '.byte 0', '.previous'];
  blocks += `asm("${lines.join('\\n')}\\n");\nextern "C" char const ${name}[];\nextern "C" char const ${name}_end[];\n`;
  return `{${name}, ${name}_end}`;
}

mkdirSync(join(folder, 'bytes'), { recursive: true });
const rows = filesOf('').map((file, at) => {
  const type = types[extname(file)];
  if (!type) throw new Error(`pack.mjs knows no media type for ${file}`);
  const forms = formsOf(file, readFileSync(join('dist', file)));
  const parts = ['plain', 'gzip', 'brotli'].map((form) => (forms[form] ? embed(`baton_page_${at}_${form}`, forms[form]) : '{}'));
  return `        {"${file}", "${type}", ${parts.join(', ')}},\n`;
});

writeFileSync(join(folder, 'files.cpp.in'), `// Made by pack.mjs of the dashboard: @BUNDLE@.
#include "web/dashboard.hpp"

${blocks}
namespace baton::web {

std::vector<dashboard_file> const& dashboard_files()
{
    static std::vector<dashboard_file> const files{
${rows.join('')}    };
    return files;
}

} // namespace baton::web
`);
