import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { exact } from './time';
import { useZone } from './Times';
import { partsOf } from './moments_in_text';
import { useServerWords } from './server_words';

/** A sentence of the server in the language of the page if it is known, with its times by the clock that the viewer chose. */
export function Reason({ text }: { text: string }) {
  const { i18n } = useTranslation();
  const zone = useZone();
  const words = useServerWords();
  return <>{partsOf(words(text)).map(({ text: part, isTime }, at) => <Fragment key={at}>{isTime ? exact(part, zone, i18n.language) : part}</Fragment>)}</>;
}
