import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { ScopePage } from '@/features/scopes/ScopePage';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { ClientsTable } from './ClientsTable';
import { useClients } from './queries';

export default function ServicePage() {
  const { t } = useTranslation('services');
  const { project = '', service = '' } = useParams<{ project: string; service: string }>();
  const clients = useClients();
  const own = clients.data?.items.filter((client) => client.project === project && client.service === service);
  const summary = (
    <>
      {t('of_project')}{' '}<Link to={`/projects/${encodeURIComponent(project)}`} size="sm" underline="always">{project}</Link>{' · '}
      <Link to={`/tasks?project=${encodeURIComponent(project)}&service=${encodeURIComponent(service)}`} size="sm" underline="always">{t('its_tasks')}</Link>
    </>
  );
  return (
    <ScopePage key={`${project}/${service}`} scope={{ project, service }} summary={summary}>
      <Section title={t('clients')}><ClientsTable clients={own} error={clients.error} ofOneService /></Section>
    </ScopePage>
  );
}
