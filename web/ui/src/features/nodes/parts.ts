/** The key in the catalogue for a name that the server gives to a part of itself, or to a loop. */
export function keyOf(name: string): string {
  return name.replaceAll(/[^a-z]+/g, '_');
}
