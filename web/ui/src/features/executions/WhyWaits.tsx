import { addressOf } from '@/features/services/address';
import { Link } from '@/shared/Link';
import { Reason } from '@/shared/Reason';
import { subjectOf } from '@/shared/server_words';

/** Why an execution waits, with a way to the service or the project that keeps it back. */
export function WhyWaits({ text, project }: { text: string; project: string }) {
  const subject = subjectOf(text, project);
  if (!subject) return <Reason text={text} />;
  const { project: of, service } = subject;
  return <Link to={service === null ? `/projects/${encodeURIComponent(of)}` : addressOf({ project: of, service })} size="sm"><Reason text={text} /></Link>;
}
