/** A random key of 128 bits. Browsers have crypto.randomUUID only on HTTPS and on localhost. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
