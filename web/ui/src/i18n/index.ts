import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';

export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

const key = 'baton.language';

const catalogues = {
  en: () => import('./en'),
  zh: () => import('./zh'),
};

function wanted(): Language {
  const chosen = localStorage.getItem(key) ?? navigator.language;
  return chosen.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

async function load(language: Language) {
  const catalogue = (await catalogues[language]()).default;
  for (const [name, texts] of Object.entries(catalogue)) i18next.addResourceBundle(language, name, texts);
}

export async function startLanguage(): Promise<void> {
  const language = wanted();
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
  localStorage.setItem(key, language);
}
