import { NumberInput, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asObject } from './schema';
import { changed, type Field, numberOf } from './flat_form';

interface InputProps {
  field: Field;
  value: unknown;
  /** The properties that all kinds of inputs share. */
  look: { label: string; description: string; required: boolean; placeholder: string; error: string | undefined };
  /** Undefined: the property is left out. */
  onChange: (value: unknown) => void;
}

function NumberOf({ field, value, look, onChange }: InputProps) {
  // An incomplete number, such as a minus sign, stays in the input and is not yet a value.
  const [typed, type] = useState<string | number>('');
  const known = numberOf(value);
  const same = typed === '' ? known === undefined : Number(typed) === known || (Number.isNaN(Number(typed)) && known === undefined);
  return (
    <NumberInput
      {...look} value={same ? typed : (known ?? '')} allowDecimal={field.kind === 'number'}
      onChange={(next) => {
        type(next);
        const number = next === '' ? NaN : Number(next);
        onChange(Number.isFinite(number) ? number : undefined);
      }}
    />
  );
}

function ChoiceOf({ field, value, look, onChange }: InputProps) {
  const { t } = useTranslation('shared');
  const choices = field.kind === 'boolean' ? [true, false] : field.choices;
  const nameOf = (choice: unknown) => (choice === true ? t('yes') : choice === false ? t('no') : typeof choice === 'string' ? choice : JSON.stringify(choice));
  const at = choices.indexOf(value);
  return (
    <Select
      {...look} value={at < 0 ? null : String(at)} data={choices.map((choice, index) => ({ value: String(index), label: nameOf(choice) }))} clearable
      clearButtonProps={{ 'aria-label': t('clear', { name: look.label }) }} comboboxProps={{ shadow: 'md' }} onChange={(index) => onChange(index === null ? undefined : choices[Number(index)])}
    />
  );
}

function TextOf({ field, value, look, onChange }: InputProps) {
  const text = typeof value === 'string' ? value : '';
  const tell = (next: string) => onChange(next === '' && (!field.required || field.nullable) ? undefined : next);
  if (text.includes('\n')) return <Textarea {...look} value={text} autosize maxRows={8} onChange={({ currentTarget }) => tell(currentTarget.value)} />;
  return <TextInput {...look} value={text} onChange={({ currentTarget }) => tell(currentTarget.value)} />;
}

interface Props {
  fields: Field[];
  payload: unknown;
  /** What is wrong with a property, by its name. */
  faultOf: (name: string) => string | undefined;
  onChange: (payload: unknown) => void;
}

/** A payload as inputs. It changes the object that the text represents, and keeps the properties that it does not know. */
export function PayloadForm({ fields, payload, faultOf, onChange }: Props) {
  const object = asObject(payload) ?? {};
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {fields.map((field) => {
        const label = field.title ? `${field.title} (${field.name})` : field.name;
        const placeholder = field.byDefault === undefined ? '' : typeof field.byDefault === 'string' ? field.byDefault : JSON.stringify(field.byDefault);
        const look = { label, description: field.description, required: field.required, placeholder, error: faultOf(field.name) };
        const props = { field, look, value: object[field.name], onChange: (value: unknown) => onChange(changed(object, field, value)) };
        if (field.kind === 'text') return <TextOf key={field.name} {...props} />;
        return field.kind === 'number' || field.kind === 'integer' ? <NumberOf key={field.name} {...props} /> : <ChoiceOf key={field.name} {...props} />;
      })}
    </SimpleGrid>
  );
}
