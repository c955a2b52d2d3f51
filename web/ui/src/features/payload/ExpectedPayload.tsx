import { Accordion, Code, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { JsonField, jsonText } from '@/shared/JsonField';
import { expectedBy } from './expected';
import classes from './Payload.module.css';
import type { Schema } from './schema';
import { usePayloadWords } from './words';

function Properties({ schema }: { schema: Schema }) {
  const { t } = useTranslation('payload');
  const words = usePayloadWords();
  const { properties, more } = expectedBy(schema);
  if (properties.length === 0) return <Text size="sm" c="dimmed">{t('expected.none')}</Text>;
  return (
    <>
      <ul className={classes.properties}>
        {properties.map((one) => (
          <li key={one.place}>
            <Code>{one.place}</Code>{' '}<Text span size="sm" c="dimmed">{words.expectation(one)}</Text>
            {one.description && <Text size="sm">{one.description}</Text>}
          </li>
        ))}
      </ul>
      {more && <Text size="sm" c="dimmed">{t('expected.more')}</Text>}
    </>
  );
}

/** What a handler expects: its properties in words, and the schema as it is. */
export function ExpectedPayload({ handler, schema, opened, order = 3 }: { handler: string; schema: Schema; opened: boolean; order?: 3 | 4 }) {
  const { t } = useTranslation('payload');
  return (
    <Accordion variant="separated" multiple defaultValue={opened ? ['expected'] : []} order={order}>
      <Accordion.Item value="expected">
        <Accordion.Control><Text size="sm" fw={500}>{t('expected.title', { handler })}</Text></Accordion.Control>
        <Accordion.Panel><Stack gap="xs"><Properties schema={schema} /></Stack></Accordion.Panel>
      </Accordion.Item>
      <Accordion.Item value="raw">
        <Accordion.Control><Text size="sm" fw={500}>{t('expected.raw')}</Text></Accordion.Control>
        <Accordion.Panel><JsonField label={t('expected.raw')} value={jsonText(schema)} /></Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
