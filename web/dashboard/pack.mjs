// node pack.mjs OUT.cpp: the files of dist/ as C++ (web/dashboard.hpp), each but index.html compressed beforehand.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

const out = resolve(process.argv[2]);
const folder = join(dirname(out), 'dashboard_gz');
const types = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

function filesOf(at) {
  return readdirSync(join('dist', at), { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? filesOf(`${at}${entry.name}/`) : [`${at}${entry.name}`]))
    .sort();
}

// The assembler reads the bytes, so the compiler need not parse megabytes of literals.
function block(name, path) {
  const lines = ['.section .rodata', `${name}:`, `.incbin \\"${path}\\"`, `${name}_end:`, '.byte 0', '.previous'];
  return `asm("${lines.join('\\n')}\\n");\nextern "C" char const ${name}[];\nextern "C" char const ${name}_end[];\n`;
}

mkdirSync(folder, { recursive: true });
let blocks = '';
let rows = '';
filesOf('').forEach((file, at) => {
  const page = file === 'index.html';
  const type = page ? 'text/html; charset=utf-8' : types[extname(file)];
  if (!type) throw new Error(`pack.mjs knows no media type for ${file}`);
  const bytes = readFileSync(join('dist', file));
  const path = join(folder, file.replaceAll('/', '_'));
  writeFileSync(path, page ? bytes : gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
  const name = `baton_dashboard_${at}`;
  blocks += block(name, path);
  rows += `        {"${file}", "${type}", {${name}, ${name}_end}},\n`;
});

writeFileSync(out, `// Made by web/dashboard/pack.mjs.
#include "web/dashboard.hpp"

${blocks}
namespace baton::web {

std::vector<dashboard_file> const& dashboard_files()
{
    static std::vector<dashboard_file> const files{
${rows}    };
    return files;
}

} // namespace baton::web
`);
