import type { HtmlTagDescriptor, Plugin, Rollup } from 'vite';

type Bundle = Rollup.OutputBundle;

function chunkOf(bundle: Bundle, name: string): Rollup.OutputChunk | undefined {
  const found = bundle[name];
  return found?.type === 'chunk' ? found : undefined;
}

/** The chunk with all that it imports, itself first. */
function withImports(bundle: Bundle, name: string, known = new Set<string>()): Set<string> {
  const chunk = chunkOf(bundle, name);
  if (!chunk || known.has(name)) return known;
  known.add(name);
  chunk.imports.forEach((one) => withImports(bundle, one, known));
  return known;
}

function tagsOf(bundle: Bundle, modules: string[]): HtmlTagDescriptor[] {
  const chunks = Object.values(bundle).filter((one): one is Rollup.OutputChunk => one.type === 'chunk');
  const first = chunks.filter(({ moduleIds }) => moduleIds.some((id) => modules.some((end) => id.endsWith(end))));
  const entry = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...withImports(bundle, fileName)]));
  const late = [...new Set(first.flatMap(({ fileName }) => [...withImports(bundle, fileName)]))].filter((name) => !entry.has(name));
  const styles = new Set(late.flatMap((name) => [...(chunkOf(bundle, name)?.viteMetadata?.importedCss ?? [])]));
  return [
    ...late.map((name) => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/${name}` }, injectTo: 'head' as const })),
    ...[...styles].map((name) => ({ tag: 'link', attrs: { rel: 'stylesheet', crossorigin: true, href: `/${name}` }, injectTo: 'head' as const })),
  ];
}

/**
 * Has the browser load these modules and their styles with the first ones, though they are imported later: the texts, and the page that people
 * open first. Else it would find them only after the first modules have run.
 */
export function preloadFirst(modules: string[]): Plugin {
  return {
    name: 'preload-first',
    transformIndexHtml: { order: 'post', handler: (_, { bundle }) => (bundle ? tagsOf(bundle, modules) : []) },
  };
}
