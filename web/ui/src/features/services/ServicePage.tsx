import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { ScopePage } from '@/features/scopes/ScopePage';
import { useCursor } from '@/shared/cursor';
import { ChoiceFilter } from '@/shared/FilterBar';
import { useFilters } from '@/shared/filters';
import { Link } from '@/shared/Link';
import { Section } from '@/shared/Section';
import { ClientsTable } from './ClientsTable';
import { Handlers } from './Handlers';
import { useServiceClients } from './queries';
import { clientStates } from './served';

function Clients({ project, service }: { project: string; service: string }) {
  const { t } = useTranslation('services');
  const { values, change } = useFilters(['state'] as const);
  const state = clientStates.find((one) => one === values.state);
  const cursor = useCursor(`${project}/${service} ${state ?? ''}`);
  const { data, error } = useServiceClients(project, service, state, cursor.after);
  const filter = <ChoiceFilter label={t('state')} value={state ?? ''} onChange={(next) => change({ state: next })} choices={clientStates.map((value) => ({ value, label: t(`states.${value}`) }))} />;
  return (
    <Section title={t('clients')} actions={filter}>
      <ClientsTable clients={data?.items} error={error} paging={{ cursor, next: data?.next }} filtered={state !== undefined} />
    </Section>
  );
}

export default function ServicePage() {
  const { t } = useTranslation('services');
  const { project = '', service = '' } = useParams<{ project: string; service: string }>();
  const summary = (
    <>
      {t('of_project')}{' '}<Link to={`/projects/${encodeURIComponent(project)}`} size="sm" underline="always">{project}</Link>{' · '}
      <Link to={`/tasks?project=${encodeURIComponent(project)}&service=${encodeURIComponent(service)}`} size="sm" underline="always">{t('its_tasks')}</Link>{' · '}
      <Link to={`/executions?project=${encodeURIComponent(project)}&service=${encodeURIComponent(service)}&state=waiting`} size="sm" underline="always">{t('what_waits')}</Link>
    </>
  );
  return (
    <ScopePage key={`${project}/${service}`} scope={{ project, service }} summary={summary}>
      <Clients project={project} service={service} />
      <Handlers project={project} service={service} />
    </ScopePage>
  );
}
