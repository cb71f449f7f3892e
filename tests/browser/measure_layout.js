// What breaks a law of the layout on a table page, as sentences: a function for the page, of the window's size.
({ width }) => {
  const wrong = [];
  const slack = 2;
  const seen = (each) => {
    const { width: w, height: h } = each.getBoundingClientRect();
    return w > 1 && h > 1 && each.checkVisibility({ visibilityProperty: true }) && !each.closest(".visually-hidden");
  };
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const name = (each) =>
    (each.dataset.card ?? each.id) || each.textContent.trim().replace(/\s+/g, " ").slice(0, 30) || each.className;
  const box = (each) => each.getBoundingClientRect();
  const meets = (one, other) =>
    Math.min(one.right, other.right) - Math.max(one.left, other.left) > slack &&
    Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > slack;
  const inkOf = (each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getBoundingClientRect();
  };
  const apart = (ones, others, what) => {
    const met = ones.flatMap((one) =>
      others
        .filter((other) => one !== other && !one.contains(other) && !other.contains(one) && meets(box(one), box(other)))
        .map((other) => `${name(one)} × ${name(other)}`),
    );
    if (met.length) wrong.push(`${what} meet ${met.length} times: ${met.slice(0, 3).join("; ")}`);
  };
  const middle = all(
    "#felt .centre .playing-card, #felt .centre .playing-card-place, #felt .zone-title, #felt .fan-note, #felt .penalty, #felt .duel, #felt .last-trick, #felt figcaption",
  );
  const facts = all("#felt .mark");
  const seats = all("#felt .seat");
  const own = all("#own-seat .seat-words, #own-seat .avatar, #own-seat .chips");
  const hand = all("#hand .playing-card");
  const bars = all(
    ".table-bar, #strip, .table-news > *, #felt .melds-open, #controls .button, #controls input, .table-log",
  );
  apart(
    middle,
    [...facts, ...seats, ...own, ...hand, ...bars, ...all("#slap")],
    "what lies on the table and what is around it",
  );
  apart(seats, [...seats, ...facts, ...own, ...hand, ...bars], "seats");
  apart(facts, [...facts, ...hand, ...bars], "facts");
  apart(hand, [...own, ...bars], "the hand and what is around it");
  apart(own, all("#strip, #controls .button, #sort"), "the own seat and the buttons");
  // Their words may be longer than the box that they are in.
  const words = document.createTreeWalker(document.querySelector("#own-seat"), NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { parentElement: part } = words.currentNode;
    if (seen(part) && all("#controls .button").some((button) => meets(inkOf(words.currentNode), box(button))))
      wrong.push(`“${name(part)}” at the own seat is under a button`);
  }
  apart(all(".seat .side"), all(".seat .seat-who"), "marks of sides and names");
  // The own seat is inside the slap zone on phones, beside its words.
  for (const words of all("#slap .slap-word, #slap .slap-note"))
    for (const each of own)
      if (words.textContent && meets(inkOf(words), box(each))) wrong.push(`“${name(words)}” and ${name(each)} meet`);
  // When all is over the result takes their room.
  const isOver = document.querySelector("#table").classList.contains("is-over");
  for (const each of isOver ? [] : all("#felt .seats .seat-who, #felt .seats .chip, #felt .seats .side")) {
    const [{ left, right }, seat] = [box(each), box(each.closest(".seat"))];
    if (left < seat.left - slack || right > seat.right + slack) wrong.push(`${name(each)} reaches out of its seat`);
  }
  const middleOf = ({ left, right }) => (left + right) / 2;
  const strip = document.querySelector("#strip");
  const isBesideChoice = all("#felt [data-kind=fan]").length > 0 && all("#controls .button").length > 0;
  if ((width >= 1200 || width < 700) && innerHeight >= 480 && !isOver && !isBesideChoice) {
    const off = middleOf(box(strip)) - middleOf(box(document.querySelector(".table-main")));
    if (Math.abs(off) > 3) wrong.push(`the strip is ${Math.round(off)} px beside the middle`);
  }
  if (width < 700) {
    const tops = all("#felt.is-crowded .seats--top .avatar").map((each) => box(each).top);
    if (Math.max(...tops) - Math.min(...tops) > 3) wrong.push("the faces are not in one row");
  }
  // The mark of the turn stands between the ring and the name.
  for (const words of all("#own-seat .is-turn .seat-words")) {
    const { width: w } = getComputedStyle(words, "::before");
    if (box(words).left - box(words.parentElement.querySelector(".avatar")).right < parseFloat(w) + 4)
      wrong.push("the mark of the own turn meets the ring");
  }
  for (const each of all(".bet-top strong"))
    if (inkOf(each).bottom > inkOf(each.nextElementSibling).top + 1) wrong.push("the bet meets the words below it");
  for (const each of all("#felt .centre:not(.is-tight) .melds .zone-title")) {
    const cards = [...each.parentElement.querySelectorAll(".playing-card")].map((card) => box(card).bottom);
    if (box(each).top - Math.max(...cards) < 2) wrong.push(`${name(each)} touches its cards`);
  }
  const melds = all("#felt .melds .zone");
  apart(melds, melds, "melds");
  // Cards of one pile or meld overlap; those of two never do.
  const lying = all("#felt .centre .zone .playing-card, #felt .centre .zone .playing-card-place");
  for (const zone of new Set(lying.map((card) => card.closest(".zone")))) {
    const [inside, outside] = [
      lying.filter((card) => zone.contains(card)),
      lying.filter((card) => !zone.contains(card)),
    ];
    apart(inside, outside, `cards of ${zone.dataset.zone ?? zone.className} and others`);
  }
  const cloth = box(document.querySelector(".table-main"));
  for (const each of [...middle, ...facts, ...seats, ...own, ...hand, ...all("#controls .button, #strip")]) {
    const { left, top, right, bottom } = box(each);
    if (left < cloth.left - 1 || top < cloth.top - 1 || right > cloth.right + 1 || bottom > cloth.bottom + 1)
      wrong.push(`${name(each)} is outside the felt`);
  }
  const page = document.documentElement;
  if (page.scrollHeight > innerHeight || document.body.scrollHeight > innerHeight) wrong.push("the page scrolls");
  if (page.scrollWidth > innerWidth) wrong.push("the page is too wide");
  // Of every card in the hand a strip with its index is its own.
  for (const card of hand) {
    const { left, top } = box(card);
    const wide = card.offsetWidth;
    const turned = card.parentElement.matches("#hand li")
      ? parseFloat(getComputedStyle(card.parentElement).rotate) || 0
      : 0;
    const shift = turned > 0 ? card.offsetHeight * Math.sin((turned * Math.PI) / 180) : 0;
    const at = (x, y) => document.elementFromPoint(left + shift + x, top + y)?.closest(".playing-card") === card;
    const reach = Math.min(23, wide - 4);
    if (
      ![
        [3, 10],
        [reach, 10],
        [reach, 36],
      ].every(([x, y]) => at(x, y + Math.abs(Math.sin((turned * Math.PI) / 180)) * wide))
    )
      wrong.push(`the index of ${name(card)} in the hand is covered`);
  }
  const needed = width >= 1900 ? 120 : width >= 1280 ? 96 : 84;
  const piles = all(
    "#felt [data-zone=discard].stack .playing-card, #felt .trick .playing-card, #felt .pile > .playing-card, #felt [data-zone=avalanche] .playing-card, #felt .deep-pile .playing-card",
  );
  const largest = Math.max(0, ...piles.map((card) => card.offsetWidth));
  if (!isOver && piles.length && largest < needed - 1)
    wrong.push(`the pile is ${Math.round(largest)} px wide, not ${needed}`);
  for (const each of all("#table button:not(.playing-card), #table a, #table summary, #table .mark a")) {
    const { width: w, height: h } = box(each);
    if ((w < 43.5 || h < 43.5) && !each.closest(".log, .talk-lines, .all-moves"))
      wrong.push(`${name(each)} is ${Math.round(w)} × ${Math.round(h)} px to press`);
  }
  for (const each of all(
    ".strip p, .seat-who, .seat-note, .zone-title, .mark, .button, .table-title, figcaption, .fan-note",
  )) {
    if (each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).display !== "inline")
      wrong.push(`“${name(each)}” is cut`);
  }
  for (const each of all("#last"))
    if (each.scrollHeight > each.clientHeight + 1) wrong.push(`“${each.textContent}” is cut`);
  const edge = (card) => getComputedStyle(card).boxShadow;
  const others = all("#felt .melds .zone:not(.is-own) .playing-card").map(edge);
  if (all("#felt .melds .is-own .playing-card").some((card) => others.includes(edge(card))))
    wrong.push("own melds have the edges of the others'");
  for (const button of all("#controls .button")) {
    const words = document.createRange();
    words.selectNodeContents(button);
    const tops = new Set([...words.getClientRects()].map(({ bottom }) => Math.round(bottom / 6)));
    if (tops.size > 2 && !button.querySelector(".option-note"))
      wrong.push(`“${name(button)}” takes ${tops.size} lines`);
  }
  if (isOver) {
    const sheet = box(document.querySelector("#result"));
    for (const each of all("#result-title, #result-sentence, #result .is-me .result-why, #rematch")) {
      const { top, bottom } = box(each);
      if (top < sheet.top || bottom > Math.min(sheet.bottom, innerHeight))
        wrong.push(`“${name(each)}” of the result is out of sight`);
    }
    if (!all("#result-title").length || !all("#rematch").length) wrong.push("the result is not shown");
    apart([document.querySelector("#result")], [...middle, ...seats, ...facts], "the result and the table");
  }
  if (width >= 1024) {
    const share = Math.round((100 * cloth.width * cloth.height) / innerWidth / innerHeight);
    if (share < 65) wrong.push(`the felt is ${share} % of the window`);
  }
  return [...new Set(wrong)];
};
