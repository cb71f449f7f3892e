/** The notification settings: fields for the chosen timing, and pushes to this browser. */

for (const part of document.querySelectorAll("[data-timing]")) {
  const follow = () => {
    const timing = document.querySelector("input[name=timing]:checked")?.value;
    part.hidden = !part.dataset.timing?.split(" ").includes(timing);
  };
  for (const choice of document.querySelectorAll("input[name=timing]")) choice.addEventListener("change", follow);
  follow();
}

const box = document.querySelector("[data-push]");
if (box) start(box);

/** @param {Found} box */
function start(box) {
  const button = box.querySelector("button");
  const said = box.querySelector("[role=status]");
  const token = box.querySelector("[name=csrfmiddlewaretoken]").value;
  const words = box.dataset;
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !window.isSecureContext) {
    said.textContent = words.unable ?? "";
    return;
  }
  /** @type {PushSubscription | null} */
  let subscription = null;
  const show = () => {
    button.hidden = false;
    button.textContent = (subscription ? words.off : words.on) ?? "";
    said.textContent = (subscription && words.isOn) ?? "";
  };

  /**
   * Register this browser with the server, or remove it; false if that failed.
   * @param {string | undefined} address
   * @param {BodyInit} body
   */
  async function post(address, body) {
    try {
      const answer = await fetch(address ?? "", {
        method: "POST",
        body,
        headers: { "X-CSRFToken": token, Accept: "application/json" },
        credentials: "same-origin",
      });
      return answer.ok;
    } catch {
      return false;
    }
  }

  /** @param {ServiceWorkerRegistration} registration */
  async function turnOn(registration) {
    if ((await Notification.requestPermission()) !== "granted") return words.denied;
    const wanted = { userVisibleOnly: true, applicationServerKey: bytes(words.key) };
    try {
      subscription = await registration.pushManager.subscribe(wanted);
    } catch {
      // A subscription with an old key no longer works.
      await (await registration.pushManager.getSubscription())?.unsubscribe();
      subscription = await registration.pushManager.subscribe(wanted);
    }
    if (await post(words.subscribe, JSON.stringify(subscription))) return "";
    await subscription.unsubscribe();
    subscription = null;
    return words.failed;
  }

  async function turnOff() {
    const form = new FormData();
    form.append("endpoint", subscription?.endpoint ?? "");
    if (!(await post(words.forget, form))) return words.failed;
    await subscription?.unsubscribe();
    subscription = null;
    return "";
  }

  button.addEventListener("click", async () => {
    button.setAttribute("aria-disabled", "true");
    let problem;
    try {
      const registration = await navigator.serviceWorker.register(words.worker ?? "");
      await navigator.serviceWorker.ready;
      problem = subscription ? await turnOff() : await turnOn(registration);
    } catch {
      problem = words.failed; // The browser's push service is down, or it has none.
    }
    button.removeAttribute("aria-disabled");
    show();
    if (problem) said.textContent = problem;
  });

  navigator.serviceWorker
    .getRegistration()
    .then(async (registration) => {
      subscription = (await registration?.pushManager.getSubscription()) ?? null;
      // The server may have deleted the subscription, or the browser renewed it.
      if (subscription && !(await post(words.subscribe, JSON.stringify(subscription)))) subscription = null;
      show();
    })
    .catch(show);
}

/**
 * A base64url key as bytes.
 * @param {string | undefined} text
 */
function bytes(text = "") {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
