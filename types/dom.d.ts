// Types for elements of templates, whose content is unknown here. An element that a page asks for is assumed to exist;
// where it may be missing, scripts use `?.`. Browser tests check that templates and scripts fit each other.

/** An element, with the extra properties of fields, links, dialogs and templates. */
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
  /** For a spread: its cards, whether they can be touched; how many are in each row, and how they lie. */
  tableRows: { cards: HTMLElement[]; reach: boolean; each?: number; laid?: string };
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
