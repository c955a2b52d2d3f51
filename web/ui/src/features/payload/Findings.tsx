import { Alert, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Check } from './check';
import classes from './Payload.module.css';
import { usePayloadWords } from './words';

const mostShown = 12;

/** What does not fit the schema, with the place in the payload; or that the payload fits; or why it is not checked. */
export function Findings({ of, handler }: { of: Check; handler: string }) {
  const { t } = useTranslation('payload');
  const words = usePayloadWords();
  if ('unusable' in of) return <Text size="sm" c="dimmed">{t(`unusable.${of.unusable}`, { handler, reason: of.reason })}</Text>;
  const { findings } = of;
  if (findings.length === 0) return <Text size="sm" c="dimmed">{t('fits', { handler })}</Text>;
  return (
    <Alert color="yellow" title={t('misfit', { handler })} p="sm">
      <ul className={classes.findings}>
        {findings.slice(0, mostShown).map((one) => <li key={JSON.stringify(one)}><Text span size="sm" fw={600}>{words.place(one)}</Text><Text span size="sm">{`: ${words.finding(one)}`}</Text></li>)}
        {findings.length > mostShown && <li>{t('further', { count: findings.length - mostShown })}</li>}
      </ul>
      <Text size="sm" mt="xs">{t('misfit_help')}</Text>
    </Alert>
  );
}
