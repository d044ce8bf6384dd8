/** What is tried of the guides. Trials are values; `script.ts` makes one script of bash of each, from the guide itself. */
import type { ToolName } from './tools.ts'

/** One step of a reader. */
export type Step =
  /** A block of the guide: its commands, or a file of which the guide shows the content. */
  | {
      /** The heading above the block. */
      of: string
      /** Which block below that heading; the first is 1. */
      block: number
      /** The file that it is; without it the block is run. */
      file?: string
      /** What the file has around the part that the guide shows. */
      around?: readonly [before: string, after: string]
    }
  /** What the guide says in words, what a reader has before, or what holds after it. */
  | { sh: string }

export type Trial = {
  /** The document, from the root of the project. */
  document: string
  name: string
  tools: readonly ToolName[]
  /**
   * Settings of the server that runs meanwhile, with the folder of the reader as its own. `undefined`: the trial starts its own.
   * `$NAMED_PORT` is replaced in the values.
   */
  server?: Readonly<Record<string, string>>
  /** Names of ports that are free; each is the variable `NAME_PORT`. */
  ports?: readonly string[]
  /** A PostgreSQL cluster, as `PGHOST` (the folder of its socket) and `PGUSER`. */
  postgres?: true
  /** What the blocks have in place of what the guide writes, because there it is an example. `$NAMED_PORT` is replaced. */
  instead?: Readonly<Record<string, string>>
  steps: readonly Step[]
}

/** A block that no trial uses. */
export type Untried = { document: string; of: string; block: number; because: string }

/** A block that is run by bash. */
export const run = (of: string, block = 1): Step => ({ of, block })

/** A block that is the content of a file. */
export const file = (of: string, block: number, name: string, around?: readonly [string, string]): Step =>
  around ? { of, block, file: name, around } : { of, block, file: name }

/** Commands of the trial's own. */
export const sh = (...lines: string[]): Step => ({ sh: lines.join('\n') })
