import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Service } from '@/api/types';
import { addressOf } from '@/features/services/address';
import { useAllServices, useClients } from '@/features/services/queries';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { RelativeTime } from '@/shared/Times';
import { unserved } from './attention';
import classes from './Lines.module.css';

const shown = 8;

function Services({ title, to, services, line }: { title: string; to: string; services: Service[]; line: (one: Service) => ReactNode }) {
  const { t } = useTranslation('overview');
  if (services.length === 0) return null;
  return (
    <Section title={title} actions={<Link to={to} size="sm">{t('count', { count: services.length })}</Link>}>
      <ul className={classes.lines}>
        {services.slice(0, shown).map((one) => (
          <li key={`${one.project}/${one.service}`} className={classes.line}>
            <Stack gap={0} miw={0}>
              <Link to={addressOf(one)} fw={600} size="sm">{one.service}</Link>
              <Text size="xs" c="dimmed" component="span">{one.project}</Text>
            </Stack>
            {line(one)}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Services without a client for their tasks, and those that are paused. */
export function ServicesInNeed({ project }: { project: string }) {
  const { t } = useTranslation('overview');
  const services = useAllServices(project, true).data?.items ?? [];
  const clients = useClients().data?.items;
  return (
    <>
      <Services title={t('unserved')} to="/services?only=unserved" services={clients ? unserved(services, clients) : []} line={() => null} />
      <Services
        title={t('paused')} to="/services?only=paused" services={services.filter(({ paused }) => paused !== null)}
        line={({ paused }) => paused && (
          <Text size="sm" component="span">
            {`${[paused.reason, paused.begun_by && t('paused_by', { by: paused.begun_by })].filter(Boolean).join(' · ')} · `}<RelativeTime at={paused.begun_at} />
          </Text>
        )}
      />
    </>
  );
}
