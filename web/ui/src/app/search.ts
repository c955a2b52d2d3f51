/** Opens the palette. One that is not there yet is open when it comes. */
export async function search(): Promise<void> {
  (await import('@mantine/spotlight')).spotlight.open();
}
