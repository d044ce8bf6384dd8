import { builds } from './builds.ts'
import { chats } from './chats.ts'
import { type Entry, fieldsOf } from './entry.ts'
import type { Field, Fields } from './fields.ts'
import { storedEntries } from './stored.ts'
import { trackers } from './trackers.ts'

/**
 * The integrations, by their slugs (contract 25, Catalogue). Parameters, checks, what is shown, documentation and forms follow from
 * these values.
 */
export const catalogue: ReadonlyMap<string, Entry> = new Map(
  Object.entries({ ...chats, ...builds, ...trackers, ...storedEntries }),
)

/** A slug with `-`, as it is stored; clients also write `_`. */
export const normalSlug = (slug: string) => slug.replaceAll('_', '-')

/** A field as parameters have it: one for all integrations that have a field of this name. */
export type SharedField = Pick<Field, 'type'> & { slugs: readonly string[] }

function shared(): ReadonlyMap<string, SharedField> {
  const found = new Map<string, { type: Field['type']; slugs: string[] }>()
  for (const [slug, entry] of catalogue) {
    const fields: Fields = fieldsOf(entry)
    for (const [name, { type }] of Object.entries(fields)) {
      const one = found.get(name) ?? { type, slugs: [] }
      if (one.type !== type) throw new Error(`${name} has several types`)
      one.slugs.push(slug)
      found.set(name, one)
    }
  }
  return found
}

/** The fields of all integrations, by name. */
export const sharedFields = shared()
