import type { Execution } from '@/api/types';
import { ReasonText } from '@/shared/ReasonText';
import { printedBy } from './outputs';
import { WhyWaits } from './WhyWaits';

/** Why an execution waits or failed: the sentence of the server, and the last line that a command printed of its error. */
export function Why({ one }: { one: Execution }) {
  const text = one.reason ?? one.first_attempt.error ?? '';
  return <ReasonText reason={text !== '' && <WhyWaits text={text} project={one.project} />} printed={printedBy(one)} />;
}
