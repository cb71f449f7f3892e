/** Load pages, or parts of pages, again; the server renders them. */

/**
 * Load one place of a page; an answer is old if a newer request was made meanwhile.
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
      /** Parsed on request only: a table's page has inline styles that the security policy of another page forbids. */
      get page() {
        return answer?.ok && text ? new DOMParser().parseFromString(text, "text/html") : null;
      },
    };
  };
}
