/**
 * Filters that pages are ready for, and whether docs/openapi.yaml has them. tests/offered.test.ts compares. A filter that the
 * server does not know would be refused or, worse, be without effect.
 */
export const offered = {
  listTasks: { text: true },
  listExecutions: { service: true, cause: true, error: true },
  listDeadLetters: { service: true, error: true },
};
