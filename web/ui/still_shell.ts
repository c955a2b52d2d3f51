import { createServer, type Plugin, type ViteDevServer } from 'vite';

type Rendered = Awaited<ReturnType<(typeof import('./src/start/rendered'))['rendered']>>;

const nonce = '%BATON_NONCE%';

async function renderedBy(server: ViteDevServer): Promise<Rendered> {
  const { rendered } = (await server.ssrLoadModule('/src/start/rendered.tsx')) as typeof import('./src/start/rendered');
  return rendered(nonce);
}

async function renderedForBuild(root: string): Promise<Rendered> {
  const server = await createServer({
    root, mode: 'production', logLevel: 'error', appType: 'custom',
    server: { middlewareMode: true, hmr: false, ws: false, watch: null }, optimizeDeps: { noDiscovery: true },
  });
  try {
    return await renderedBy(server);
  } finally {
    await server.close();
  }
}

const plain = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&');

/** The Content-Security-Policy admits no attributes with styles: they become rules of a <style> element. */
function withoutStyleAttributes(html: string, rules: string[]): string {
  return html.replace(/ style="([^"]*)"/g, (_, style: string) => {
    const known = rules.indexOf(plain(style));
    const at = known < 0 ? rules.push(plain(style)) - 1 : known;
    return ` data-style="${at}"`;
  });
}

// The lists that choose are hidden until they answer, and so is the mark in them.
const withoutChevrons = (html: string) => html.replace(/<svg[^>]*data-combobox-chevron.*?<\/svg>/gs, '');

/** The page with the shells, and with a rule for each style in them. */
export function intoPage(page: string, shells: Rendered['shells']): string {
  const rules: string[] = [];
  const templates = Object.entries(shells).map(([language, shell]) =>
    `<template data-shell="${language}"><div data-still>${withoutStyleAttributes(withoutChevrons(shell), rules)}</div></template>`);
  const sheet = rules.map((rule, at) => `#root [data-style="${at}"]{${rule}}`).join('');
  return page
    .replace('</head>', () => `<style nonce="${nonce}">${sheet}</style></head>`)
    .replace('<div id="root">', () => `${templates.join('')}<div id="root">`);
}

const themeFile = 'virtual:theme.css';

/**
 * Writes the shell into index.html as React renders it, once for each language, so that src/start can show it before React is
 * loaded. The styles of the theme become a file of their own, so the program need not make them when it starts.
 */
export function stillShell(): Plugin {
  let known: Promise<Rendered> | undefined;
  let render: () => Promise<Rendered>;
  return {
    name: 'still-shell',
    configResolved({ root }) {
      render = () => (known ??= renderedForBuild(root));
    },
    configureServer(server) {
      render = () => renderedBy(server);
    },
    resolveId: (id) => (id === themeFile ? `/${themeFile}` : undefined),
    load: async (id) => (id === `/${themeFile}` ? (await render()).styles : undefined),
    transformIndexHtml: { order: 'pre', handler: async (page) => intoPage(page, (await render()).shells) },
  };
}
