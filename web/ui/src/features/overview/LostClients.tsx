import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { addressOf } from '@/features/services/address';
import { useClients } from '@/features/services/queries';
import { Instance } from '@/shared/Instance';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { ofProject, unreachable } from './attention';
import classes from './Lines.module.css';

const mostShown = 8;

/** Clients that their node cannot call, and why. They are read only where the overview counts some. */
export function LostClients({ project }: { project: string }) {
  const { t } = useTranslation('overview');
  const lost = unreachable(ofProject(useClients().data?.items ?? [], project));
  if (lost.length === 0) return null;
  return (
    <Section title={t('unreachable')} actions={<Link to="/services?reach=unreachable" size="sm">{t('all_lost', { count: lost.length })}</Link>}>
      <ul className={classes.lines}>
        {lost.slice(0, mostShown).map((one) => (
          <li key={one.instance} className={classes.line}>
            <Stack gap={0} miw={0}>
              <Link to={addressOf(one)} fw={600} size="sm">{one.service}</Link>
              <Text size="xs" c="dimmed"><Instance name={one.instance} size="xs" />{one.reach_why ? `: ${one.reach_why}` : ''}</Text>
            </Stack>
          </li>
        ))}
      </ul>
    </Section>
  );
}
