/**
 * Passkeys: `<form data-passkey="create|get">` sends what the device answers in its field `credential`.
 *
 * The question for the device stands in `#passkey-options`, or is asked for at `data-options`, since one that stands
 * on a page open to everybody would make a session for every visitor.
 */
const { webauthnJSON } = window;

async function optionsOf(form) {
  if (!form.dataset.options) return JSON.parse(document.getElementById("passkey-options").textContent);
  const answer = await fetch(form.dataset.options, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return (await answer.json()).request_options;
}

function create(form, options) {
  const alone = form.elements.passwordless.checked;
  Object.assign(options.publicKey.authenticatorSelection, {
    residentKey: alone ? "required" : "discouraged",
    requireResidentKey: alone,
    ...(alone && { userVerification: "required" }),
  });
  return webauthnJSON.create(options);
}

function whatWentWrong(error) {
  if (error.name === "InvalidStateError") return "known";
  return error.name === "NotAllowedError" || error.name === "AbortError" ? "refused" : "failed";
}

for (const form of document.querySelectorAll("[data-passkey]")) {
  const said = form.querySelector("[data-said]");
  const button = form.querySelector("button");
  const say = (which) => {
    said.textContent = form.dataset[which];
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
      say(whatWentWrong(error));
    }
  });
}
