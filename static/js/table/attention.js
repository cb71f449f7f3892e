/** Signals your turn: in the tab's title and icon, by a sound, by a notification. */

import { settings } from "./settings.js";
import { play } from "./sounds.js";
import { say } from "./words.js";

/**
 * @param {{title: string, icon: string, turnIcon: string, image: string}} names - of the page, its icon and the one for
 *   your turn, and of notifications
 */
export function makeAttention({ title, icon, turnIcon, image }) {
  const link = document.querySelector("link[rel=icon]");
  /** @type {boolean | null} */
  let was = null;
  /** @type {Notification | null} */
  let notice = null;

  async function notify() {
    if (!settings.notices || !document.hidden || !("Notification" in window) || Notification.permission !== "granted")
      return;
    const options = { body: say("notice_turn"), icon: image, tag: location.pathname, data: { url: location.pathname } };
    const worker = await navigator.serviceWorker?.getRegistration();
    // Phones show notifications only through a service worker.
    if (worker) await worker.showNotification(title, options);
    else {
      notice = new Notification(title, options);
      notice.addEventListener("click", () => {
        focus();
        notice?.close();
      });
    }
  }

  /** Close what was shown, also by a push: the player has come, or it's no longer their turn. */
  async function withdraw() {
    notice?.close();
    const worker = await navigator.serviceWorker?.getRegistration();
    for (const shown of (await worker?.getNotifications?.({ tag: location.pathname })) ?? []) shown.close();
  }
  const withdrawn = () => void withdraw().catch(() => undefined);

  document.addEventListener("visibilitychange", () => !document.hidden && withdrawn());
  if (!document.hidden) withdrawn();

  return {
    /**
     * Note whether it is this player's turn.
     * @param {boolean} isMine
     */
    turn(isMine) {
      document.title = isMine ? say("away_turn", { title }) : title;
      const href = isMine ? turnIcon : icon;
      if (link.getAttribute("href") !== href) link.setAttribute("href", href);
      if (isMine && was === false) {
        play("turn");
        notify().catch(() => undefined);
      } else if (!isMine && was) withdrawn();
      was = isMine;
    },
  };
}
