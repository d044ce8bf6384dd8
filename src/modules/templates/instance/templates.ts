import { notFound, Type } from '../../../api/index.ts'
import { contentOf, type Kind, keysOf, kinds } from './kinds.ts'

/** A template with its content (contract 24, Template). */
export const Template = Type.Object({ name: Type.String(), content: Type.String() }, { title: 'Template' })

/** A template in a list (contract 24, TemplateEntry). */
export const TemplateEntry = Type.Object({ key: Type.String(), name: Type.String() }, { title: 'TemplateEntry' })

/** The templates of a kind, by key. */
export const entriesOf = (kind: Kind) => keysOf(kind).map((key) => ({ key, name: key }))

/** A template of a kind (contract 24). @throws ApiError 404 with the word of the kind */
export async function getTemplate(kind: Kind, name: string) {
  const content = await contentOf(kind, name)
  if (content === null) throw notFound(kinds[kind].noun)
  return { name, content }
}
