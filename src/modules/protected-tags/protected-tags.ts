import { dayOf, failure, type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import { acquireLock, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import { tagRef } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import {
  describedEntriesOf,
  initialEntries,
  insertEntries,
  maximumRules,
  nameProblems,
  type ProtectedTagRow,
  problemsOf,
  ruleOwnerOf,
} from '../protected-branches/index.ts'
import type { NewProtectedTag } from './params.ts'
import { type PresentedProtectedTag, presentProtectedTag } from './present.ts'
import { countTagRules, deleteTagRule, insertTagRule, pageOfTagRules, tagRuleNamed } from './store.ts'

const taken = 'Name has already been taken'

async function present(db: Reader, rows: readonly ProtectedTagRow[]): Promise<PresentedProtectedTag[]> {
  const ids = rows.map(({ id }) => id)
  const lists = await describedEntriesOf(db, ['create'], ids)
  return rows.map((row) => presentProtectedTag(row, lists.get(row.id)?.create ?? []))
}

async function presentOne(db: Reader, row: ProtectedTagRow): Promise<PresentedProtectedTag> {
  const [presented] = await present(db, [row])
  if (!presented) throw recordNotFound()
  return presented
}

/** A page of the rules of a project, by name (contract 01, x.protected_tag_list). */
export async function listProtectedTags(
  { database: { read } }: Platform,
  project: Project,
  page: PageRequest,
): Promise<Page<PresentedProtectedTag>> {
  const found = await pageOfTagRules(read, project.id, page)
  return { ...found, items: await present(read, found.items) }
}

/** Gets the rule with exactly this name (contract 01, x.protected_tag_get). @throws ApiError 404 */
export async function getProtectedTag(
  { database: { read } }: Platform,
  project: Project,
  name: string,
): Promise<PresentedProtectedTag> {
  const row = await tagRuleNamed(read, project.id, name)
  if (!row) throw recordNotFound()
  return presentOne(read, row)
}

/** Creates a rule (contract 01, x.protected_tag_create). @throws ApiError 422 */
export async function createProtectedTag(
  { database, clock }: Platform,
  project: Project,
  { name, create_access_level, allowed_to_create }: NewProtectedTag,
): Promise<PresentedProtectedTag> {
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
      return presentOne(tx, row)
    })
    .catch((error) => {
      throw isUniqueViolation(error, 'protected_tags_project_unique') ? failure(422, [taken]) : error
    })
}

/**
 * Deletes a rule; the tags stay (contract 01, x.protected_tag_delete).
 * @param unmodified throws when the rule is newer than the caller allows
 * @throws ApiError 404, 412
 */
export async function deleteProtectedTag(
  { database }: Platform,
  project: Project,
  name: string,
  unmodified: (updatedAt: string) => void,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await tagRuleNamed(tx, project.id, name)
    if (!row) throw recordNotFound()
    unmodified(row.updated_at)
    await deleteTagRule(tx, row.id)
  })
}
