/** What `advance` counts, where its rate means something. */
export type Unit = 'bytes' | 'items'

/** How far something is that takes long. */
export type Progress = {
  /** A new step begins. @param total in the unit of `advance`; undefined when it is not known */
  step(name: string, total?: number, unit?: Unit): void | Promise<void>
  advance(amount: number): void
  /** A line for the operator. */
  note(line: string): void
}
