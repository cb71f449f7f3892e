/** Pages, or parts of pages, read again from the server, which draws them. */

/**
 * Reads from one place of a page: of several answers only that to the newest question counts.
 * @returns {(url: string | URL | undefined) => Promise<Fragment>}
 */
export function makeReader() {
  let asked = 0;
  return async (url = location.href) => {
    const mine = ++asked;
    const answer = await fetch(url, { headers: { Accept: "text/html" } }).catch(() => null);
    const text = (await answer?.text().catch(() => null)) ?? "";
    return {
      isOld: mine !== asked,
      status: answer?.status ?? 0,
      text,
      /** Taken apart where it is asked for: the style in a table's page is for that page's own security policy. */
      get page() {
        return answer?.ok && text ? new DOMParser().parseFromString(text, "text/html") : null;
      },
    };
  };
}
