import type { Arguments, Connection, Listing, Reading, Selects } from '../reading/types.ts'

/** A field: its type and arguments in the language of schemas, and its value. */
// biome-ignore lint/suspicious/noExplicitAny: fields of all types stand in one list
export type Field<S = any> = {
  readonly type: string
  readonly args?: string
  /** The type of the objects of a connection. */
  readonly of?: string
  value(source: S, args: Arguments, reading: Reading, selects: Selects): unknown
}

/** An object type as a value; the text of the schema and what resolves its fields follow from it. */
export type ObjectType = {
  readonly name: string
  readonly description: string
  readonly fields: Readonly<Record<string, Field>>
}

/**
 * A field.
 * @param type in the language of schemas, such as `String!`
 * @param args in the language of schemas, such as `iid: String!`
 */
export const field = <S>(type: string, value: Field<S>['value'], args?: string): Field<S> => ({
  type,
  value,
  ...(args !== undefined && { args }),
})

const pageArguments = 'first: Int, last: Int, after: String, before: String'

/**
 * A field with the objects of a list, page by page; null where the caller may not read the list.
 * @param of the type of the objects
 * @param open says which list it is
 */
export function connection<S>(
  of: string,
  open: (source: S, args: Arguments, reading: Reading, selects: Selects) => Listing | null | Promise<Listing | null>,
  args?: string,
): Field<S> {
  return {
    of,
    type: `${of}Connection`,
    args: args === undefined ? pageArguments : `${args}, ${pageArguments}`,
    async value(source, given, reading, selects): Promise<Connection | null> {
      const listing = await open(source, given, reading, selects)
      return listing && reading.page(listing, given, selects)
    },
  }
}

/** The fields of the types that every connection has; their values are members of `Connection`. */
const connectionText = (of: string) => `
"A list of objects, page by page."
type ${of}Connection {
  "The objects of the page."
  nodes: [${of}]
  "The objects of the page, with their cursors."
  edges: [${of}Edge]
  pageInfo: PageInfo!
  "How many objects the list has in all; null for more than 10,000."
  count: Int
}

type ${of}Edge {
  node: ${of}
  "What \`after\` and \`before\` take."
  cursor: String!
}`

function typeText({ name, description, fields }: ObjectType): string {
  const lines = Object.entries(fields).map(
    ([field, { args, type }]) => `  ${field}${args === undefined ? '' : `(${args})`}: ${type}`,
  )
  return `"""${description}"""\ntype ${name} {\n${lines.join('\n')}\n}`
}

/** The schema of these types in its language. @param others types that are no objects, as text */
export function schemaText(types: readonly ObjectType[], others: string): string {
  const listed = new Set(types.flatMap(({ fields }) => Object.values(fields).flatMap(({ of }) => of ?? [])))
  return [others, ...types.map(typeText), ...[...listed].map(connectionText)].join('\n\n')
}
