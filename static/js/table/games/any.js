/** The common layout: all zones that belong to no seat are in the middle. */

const AT_SEATS = new Set(["hand", "stack", "won", "deck", "store", "taken"]);

/** @type {Layout<Facts>} */
const layout = {
  /** Facts that are always visible, as `table.mark`s. */
  marks: () => [],
  /** The middle of the table: the zones that don't belong to a seat. */
  centre: (table) => table.view.zones.filter((zone) => !AT_SEATS.has(zone.id.split(":")[0])).map(table.zoneBox),
};
export default layout;
