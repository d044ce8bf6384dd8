import { ApiError, invalid, isUploadedFile, type Operation } from '../../api/index.ts'
import { groupsGet, named, projectsGet, usersList } from '../operations.ts'
import { isObject, type Json, type Schema } from './schema.ts'

/** What a parameter names. */
export type Reference = 'user' | 'group' | 'project' | 'namespace' | 'branch'

const names: readonly (readonly [Reference, RegExp])[] = [
  ['user', /^(user|assignee|reviewer|author|approver|owner)_ids?$/],
  ['group', /^(approver_)?group_ids?$/],
  ['project', /^((source|target|template)_)?project_ids?$/],
  ['namespace', /^namespace_id$/],
]
const branches = /^(ref|branch|(start|source|target|default)_branch)$/

/** What a parameter names, by its own name: where it is the id of something, people write the name. */
export function referenceOf(name: string, { kind, item }: Pick<Schema, 'kind' | 'item'>): Reference | null {
  if (kind === 'text' && branches.test(name)) return 'branch'
  const isId = (kind === 'list' ? item?.kind : kind) === 'number'
  return (isId && names.find(([, pattern]) => pattern.test(name))?.[0]) || null
}

/** What people write into the field. */
export const referenceHints: Readonly<Record<Reference, string | undefined>> = {
  user: 'A user name, or the number of a user.',
  group: 'The path of a group, or its number.',
  project: 'The path of a project with its group, or its number.',
  namespace: 'The path of a group or a user name, or a number.',
  branch: undefined,
}

/** Performs an operation as the caller. */
type Read = (operation: Operation, call: Json) => Promise<unknown>

const finders: Readonly<Record<Exclude<Reference, 'branch'>, (read: Read, name: string) => Promise<unknown>>> = {
  async user(read, name) {
    const found = await read(usersList, { username: name })
    return isObject(found) && Array.isArray(found.items) ? found.items[0] : undefined
  },
  group: (read, name) => read(groupsGet, { id: name, with_projects: false }),
  project: (read, name) => read(projectsGet, { id: name }),
  namespace: (read, name) => read(named('namespaces.get'), { id: name }),
}

/** The id of what a name stands for; null where the caller sees none. @throws ApiError of other refusals */
async function idOf(reference: Exclude<Reference, 'branch'>, name: string, read: Read): Promise<unknown> {
  try {
    const found = await finders[reference](read, name.replace(/^[@/]/, ''))
    return isObject(found) ? found.id : null
  } catch (error) {
    if (error instanceof ApiError && [301, 400, 403, 404].includes(error.status)) return null
    throw error
  }
}

const isNumber = (text: string) => /^\d+$/.test(text)

type Place = { name: string; schema: Schema; read: Read; refuse: (text: string) => ApiError }

/** A value with ids in place of the names in it. */
async function resolved(value: unknown, place: Place): Promise<unknown> {
  const { name, schema, read, refuse } = place
  if (Array.isArray(value)) {
    const item = schema.item ?? schema
    return Promise.all(value.map((one) => resolved(one, { ...place, schema: item })))
  }
  if (isObject(value) && !isUploadedFile(value)) return resolvedMembers(value, schema.members, place)
  const reference = referenceOf(name, schema)
  if (typeof value !== 'string' || !reference || reference === 'branch' || isNumber(value)) return value
  const id = await idOf(reference, value, read)
  if (id === null || id === undefined) throw refuse(`names no ${reference} “${value}”`)
  return id
}

async function resolvedMembers(value: Json, schemas: Json, place: Omit<Place, 'name' | 'schema'>): Promise<Json> {
  const pairs = Object.entries(value).map(async ([name, one]) => {
    const schema = schemas[name] as Schema | undefined
    return [name, schema ? await resolved(one, { ...place, name, schema }) : one] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}

/**
 * The parameters of a form with ids in place of the names that people wrote. Names are found by the operations of the API.
 * @throws ApiError 400 for a name of nothing that the caller sees
 */
export async function withIds(call: Json, schemas: Readonly<Record<string, Schema>>, read: Read): Promise<Json> {
  const pairs = Object.entries(call).map(async ([name, value]) => {
    const schema = schemas[name]
    const refuse = (text: string) => invalid({ [name]: [text] })
    return [name, schema ? await resolved(value, { name, schema, read, refuse }) : value] as const
  })
  return Object.fromEntries(await Promise.all(pairs))
}
