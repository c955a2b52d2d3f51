import { stored, useStored } from './stored';

function areNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** The columns of a list that the viewer does not want to see; before the first choice those of `atFirst`. */
export function useHiddenColumns(list: string, atFirst: string[]): [string[], (names: string[]) => void] {
  return useStored(stored(`baton.hidden_columns.${list}`, areNames, atFirst));
}
