import { type Param, type ParamValues, parameterErrors, t } from '../../../api/index.ts'
import { states } from '../tables.ts'

const pathRule =
  'must have a relative path structure with no HTTP protocol characters, or leading or trailing forward slashes. Path segments must ' +
  'not start or end with a special character, and must not contain consecutive special characters.'
const segment = /^\w+(?:[.+-]\w+)*$/
const longestPath = 4096

/** A full path of a group or project. @param mayBeEmpty for the top level */
function fullPath(description: string, { mayBeEmpty = false } = {}): Param<string, true> {
  const text = t.required(t.string({ description }))
  return {
    ...text,
    read(value, name, problems) {
      const read = text.read(value, name, problems)
      if (read === undefined) return read
      // Forms do not send what is empty.
      if (mayBeEmpty && read.trim() === '') return ''
      if (read.length <= longestPath && read.split('/').every((part) => segment.test(part))) return read
      problems.push({ name, missing: false, text: pathRule })
      return undefined
    },
  }
}

const entity = t.object({
  source_type: t.required(t.oneOf(['group_entity', 'project_entity'])),
  source_full_path: fullPath('Full path of the group or project at the source.'),
  destination_namespace: fullPath('Full path of the group that receives it; empty for the top level, of groups only.', {
    mayBeEmpty: true,
  }),
  destination_slug: t.string({ blank: false, description: 'Its path in that group.' }),
  destination_name: t.string({ blank: false, description: 'The former name of `destination_slug`.' }),
  migrate_projects: t.boolean({ description: 'Whether the projects of the group follow; the default.' }),
  migrate_memberships: t.boolean({ description: 'Whether the members follow; the default.' }),
})

const mostEntities = 100

const configuration = t.object({
  url: t.required(t.string({ blank: false, description: 'Address of the source, without a path.' })),
  access_token: t.required(t.string({ blank: false, description: 'Token of the source with the scope `api`.' })),
})

const entities = t.array(entity, { maximum: mostEntities, description: 'What is migrated: at most 100.' })

/** Parameters of x.bulk_import_create. */
export const newMigration = { configuration: t.required(configuration), entities: t.required(entities) }
export type NewMigration = ParamValues<typeof newMigration>
export type NewEntity = NewMigration['entities'][number] & { destination_slug: string }

/** @throws ApiError 400 without entities: a list of none is as absent as no list */
export function requireEntities({ entities: given }: NewMigration): void {
  if (given.length === 0) throw parameterErrors([{ name: 'entities', missing: true, text: 'is missing' }])
}

export const statusFilter = { status: t.oneOf(states) }

/** Parameters of the lists of all migrations and of all entities. */
export const listFilter = {
  ...statusFilter,
  sort: t.oneOf(['asc', 'desc'], { description: 'By creation; descending by default.' }),
}
export type ListFilter = ParamValues<typeof listFilter>

export const idInPath = { import_id: t.id() }
export const entityInPath = { ...idInPath, entity_id: t.id() }
