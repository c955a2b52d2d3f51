import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import i18next from 'i18next';
import { renderToStaticMarkup } from 'react-dom/server';
import { initReactI18next } from 'react-i18next';
import { Router } from 'wouter';
import { queryClient } from '@/api/query_client';
import { PlaceHolder } from '@/app/PlaceHolder';
import { Shell } from '@/app/Shell';
import { theme, variables } from '@/app/theme';
import en from '@/i18n/en';
import zh from '@/i18n/zh';

const themeStyles = /<style data-mantine-styles="(?:true|classes)"[^>]*>(.*?)<\/style>/gs;

/** The shell in each language, as the build writes it into index.html, and the styles of the theme. */
export async function rendered(nonce: string) {
  await i18next.use(initReactI18next).init({ lng: 'en', fallbackLng: false, defaultNS: 'shared', resources: { en, zh }, interpolation: { escapeValue: false } });
  const shell = async (language: 'en' | 'zh') => {
    await i18next.changeLanguage(language);
    return renderToStaticMarkup(
      <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto" withStaticClasses={false} getStyleNonce={() => nonce}>
        <QueryClientProvider client={queryClient}>
          <Router base={import.meta.env.BASE_URL.replace(/\/$/, '')} ssrPath="/"><Shell><PlaceHolder /></Shell></Router>
        </QueryClientProvider>
      </MantineProvider>,
    );
  };
  const both = { en: await shell('en'), zh: await shell('zh') };
  const styles = [...both.en.matchAll(themeStyles)].map(([, text]) => text).join('');
  const without = (html: string) => html.replace(themeStyles, '').replace(/<link rel="preload"[^>]*>/, '');
  return { styles, shells: { en: without(both.en), zh: without(both.zh) } };
}
