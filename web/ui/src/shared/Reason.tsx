import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { exact } from './time';
import { useZone } from './Times';
import { partsOf } from './moments_in_text';

/** A sentence of the server, with its times by the clock that the viewer chose. */
export function Reason({ text }: { text: string }) {
  const { i18n } = useTranslation();
  const zone = useZone();
  return <>{partsOf(text).map(({ text: part, isTime }, at) => <Fragment key={at}>{isTime ? exact(part, zone, i18n.language) : part}</Fragment>)}</>;
}
