import { useTranslation } from 'react-i18next';
import type { Expected } from './expected';
import type { Finding } from './findings';
import { jsonTypes } from './schema';

/** Puts findings and expectations into words. */
export function usePayloadWords() {
  const { t } = useTranslation('payload');
  const typeName = (type: string) => {
    const known = jsonTypes.find((one) => one === type);
    return known ? t(`types.${known}`) : type;
  };
  const limitText = (limit: Finding['limit']) => (typeof limit === 'string' ? limit : limit.map(typeName).join(t('or')));

  function place(finding: Finding): string {
    if (finding.place.length === 0) return t('place.whole');
    return finding.place.map((part) => (typeof part === 'number' ? t('place.item', { n: part + 1 }) : part)).join(' › ');
  }
  function finding(one: Finding): string {
    const code = one.code === 'forms' && one.limit.length > 0 ? 'forms_of' : one.code;
    return t(`finding.${code}`, { limit: limitText(one.limit), is: typeName(one.is), text: one.text });
  }
  function expectation({ types, required, byDefault, choices, limits }: Expected): string {
    const values = choices?.length === 1 ? t('expected.always', { value: choices[0] }) : choices ? t('expected.one_of', { values: choices.join(', ') }) : '';
    return [
      types.length > 0 ? types.map(typeName).join(t('or')) : choices ? '' : t('expected.any'),
      required ? t('expected.required') : '',
      values,
      ...limits.map(({ name, limit }) => t(`limits.${name}`, { limit })),
      byDefault === null ? '' : t('expected.default', { value: byDefault }),
    ].filter((part) => part !== '').join(' · ');
  }
  return { place, finding, expectation };
}
