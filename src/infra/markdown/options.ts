/** What a rendering depends on besides the text. */
export type RenderOptions = {
  /** Returns where a link or image leads instead; the address is percent-encoded. */
  resolve?(url: string): string
  /** Writes the mark of a checklist item as HTML. Without it the items are plain text. @param task its line from 1 */
  task?(task: Task): string
  /** Returns where a reference leads, such as `#1`, `group/project!1` or `@user`; null for one that stays text. */
  reference?(text: string): string | null
}

/** A checklist item. */
export type Task = { line: number; isDone: boolean }
