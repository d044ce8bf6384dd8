import type { RawBuilder } from 'kysely'
import { type Dialect, forEachRow } from '../../../infra/database/index.ts'

/** Rows of `namespace_marks`: what a row of a table is a part of, as `select source, source_id`. */
type Marks = string

const mark = (source: string, id: string): Marks => `select '${source}', ${id}`

type Row = 'new' | 'old'

/** Marks what is counted of a project each by itself, because its sums may be of many rows. */
const allOf = (row: Row): Marks[] =>
  ['project', 'lfs', 'snippets', 'uploads'].map((source) => mark(source, `${row}.id`))

const uploadsOf = (row: Row): Marks[] => [
  `${mark('uploads', `${row}.project_id`)} where ${row}.project_id is not null`,
  `${mark('namespace', `${row}.namespace_id`)} where ${row}.namespace_id is not null`,
]

const repositoriesOf = (row: Row): Marks[] => [
  `${mark('project', `${row}.project_id`)} where ${row}.project_id is not null`,
  `${mark('snippets', 'n.project_id')} from snippets n where n.id = ${row}.snippet_id and n.project_id is not null`,
]

/** What a change of a table marks; an update only when one of the columns has another value. */
type Change = readonly [table: string, event: string, columns: readonly string[], marks: readonly Marks[]]

const changes: readonly Change[] = [
  ['projects', 'insert', [], [mark('project', 'new.id')]],
  ['projects', 'delete', [], allOf('old')],
  ['projects', 'update', ['pending_delete'], allOf('new')],
  ['projects', 'update', ['namespace_id'], [...allOf('new'), mark('members', 'new.id')]],
  ['repositories', 'insert', [], repositoriesOf('new')],
  ['repositories', 'delete', [], repositoriesOf('old')],
  ['repositories', 'update', ['size_bytes'], repositoriesOf('new')],
  ['lfs_objects_projects', 'insert', [], [mark('lfs', 'new.project_id')]],
  ['lfs_objects_projects', 'delete', [], [mark('lfs', 'old.project_id')]],
  ['snippets', 'delete', [], [`${mark('snippets', 'old.project_id')} where old.project_id is not null`]],
  ['uploads', 'insert', [], uploadsOf('new')],
  ['uploads', 'delete', [], uploadsOf('old')],
  ['uploads', 'update', ['size_bytes', 'project_id', 'namespace_id'], [...uploadsOf('old'), ...uploadsOf('new')]],
  ['members', 'insert', [], [mark('member', 'new.id')]],
  ['members', 'delete', [], [mark('member', 'old.id')]],
  ['members', 'update', ['namespace_id', 'project_id', 'user_id'], [mark('member', 'new.id')]],
  ['namespaces', 'insert', [], [`${mark('namespace', 'new.id')} where new.owner_id is not null`]],
  ['namespaces', 'delete', [], [mark('namespace', 'old.id')]],
  ['namespaces', 'update', ['owner_id'], [mark('namespace', 'new.id')]],
  ['users', 'update', ['state', 'bot_kind'], [mark('user', 'new.id')]],
]

/** What marks the packages of a project. They have triggers of their own, since a migration only adds (decision 0026). */
const packageChanges: readonly Change[] = [
  ['projects', 'delete', [], [mark('packages', 'old.id')]],
  ['projects', 'update', ['pending_delete'], [mark('packages', 'new.id')]],
  ['projects', 'update', ['namespace_id'], [mark('packages', 'new.id')]],
  ['packages', 'delete', [], [mark('packages', 'old.project_id')]],
  ['packages', 'update', ['size_bytes', 'status'], [mark('packages', 'new.project_id')]],
]

/** @param end of the names of the triggers */
function triggersOf(dialect: Dialect, all: readonly Change[], end: string): RawBuilder<unknown>[] {
  return all.flatMap(([table, event, columns, marks]) => {
    const name = [table, event, ...columns.slice(0, 1), end].join('_')
    const statements = marks.map((one) => `insert into namespace_marks (source, source_id) ${one}`).join('; ')
    const of = columns.length > 0 ? ` of ${columns.join(', ')}` : ''
    const isMet = columns.map((column) => `new.${column} is distinct from old.${column}`).join(' or ')
    const trigger = { name, event: `after ${event}${of}`, table, statement: statements }
    return forEachRow(dialect, isMet ? { ...trigger, isMet } : trigger)
  })
}

/** Triggers that mark changes of packages. */
export const packageMarkTriggers = (dialect: Dialect): RawBuilder<unknown>[] =>
  triggersOf(dialect, packageChanges, 'package_marks')

/** Triggers that mark in the transaction of a change what it changes; no writer waits for another. */
export const markTriggers = (dialect: Dialect): RawBuilder<unknown>[] => [
  ...triggersOf(dialect, changes, 'marks'),
  ...packageMarkTriggers(dialect),
]
