import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Say } from '@/shared/problem_words';
import { type Language, languageKey, wantedLanguage } from './wanted';

export { languages, type Language } from './wanted';

const catalogues = {
  en: () => import('./en'),
  zh: () => import('./zh'),
};

// The server refuses in English.
const problems: Partial<Record<string, () => Promise<Say>>> = {
  zh: async () => (await import('./problems')).default,
};
const words: Partial<Record<string, Say>> = {};

/** Says in a language, which is loaded, why the server refuses something; undefined for the server's own. */
export function problemWords(language: string): Say | undefined {
  return words[language];
}

async function load(language: Language) {
  const [{ default: catalogue }, said] = await Promise.all([catalogues[language](), problems[language]?.()]);
  if (said) words[language] = said;
  for (const [name, texts] of Object.entries(catalogue)) i18next.addResourceBundle(language, name, texts);
}

export async function startLanguage(): Promise<void> {
  const language = wantedLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: 'shared',
    resources: {},
    interpolation: { escapeValue: false },
  });
  await speak(language);
}

export async function speak(language: Language): Promise<void> {
  await load(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
  localStorage.setItem(languageKey, language);
}
