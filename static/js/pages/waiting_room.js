/** The waiting room follows the table: who sits down, who leaves, and the start. */

const room = document.querySelector("[data-waiting-room]");
let wait = 500;

function listen() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(`${scheme}//${location.host}/ws/match/${room.dataset.key}/`);
  socket.addEventListener("open", () => (wait = 500));
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.t === "ping") socket.send(JSON.stringify({ t: "pong", n: message.n }));
    if (message.t === "reload" || message.t === "snapshot") location.reload();
  });
  socket.addEventListener("close", (event) => {
    if (event.code === 4404 || event.code === 4401) return;
    setTimeout(listen, wait * (0.5 + Math.random()));
    wait = Math.min(wait * 2, 15000);
  });
}

if (room) listen();
