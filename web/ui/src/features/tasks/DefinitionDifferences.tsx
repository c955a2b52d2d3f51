import { useTranslation } from 'react-i18next';
import { DifferencesTable } from '@/shared/DifferencesTable';
import { labelledPart, memberLabels } from './member_labels';

/** What differs between two definitions of a task, in the words of the form. */
export function DefinitionDifferences({ before, after }: { before: unknown; after: unknown }) {
  const { t } = useTranslation(['taskForm', 'taskPolicies']);
  function labelOf(field: string): string {
    const { known, rest } = labelledPart(field);
    const words: string[] = known ? memberLabels[known].map((key) => t(key)) : [];
    return [...words, rest].filter((part) => part !== '').join(' · ');
  }
  return <DifferencesTable before={before} after={after} labelOf={labelOf} />;
}
