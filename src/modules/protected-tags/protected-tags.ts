import {
  computed,
  dayOf,
  failure,
  object,
  of,
  type PageRequest,
  type ParamValues,
  recordNotFound,
  Type,
  t,
  takenIn,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, claim, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import { tagRef } from '../../infra/git/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import {
  AccessLevel,
  type DescribedEntry,
  describedEntriesOf,
  entriesParam,
  initialEntries,
  insertEntries,
  maximumRules,
  nameProblems,
  problemsOf,
  ruleOwnerOf,
} from '../protected-branches/index.ts'
import { countTagRules, deleteTagRule, insertTagRule, pageOfTagRules, tagRuleNamed } from './store.ts'
import type { ProtectedTagRow } from './tables.ts'

const levels = [0, 30, 40]

export const newProtectedTag = {
  name: t.required(t.string({ description: 'A tag, or several by `*`.' })),
  create_access_level: t.integerOf(levels, { description: 'Default 40.' }),
  allowed_to_create: takenIn({ tier: 'premium' }, entriesParam(levels, { keys: true })),
}
type NewProtectedTag = ParamValues<typeof newProtectedTag>

/** A rule with its list. */
type ShownRule = ProtectedTagRow & { entries: readonly DescribedEntry[] }

/** A rule that protects tags (contract 01, ProtectedTag). */
export const ProtectedTag = object('ProtectedTag', of<ShownRule>(), {
  name: Type.String(),
  create_access_levels: computed(Type.Array(AccessLevel), ({ entries }) =>
    entries.map((entry) => AccessLevel.present(entry)),
  ),
})

const taken = 'Name has already been taken'

async function present(db: Reader, row: ProtectedTagRow) {
  const lists = await describedEntriesOf(db, ['create'], [row.id])
  return ProtectedTag.present({ ...row, entries: lists.get(row.id)?.create ?? [] })
}

/** @throws ApiError 404 */
async function requireRule(db: Reader, project: Project, name: string): Promise<ProtectedTagRow> {
  const row = await tagRuleNamed(db, project.id, name)
  if (!row) throw recordNotFound()
  return row
}

/** A page of the rules of a project, by name (contract 01, x.protected_tag_list). */
export async function listProtectedTags({ database: { read } }: Platform, project: Project, page: PageRequest) {
  const found = await pageOfTagRules(read, project.id, page)
  const ids = found.items.map(({ id }) => id)
  const lists = await describedEntriesOf(read, ['create'], ids)
  return {
    ...found,
    items: found.items.map((row) => ProtectedTag.present({ ...row, entries: lists.get(row.id)?.create ?? [] })),
  }
}

/** Gets the rule with exactly this name (contract 01, x.protected_tag_get). @throws ApiError 404 */
export async function getProtectedTag({ database: { read } }: Platform, project: Project, name: string) {
  return present(read, await requireRule(read, project, name))
}

/** Creates a rule (contract 01, x.protected_tag_create). @throws ApiError 422 */
export async function createProtectedTag(
  { database, clock }: Platform,
  project: Project,
  { name, create_access_level, allowed_to_create }: NewProtectedTag,
  act: Act,
) {
  const all = initialEntries(create_access_level, allowed_to_create)
  const lists = [{ kind: 'create', all, fresh: all }] as const
  return database
    .write(async (tx) => {
      await acquireLock(tx, `protected_tags:${project.id}`)
      const isTaken = (await tagRuleNamed(tx, project.id, name)) !== null
      const isFull = (await countTagRules(tx, project.id)) >= maximumRules
      const problems = [
        ...nameProblems(name, tagRef),
        ...(isTaken ? [taken] : []),
        ...(isFull ? [`Protected tags is too long (maximum is ${maximumRules})`] : []),
        ...(await problemsOf(tx, ruleOwnerOf(project), lists, dayOf(clock.now()))),
      ]
      if (problems.length > 0) throw failure(422, problems)
      const moment = now(clock)
      const row = await insertTagRule(tx, { project_id: project.id, name, created_at: moment, updated_at: moment })
      await insertEntries(tx, 'create', row.id, all)
      await act(tx, name)
      return present(tx, row)
    })
    .catch((error) => {
      throw isUniqueViolation(error, 'protected_tags_project_unique') ? failure(422, [taken]) : error
    })
}

/** Deletes a rule; the tags stay (contract 01, x.protected_tag_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteProtectedTag(
  { database }: Platform,
  project: Project,
  name: string,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'protected_tags', () => requireRule(tx, project, name))
    unmodified(row.updated_at)
    await deleteTagRule(tx, row.id)
    await act(tx, name)
  })
}
