import type { EventColumn } from './events.ts'
import type { Fields } from './fields.ts'

/**
 * What an integration does: `delivers` requests to another server, `mails`, turns `references` into links, or is only `stored` for
 * clients that read it. The API refuses to set up those of `elsewhere`.
 */
export type Effect = 'delivers' | 'mails' | 'references' | 'stored' | 'elsewhere'

/** A row of the catalogue (contract 25, Catalogue). */
export type Entry = {
  title: string
  does: Effect
  required: Fields
  optional: Fields
  /** The columns whose parameters it takes. */
  events: readonly EventColumn[]
}

type Given = Partial<Omit<Entry, 'title' | 'does'>>

const entry =
  (does: Effect) =>
  (title: string, { required = {}, optional = {}, events = [] }: Given = {}): Entry => {
    return { title, does, required, optional, events }
  }

export const delivers = entry('delivers')
export const mails = entry('mails')
export const references = entry('references')
export const stored = entry('stored')
export const elsewhere = entry('elsewhere')

/** All fields of an entry, in the order of the catalogue. */
export const fieldsOf = ({ required, optional }: Entry): Fields => ({ ...required, ...optional })
