import { describe, expect, it, vi } from 'vitest';
import { randomKey } from '@/shared/random_key';

const own = globalThis.crypto;

describe('a random key', () => {
  it('is drawn where the browser has no randomUUID, as on plain HTTP', () => {
    vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => own.getRandomValues(bytes) });
    expect(randomKey()).toMatch(/^[0-9a-f]{32}$/);
    expect(randomKey()).not.toBe(randomKey());
    vi.unstubAllGlobals();
  });
});
