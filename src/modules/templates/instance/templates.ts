import { notFound } from '../../../api/index.ts'
import { contentOf, type Kind, keysOf, kinds } from './kinds.ts'

/** The templates of a kind, by key. */
export const entriesOf = (kind: Kind) => keysOf(kind).map((key) => ({ key, name: key }))

/** A template of a kind (contract 24). @throws ApiError 404 with the word of the kind */
export async function getTemplate(kind: Kind, name: string) {
  const content = await contentOf(kind, name)
  if (content === null) throw notFound(kinds[kind].noun)
  return { name, content }
}
