import { expect, it, vi } from 'vitest';
import en from '../src/i18n/en';
import zh from '../src/i18n/zh';
import { intoPage } from '../still_shell';

it('the page has the shell in each language, with its styles in an element that the policy admits', async () => {
  vi.stubGlobal('localStorage', { getItem: () => null });
  const { rendered } = await import('../src/start/rendered');
  const { shells, styles } = await rendered('%BATON_NONCE%');
  expect(styles).toContain('--mantine-color-dimmed');
  const page = intoPage('<head></head><body><div id="root"></div></body>', shells);
  const of = (language: string) => new RegExp(`<template data-shell="${language}">.*?</template>`, 's').exec(page)?.[0] ?? '';
  for (const [language, texts] of [['en', en], ['zh', zh]] as const) {
    for (const text of [texts.overview.title, texts.tasks.title, texts.nodes.title, texts.shell.search]) expect(of(language)).toContain(text);
    expect(of(language)).toContain('<h1');
  }
  expect(page).not.toContain(' style="');
  expect(page.match(/<style(?![^>]*nonce="%BATON_NONCE%")/g)).toBeNull();
  const used = [...page.matchAll(/ data-style="(\d+)"/g)].map(([, at]) => at);
  expect(used.length).toBeGreaterThan(20);
  for (const at of new Set(used)) expect(page).toContain(`#root [data-style="${at}"]{`);
}, 60_000);
