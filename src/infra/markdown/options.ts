/** What a rendering depends on besides the text. */
export type RenderOptions = {
  /** Renders CommonMark with tables, strike-through, automatic links and footnotes alone (contract 25, `gfm` false). */
  isPlain?: boolean
  /** What the ids of headings and footnotes begin with; another one for each text of a page. Default `user-content-`. */
  idPrefix?: string
  /** Returns where a link or image leads instead; the address is percent-encoded. */
  resolve?(url: string): string
  /** Writes the mark of a checklist item as HTML. Without it the items are plain text. @param task its line from 1 */
  task?(task: Task): string
  /** Returns what a reference is to, such as `#1`, `group/project!1`, `@user` or an address; null for one that stays text. */
  reference?(text: string): Reference | null
  /** Finds further references in a text, of forms that are not those of this server. */
  others?(text: string): readonly FoundReference[]
  /** Writes where each block stands in the text, and its direction (contract 25, x.markdown). */
  positions?: boolean
  /** The address of this server: links to others open a page of their own. Without it all links are treated alike. */
  ownUrl?: string
}

/** A checklist item. */
export type Task = { line: number; isDone: boolean }

/** A reference in a text. */
export type FoundReference = { index: number; found: string }

/** Where a reference leads, and what is shown in its place if not the reference itself. */
export type Reference = { href: string; shown?: string }

/** What the ids of a text begin with, so that none is one of the page's. */
export const idPrefixOf = (env: unknown): string => (env as RenderOptions | undefined)?.idPrefix ?? 'user-content-'
