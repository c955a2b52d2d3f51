import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { addressOf } from '@/features/services/address';
import { useChosenServices } from '@/features/services/queries';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import classes from './Lines.module.css';

const mostShown = 8;

/** The services with clients that their node cannot call. They are read only if the overview counts such clients. */
export function LostClients({ project }: { project: string }) {
  const { t } = useTranslation('overview');
  const lost = useChosenServices(project, 'unreachable').data?.items ?? [];
  if (lost.length === 0) return null;
  return (
    <Section title={t('unreachable')} actions={<Link to="/services?only=unreachable" size="sm">{t('count', { count: lost.length })}</Link>}>
      <ul className={classes.lines}>
        {lost.slice(0, mostShown).map((one) => (
          <li key={`${one.project}/${one.service}`} className={classes.line}>
            <Link to={`${addressOf(one)}?state=unreachable`} fw={600} size="sm">{one.service}</Link>
            <Text size="sm" component="span">{t('lost', { count: one.clients.unreachable })}</Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}
