import { Button, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './FilterBar.module.css';
import { IconFilter } from './icons';

/** `tools`: what stands at the other end of the line. */
export function FilterBar({ children, used, clear, tools }: { children: ReactNode; used: number; clear: () => void; tools?: ReactNode }) {
  const { t } = useTranslation();
  const [opened, open] = useState(false);
  return (
    <div role="search" aria-label={t('filters')} className={classes.bar}>
      <Button className={classes.toggle} variant="default" size="sm" leftSection={<IconFilter size={16} />} aria-expanded={opened} onClick={() => open(!opened)}>
        {used > 0 ? t('filters_used', { count: used }) : t('filters')}
      </Button>
      <div className={classes.fields} data-open={opened || undefined}>
        {children}
        {used > 0 && <Button variant="subtle" onClick={clear}>{t('clear_filters')}</Button>}
      </div>
      {tools}
    </div>
  );
}

interface FieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** Tells of a change once the typing rests. A text of which `wrong` says why it cannot be meant is kept back. */
export function TextFilter({ label, value, onChange, wrong }: FieldProps & { wrong?: (text: string) => string | null }) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback((last: string) => {
    if (last === '' || !wrong?.(last)) onChange(last);
  }, 300);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput
      label={label} value={text} size="sm" error={text === '' ? null : wrong?.(text)}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        tell(currentTarget.value);
      }}
    />
  );
}

export function ChoiceFilter({ label, value, onChange, choices }: FieldProps & { choices: { value: string; label: string }[] }) {
  const { t } = useTranslation();
  return (
    <Select
      label={label} value={value || null} placeholder={t('any')} data={choices} clearable size="sm" w={190}
      onChange={(next) => onChange(next ?? '')} clearButtonProps={{ 'aria-label': t('clear', { name: label }) }}
    />
  );
}
