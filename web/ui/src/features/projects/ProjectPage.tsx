import { useTranslation } from 'react-i18next';
import { useParams } from 'wouter';
import { ScopePage } from '@/features/scopes/ScopePage';

export default function ProjectPage() {
  const { t } = useTranslation('projects');
  const { project = '' } = useParams<{ project: string }>();
  return <ScopePage key={project} scope={{ project }} summary={t('project')} />;
}
