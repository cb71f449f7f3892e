/**
 * Passkeys: `<form data-passkey="create|get">` sends the device's answer in its field `credential`.
 *
 * The device's options are in `#passkey-options` or, on public pages, fetched from `data-options`: rendering them would
 * create a session for every visitor.
 *
 * The page's button is disabled: pressed before this script is there, it would send the form without a passkey.
 */
const { webauthnJSON } = window;

/** @param {Found} form */
async function optionsOf(form) {
  if (!form.dataset.options) return JSON.parse(document.getElementById("passkey-options").textContent);
  const answer = await fetch(form.dataset.options, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()).request_options;
}

/**
 * @param {Found} form
 * @param {{ publicKey: PublicKeyCredentialCreationOptions }} options
 */
function create(form, options) {
  const alone = form.elements.passwordless.checked;
  options.publicKey.authenticatorSelection = {
    ...options.publicKey.authenticatorSelection,
    residentKey: alone ? "required" : "discouraged",
    requireResidentKey: alone,
    ...(alone && { userVerification: "required" }),
  };
  return webauthnJSON.create(options);
}

/** @param {unknown} error */
function errorText(error) {
  const name = error instanceof Error ? error.name : "";
  if (name === "InvalidStateError") return "known";
  return name === "NotAllowedError" || name === "AbortError" ? "refused" : "failed";
}

for (const form of document.querySelectorAll("[data-passkey]")) {
  const said = form.querySelector("[data-said]");
  const button = form.querySelector("button");
  /** @param {string} which */
  const say = (which) => {
    said.textContent = form.dataset[which] ?? "";
    said.hidden = false;
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.hidden = true;
    if (!window.PublicKeyCredential) return say("unable");
    button.disabled = true;
    try {
      const options = await optionsOf(form);
      const credential = await (form.dataset.passkey === "create" ? create(form, options) : webauthnJSON.get(options));
      form.elements.credential.value = JSON.stringify(credential);
      form.submit();
    } catch (error) {
      button.disabled = false;
      say(errorText(error));
    }
  });
  button.disabled = false;
  // A page that the browser kept while another was shown comes back as it was left.
  window.addEventListener("pageshow", () => {
    button.disabled = false;
  });
}
