import type { Readable } from 'node:stream'
import type { Operation } from '../../../api/index.ts'

/** The parameters of a call, by their names: those of the path, and the others. */
export type Call = Readonly<Record<string, string | number | boolean>>

/** What the source answered. It may be anything. */
export type SourceAnswer = { status: number; body: unknown }

/** The source does not answer, or answers with what is no JSON. The message is shown to users. */
export class SourceFailed extends Error {
  override name = 'SourceFailed'
}

/** The source refuses a call. The message is shown to users. */
export class SourceRefused extends Error {
  override name = 'SourceRefused'
  readonly status: number

  constructor(status: number) {
    super(`The source instance answered with status ${status}`)
    this.status = status
  }
}

/**
 * A server with the operations of the v4 API. It performs operations that this server has as well, so their values say what is sent.
 * Nothing that it answers is to be trusted.
 */
export type Source = {
  /** @throws SourceFailed */
  ask(operation: Operation, call: Call): Promise<SourceAnswer>
  /** Opens the file that an operation answers. Destroying it ends the transfer. @throws SourceFailed, SourceRefused */
  open(operation: Operation, call: Call): Promise<Readable>
}
