/** The layout of a game without special wishes: every zone in the middle that belongs to nobody's seat. */

const AT_SEATS = new Set(["hand", "stack", "won", "deck", "store", "taken"]);

/** @type {Layout<Facts>} */
const layout = {
  /** Facts always in sight, as `table.mark`s. */
  marks: () => [],
  /** The middle of the table: the zones that do not lie at a seat. */
  centre: (table) => table.view.zones.filter((zone) => !AT_SEATS.has(zone.id.split(":")[0])).map(table.zoneBox),
};
export default layout;
