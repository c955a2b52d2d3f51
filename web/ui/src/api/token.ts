/** The token of this tab. It lives as long as the tab, so it is never found on disk by another page. */
const key = 'baton.token';
const listeners = new Set<() => void>();
let wanted = false;

function changed() {
  listeners.forEach((tell) => tell());
}

export const token = {
  read: (): string | null => sessionStorage.getItem(key),
  keep(value: string) {
    sessionStorage.setItem(key, value);
    wanted = false;
    changed();
  },
  /** The server refused the request for want of a valid token. */
  refuse() {
    sessionStorage.removeItem(key);
    wanted = true;
    changed();
  },
  isWanted: () => wanted,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};
