/** How far a backup or a restore is. */
export type Progress = {
  /** A new step begins. @param total in the unit of `advance`; undefined when it is not known */
  step(name: string, total?: number): void | Promise<void>
  advance(amount: number): void
  /** A line for the operator. */
  note(line: string): void
}
