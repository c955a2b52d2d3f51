import type { Language } from '@/i18n/wanted';

// The shell that index.html has in each language (still_shell.ts). It is shown until React shows the same, alive.

const controls = 'a, button, select';

function placesOf(shell: Element): HTMLAnchorElement[] {
  return [...(shell.querySelector('nav')?.querySelectorAll('a') ?? [])];
}

/** Marks the place of the address, and writes its name as the heading. Another page has none yet. */
function mark(shell: Element, path: string): void {
  const heading = shell.querySelector('h1');
  const places = placesOf(shell);
  const here = places.find((place) => place.pathname === path);
  for (const place of places) {
    place.toggleAttribute('data-active', path === place.pathname || path.startsWith(`${place.pathname}/`));
    if (place === here) place.setAttribute('aria-current', 'page');
    else place.removeAttribute('aria-current');
  }
  if (!heading) return;
  heading.textContent = here?.textContent ?? '';
  heading.toggleAttribute('hidden', !here);
  if (here) document.title = `${here.textContent} · baton`;
}

/** A click on a place leads there at once: the program that starts begins with the page of the address. A button is pressed later. */
function answerClicks(shell: HTMLElement, press: (control: Element) => void): void {
  const places = placesOf(shell);
  shell.addEventListener('click', (event) => {
    const control = (event.target as Element).closest(controls);
    const place = places.find((one) => one === control);
    if (place && event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      history.pushState(null, '', place.href);
      mark(shell, location.pathname);
    } else if (control instanceof HTMLButtonElement) press(control);
  });
}

/** Once the shell is replaced, its focus, and the press of a button, go to what stands in its place. */
function handOver(shell: HTMLElement, root: Element, pressed: () => Element | undefined): void {
  const known = [...shell.querySelectorAll(controls)];
  let focused: Element | undefined;
  shell.addEventListener('focusin', ({ target }) => { focused = target as Element; });
  // An element that is taken away loses the focus, too, a moment before.
  shell.addEventListener('focusout', ({ target }) => setTimeout(() => { if (focused === target) focused = undefined; }));
  const look = new MutationObserver(() => {
    if (shell.isConnected) return;
    look.disconnect();
    const alive = [...root.querySelectorAll<HTMLElement>(controls)];
    const sameAs = (control: Element | undefined) => (control ? alive[known.indexOf(control)] : undefined);
    if (document.activeElement === document.body) sameAs(focused)?.focus();
    sameAs(pressed())?.click();
  });
  look.observe(root, { childList: true });
}

/** Shows the shell of a language. */
export function showStill(root: Element, language: Language): void {
  const made = document.querySelector<HTMLTemplateElement>(`template[data-shell="${language}"]`)?.content.cloneNode(true) as DocumentFragment | undefined;
  const shell = made?.querySelector<HTMLElement>('[data-still]');
  if (!made || !shell) return;
  let pressed: Element | undefined;
  answerClicks(shell, (control) => { pressed = control; });
  window.addEventListener('popstate', () => { if (shell.isConnected) mark(shell, location.pathname); });
  root.append(made);
  mark(shell, location.pathname);
  handOver(shell, root, () => pressed);
}
