/** The nonce of this answer's Content-Security-Policy, which the server wrote into index.html. */
export function nonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
}
