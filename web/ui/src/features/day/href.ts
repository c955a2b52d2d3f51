import { useRouter } from 'wouter';

/** Addresses of pages for elements that are not links of the router. */
export function useHref(): (path: string) => string {
  const { base } = useRouter();
  return (path) => `${base}${path}`;
}
