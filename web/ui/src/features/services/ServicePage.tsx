import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { ScopePage } from '@/features/scopes/ScopePage';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { ClientsTable } from './ClientsTable';
import { useClientFigures } from './queries';

export default function ServicePage() {
  const { t } = useTranslation('services');
  const { project = '', service = '' } = useParams<{ project: string; service: string }>();
  const clients = useClientFigures({ project, service });
  const summary = (
    <>
      {t('of_project')}{' '}<Link to={`/projects/${encodeURIComponent(project)}`} size="sm" underline="always">{project}</Link>{' · '}
      <Link to={`/tasks?project=${encodeURIComponent(project)}&service=${encodeURIComponent(service)}`} size="sm" underline="always">{t('its_tasks')}</Link>
    </>
  );
  return (
    <ScopePage key={`${project}/${service}`} scope={{ project, service }} summary={summary}>
      <Section title={t('clients')}><ClientsTable clients={clients.data?.items} error={clients.error} ofOneService /></Section>
    </ScopePage>
  );
}
