// What a template holds is not known here. An element that a page asks for is taken to be there; where it may be
// missing the scripts say so themselves, by `?.`. Browser tests hold that templates and scripts fit each other.

/** An element of a page, with what fields, links, dialogs and templates have besides. */
interface Found extends HTMLElement {
  value: string;
  name: string;
  type: string;
  checked: boolean;
  disabled: boolean;
  open: boolean;
  href: string;
  action: string;
  htmlFor: string;
  readonly content: DocumentFragment;
  readonly form: HTMLFormElement;
  readonly elements: Fields;
  showModal(): void;
  close(): void;
  select(): void;
  requestSubmit(): void;
  submit(): void;
  defaultChecked: boolean;
  /** Of a spread of cards: what lies in it, how it may lie, and how many cards lie in each row. */
  tableRows: { cards: HTMLElement[]; reach: boolean; each?: number };
}

/** The fields of a form by name. */
type Fields = HTMLFormControlsCollection & Record<string, Found & { options: HTMLOptionsCollection }>;

interface ParentNode {
  querySelector(selectors: string): Found;
  querySelectorAll(selectors: string): NodeListOf<Found>;
}

interface Document {
  getElementById(id: string): Found;
}

interface Element extends HTMLOrSVGElement, ElementCSSInlineStyle {
  closest(selectors: "form"): HTMLFormElement | null;
  closest(selectors: string): Found | null;
  hidden: boolean | "until-found";
  readonly offsetParent: Element | null;
  readonly offsetWidth: number;
}

interface Window {
  webauthnJSON: { create(options: object): Promise<object>; get(options: object): Promise<object> };
}
