import { Accordion, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ExpectedPayload } from '@/features/payload/ExpectedPayload';
import { type Handler, useHandlers } from '@/features/payload/queries';
import { asObject } from '@/features/payload/schema';
import { Section } from '@/shared/Section';

function About({ handler: { handler, schema, schemas } }: { handler: Handler }) {
  const { t } = useTranslation(['services', 'payload']);
  const known = asObject(schema);
  if (!known) return <Text size="sm" c="dimmed">{t('no_schema')}</Text>;
  return (
    <>
      {schemas > 1 && <Text size="sm" mb="xs">{t('payload:builds', { count: schemas })}</Text>}
      <ExpectedPayload handler={handler} schema={known} opened order={4} />
    </>
  );
}

/** The handlers that the clients of a service announce, each with what it expects. Nothing without a client. */
export function Handlers({ project, service }: { project: string; service: string }) {
  const { t } = useTranslation('services');
  const { data: handlers = [] } = useHandlers(project, service);
  if (handlers.length === 0) return null;
  return (
    <Section title={t('handlers')}>
      <Accordion variant="separated" order={3}>
        {handlers.map((one) => (
          <Accordion.Item key={one.handler} value={one.handler}>
            <Accordion.Control>
              <Group gap="xs">
                <Text size="sm" fw={600} span>{one.handler}</Text>
                <Text size="xs" c="dimmed" span>{t('announced', { count: one.clients })}</Text>
              </Group>
              {one.description && <Text size="sm">{one.description}</Text>}
            </Accordion.Control>
            <Accordion.Panel><About handler={one} /></Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}
