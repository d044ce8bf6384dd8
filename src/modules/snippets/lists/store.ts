import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import {
  anyContains,
  type Condition,
  type Reader,
  sortedBy,
  type Tables,
  type TestUse,
  unindexed,
} from '../../../infra/database/index.ts'
import type { Visibility } from '../../namespaces/index.ts'
import { hasProject } from '../../projects/index.ts'
import type { SnippetRow } from '../tables.ts'

export type SnippetFilter = { created_after?: string; created_before?: string }

/** What a search asks of snippets: words that all occur in the title, the file name or the description. */
export type SnippetSearch = { terms: readonly string[]; sort: 'asc' | 'desc' }

/** So many of the newest snippets are searched: their texts have no index. */
const newestSearched = 50_000

/** Conditions on `projects`. */
export type ReadableProjects = {
  readable: (use: TestUse) => readonly Condition[]
  isMember: (use: TestUse) => Condition
}

/** What a reader sees besides their own snippets. */
type Reading = { authorId: number | null; open: readonly Visibility[] }

type Chosen = SelectQueryBuilder<Tables, 'snippets', object>

/** The complete snippets. */
const complete = (db: Reader): Chosen => db.selectFrom('snippets').where('snippets.file_name', 'is not', null)

/** A page of the chosen snippets, the newest first. @param id the column of their ids whose index has what was chosen */
async function pageOf(
  db: Reader,
  chosen: (use: TestUse) => Chosen,
  { created_after: after, created_before: before }: SnippetFilter,
  page: PageRequest,
  id = 'snippets.id',
): Promise<Page<SnippetRow>> {
  const selected = (use: TestUse) => {
    let found = chosen(use)
    if (after !== undefined) found = found.where('snippets.created_at', '>=', after)
    if (before !== undefined) found = found.where('snippets.created_at', '<=', before)
    return found.selectAll('snippets')
  }
  const read = selected('tests').orderBy(sql.ref(id), 'desc')
  if (after === undefined && before === undefined) {
    return (await pageOfRows(db, read, page, selected('counts').orderBy(sql.ref(id), 'desc'))) as Page<SnippetRow>
  }
  // The snippets of a time are found by their times: in the order of the ids all newer ones come first.
  const found = selected('counts').orderBy(sortedBy(db, id), 'desc')
  return (await pageOfRows(db, read, page, found, id)) as Page<SnippetRow>
}

/** Whether a snippet is in a project that meets the conditions. */
const inProject = (db: Reader, conditions: readonly Condition[]) => hasProject(db, 'snippets.project_id', conditions)

const isPersonal = sql<boolean>`snippets.project_id is null`

function isOpen(levels: readonly Visibility[]): RawBuilder<boolean> {
  return sql<boolean>`snippets.visibility in (${sql.join(levels.map((level) => sql.lit(level)))})`
}

const isBy = (authorId: number | null) => sql<boolean>`snippets.author_id = ${authorId ?? 0}`

const either = (...conditions: RawBuilder<boolean>[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`

export async function pageOfAuthor(
  db: Reader,
  authorId: number,
  readable: ReadableProjects['readable'],
  filter: SnippetFilter,
  page: PageRequest,
): Promise<Page<SnippetRow>> {
  const own = complete(db).where('snippets.author_id', '=', authorId)
  return pageOf(db, (use) => own.where(either(isPersonal, inProject(db, readable(use)))), filter, page)
}

export async function pageOfPublic(db: Reader, filter: SnippetFilter, page: PageRequest): Promise<Page<SnippetRow>> {
  const ofTime = filter.created_after !== undefined || filter.created_before !== undefined
  // Of a time, the index of times finds them.
  const column = (name: 'visibility' | 'project_id', use: TestUse) =>
    ofTime && use === 'counts' ? unindexed(db, `snippets.${name}`) : sql.ref(`snippets.${name}`)
  const chosen = (use: TestUse) =>
    complete(db)
      .where(sql<boolean>`${column('visibility', use)} = 'public'`)
      .where(sql<boolean>`${column('project_id', use)} is null`)
  return pageOf(db, chosen, filter, page)
}

export async function pageOfAll(
  db: Reader,
  { storage, ...filter }: SnippetFilter & { storage?: string | undefined },
  page: PageRequest,
): Promise<Page<SnippetRow>> {
  if (!storage) return pageOf(db, () => complete(db), filter, page)
  const stored = complete(db)
    .innerJoin('repositories', 'repositories.snippet_id', 'snippets.id')
    .where('repositories.storage', '=', storage)
  // The index of the storage has the order of the ids.
  return pageOf(db, () => stored, filter, page, 'repositories.snippet_id')
}

/** Whether a reader may read a snippet. */
function isReadable(
  db: Reader,
  { readable, isMember, authorId, open }: ReadableProjects & Reading,
  use: TestUse,
): Condition {
  const personal = sql<boolean>`(${isPersonal} and ${either(isBy(authorId), isOpen(open))})`
  const ofProject = inProject(db, [...readable(use), either(isBy(authorId), isOpen(open), isMember(use))])
  return either(personal, ofProject)
}

export async function pageOfReadable(
  db: Reader,
  access: ReadableProjects & Reading,
  filter: SnippetFilter,
  page: PageRequest,
): Promise<Page<SnippetRow>> {
  return pageOf(db, (use) => complete(db).where(isReadable(db, access, use)), filter, page)
}

/** A page of the snippets that a search finds, by id. @param access null for a reader who sees all */
export async function pageOfFound(
  db: Reader,
  access: (ReadableProjects & Reading) | null,
  { terms, sort }: SnippetSearch,
  page: PageRequest,
): Promise<Page<SnippetRow>> {
  const columns = ['snippets.title', 'snippets.file_name', 'snippets.description']
  const newest = sql<boolean>`snippets.id > coalesce((select recent.id from snippets recent
    order by recent.id desc limit 1 offset ${sql.lit(newestSearched)}), 0)`
  const readable = access ? [isReadable(db, access, 'tests')] : []
  const conditions = [...terms.map((term) => anyContains(columns, term)), newest, ...readable]
  const found = complete(db)
    .where(sql<boolean>`${sql.join(conditions, sql` and `)}`)
    .selectAll('snippets')
    .orderBy('snippets.id', sort)
  return (await pageOfRows(db, found, page)) as Page<SnippetRow>
}

/** @param reader null for one who sees all snippets of the project */
export async function pageOfProject(
  db: Reader,
  projectId: number,
  reader: Reading | null,
  page: PageRequest,
): Promise<Page<SnippetRow>> {
  const all = complete(db).where('snippets.project_id', '=', projectId)
  const chosen = reader ? all.where(either(isBy(reader.authorId), isOpen(reader.open))) : all
  return pageOf(db, () => chosen, {}, page)
}
