/**
 * Rules that protect things of a project by name from lower roles: container repositories, packages. The kind says what its rules are
 * called and where they are stored; what is done to them is the same.
 */
import { type ApiError, type Page, type PageRequest, recordNotFound } from '../../../api/index.ts'
import { acquireLock, isUniqueViolation, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../core/access.ts'
import { type GivenLevels, type ProtectionLevels, protectionLevelOf } from './levels.ts'

/** Rules that a project can have of most kinds. All that match a name are read when something is done to it. */
export const maximumRules = 1_000

/** What the rules of all kinds have. */
export type ProtectionRow = ProtectionLevels & { id: number; created_at: string; updated_at: string }

/** A kind of rules: its words, its queries, and what its rules have besides levels. */
export type ProtectionKind<Row extends ProtectionRow, Given, Shown> = {
  /** The table, whose unique index of patterns is `<table>_pattern_unique`. */
  table: string
  sentences: { taken: string; tooMany: string }
  /** The number of rules that a project can have. */
  maximum: number
  /** The error for a rule that is not accepted. */
  refusal(sentence: string): ApiError
  /** What a request says besides levels, or what the rule has already. @throws ApiError 422 */
  read(project: Project, given: Given, known: Row | null): Partial<Row>
  present(row: Row, project: Project): Shown
  byId(db: Reader, projectId: number, id: number): Promise<Row | null>
  count(db: Reader, projectId: number): Promise<number>
  insert(tx: Tx, row: Omit<Row, 'id'>): Promise<Row>
  update(tx: Tx, id: number, changes: Partial<Row>): Promise<Row | null>
  remove(tx: Tx, id: number): Promise<unknown>
}

/** A kind of rules that are listed in pages. */
export type PagedProtectionKind<Row extends ProtectionRow, Given, Shown> = ProtectionKind<Row, Given, Shown> & {
  page(db: Reader, projectId: number, page: PageRequest): Promise<Page<Row>>
}

const empty = 'A rule must have at least a minimum access role for push or delete.'

/** Runs a change; a pattern that another rule has is refused. @throws ApiError 422 */
async function write<Row extends ProtectionRow, Given, Shown, T>(
  { database }: Platform,
  { table, refusal, sentences }: ProtectionKind<Row, Given, Shown>,
  change: (tx: Tx) => Promise<T>,
): Promise<T> {
  return database.write(change).catch((error) => {
    throw isUniqueViolation(error, `${table}_pattern_unique`) ? refusal(sentences.taken) : error
  })
}

/** Serialises changes of the rules of a project, until the transaction ends. */
const lockRules = (tx: Tx, { table }: { table: string }, { id }: Project) => acquireLock(tx, `${table}:${id}`)

/** The rule, which others cannot change or delete until the transaction ends. @throws ApiError 404 */
async function requireRule<Row extends ProtectionRow, Given, Shown>(
  tx: Tx,
  kind: ProtectionKind<Row, Given, Shown>,
  project: Project,
  id: number,
): Promise<Row> {
  await lockRules(tx, kind, project)
  const rule = await kind.byId(tx, project.id, id)
  if (!rule) throw recordNotFound()
  return rule
}

/** A page of the rules of a project, by id. */
export async function listProtectionRules<Row extends ProtectionRow, Given, Shown>(
  { database }: Platform,
  kind: PagedProtectionKind<Row, Given, Shown>,
  project: Project,
  page: PageRequest,
): Promise<Page<Shown>> {
  const found = await kind.page(database.read, project.id, page)
  return { ...found, items: found.items.map((rule) => kind.present(rule, project)) }
}

/** The levels of a rule after a request; those that it does not name stay. @throws ApiError 422 when none is left */
function levelsAfter(
  { refusal }: { refusal(sentence: string): ApiError },
  given: GivenLevels,
  known: ProtectionLevels | null,
): ProtectionLevels {
  const { minimum_access_level_for_push: forPush, minimum_access_level_for_delete: forDelete } = given
  const push_level = forPush === undefined ? (known?.push_level ?? null) : protectionLevelOf(forPush)
  const delete_level = forDelete === undefined ? (known?.delete_level ?? null) : protectionLevelOf(forDelete)
  if (push_level === null && delete_level === null) throw refusal(empty)
  return { push_level, delete_level }
}

/** Creates a rule. @throws ApiError 422 */
export async function createProtectionRule<Row extends ProtectionRow, Given extends GivenLevels, Shown>(
  platform: Platform,
  kind: ProtectionKind<Row, Given, Shown>,
  project: Project,
  given: Given,
): Promise<Shown> {
  const moment = now(platform.clock)
  const said = { ...kind.read(project, given, null), ...levelsAfter(kind, given, null) }
  const row = { ...said, project_id: project.id, created_at: moment, updated_at: moment }
  return write(platform, kind, async (tx) => {
    await lockRules(tx, kind, project)
    if ((await kind.count(tx, project.id)) >= kind.maximum) throw kind.refusal(kind.sentences.tooMany)
    return kind.present(await kind.insert(tx, row as unknown as Omit<Row, 'id'>), project)
  })
}

/** Changes the given members of a rule. @throws ApiError 404, 422 */
export async function changeProtectionRule<Row extends ProtectionRow, Given extends GivenLevels, Shown>(
  platform: Platform,
  kind: ProtectionKind<Row, Given, Shown>,
  project: Project,
  { id, given }: { id: number; given: Given },
): Promise<Shown> {
  return write(platform, kind, async (tx) => {
    const rule = await requireRule(tx, kind, project, id)
    const said = { ...kind.read(project, given, rule), ...levelsAfter(kind, given, rule) }
    const changes = { ...said, updated_at: now(platform.clock) } as Partial<Row>
    return kind.present((await kind.update(tx, rule.id, changes)) ?? { ...rule, ...changes }, project)
  })
}

/** Deletes a rule. @throws ApiError 404; 412 by `unmodified` */
export async function removeProtectionRule<Row extends ProtectionRow, Given, Shown>(
  { database }: Platform,
  kind: ProtectionKind<Row, Given, Shown>,
  project: Project,
  { id, unmodified }: { id: number; unmodified: (updatedAt: string) => void },
): Promise<void> {
  await database.write(async (tx) => {
    const rule = await requireRule(tx, kind, project, id)
    unmodified(rule.updated_at)
    await kind.remove(tx, rule.id)
  })
}
