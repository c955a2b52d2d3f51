import { describe, expect, it } from 'vitest';
import { present } from '../src/features/nodes/condition';
import { shortInstance } from '../src/shared/instance_name';

describe('the name of an instance', () => {
  it('is shown by host and process', () => {
    expect(shortInstance('mars:4711:ae1d99a1:0edc46418ad2b10814ae986b82edcec9')).toBe('mars:4711');
  });
  it('stays whole where it has another form', () => {
    expect(shortInstance('mail-1')).toBe('mail-1');
  });
});

describe('nodes', () => {
  it('that were started anew are there once', () => {
    const nodes = [{ name: 'a', alive: true }, { name: 'a', alive: false }, { name: 'b', alive: false }];
    expect(present(nodes)).toEqual([{ name: 'a', alive: true }, { name: 'b', alive: false }]);
  });
});
