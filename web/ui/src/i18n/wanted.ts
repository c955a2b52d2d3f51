export const languages = { en: 'English', zh: '中文' } as const;
export type Language = keyof typeof languages;

export const languageKey = 'baton.language';

/** The language that was chosen in this browser, or else that of the browser. */
export function wantedLanguage(): Language {
  const chosen = localStorage.getItem(languageKey) ?? navigator.language;
  return chosen.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}
