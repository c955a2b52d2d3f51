import { useTranslation } from 'react-i18next';
import { problemWords } from '@/i18n';
import { useServerWords } from './server_words';

/** Why the server refuses something, in the language of the page; what is not known stays as the server says it. */
export function useProblemWords(): (text: string) => string {
  const { i18n } = useTranslation();
  const others = useServerWords();
  const say = problemWords(i18n.language);
  return (text) => (say ? say(text, others) : text);
}
